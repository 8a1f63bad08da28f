// device: spyre
// plan: {"local_schedule_0": {"tile": {"0": 2, "1": 3}}}
// z = x + y for 12x160 f16, two tiles of six rows. A row is two and a half vectors of 64 lanes.

#whole = affine_set<(i, j) : (i >= 0, -i + 11 >= 0, j >= 0, -j + 159 >= 0)>
#part = affine_set<(i, j) : (i >= 0, -i + 5 >= 0, j >= 0, -j + 159 >= 0)>
#rows_first = affine_map<(i, j) -> (i, j)>

func.func @add(%x: index, %y: index, %z: index) attributes {grid = [2]} {
  %c0 = arith.constant 0 : index
  %c6 = arith.constant 6 : index
  %tile = ktdp.get_compute_tile_id : index
  %row = arith.muli %tile, %c6 : index
  %xv = ktdp.construct_memory_view %x, sizes: [12, 160], strides: [160, 1] {
      coordinate_set = #whole, memory_space = #ktdp.memory_space<global>
  } : memref<12x160xf16>
  %yv = ktdp.construct_memory_view %y, sizes: [12, 160], strides: [160, 1] {
      coordinate_set = #whole, memory_space = #ktdp.memory_space<global>
  } : memref<12x160xf16>
  %zv = ktdp.construct_memory_view %z, sizes: [12, 160], strides: [160, 1] {
      coordinate_set = #whole, memory_space = #ktdp.memory_space<global>
  } : memref<12x160xf16>
  %xt = ktdp.construct_access_tile %xv[%row, %c0] {
      access_tile_set = #part, access_tile_order = #rows_first
  } : memref<12x160xf16> -> !ktdp.access_tile<6x160xindex>
  %yt = ktdp.construct_access_tile %yv[%row, %c0] {
      access_tile_set = #part, access_tile_order = #rows_first
  } : memref<12x160xf16> -> !ktdp.access_tile<6x160xindex>
  %zt = ktdp.construct_access_tile %zv[%row, %c0] {
      access_tile_set = #part, access_tile_order = #rows_first
  } : memref<12x160xf16> -> !ktdp.access_tile<6x160xindex>
  %a = ktdp.load %xt : !ktdp.access_tile<6x160xindex> -> tensor<6x160xf16>
  %b = ktdp.load %yt : !ktdp.access_tile<6x160xindex> -> tensor<6x160xf16>
  %sum = arith.addf %a, %b : tensor<6x160xf16>
  ktdp.store %sum, %zt : tensor<6x160xf16>, !ktdp.access_tile<6x160xindex>
  return
}
