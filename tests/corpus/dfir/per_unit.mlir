func.func @per_unit() {
  %a = dataflow.get_unit {core = 0 : i32, name = "C0-glu", type = "glu"} : index
  %b = dataflow.get_unit {core = 1 : i32, name = "C1-glu", type = "glu"} : index
  %c11 = arith.constant 11 : index
  %c13 = arith.constant 13 : index
  %trip = uniform.def_immutable_mapping([%a -> %c11], [%b -> %c13]):index
  dataflow.program_unit iter_arg : %self -> (%a, %b) : {
    %n = uniform.query_map(map:%trip, key:%self) : index
  }
  return
}
