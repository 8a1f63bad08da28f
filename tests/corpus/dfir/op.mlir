func.func @op() {
  dataflow.opaque {func_name = "newton_step", parameter_dictionary = {unroll = "2"}, read_only_register_dictionary = {k = "R9"}, read_write_register_dictionary = {acc = "R1"}}
  return
}
