// out = silu(x) * y for 24x80 f16 matrices, on eight tiles; silu(x) = x * sigmoid(x).
// The three elementwise steps become one program: x and y are loaded once.
//
//   kt run examples/silu_mul.mlir --device toy
//   kt check examples/silu_mul.mlir --device spyre

#matrix = affine_set<(i, j) : (i >= 0, -i + 23 >= 0, j >= 0, -j + 79 >= 0)>
#part = affine_set<(i, j) : (i >= 0, -i + 2 >= 0, j >= 0, -j + 79 >= 0)>
#rows_first = affine_map<(i, j) -> (i, j)>

func.func @silu_mul(%x: index, %y: index, %out: index) attributes {grid = [8]} {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %tile = ktdp.get_compute_tile_id : index
  %row = arith.muli %tile, %c3 : index
  %xv = ktdp.construct_memory_view %x, sizes: [24, 80], strides: [80, 1] {
      coordinate_set = #matrix, memory_space = #ktdp.memory_space<global>
  } : memref<24x80xf16>
  %yv = ktdp.construct_memory_view %y, sizes: [24, 80], strides: [80, 1] {
      coordinate_set = #matrix, memory_space = #ktdp.memory_space<global>
  } : memref<24x80xf16>
  %ov = ktdp.construct_memory_view %out, sizes: [24, 80], strides: [80, 1] {
      coordinate_set = #matrix, memory_space = #ktdp.memory_space<global>
  } : memref<24x80xf16>
  %xt = ktdp.construct_access_tile %xv[%row, %c0] {
      access_tile_set = #part, access_tile_order = #rows_first
  } : memref<24x80xf16> -> !ktdp.access_tile<3x80xindex>
  %yt = ktdp.construct_access_tile %yv[%row, %c0] {
      access_tile_set = #part, access_tile_order = #rows_first
  } : memref<24x80xf16> -> !ktdp.access_tile<3x80xindex>
  %ot = ktdp.construct_access_tile %ov[%row, %c0] {
      access_tile_set = #part, access_tile_order = #rows_first
  } : memref<24x80xf16> -> !ktdp.access_tile<3x80xindex>
  %a = ktdp.load %xt : !ktdp.access_tile<3x80xindex> -> tensor<3x80xf16>
  %b = ktdp.load %yt : !ktdp.access_tile<3x80xindex> -> tensor<3x80xf16>
  %empty = tensor.empty() : tensor<3x80xf16>
  %gate = linalg.generic {indexing_maps = [#rows_first, #rows_first],
                          iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<3x80xf16>) outs(%empty : tensor<3x80xf16>) {
  ^bb0(%v: f16, %old: f16):
    %s = spyreop.sigmoid %v : f16
    linalg.yield %s : f16
  } -> tensor<3x80xf16>
  %silu = arith.mulf %a, %gate : tensor<3x80xf16>
  %res = arith.mulf %silu, %b : tensor<3x80xf16>
  ktdp.store %res, %ot : tensor<3x80xf16>, !ktdp.access_tile<3x80xindex>
  return
}
