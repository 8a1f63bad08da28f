// c = a * b for 4x6 times 6x16 f16, two tiles of two rows: accumulators, iterations computed together.
#a = affine_set<(i, k) : (i >= 0, -i + 3 >= 0, k >= 0, -k + 5 >= 0)>
#b = affine_set<(k, j) : (k >= 0, -k + 5 >= 0, j >= 0, -j + 15 >= 0)>
#c = affine_set<(i, j) : (i >= 0, -i + 3 >= 0, j >= 0, -j + 15 >= 0)>
#a_rows = affine_set<(i, k) : (i >= 0, -i + 1 >= 0, k >= 0, -k + 5 >= 0)>
#c_rows = affine_set<(i, j) : (i >= 0, -i + 1 >= 0, j >= 0, -j + 15 >= 0)>
#rows_first = affine_map<(i, j) -> (i, j)>

func.func @matmul(%a: index, %b: index, %c: index) attributes {grid = [2]} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %tile = ktdp.get_compute_tile_id : index
  %row = arith.muli %tile, %c2 : index
  %av = ktdp.construct_memory_view %a, sizes: [4, 6], strides: [6, 1] {
      coordinate_set = #a, memory_space = #ktdp.memory_space<global>
  } : memref<4x6xf16>
  %bv = ktdp.construct_memory_view %b, sizes: [6, 16], strides: [16, 1] {
      coordinate_set = #b, memory_space = #ktdp.memory_space<global>
  } : memref<6x16xf16>
  %cv = ktdp.construct_memory_view %c, sizes: [4, 16], strides: [16, 1] {
      coordinate_set = #c, memory_space = #ktdp.memory_space<global>
  } : memref<4x16xf16>
  %at = ktdp.construct_access_tile %av[%row, %c0] {
      access_tile_set = #a_rows, access_tile_order = #rows_first
  } : memref<4x6xf16> -> !ktdp.access_tile<2x6xindex>
  %bt = ktdp.construct_access_tile %bv[%c0, %c0] {
      access_tile_set = #b, access_tile_order = #rows_first
  } : memref<6x16xf16> -> !ktdp.access_tile<6x16xindex>
  %ct = ktdp.construct_access_tile %cv[%row, %c0] {
      access_tile_set = #c_rows, access_tile_order = #rows_first
  } : memref<4x16xf16> -> !ktdp.access_tile<2x16xindex>
  %x = ktdp.load %at : !ktdp.access_tile<2x6xindex> -> tensor<2x6xf16>
  %w = ktdp.load %bt : !ktdp.access_tile<6x16xindex> -> tensor<6x16xf16>
  %e = tensor.empty() : tensor<2x16xf16>
  %y = linalg.matmul ins(%x, %w : tensor<2x6xf16>, tensor<6x16xf16>) outs(%e : tensor<2x16xf16>) -> tensor<2x16xf16>
  ktdp.store %y, %ct : tensor<2x16xf16>, !ktdp.access_tile<2x16xindex>
  return
}
