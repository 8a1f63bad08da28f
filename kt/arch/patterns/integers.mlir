// The integer intrinsics of the `spyreop` dialect as arith ops, which wrap around as they do:
//
//   patterns ["pre_scheduling"] attributes {kt.import = "kt:patterns/integers"} {}

ktdf_arch.device @integers {
  patterns {
    pdl.pattern : benefit(0) {
      %t = type
      %a = operand : %t
      %b = operand : %t
      %op = operation "spyreop.addi32toi32"(%a, %b : !pdl.value, !pdl.value) -> (%t : !pdl.type)
      rewrite %op {
        %new = operation "arith.addi"(%a, %b : !pdl.value, !pdl.value) -> (%t : !pdl.type)
        replace %op with %new
      }
    }
    pdl.pattern : benefit(0) {
      %t = type
      %a = operand : %t
      %b = operand : %t
      %op = operation "spyreop.addi64toi64"(%a, %b : !pdl.value, !pdl.value) -> (%t : !pdl.type)
      rewrite %op {
        %new = operation "arith.addi"(%a, %b : !pdl.value, !pdl.value) -> (%t : !pdl.type)
        replace %op with %new
      }
    }
    pdl.pattern : benefit(0) {
      %t = type
      %a = operand : %t
      %b = operand : %t
      %op = operation "spyreop.muli32toi32"(%a, %b : !pdl.value, !pdl.value) -> (%t : !pdl.type)
      rewrite %op {
        %new = operation "arith.muli"(%a, %b : !pdl.value, !pdl.value) -> (%t : !pdl.type)
        replace %op with %new
      }
    }
    // base + stride * index
    pdl.pattern : benefit(0) {
      %t = type
      %index = operand : %t
      %base = operand : %t
      %stride = operand : %t
      %op = operation "spyreop.idx32toaddr"(%index, %base, %stride : !pdl.value, !pdl.value, !pdl.value) -> (%t : !pdl.type)
      rewrite %op {
        %mul = operation "arith.muli"(%index, %stride : !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %scaled = result 0 of %mul
        %sum = operation "arith.addi"(%scaled, %base : !pdl.value, !pdl.value) -> (%t : !pdl.type)
        replace %op with %sum
      }
    }
    // (old form: base and stride are attributes)
    pdl.pattern : benefit(0) {
      %t = type
      %index = operand : %t
      %base = attribute
      %stride = attribute
      %op = operation "spyreop.idx32toaddr"(%index : !pdl.value) {"base_address" = %base, "stride" = %stride} -> (%t : !pdl.type)
      rewrite %op {
        %bc = operation "arith.constant" {"value" = %base} -> (%t : !pdl.type)
        %b = result 0 of %bc
        %sc = operation "arith.constant" {"value" = %stride} -> (%t : !pdl.type)
        %s = result 0 of %sc
        %mul = operation "arith.muli"(%index, %s : !pdl.value, !pdl.value) -> (%t : !pdl.type)
        %scaled = result 0 of %mul
        %sum = operation "arith.addi"(%scaled, %b : !pdl.value, !pdl.value) -> (%t : !pdl.type)
        replace %op with %sum
      }
    }
  }
}
