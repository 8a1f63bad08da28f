func.func @two_cores() {
  %e0 = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-vpu", type = "vpu"} : index
  %e1 = dataflow.get_unit {core = 1 : i32, corelet = 0 : i32, name = "C1-vpu", type = "vpu"} : index
  dataflow.program_unit iter_arg : %self -> (%e0, %e1) {precision = "fp16"} : {
  }
  return
}
