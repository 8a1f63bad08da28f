// passes: normalize-ktir
// Splats and scalar inputs are captured by the body; an input that occurs twice is read once.
func.func @f(%a: tensor<5xf32>, %k: f32) -> tensor<5xf32> {
  %s = tensor.splat %k : tensor<5xf32>
  %p = arith.mulf %a, %a : tensor<5xf32>
  %q = arith.addf %p, %s : tensor<5xf32>
  return %q : tensor<5xf32>
}
// becomes
func.func @f(%a: tensor<5xf32>, %k: f32) -> tensor<5xf32> {
  %e0 = tensor.empty() : tensor<5xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%e0 : tensor<5xf32>) {
  ^bb0(%out: f32):
    linalg.yield %k : f32
  } -> tensor<5xf32>
  %e1 = tensor.empty() : tensor<5xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%a : tensor<5xf32>) outs(%e1 : tensor<5xf32>) {
  ^bb0(%x: f32, %out: f32):
    %m = arith.mulf %x, %x : f32
    linalg.yield %m : f32
  } -> tensor<5xf32>
  %e2 = tensor.empty() : tensor<5xf32>
  %q = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%p, %s : tensor<5xf32>, tensor<5xf32>) outs(%e2 : tensor<5xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %m = arith.addf %x, %y : f32
    linalg.yield %m : f32
  } -> tensor<5xf32>
  return %q : tensor<5xf32>
}
