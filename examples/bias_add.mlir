// out = x + bias for a 20x50 f16 matrix and one bias per column, on four tiles of five rows.
// The bias row is loaded once per tile; 50 is no multiple of any vector length.
//
//   kt run examples/bias_add.mlir --device toy

#matrix = affine_set<(i, j) : (i >= 0, -i + 19 >= 0, j >= 0, -j + 49 >= 0)>
#part = affine_set<(i, j) : (i >= 0, -i + 4 >= 0, j >= 0, -j + 49 >= 0)>
#row = affine_set<(j) : (j >= 0, -j + 49 >= 0)>
#rows_first = affine_map<(i, j) -> (i, j)>

func.func @bias_add(%x: index, %bias: index, %out: index) attributes {grid = [4]} {
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : index
  %tile = ktdp.get_compute_tile_id : index
  %first = arith.muli %tile, %c5 : index
  %xv = ktdp.construct_memory_view %x, sizes: [20, 50], strides: [50, 1] {
      coordinate_set = #matrix, memory_space = #ktdp.memory_space<global>
  } : memref<20x50xf16>
  %bv = ktdp.construct_memory_view %bias, sizes: [50], strides: [1] {
      coordinate_set = #row, memory_space = #ktdp.memory_space<global>
  } : memref<50xf16>
  %ov = ktdp.construct_memory_view %out, sizes: [20, 50], strides: [50, 1] {
      coordinate_set = #matrix, memory_space = #ktdp.memory_space<global>
  } : memref<20x50xf16>
  %xt = ktdp.construct_access_tile %xv[%first, %c0] {
      access_tile_set = #part, access_tile_order = #rows_first
  } : memref<20x50xf16> -> !ktdp.access_tile<5x50xindex>
  %bt = ktdp.construct_access_tile %bv[%c0] {
      access_tile_set = #row, access_tile_order = affine_map<(j) -> (j)>
  } : memref<50xf16> -> !ktdp.access_tile<50xindex>
  %ot = ktdp.construct_access_tile %ov[%first, %c0] {
      access_tile_set = #part, access_tile_order = #rows_first
  } : memref<20x50xf16> -> !ktdp.access_tile<5x50xindex>
  %a = ktdp.load %xt : !ktdp.access_tile<5x50xindex> -> tensor<5x50xf16>
  %b = ktdp.load %bt : !ktdp.access_tile<50xindex> -> tensor<50xf16>
  %empty = tensor.empty() : tensor<5x50xf16>
  %rows = linalg.broadcast ins(%b : tensor<50xf16>) outs(%empty : tensor<5x50xf16>) dimensions = [0]
  %sum = arith.addf %a, %rows : tensor<5x50xf16>
  ktdp.store %sum, %ot : tensor<5x50xf16>, !ktdp.access_tile<5x50xindex>
  return
}
