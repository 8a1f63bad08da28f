// out = x + y for 4096x4096 f16, 128 rows per tile of a grid of 32.
func.func @add_4096(%x: index, %y: index, %out: index) attributes {grid = [32]} {
  %c0 = arith.constant 0 : index
  %rows = arith.constant 128 : index
  %tid = ktdp.get_compute_tile_id : index
  %row = arith.muli %tid, %rows : index
  %xv = ktdp.construct_memory_view %x, sizes: [4096, 4096], strides: [4096, 1] {
      coordinate_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 4095 >= 0, d1 >= 0, -d1 + 4095 >= 0)>,
      memory_space = #ktdp.memory_space<global>
  } : memref<4096x4096xf16>
  %yv = ktdp.construct_memory_view %y, sizes: [4096, 4096], strides: [4096, 1] {
      coordinate_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 4095 >= 0, d1 >= 0, -d1 + 4095 >= 0)>,
      memory_space = #ktdp.memory_space<global>
  } : memref<4096x4096xf16>
  %ov = ktdp.construct_memory_view %out, sizes: [4096, 4096], strides: [4096, 1] {
      coordinate_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 4095 >= 0, d1 >= 0, -d1 + 4095 >= 0)>,
      memory_space = #ktdp.memory_space<global>
  } : memref<4096x4096xf16>
  %xt = ktdp.construct_access_tile %xv[%row, %c0] {
      access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 127 >= 0, d1 >= 0, -d1 + 4095 >= 0)>,
      access_tile_order = affine_map<(d0, d1) -> (d0, d1)>
  } : memref<4096x4096xf16> -> !ktdp.access_tile<128x4096xindex>
  %yt = ktdp.construct_access_tile %yv[%row, %c0] {
      access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 127 >= 0, d1 >= 0, -d1 + 4095 >= 0)>,
      access_tile_order = affine_map<(d0, d1) -> (d0, d1)>
  } : memref<4096x4096xf16> -> !ktdp.access_tile<128x4096xindex>
  %ot = ktdp.construct_access_tile %ov[%row, %c0] {
      access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 127 >= 0, d1 >= 0, -d1 + 4095 >= 0)>,
      access_tile_order = affine_map<(d0, d1) -> (d0, d1)>
  } : memref<4096x4096xf16> -> !ktdp.access_tile<128x4096xindex>
  %a = ktdp.load %xt : !ktdp.access_tile<128x4096xindex> -> tensor<128x4096xf16>
  %b = ktdp.load %yt : !ktdp.access_tile<128x4096xindex> -> tensor<128x4096xf16>
  %c = arith.addf %a, %b : tensor<128x4096xf16>
  ktdp.store %c, %ot : tensor<128x4096xf16>, !ktdp.access_tile<128x4096xindex>
  return
}
