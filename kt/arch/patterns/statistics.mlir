// Statistics packed in pairs (a mean and a mean of squares in one element): one instruction each. A pair
// can't be taken apart by arithmetic, so the templates are the operations themselves. Devices whose engine
// has lanes for pairs import them:
//
//   patterns ["pre_scheduling"] attributes {kt.import = "kt:patterns/statistics"} {}

ktdf_arch.device @statistics {
  patterns {
    pdl.pattern : benefit(0) {
      %a = type
      %r = type
      %x = operand : %a
      %op = operation "spyreop.exx2_fused"(%x : !pdl.value) -> (%r : !pdl.type)
      rewrite %op {
        %name = attribute = "EXX2P"
        %y = apply_native_rewrite "kt.template"(%op, %name : !pdl.operation, !pdl.attribute) : !pdl.range<value>
        replace %op with (%y : !pdl.range<value>)
      }
    }
    pdl.pattern : benefit(0) {
      %a = type
      %r = type
      %x = operand : %a
      %op = operation "spyreop.exx2_zeromean_fused"(%x : !pdl.value) -> (%r : !pdl.type)
      rewrite %op {
        %name = attribute = "EXX2Z"
        %y = apply_native_rewrite "kt.template"(%op, %name : !pdl.operation, !pdl.attribute) : !pdl.range<value>
        replace %op with (%y : !pdl.range<value>)
      }
    }
    pdl.pattern : benefit(0) {
      %a = type
      %r = type
      %x = operand : %a
      %op = operation "spyreop.layernormscale_fused"(%x : !pdl.value) -> (%r : !pdl.type)
      rewrite %op {
        %name = attribute = "LNPAIR"
        %y = apply_native_rewrite "kt.template"(%op, %name : !pdl.operation, !pdl.attribute) : !pdl.range<value>
        replace %op with (%y : !pdl.range<value>)
      }
    }
  }
}

func.func private @EXX2P_f16(%x: f16) -> !spyreop.fp16_fused attributes {kt.template, kt.ulp = 1} {
  %y = spyreop.exx2_fused %x : f16 -> !spyreop.fp16_fused
  return %y : !spyreop.fp16_fused
}
func.func private @EXX2Z_f16(%x: f16) -> !spyreop.fp16_fused attributes {kt.template, kt.ulp = 1} {
  %y = spyreop.exx2_zeromean_fused %x : f16 -> !spyreop.fp16_fused
  return %y : !spyreop.fp16_fused
}
func.func private @LNPAIR_fp16_fused(%x: !spyreop.fp16_fused) -> f16 attributes {kt.template, kt.ulp = 1} {
  %y = spyreop.layernormscale_fused %x : !spyreop.fp16_fused -> f16
  return %y : f16
}
func.func private @EXX2P_df16(%x: !spyreop.df16) -> !spyreop.df16_fused attributes {kt.template, kt.ulp = 1} {
  %y = spyreop.exx2_fused %x : !spyreop.df16 -> !spyreop.df16_fused
  return %y : !spyreop.df16_fused
}
func.func private @EXX2Z_df16(%x: !spyreop.df16) -> !spyreop.df16_fused attributes {kt.template, kt.ulp = 1} {
  %y = spyreop.exx2_zeromean_fused %x : !spyreop.df16 -> !spyreop.df16_fused
  return %y : !spyreop.df16_fused
}
func.func private @LNPAIR_df16_fused(%x: !spyreop.df16_fused) -> !spyreop.df16 attributes {kt.template, kt.ulp = 1} {
  %y = spyreop.layernormscale_fused %x : !spyreop.df16_fused -> !spyreop.df16
  return %y : !spyreop.df16
}
func.func private @EXX2P_f32(%x: f32) -> !spyreop.fp32_fused attributes {kt.template, kt.ulp = 1} {
  %y = spyreop.exx2_fused %x : f32 -> !spyreop.fp32_fused
  return %y : !spyreop.fp32_fused
}
func.func private @EXX2Z_f32(%x: f32) -> !spyreop.fp32_fused attributes {kt.template, kt.ulp = 1} {
  %y = spyreop.exx2_zeromean_fused %x : f32 -> !spyreop.fp32_fused
  return %y : !spyreop.fp32_fused
}
func.func private @LNPAIR_fp32_fused(%x: !spyreop.fp32_fused) -> f32 attributes {kt.template, kt.ulp = 1} {
  %y = spyreop.layernormscale_fused %x : !spyreop.fp32_fused -> f32
  return %y : f32
}
