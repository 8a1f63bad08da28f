// The intrinsics of the `spyreop` dialect in terms of arith and math, for devices without instructions
// for some of them. A device imports the patterns with one line:
//
//   patterns ["pre_mapping"] attributes {kt.import = "kt:patterns/intrinsics"} {}
//
// Every pattern has benefit 0: what the device does better itself, by a pattern of its own, goes first.
// Expand before mapping (as above): the functions compute in f32, so a vector gets the lanes of f32.
// f16 and df16 operands are widened, and the result is rounded once; kt.ulp of a function is what its
// result in f32 may be off (with kt:patterns/exp for e^x; gelu and softplus are for halves only).

ktdf_arch.device @intrinsics {
  patterns {
    pdl.pattern : benefit(0) {
      %t = type
      %x = operand : %t
      %op = operation "spyreop.exp"(%x : !pdl.value) -> (%t : !pdl.type)
      rewrite %op {
        %body = attribute = @exp
        %y = apply_native_rewrite "kt.expand"(%op, %body : !pdl.operation, !pdl.attribute) : !pdl.range<value>
        replace %op with (%y : !pdl.range<value>)
      }
    }
    pdl.pattern : benefit(0) {
      %t = type
      %x = operand : %t
      %op = operation "spyreop.sigmoid"(%x : !pdl.value) -> (%t : !pdl.type)
      rewrite %op {
        %body = attribute = @sigmoid
        %y = apply_native_rewrite "kt.expand"(%op, %body : !pdl.operation, !pdl.attribute) : !pdl.range<value>
        replace %op with (%y : !pdl.range<value>)
      }
    }
    pdl.pattern : benefit(0) {
      %t = type
      %x = operand : %t
      %op = operation "spyreop.silu"(%x : !pdl.value) -> (%t : !pdl.type)
      rewrite %op {
        %body = attribute = @silu
        %y = apply_native_rewrite "kt.expand"(%op, %body : !pdl.operation, !pdl.attribute) : !pdl.range<value>
        replace %op with (%y : !pdl.range<value>)
      }
    }
    pdl.pattern : benefit(0) {
      %t = type
      %x = operand : %t
      %op = operation "spyreop.gelu"(%x : !pdl.value) -> (%t : !pdl.type)
      rewrite %op {
        %body = attribute = @gelu
        %y = apply_native_rewrite "kt.expand"(%op, %body : !pdl.operation, !pdl.attribute) : !pdl.range<value>
        replace %op with (%y : !pdl.range<value>)
      }
    }
    // The two numbers of softplus become operands.
    pdl.pattern : benefit(0) {
      %t = type
      %x = operand : %t
      %beta = attribute
      %limit = attribute
      %op = operation "spyreop.softplus"(%x : !pdl.value) {"beta" = %beta, "threshold" = %limit} -> (%t : !pdl.type)
      rewrite %op {
        %f32 = type : f32
        %betac = operation "arith.constant" {"value" = %beta} -> (%f32 : !pdl.type)
        %betav = result 0 of %betac
        %limitc = operation "arith.constant" {"value" = %limit} -> (%f32 : !pdl.type)
        %limitv = result 0 of %limitc
        %body = attribute = @softplus
        %y = apply_native_rewrite "kt.expand"(%op, %body, %x, %betav, %limitv : !pdl.operation, !pdl.attribute, !pdl.value, !pdl.value, !pdl.value) : !pdl.range<value>
        replace %op with (%y : !pdl.range<value>)
      }
    }
    pdl.pattern : benefit(0) {
      %t = type
      %x = operand : %t
      %op = operation "spyreop.sqrt"(%x : !pdl.value) -> (%t : !pdl.type)
      rewrite %op {
        %body = attribute = @sqrt
        %y = apply_native_rewrite "kt.expand"(%op, %body : !pdl.operation, !pdl.attribute) : !pdl.range<value>
        replace %op with (%y : !pdl.range<value>)
      }
    }
    pdl.pattern : benefit(0) {
      %t = type
      %x = operand : %t
      %op = operation "spyreop.rsqrt"(%x : !pdl.value) -> (%t : !pdl.type)
      rewrite %op {
        %body = attribute = @rsqrt
        %y = apply_native_rewrite "kt.expand"(%op, %body : !pdl.operation, !pdl.attribute) : !pdl.range<value>
        replace %op with (%y : !pdl.range<value>)
      }
    }
    pdl.pattern : benefit(0) {
      %t = type
      %x = operand : %t
      %op = operation "spyreop.reciprocal"(%x : !pdl.value) -> (%t : !pdl.type)
      rewrite %op {
        %body = attribute = @reciprocal
        %y = apply_native_rewrite "kt.expand"(%op, %body : !pdl.operation, !pdl.attribute) : !pdl.range<value>
        replace %op with (%y : !pdl.range<value>)
      }
    }
    pdl.pattern : benefit(0) {
      %t = type
      %a = operand : %t
      %b = operand : %t
      %op = operation "spyreop.realdiv"(%a, %b : !pdl.value, !pdl.value) -> (%t : !pdl.type)
      rewrite %op {
        %body = attribute = @divide
        %y = apply_native_rewrite "kt.expand"(%op, %body : !pdl.operation, !pdl.attribute) : !pdl.range<value>
        replace %op with (%y : !pdl.range<value>)
      }
    }
    // Steps of a layer normalisation.
    pdl.pattern : benefit(0) {
      %t = type
      %x = operand : %t
      %op = operation "spyreop.exx2"(%x : !pdl.value) -> (%t, %t : !pdl.type, !pdl.type)
      rewrite %op {
        %body = attribute = @exx2
        %y = apply_native_rewrite "kt.expand"(%op, %body : !pdl.operation, !pdl.attribute) : !pdl.range<value>
        replace %op with (%y : !pdl.range<value>)
      }
    }
    pdl.pattern : benefit(0) {
      %t = type
      %mean = operand : %t
      %squares = operand : %t
      %op = operation "spyreop.layernormscale"(%mean, %squares : !pdl.value, !pdl.value) -> (%t : !pdl.type)
      rewrite %op {
        %body = attribute = @scale
        %y = apply_native_rewrite "kt.expand"(%op, %body : !pdl.operation, !pdl.attribute) : !pdl.range<value>
        replace %op with (%y : !pdl.range<value>)
      }
    }
    // (old form: the operand is the variance)
    pdl.pattern : benefit(0) {
      %t = type
      %x = operand : %t
      %op = operation "spyreop.layernormscale"(%x : !pdl.value) -> (%t : !pdl.type)
      rewrite %op {
        %body = attribute = @scale_of_variance
        %y = apply_native_rewrite "kt.expand"(%op, %body : !pdl.operation, !pdl.attribute) : !pdl.range<value>
        replace %op with (%y : !pdl.range<value>)
      }
    }
    pdl.pattern : benefit(0) {
      %t = type
      %x = operand : %t
      %mean = operand : %t
      %scale = operand : %t
      %weight = operand : %t
      %bias = operand : %t
      %op = operation "spyreop.layernormnorm"(%x, %mean, %scale, %weight, %bias : !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value) -> (%t : !pdl.type)
      rewrite %op {
        %body = attribute = @normalise
        %y = apply_native_rewrite "kt.expand"(%op, %body : !pdl.operation, !pdl.attribute) : !pdl.range<value>
        replace %op with (%y : !pdl.range<value>)
      }
    }
    // 1.0 : a literal is a constant.
    pdl.pattern : benefit(0) {
      %t = type
      %value = attribute
      %op = operation "spyreop.constant" {"value" = %value} -> (%t : !pdl.type)
      rewrite %op {
        %new = operation "arith.constant" {"value" = %value} -> (%t : !pdl.type)
        replace %op with %new
      }
    }
  }
  patterns attributes {kt.import = "kt:patterns/integers"} {}
}

