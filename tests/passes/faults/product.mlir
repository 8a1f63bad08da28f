// y = relu(x w) rounded to f16, 100 terms in chunks of 48: only the last chunk may end with relu.
func.func @kernel(%arg0: index, %arg1: index, %arg2: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %xv = ktdp.construct_memory_view %arg0, sizes: [2, 100], strides: [100, 1] {coordinate_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 99 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<2x100xf16>
  %wv = ktdp.construct_memory_view %arg1, sizes: [100, 9], strides: [9, 1] {coordinate_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 99 >= 0, d1 >= 0, -d1 + 8 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<100x9xf16>
  %yv = ktdp.construct_memory_view %arg2, sizes: [2, 9], strides: [9, 1] {coordinate_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 8 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<2x9xf16>
  %xt = ktdp.construct_access_tile %xv[%c0, %c0] {access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 99 >= 0)>, access_tile_order = affine_map<(d0, d1) -> (d0, d1)>} : memref<2x100xf16> -> !ktdp.access_tile<2x100xindex>
  %x = ktdp.load %xt : !ktdp.access_tile<2x100xindex> -> tensor<2x100xf16>
  %wt = ktdp.construct_access_tile %wv[%c0, %c0] {access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 99 >= 0, d1 >= 0, -d1 + 8 >= 0)>, access_tile_order = affine_map<(d0, d1) -> (d0, d1)>} : memref<100x9xf16> -> !ktdp.access_tile<100x9xindex>
  %w = ktdp.load %wt : !ktdp.access_tile<100x9xindex> -> tensor<100x9xf16>
  %zero = arith.constant dense<0.0> : tensor<2x9xf32>
  %m = linalg.matmul ins(%x, %w : tensor<2x100xf16>, tensor<100x9xf16>) outs(%zero : tensor<2x9xf32>) -> tensor<2x9xf32>
  %a = arith.maximumf %m, %zero : tensor<2x9xf32>
  %h = arith.truncf %a : tensor<2x9xf32> to tensor<2x9xf16>
  %yt = ktdp.construct_access_tile %yv[%c0, %c0] {access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 8 >= 0)>, access_tile_order = affine_map<(d0, d1) -> (d0, d1)>} : memref<2x9xf16> -> !ktdp.access_tile<2x9xindex>
  ktdp.store %h, %yt : tensor<2x9xf16>, !ktdp.access_tile<2x9xindex>
  return
}
