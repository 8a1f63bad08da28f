// z = (x - max x) * s and y = sum z along rows, on two tiles: reductions, buffers between programs.
func.func @kernel(%arg0: index, %arg1: f16, %arg2: index, %arg3: index) attributes {grid = [2]} {
  %id = ktdp.get_compute_tile_id : index
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %xv = ktdp.construct_memory_view %arg0, sizes: [6, 13], strides: [13, 1] {coordinate_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 5 >= 0, d1 >= 0, -d1 + 12 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<6x13xf16>
  %yv = ktdp.construct_memory_view %arg2, sizes: [6], strides: [1] {coordinate_set = affine_set<(d0) : (d0 >= 0, -d0 + 5 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<6xf16>
  %zv = ktdp.construct_memory_view %arg3, sizes: [6, 13], strides: [13, 1] {coordinate_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 5 >= 0, d1 >= 0, -d1 + 12 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<6x13xf16>
  %row = arith.muli %id, %c3 : index
  %xt = ktdp.construct_access_tile %xv[%row, %c0] {access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 2 >= 0, d1 >= 0, -d1 + 12 >= 0)>, access_tile_order = affine_map<(d0, d1) -> (d0, d1)>} : memref<6x13xf16> -> !ktdp.access_tile<3x13xindex>
  %a = ktdp.load %xt : !ktdp.access_tile<3x13xindex> -> tensor<3x13xf16>
  %e = tensor.empty() : tensor<3xf16>
  %m = linalg.reduce { arith.maximumf } ins(%a : tensor<3x13xf16>) outs(%e : tensor<3xf16>) dimensions = [1]
  %e2 = tensor.empty() : tensor<3x13xf16>
  %mm = linalg.broadcast ins(%m : tensor<3xf16>) outs(%e2 : tensor<3x13xf16>) dimensions = [1]
  %d = arith.subf %a, %mm : tensor<3x13xf16>
  %sp = tensor.splat %arg1 : tensor<3x13xf16>
  %r = arith.mulf %d, %sp : tensor<3x13xf16>
  %e3 = tensor.empty() : tensor<3xf16>
  %t = linalg.reduce { arith.addf } ins(%r : tensor<3x13xf16>) outs(%e3 : tensor<3xf16>) dimensions = [1]
  %yt = ktdp.construct_access_tile %yv[%row] {access_tile_set = affine_set<(d0) : (d0 >= 0, -d0 + 2 >= 0)>, access_tile_order = affine_map<(d0) -> (d0)>} : memref<6xf16> -> !ktdp.access_tile<3xindex>
  ktdp.store %t, %yt : tensor<3xf16>, !ktdp.access_tile<3xindex>
  %zt = ktdp.construct_access_tile %zv[%row, %c0] {access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 2 >= 0, d1 >= 0, -d1 + 12 >= 0)>, access_tile_order = affine_map<(d0, d1) -> (d0, d1)>} : memref<6x13xf16> -> !ktdp.access_tile<3x13xindex>
  ktdp.store %r, %zt : tensor<3x13xf16>, !ktdp.access_tile<3x13xindex>
  return
}