func.func private @exp(%x: f32) -> f32 attributes {kt.ulp = 2} {
  %y = math.exp %x : f32
  return %y : f32
}

// 1 / (1 + e^-|x|), or e^-|x| / (1 + e^-|x|): never overflows, keeps small values.
func.func private @sigmoid(%x: f32) -> f32 attributes {kt.ulp = 4} {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %a = math.absf %x : f32
  %n = arith.negf %a : f32
  %e = math.exp %n : f32
  %neg = arith.cmpf olt, %x, %zero : f32
  %top = arith.select %neg, %e, %one : f32
  %sum = arith.addf %one, %e : f32
  %y = arith.divf %top, %sum : f32
  return %y : f32
}

func.func private @silu(%x: f32) -> f32 attributes {kt.ulp = 5} {
  %s = spyreop.sigmoid %x : f32
  %y = arith.mulf %x, %s : f32
  return %y : f32
}

// x * Phi(x), Phi(x) = erfc(-x / sqrt(2)) / 2: no cancellation for negative x.
func.func private @gelu(%x: f32) -> f32 attributes {kt.ulp = 4} {
  %half = arith.constant 0.5 : f32
  %c = arith.constant -0.707106781 : f32
  %a = arith.mulf %x, %c : f32
  %e = math.erfc %a : f32
  %h = arith.mulf %x, %half : f32
  %y = arith.mulf %h, %e : f32
  return %y : f32
}

