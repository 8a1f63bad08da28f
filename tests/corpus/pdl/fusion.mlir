ktdf_arch.device @demo {
  %pad = memory {kind = "PAD", size = 8192}

  patterns {
    // a * b + c  ->  fma(a, b, c)
    pdl.pattern : benefit(2) {
      %ty = type
      %a = operand : %ty
      %b = operand : %ty
      %c = operand : %ty
      %mul = operation "arith.mulf" (%a, %b : !pdl.value, !pdl.value) -> (%ty : !pdl.type)
      %prod = result 0 of %mul
      %add = operation "arith.addf" (%prod, %c : !pdl.value, !pdl.value) -> (%ty : !pdl.type)
      // leave products alone that somebody has bound to a unit
      %pin = apply_native_constraint "ktdf_arch.mapped_to" (%mul : !pdl.operation) : !pdl.attribute {isNegated = true}
      rewrite %add {
        %fma = operation "math.fma" (%a, %b, %c : !pdl.value, !pdl.value, !pdl.value) -> (%ty : !pdl.type)
        replace %add with %fma
      }
    }
    // x * 1.0  ->  x
    pdl.pattern : benefit(9) {
      %ty = type : f16
      %x = operand : %ty
      %onev = attribute = 1.0 : f16
      %oneop = operation "arith.constant" {"value" = %onev} -> (%ty : !pdl.type)
      %one = result 0 of %oneop
      %mul = operation "arith.mulf" (%x, %one : !pdl.value, !pdl.value) -> (%ty : !pdl.type)
      rewrite %mul {
        replace %mul with (%x : !pdl.value)
      }
    }
  }
}

func.func @poly(%x: f16, %y: f16, %z: f16) -> (f16, f16, f16) {
  %one = arith.constant 1.0 : f16
  %p = arith.mulf %x, %y : f16
  %r = arith.addf %p, %z : f16
  %q = arith.mulf %x, %y {ktdf_arch.maps_to = "VPU"} : f16
  %s = arith.addf %q, %z : f16
  %w = math.absf %z : f16
  %u = arith.mulf %w, %one : f16
  return %r, %s, %u : f16, f16, f16
}
