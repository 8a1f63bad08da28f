// Row sums of 8192x2048 f16, 256 rows per tile of a grid of 32.
func.func @row_sum_8192(%x: index, %out: index) attributes {grid = [32]} {
  %c0 = arith.constant 0 : index
  %rows = arith.constant 256 : index
  %tid = ktdp.get_compute_tile_id : index
  %row = arith.muli %tid, %rows : index
  %xv = ktdp.construct_memory_view %x, sizes: [8192, 2048], strides: [2048, 1] {
      coordinate_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 8191 >= 0, d1 >= 0, -d1 + 2047 >= 0)>,
      memory_space = #ktdp.memory_space<global>
  } : memref<8192x2048xf16>
  %ov = ktdp.construct_memory_view %out, sizes: [8192], strides: [1] {
      coordinate_set = affine_set<(d0) : (d0 >= 0, -d0 + 8191 >= 0)>,
      memory_space = #ktdp.memory_space<global>
  } : memref<8192xf16>
  %xt = ktdp.construct_access_tile %xv[%row, %c0] {
      access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 255 >= 0, d1 >= 0, -d1 + 2047 >= 0)>,
      access_tile_order = affine_map<(d0, d1) -> (d0, d1)>
  } : memref<8192x2048xf16> -> !ktdp.access_tile<256x2048xindex>
  %ot = ktdp.construct_access_tile %ov[%row] {
      access_tile_set = affine_set<(d0) : (d0 >= 0, -d0 + 255 >= 0)>,
      access_tile_order = affine_map<(d0) -> (d0)>
  } : memref<8192xf16> -> !ktdp.access_tile<256xindex>
  %a = ktdp.load %xt : !ktdp.access_tile<256x2048xindex> -> tensor<256x2048xf16>
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<256xf16>
  %init = linalg.fill ins(%zero : f16) outs(%e : tensor<256xf16>) -> tensor<256xf16>
  %c = linalg.reduce { arith.addf } ins(%a : tensor<256x2048xf16>) outs(%init : tensor<256xf16>) dimensions = [1]
  ktdp.store %c, %ot : tensor<256xf16>, !ktdp.access_tile<256xindex>
  return
}