// log(1 + e^(beta x)) / beta; x itself where beta x exceeds the limit.
func.func private @softplus(%x: f32, %beta: f32, %limit: f32) -> f32 attributes {kt.ulp = 4} {
  %b = arith.mulf %x, %beta : f32
  %e = math.exp %b : f32
  %l = math.log1p %e : f32
  %y = arith.divf %l, %beta : f32
  %big = arith.cmpf ogt, %b, %limit : f32
  %z = arith.select %big, %x, %y : f32
  return %z : f32
}

func.func private @sqrt(%x: f32) -> f32 {
  %y = math.sqrt %x : f32
  return %y : f32
}

func.func private @rsqrt(%x: f32) -> f32 attributes {kt.ulp = 2} {
  %one = arith.constant 1.0 : f32
  %s = math.sqrt %x : f32
  %y = arith.divf %one, %s : f32
  return %y : f32
}

func.func private @reciprocal(%x: f32) -> f32 {
  %one = arith.constant 1.0 : f32
  %y = arith.divf %one, %x : f32
  return %y : f32
}

func.func private @divide(%a: f32, %b: f32) -> f32 {
  %y = arith.divf %a, %b : f32
  return %y : f32
}

func.func private @exx2(%x: f32) -> (f32, f32) {
  %s = arith.mulf %x, %x : f32
  return %x, %s : f32, f32
}

// 1 / sqrt(mean of squares - mean^2)
func.func private @scale(%mean: f32, %squares: f32) -> f32 attributes {kt.ulp = 4} {
  %one = arith.constant 1.0 : f32
  %n = arith.negf %mean : f32
  %v = math.fma %n, %mean, %squares : f32
  %s = math.sqrt %v : f32
  %y = arith.divf %one, %s : f32
  return %y : f32
}

func.func private @scale_of_variance(%v: f32) -> f32 attributes {kt.ulp = 2} {
  %one = arith.constant 1.0 : f32
  %s = math.sqrt %v : f32
  %y = arith.divf %one, %s : f32
  return %y : f32
}

func.func private @normalise(%x: f32, %mean: f32, %scale: f32, %weight: f32, %bias: f32) -> f32 attributes {kt.ulp = 2} {
  %d = arith.subf %x, %mean : f32
  %s = arith.mulf %d, %scale : f32
  %y = math.fma %s, %weight, %bias : f32
  return %y : f32
}
