// passes: normalize-ktir
// x + (matrix product into nothing) starts the product from x.
func.func @f(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>, %x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %e = tensor.empty() : tensor<2x4xf32>
  %p = linalg.matmul ins(%a, %b : tensor<2x3xf32>, tensor<3x4xf32>) outs(%e : tensor<2x4xf32>) -> tensor<2x4xf32>
  %s = arith.addf %x, %p : tensor<2x4xf32>
  return %s : tensor<2x4xf32>
}
// becomes
func.func @f(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>, %x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %p = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<2x3xf32>, tensor<3x4xf32>) outs(%x : tensor<2x4xf32>) {
  ^bb0(%l: f32, %r: f32, %out: f32):
    %m = arith.mulf %l, %r : f32
    %t = arith.addf %out, %m : f32
    linalg.yield %t : f32
  } -> tensor<2x4xf32>
  return %p : tensor<2x4xf32>
}
