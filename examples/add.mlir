// z = x + y for 16x64 f16 matrices, on one tile.
//
//   kt run examples/add.mlir --device toy

#all = affine_set<(i, j) : (i >= 0, -i + 15 >= 0, j >= 0, -j + 63 >= 0)>
#rows_first = affine_map<(i, j) -> (i, j)>

func.func @add(%x: index, %y: index, %z: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  // Where the data lives: an argument is the address of a buffer in global memory.
  %xv = ktdp.construct_memory_view %x, sizes: [16, 64], strides: [64, 1] {
      coordinate_set = #all, memory_space = #ktdp.memory_space<global>
  } : memref<16x64xf16>
  %yv = ktdp.construct_memory_view %y, sizes: [16, 64], strides: [64, 1] {
      coordinate_set = #all, memory_space = #ktdp.memory_space<global>
  } : memref<16x64xf16>
  %zv = ktdp.construct_memory_view %z, sizes: [16, 64], strides: [64, 1] {
      coordinate_set = #all, memory_space = #ktdp.memory_space<global>
  } : memref<16x64xf16>
  // What this tile touches: here, everything.
  %xt = ktdp.construct_access_tile %xv[%c0, %c0] {
      access_tile_set = #all, access_tile_order = #rows_first
  } : memref<16x64xf16> -> !ktdp.access_tile<16x64xindex>
  %yt = ktdp.construct_access_tile %yv[%c0, %c0] {
      access_tile_set = #all, access_tile_order = #rows_first
  } : memref<16x64xf16> -> !ktdp.access_tile<16x64xindex>
  %zt = ktdp.construct_access_tile %zv[%c0, %c0] {
      access_tile_set = #all, access_tile_order = #rows_first
  } : memref<16x64xf16> -> !ktdp.access_tile<16x64xindex>
  // What it computes.
  %a = ktdp.load %xt : !ktdp.access_tile<16x64xindex> -> tensor<16x64xf16>
  %b = ktdp.load %yt : !ktdp.access_tile<16x64xindex> -> tensor<16x64xf16>
  %sum = arith.addf %a, %b : tensor<16x64xf16>
  ktdp.store %sum, %zt : tensor<16x64xf16>, !ktdp.access_tile<16x64xindex>
  return
}
