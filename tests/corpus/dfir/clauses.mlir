func.func @clauses() {
  %a = dataflow.get_unit {core = 0 : i32, name = "C0-glu", type = "glu"} : index
  %b = dataflow.get_unit {core = 1 : i32, name = "C1-glu", type = "glu"} : index
  %c = dataflow.get_unit {core = 2 : i32, name = "C2-glu", type = "glu"} : index
  %g = dataflow.create_group(%b, %c : index, index) : index
  %r = uniform.uniformize_regions -> index {
    (%k -> %a) {
      %x = arith.constant 17 : index
      uniform.yield %x : index
    }
    (%k -> %g) {
      %x = arith.constant 19 : index
      uniform.yield %x : index
    }
  } {regIndices = [0 : i32, 1 : i32]}
  uniform.equalize_pattern {
    (%k -> %a) {
      %x = arith.constant 1 : index
    }
    (%k -> %b, %c) {
      %x = arith.constant 2 : index
    }
  }
  return
}
