// passes: normalize-ktir
// Named elementwise ops, transposes and broadcasts become generic ops with indexing maps.
func.func @f(%a: tensor<4x6xf16>, %row: tensor<6xf16>) -> tensor<6x4xf16> {
  %e = tensor.empty() : tensor<4x6xf16>
  %b = linalg.broadcast ins(%row : tensor<6xf16>) outs(%e : tensor<4x6xf16>) dimensions = [0]
  %s = linalg.sub ins(%a, %b : tensor<4x6xf16>, tensor<4x6xf16>) outs(%e : tensor<4x6xf16>) -> tensor<4x6xf16>
  %te = tensor.empty() : tensor<6x4xf16>
  %t = linalg.transpose ins(%s : tensor<4x6xf16>) outs(%te : tensor<6x4xf16>) permutation = [1, 0]
  return %t : tensor<6x4xf16>
}
// becomes
func.func @f(%a: tensor<4x6xf16>, %row: tensor<6xf16>) -> tensor<6x4xf16> {
  %e = tensor.empty() : tensor<4x6xf16>
  %b = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%row : tensor<6xf16>) outs(%e : tensor<4x6xf16>) {
  ^bb0(%in: f16, %out: f16):
    linalg.yield %in : f16
  } -> tensor<4x6xf16>
  %s = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%a, %b : tensor<4x6xf16>, tensor<4x6xf16>) outs(%e : tensor<4x6xf16>) {
  ^bb0(%x: f16, %y: f16, %out: f16):
    %d = arith.subf %x, %y : f16
    linalg.yield %d : f16
  } -> tensor<4x6xf16>
  %te = tensor.empty() : tensor<6x4xf16>
  %t = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<4x6xf16>) outs(%te : tensor<6x4xf16>) {
  ^bb0(%in: f16, %out: f16):
    linalg.yield %in : f16
  } -> tensor<6x4xf16>
  return %t : tensor<6x4xf16>
}
