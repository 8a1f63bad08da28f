func.func @groups() {
  %a = dataflow.get_unit {core = 0 : i32, name = "C0-slu", type = "slu"} : index
  %b = dataflow.get_unit {core = 1 : i32, name = "C1-slu", type = "slu"} : index
  %g = dataflow.create_group(%a, %b : index, index) : index
  %m = dataflow.create_multicast_group(%a -> (%b)) {count = 0 : i32, group_id = 6 : i32, num_consumers = 1 : i32} : index
  return
}
