ktdf_arch.device @demo {
  %pad = memory {kind = "PAD", size = 8192}

  patterns ["post_scheduling"] {
    pdl.pattern : benefit(4) {
      // ---- match: [parallel, reduction] generic, one input, one accumulator
      %maps = attribute = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>]
      %kinds = attribute = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>]
      %sum = attribute = "sum"
      %tin = type
      %tacc = type
      %in = operand : %tin
      %acc = operand : %tacc
      %root = operation "linalg.generic" (%in, %acc : !pdl.value, !pdl.value)
        {"indexing_maps" = %maps, "iterator_types" = %kinds, "kt.combiner" = %sum} -> (%tacc : !pdl.type)
      // the op must demand SIMD lanes, and must not be bound to a unit yet
      %simd = attribute = "ktdf_arch.feature.simd"
      %lanes = apply_native_constraint "ktdf_arch.has_feature" (%root, %simd : !pdl.operation, !pdl.attribute) : !pdl.attribute
      %bound = apply_native_constraint "ktdf_arch.mapped_to" (%root : !pdl.operation) : !pdl.attribute {isNegated = true}
      rewrite %root {
        %name = attribute = "LANE_REDUCE"
        %op = attribute = "sum"
        %seg = attribute = array<i32: 1, 1>
        %unit = attribute = "VPU"
        %new = operation "ktdf.opaque" (%in, %acc : !pdl.value, !pdl.value)
          {"template_name" = %name, "combiner" = %op, "operandSegmentSizes" = %seg} -> (%tacc : !pdl.type)
        apply_native_rewrite "ktdf_arch.map_to" (%new, %unit : !pdl.operation, !pdl.attribute)
        apply_native_rewrite "ktdf_arch.set_feature" (%new, %simd, %lanes : !pdl.operation, !pdl.attribute, !pdl.attribute)
        replace %root with %new
      }
    }
  }
}

#row = affine_map<(d0, d1) -> (d0, d1)>
#one = affine_map<(d0, d1) -> (d0)>

// (this declaration only makes the tool load the ktdf dialect)
func.func private @token_user(!ktdf.token)

func.func @rowsum(%x: tensor<4x8xf16>, %s: tensor<4xf16>) -> (tensor<4xf16>, tensor<4xf16>) {
  %r = linalg.generic {indexing_maps = [#row, #one], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x8xf16>) outs(%s : tensor<4xf16>)
      attrs = {kt.combiner = "sum", ktdf_arch.features = {ktdf_arch.feature.simd = {lanes = #ktdf_arch.map<f16 = 8>}}} {
  ^bb0(%a: f16, %b: f16):
    %t = arith.addf %a, %b : f16
    linalg.yield %t : f16
  } -> tensor<4xf16>
  %q = linalg.generic {indexing_maps = [#row, #one], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x8xf16>) outs(%s : tensor<4xf16>) attrs = {kt.combiner = "max"} {
  ^bb0(%a: f16, %b: f16):
    %t = arith.maximumf %a, %b : f16
    linalg.yield %t : f16
  } -> tensor<4xf16>
  return %r, %q : tensor<4xf16>, tensor<4xf16>
}
