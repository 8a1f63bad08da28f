// z = x + y for 128x96 f16 matrices, on 32 tiles of four rows each.
//
//   kt run examples/add_32_tiles.mlir --device spyre
//   kt run examples/add_32_tiles.mlir --device toy       (refused: toy has 8 cores)

#matrix = affine_set<(i, j) : (i >= 0, -i + 127 >= 0, j >= 0, -j + 95 >= 0)>
#part = affine_set<(i, j) : (i >= 0, -i + 3 >= 0, j >= 0, -j + 95 >= 0)>
#rows_first = affine_map<(i, j) -> (i, j)>

func.func @add_32_tiles(%x: index, %y: index, %z: index) attributes {grid = [32]} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %tile = ktdp.get_compute_tile_id : index
  %row = arith.muli %tile, %c4 : index
  %xv = ktdp.construct_memory_view %x, sizes: [128, 96], strides: [96, 1] {
      coordinate_set = #matrix, memory_space = #ktdp.memory_space<global>
  } : memref<128x96xf16>
  %yv = ktdp.construct_memory_view %y, sizes: [128, 96], strides: [96, 1] {
      coordinate_set = #matrix, memory_space = #ktdp.memory_space<global>
  } : memref<128x96xf16>
  %zv = ktdp.construct_memory_view %z, sizes: [128, 96], strides: [96, 1] {
      coordinate_set = #matrix, memory_space = #ktdp.memory_space<global>
  } : memref<128x96xf16>
  %xt = ktdp.construct_access_tile %xv[%row, %c0] {
      access_tile_set = #part, access_tile_order = #rows_first
  } : memref<128x96xf16> -> !ktdp.access_tile<4x96xindex>
  %yt = ktdp.construct_access_tile %yv[%row, %c0] {
      access_tile_set = #part, access_tile_order = #rows_first
  } : memref<128x96xf16> -> !ktdp.access_tile<4x96xindex>
  %zt = ktdp.construct_access_tile %zv[%row, %c0] {
      access_tile_set = #part, access_tile_order = #rows_first
  } : memref<128x96xf16> -> !ktdp.access_tile<4x96xindex>
  %a = ktdp.load %xt : !ktdp.access_tile<4x96xindex> -> tensor<4x96xf16>
  %b = ktdp.load %yt : !ktdp.access_tile<4x96xindex> -> tensor<4x96xf16>
  %empty = tensor.empty() : tensor<4x96xf16>
  %sum = linalg.add ins(%a, %b : tensor<4x96xf16>, tensor<4x96xf16>)
      outs(%empty : tensor<4x96xf16>) -> tensor<4x96xf16>
  ktdp.store %sum, %zt : tensor<4x96xf16>, !ktdp.access_tile<4x96xindex>
  return
}
