// e^x without an instruction for it: x = n ln 2 + r, e^x = 2^n p(r). For devices whose engines only add,
// multiply, round and shift:
//
//   patterns ["pre_mapping"] attributes {kt.import = "kt:patterns/exp"} {}

ktdf_arch.device @exp {
  patterns {
    pdl.pattern : benefit(0) {
      %t = type
      %x = operand : %t
      %op = operation "math.exp"(%x : !pdl.value) -> (%t : !pdl.type)
      rewrite %op {
        %body = attribute = @exp_by_series
        %y = apply_native_rewrite "kt.expand"(%op, %body : !pdl.operation, !pdl.attribute) : !pdl.range<value>
        replace %op with (%y : !pdl.range<value>)
      }
    }
  }
}

// |r| <= ln(2)/2, so the next term of the series is below 2^-27. 2^n is put together in two halves,
// as n may lie outside of the exponents of f32.
func.func private @exp_by_series(%x: f32) -> f32 {
  %high = arith.constant 89.0 : f32
  %low = arith.constant -104.0 : f32
  %log2e = arith.constant 1.44269502 : f32
  %ln2_high = arith.constant -0.693359375 : f32
  %ln2_low = arith.constant 2.12194442e-4 : f32
  %c0 = arith.constant 1.0 : f32
  %c2 = arith.constant 0.5 : f32
  %c3 = arith.constant 0.166666672 : f32
  %c4 = arith.constant 0.0416666679 : f32
  %c5 = arith.constant 0.00833333377 : f32
  %c6 = arith.constant 0.00138888892 : f32
  %c7 = arith.constant 1.98412701e-4 : f32
  %bias = arith.constant 127 : i32
  %mantissa = arith.constant 23 : i32
  %two = arith.constant 1 : i32
  // beyond these bounds the result is infinite or zero; NaN becomes a bound here and comes back below
  %a = arith.minnumf %x, %high : f32
  %c = arith.maxnumf %a, %low : f32
  %t = arith.mulf %c, %log2e : f32
  %n = math.roundeven %t : f32
  %r1 = math.fma %n, %ln2_high, %c : f32
  %r = math.fma %n, %ln2_low, %r1 : f32
  %p6 = math.fma %c7, %r, %c6 : f32
  %p5 = math.fma %p6, %r, %c5 : f32
  %p4 = math.fma %p5, %r, %c4 : f32
  %p3 = math.fma %p4, %r, %c3 : f32
  %p2 = math.fma %p3, %r, %c2 : f32
  %p1 = math.fma %p2, %r, %c0 : f32
  %p = math.fma %p1, %r, %c0 : f32
  %k = arith.fptosi %n : f32 to i32
  %k1 = arith.shrsi %k, %two : i32
  %k2 = arith.subi %k, %k1 : i32
  %e1 = arith.addi %k1, %bias : i32
  %e2 = arith.addi %k2, %bias : i32
  %b1 = arith.shli %e1, %mantissa : i32
  %b2 = arith.shli %e2, %mantissa : i32
  %s1 = arith.bitcast %b1 : i32 to f32
  %s2 = arith.bitcast %b2 : i32 to f32
  %y1 = arith.mulf %p, %s1 : f32
  %y = arith.mulf %y1, %s2 : f32
  %nan = arith.cmpf uno, %x, %x : f32
  %z = arith.select %nan, %x, %y : f32
  return %z : f32
}
