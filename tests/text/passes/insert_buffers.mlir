// passes: insert-buffers
// A sum that a loop carries lives in one buffer: set before the loop, updated in place inside, read behind it.
func.func @f(%x: index, %y: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %xv = ktdp.construct_memory_view %x, sizes: [5, 8], strides: [8, 1] {coordinate_set = affine_set<(i, j) : (i >= 0, -i + 4 >= 0, j >= 0, -j + 7 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<5x8xf32>
  %yv = ktdp.construct_memory_view %y, sizes: [5, 8], strides: [8, 1] {coordinate_set = affine_set<(i, j) : (i >= 0, -i + 4 >= 0, j >= 0, -j + 7 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<5x8xf32>
  %xt = ktdp.construct_access_tile %xv[%c0, %c0] {access_tile_set = affine_set<(i, j) : (i >= 0, -i + 4 >= 0, j >= 0, -j + 7 >= 0)>, access_tile_order = affine_map<(i, j) -> (i, j)>} : memref<5x8xf32> -> !ktdp.access_tile<5x8xindex>
  %yt = ktdp.construct_access_tile %yv[%c0, %c0] {access_tile_set = affine_set<(i, j) : (i >= 0, -i + 4 >= 0, j >= 0, -j + 7 >= 0)>, access_tile_order = affine_map<(i, j) -> (i, j)>} : memref<5x8xf32> -> !ktdp.access_tile<5x8xindex>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<5x8xf32>
  %z = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<5x8xf32>) {
  ^bb0(%o: f32):
    linalg.yield %zero : f32
  } -> tensor<5x8xf32>
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%a = %z) -> (tensor<5x8xf32>) {
    %v = ktdp.load %xt : !ktdp.access_tile<5x8xindex> -> tensor<5x8xf32>
    %f = tensor.empty() : tensor<5x8xf32>
    %t = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%a, %v : tensor<5x8xf32>, tensor<5x8xf32>) outs(%f : tensor<5x8xf32>) {
    ^bb0(%p: f32, %q: f32, %o: f32):
      %r = arith.addf %p, %q : f32
      linalg.yield %r : f32
    } -> tensor<5x8xf32>
    scf.yield %t : tensor<5x8xf32>
  }
  ktdp.store %s, %yt : tensor<5x8xf32>, !ktdp.access_tile<5x8xindex>
  return
}
// becomes
func.func @f(%x: index, %y: index, %n: index) {
  %b = kt.buffer() : memref<5x8xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %xv = ktdp.construct_memory_view %x, sizes: [5, 8], strides: [8, 1] {coordinate_set = affine_set<(i, j) : (i >= 0, -i + 4 >= 0, j >= 0, -j + 7 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<5x8xf32>
  %yv = ktdp.construct_memory_view %y, sizes: [5, 8], strides: [8, 1] {coordinate_set = affine_set<(i, j) : (i >= 0, -i + 4 >= 0, j >= 0, -j + 7 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<5x8xf32>
  %xt = ktdp.construct_access_tile %xv[%c0, %c0] {access_tile_set = affine_set<(i, j) : (i >= 0, -i + 4 >= 0, j >= 0, -j + 7 >= 0)>, access_tile_order = affine_map<(i, j) -> (i, j)>} : memref<5x8xf32> -> !ktdp.access_tile<5x8xindex>
  %yt = ktdp.construct_access_tile %yv[%c0, %c0] {access_tile_set = affine_set<(i, j) : (i >= 0, -i + 4 >= 0, j >= 0, -j + 7 >= 0)>, access_tile_order = affine_map<(i, j) -> (i, j)>} : memref<5x8xf32> -> !ktdp.access_tile<5x8xindex>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<5x8xf32>
  %z = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<5x8xf32>) {
  ^bb0(%o: f32):
    linalg.yield %zero : f32
  } -> tensor<5x8xf32>
  %o1 = arith.constant 0 : index
  %t1 = ktdp.construct_access_tile %b[%o1, %o1] {access_tile_set = affine_set<(i, j) : (i >= 0, -i + 4 >= 0, j >= 0, -j + 7 >= 0)>, access_tile_order = affine_map<(i, j) -> (i, j)>} : memref<5x8xf32> -> !ktdp.access_tile<5x8xindex>
  ktdp.store %z, %t1 : tensor<5x8xf32>, !ktdp.access_tile<5x8xindex>
  scf.for %i = %c0 to %n step %c1 {
    %o2 = arith.constant 0 : index
    %t2 = ktdp.construct_access_tile %b[%o2, %o2] {access_tile_set = affine_set<(i, j) : (i >= 0, -i + 4 >= 0, j >= 0, -j + 7 >= 0)>, access_tile_order = affine_map<(i, j) -> (i, j)>} : memref<5x8xf32> -> !ktdp.access_tile<5x8xindex>
    %a = ktdp.load %t2 : !ktdp.access_tile<5x8xindex> -> tensor<5x8xf32>
    %v = ktdp.load %xt : !ktdp.access_tile<5x8xindex> -> tensor<5x8xf32>
    %f = tensor.empty() : tensor<5x8xf32>
    %t = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%a, %v : tensor<5x8xf32>, tensor<5x8xf32>) outs(%f : tensor<5x8xf32>) {
    ^bb0(%p: f32, %q: f32, %o: f32):
      %r = arith.addf %p, %q : f32
      linalg.yield %r : f32
    } -> tensor<5x8xf32>
    %o3 = arith.constant 0 : index
    %t3 = ktdp.construct_access_tile %b[%o3, %o3] {access_tile_set = affine_set<(i, j) : (i >= 0, -i + 4 >= 0, j >= 0, -j + 7 >= 0)>, access_tile_order = affine_map<(i, j) -> (i, j)>} : memref<5x8xf32> -> !ktdp.access_tile<5x8xindex>
    ktdp.store %t, %t3 : tensor<5x8xf32>, !ktdp.access_tile<5x8xindex>
  }
  %o4 = arith.constant 0 : index
  %t4 = ktdp.construct_access_tile %b[%o4, %o4] {access_tile_set = affine_set<(i, j) : (i >= 0, -i + 4 >= 0, j >= 0, -j + 7 >= 0)>, access_tile_order = affine_map<(i, j) -> (i, j)>} : memref<5x8xf32> -> !ktdp.access_tile<5x8xindex>
  %w = ktdp.load %t4 : !ktdp.access_tile<5x8xindex> -> tensor<5x8xf32>
  ktdp.store %w, %yt : tensor<5x8xf32>, !ktdp.access_tile<5x8xindex>
  return
}
