// Two tiles keep twice their rows of x, agree on the sum of their first rows, and read four rows that lie
// with both of them: transfers over links, runs of a window, a barrier.
#rows = affine_set<(i, j) : (i >= 0, -i + 3 >= 0, j >= 0, -j + 7 >= 0)>
#low = affine_set<(i, j) : (i - 4 >= 0, -i + 7 >= 0, j >= 0, -j + 7 >= 0)>
#whole = affine_set<(i, j) : (i >= 0, -i + 7 >= 0, j >= 0, -j + 7 >= 0)>
#two = affine_set<(i, j) : (i >= 0, -i + 1 >= 0, j >= 0, -j + 7 >= 0)>
#row = affine_set<(i, j) : (i >= 0, -i >= 0, j >= 0, -j + 7 >= 0)>
#o = affine_map<(i, j) -> (i, j)>
#one = affine_set<(g) : (g == 0)>
#both = affine_set<(t)[g] : (t - g * 2 >= 0, -t + g * 2 + 1 >= 0)>
func.func @kernel(%arg0: index, %arg1: index, %arg2: index) attributes {grid = [2]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %t = ktdp.get_compute_tile_id : index
  %first = arith.muli %t, %c4 : index
  %xv = ktdp.construct_memory_view %arg0, sizes: [8, 8], strides: [8, 1] {coordinate_set = #whole, memory_space = #ktdp.memory_space<global>} : memref<8x8xf16>
  %yv = ktdp.construct_memory_view %arg1, sizes: [8, 8], strides: [8, 1] {coordinate_set = #whole, memory_space = #ktdp.memory_space<global>} : memref<8x8xf16>
  %zv = ktdp.construct_memory_view %arg2, sizes: [2, 8], strides: [8, 1] {coordinate_set = #two, memory_space = #ktdp.memory_space<global>} : memref<2x8xf16>
  %own = ktdp.construct_memory_view %c0, sizes: [4, 8], strides: [8, 1] {coordinate_set = #rows, memory_space = #ktdp.memory_space<ct_local>} : memref<4x8xf16>
  %xt = ktdp.construct_access_tile %xv[%first, %c0] {access_tile_set = #rows, access_tile_order = #o} : memref<8x8xf16> -> !ktdp.access_tile<4x8xindex>
  %ownt = ktdp.construct_access_tile %own[%c0, %c0] {access_tile_set = #rows, access_tile_order = #o} : memref<4x8xf16> -> !ktdp.access_tile<4x8xindex>
  %a = ktdp.load %xt : !ktdp.access_tile<4x8xindex> -> tensor<4x8xf16>
  %twice = arith.addf %a, %a : tensor<4x8xf16>
  ktdp.store %twice, %ownt : tensor<4x8xf16>, !ktdp.access_tile<4x8xindex>
  %ft = ktdp.construct_access_tile %xv[%first, %c0] {access_tile_set = #row, access_tile_order = #o} : memref<8x8xf16> -> !ktdp.access_tile<1x8xindex>
  %f = ktdp.load %ft : !ktdp.access_tile<1x8xindex> -> tensor<1x8xf16>
  %zero = arith.constant dense<0.0> : tensor<1x8xf16>
  %future = ktdp.inter_tile_produce producer_tiles_per_group = #both -> !ktdp.tile_future<(tensor<1x8xf16>), groups = #one> {
  ^bb0(%g: index):
    ktdp.yield_partial %f : tensor<1x8xf16>
  }
  %s = ktdp.inter_tile_reduce(%future) consumer_tiles_per_group = #both, identity(%zero : tensor<1x8xf16>)
      : !ktdp.tile_future<(tensor<1x8xf16>), groups = #one> -> tensor<1x8xf16> {
  ^bb0(%l: tensor<1x8xf16>, %r: tensor<1x8xf16>):
    %sum = arith.addf %l, %r : tensor<1x8xf16>
    ktdp.yield_reduced %sum : tensor<1x8xf16>
  }
  %zt = ktdp.construct_access_tile %zv[%t, %c0] {access_tile_set = #row, access_tile_order = #o} : memref<2x8xf16> -> !ktdp.access_tile<1x8xindex>
  ktdp.store %s, %zt : tensor<1x8xf16>, !ktdp.access_tile<1x8xindex>
  %p0 = ktdp.construct_memory_view %c0, sizes: [4, 8], strides: [8, 1] {coordinate_set = #rows, memory_space = #ktdp.memory_space<ct_local, ct_id = 0>} : memref<4x8xf16>
  %p1 = ktdp.construct_memory_view %c0, sizes: [4, 8], strides: [8, 1] {coordinate_set = #low, memory_space = #ktdp.memory_space<ct_local, ct_id = 1>} : memref<4x8xf16>
  %v = ktdp.construct_distributed_memory_view (%p0, %p1 : memref<4x8xf16>, memref<4x8xf16>) : memref<8x8xf16>
  %w = arith.addi %t, %c1 : index
  %wt = ktdp.construct_access_tile %v[%w, %c0] {access_tile_set = #rows, access_tile_order = #o} : memref<8x8xf16> -> !ktdp.access_tile<4x8xindex>
  %b = ktdp.load %wt : !ktdp.access_tile<4x8xindex> -> tensor<4x8xf16>
  %yt = ktdp.construct_access_tile %yv[%first, %c0] {access_tile_set = #rows, access_tile_order = #o} : memref<8x8xf16> -> !ktdp.access_tile<4x8xindex>
  ktdp.store %b, %yt : tensor<4x8xf16>, !ktdp.access_tile<4x8xindex>
  return
}
