// passes: normalize-ktir
// A sum of halves that starts from a constant starts from that constant in f32.
func.func @f(%x: tensor<4x6xf16>) -> tensor<4xf16> {
  %start = arith.constant dense<1.5> : tensor<4xf16>
  %s = linalg.reduce { arith.addf } ins(%x : tensor<4x6xf16>) outs(%start : tensor<4xf16>) dimensions = [1]
  return %s : tensor<4xf16>
}
// becomes
func.func @f(%x: tensor<4x6xf16>) -> tensor<4xf16> {
  %c = arith.constant 1.5 : f32
  %e = tensor.empty() : tensor<4xf32>
  %start = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%e : tensor<4xf32>) {
  ^bb0(%out: f32):
    linalg.yield %c : f32
  } -> tensor<4xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x6xf16>) outs(%start : tensor<4xf32>) {
  ^bb0(%in: f16, %out: f32):
    %wide = arith.extf %in : f16 to f32
    %next = arith.addf %out, %wide : f32
    linalg.yield %next : f32
  } -> tensor<4xf32>
  %e2 = tensor.empty() : tensor<4xf16>
  %s = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%sum : tensor<4xf32>) outs(%e2 : tensor<4xf16>) {
  ^bb0(%in: f32, %out: f16):
    %narrow = arith.truncf %in : f32 to f16
    linalg.yield %narrow : f16
  } -> tensor<4xf16>
  return %s : tensor<4xf16>
}
