// passes: normalize-ktir
// A sum of f16 is kept in f32 from an explicit zero, and rounded once at the end.
func.func @f(%a: tensor<3x8xf16>) -> tensor<3xf16> {
  %e = tensor.empty() : tensor<3xf16>
  %s = linalg.reduce { arith.addf } ins(%a : tensor<3x8xf16>) outs(%e : tensor<3xf16>) dimensions = [1]
  return %s : tensor<3xf16>
}
// becomes
func.func @f(%a: tensor<3x8xf16>) -> tensor<3xf16> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3xf32>
  %z = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%e : tensor<3xf32>) {
  ^bb0(%out: f32):
    linalg.yield %zero : f32
  } -> tensor<3xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%a : tensor<3x8xf16>) outs(%z : tensor<3xf32>) {
  ^bb0(%in: f16, %out: f32):
    %w = arith.extf %in : f16 to f32
    %t = arith.addf %out, %w : f32
    linalg.yield %t : f32
  } -> tensor<3xf32>
  %e2 = tensor.empty() : tensor<3xf16>
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%s : tensor<3xf32>) outs(%e2 : tensor<3xf16>) {
  ^bb0(%in: f32, %out: f16):
    %t = arith.truncf %in : f32 to f16
    linalg.yield %t : f16
  } -> tensor<3xf16>
  return %r : tensor<3xf16>
}
