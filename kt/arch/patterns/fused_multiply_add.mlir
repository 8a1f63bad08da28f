// x y + z in one instruction, where that changes no bit: the product is exact, as that of two numbers
// which were converted from a narrower type. For devices whose engine multiplies and adds at once:
//
//   patterns ["post_scheduling"] attributes {kt.import = "kt:patterns/fused_multiply_add"} {}
//
// Behind scheduling, because the sum of a reduction is known by its `arith.addf`.

ktdf_arch.device @fused_multiply_add {
  patterns {
    pdl.pattern : benefit(0) {
      %t = type
      %x = operand : %t
      %y = operand : %t
      %z = operand : %t
      %mul = operation "arith.mulf"(%x, %y : !pdl.value, !pdl.value) -> (%t : !pdl.type)
      %product = result 0 of %mul
      %op = operation "arith.addf"(%z, %product : !pdl.value, !pdl.value) -> (%t : !pdl.type)
      apply_native_constraint "kt.exact_product"(%mul : !pdl.operation)
      rewrite %op {
        %new = operation "math.fma"(%x, %y, %z : !pdl.value, !pdl.value, !pdl.value) -> (%t : !pdl.type)
        replace %op with %new
      }
    }
    pdl.pattern : benefit(0) {
      %t = type
      %x = operand : %t
      %y = operand : %t
      %z = operand : %t
      %mul = operation "arith.mulf"(%x, %y : !pdl.value, !pdl.value) -> (%t : !pdl.type)
      %product = result 0 of %mul
      %op = operation "arith.addf"(%product, %z : !pdl.value, !pdl.value) -> (%t : !pdl.type)
      apply_native_constraint "kt.exact_product"(%mul : !pdl.operation)
      rewrite %op {
        %new = operation "math.fma"(%x, %y, %z : !pdl.value, !pdl.value, !pdl.value) -> (%t : !pdl.type)
        replace %op with %new
      }
    }
  }
}
