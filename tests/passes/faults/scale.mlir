// y = (x - z) * 2.5 on two tiles of three rows; z is one row, and 13 columns leave a tail.
func.func @kernel(%arg0: index, %arg1: index, %arg2: index) attributes {grid = [2]} {
  %id = ktdp.get_compute_tile_id : index
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %xv = ktdp.construct_memory_view %arg0, sizes: [6, 13], strides: [13, 1] {coordinate_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 5 >= 0, d1 >= 0, -d1 + 12 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<6x13xf16>
  %zv = ktdp.construct_memory_view %arg1, sizes: [13], strides: [1] {coordinate_set = affine_set<(d0) : (d0 >= 0, -d0 + 12 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<13xf16>
  %yv = ktdp.construct_memory_view %arg2, sizes: [6, 13], strides: [13, 1] {coordinate_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 5 >= 0, d1 >= 0, -d1 + 12 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<6x13xf16>
  %row = arith.muli %id, %c3 : index
  %xt = ktdp.construct_access_tile %xv[%row, %c0] {access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 2 >= 0, d1 >= 0, -d1 + 12 >= 0)>, access_tile_order = affine_map<(d0, d1) -> (d0, d1)>} : memref<6x13xf16> -> !ktdp.access_tile<3x13xindex>
  %a = ktdp.load %xt : !ktdp.access_tile<3x13xindex> -> tensor<3x13xf16>
  %zt = ktdp.construct_access_tile %zv[%c0] {access_tile_set = affine_set<(d0) : (d0 >= 0, -d0 + 12 >= 0)>, access_tile_order = affine_map<(d0) -> (d0)>} : memref<13xf16> -> !ktdp.access_tile<13xindex>
  %b = ktdp.load %zt : !ktdp.access_tile<13xindex> -> tensor<13xf16>
  %e = tensor.empty() : tensor<3x13xf16>
  %bb = linalg.broadcast ins(%b : tensor<13xf16>) outs(%e : tensor<3x13xf16>) dimensions = [0]
  %k = arith.constant dense<2.5> : tensor<3x13xf16>
  %d = arith.subf %a, %bb : tensor<3x13xf16>
  %r = arith.mulf %d, %k : tensor<3x13xf16>
  %yt = ktdp.construct_access_tile %yv[%row, %c0] {access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 2 >= 0, d1 >= 0, -d1 + 12 >= 0)>, access_tile_order = affine_map<(d0, d1) -> (d0, d1)>} : memref<6x13xf16> -> !ktdp.access_tile<3x13xindex>
  ktdp.store %r, %yt : tensor<3x13xf16>, !ktdp.access_tile<3x13xindex>
  return
}
