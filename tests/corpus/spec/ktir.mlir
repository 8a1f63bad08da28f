// one logical 48x40 matrix: rows 0..15 global, 16..31 in tile 0 (column-major), 32..47 in tile 5
#top = affine_set<(i, j) : (i >= 0, -i + 15 >= 0, j >= 0, -j + 39 >= 0)>
#mid = affine_set<(i, j) : (i - 16 >= 0, -i + 31 >= 0, j >= 0, -j + 39 >= 0)>
#bot = affine_set<(i, j) : (i - 32 >= 0, -i + 47 >= 0, j >= 0, -j + 39 >= 0)>
#win = affine_set<(i, j) : (i >= 0, -i + 19 >= 0, j >= 0, -j + 39 >= 0)>
#id2 = affine_map<(i, j) -> (i, j)>
func.func @stitched(%g: index, %l: index) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %a = ktdp.construct_memory_view %g, sizes: [16, 40], strides: [40, 1] {
      coordinate_set = #top, memory_space = #ktdp.memory_space<global> } : memref<16x40xf16>
  %b = ktdp.construct_memory_view %l, sizes: [16, 40], strides: [1, 16] {
      coordinate_set = #mid, memory_space = #ktdp.memory_space<ct_local, ct_id = 0> } : memref<16x40xf16>
  %c = ktdp.construct_memory_view %l, sizes: [16, 40], strides: [40, 1] {
      coordinate_set = #bot, memory_space = #ktdp.memory_space<ct_local, ct_id = 5> } : memref<16x40xf16>
  %d = ktdp.construct_distributed_memory_view (%a, %b, %c
      : memref<16x40xf16>, memref<16x40xf16>, memref<16x40xf16>) : memref<48x40xf16>
  // rows 8..27: straddles the first two partitions
  %t = ktdp.construct_access_tile %d[%c8, %c0] {access_tile_set = #win, access_tile_order = #id2}
      : memref<48x40xf16> -> !ktdp.access_tile<20x40xindex>
  %x = ktdp.load %t : <20x40xindex> -> tensor<20x40xf16>
  return
}

// -----

#box = affine_set<(i, j) : (i >= 0, -i + 39 >= 0, j >= 0, -j + 23 >= 0)>
func.func @access(%p: index, %i: index, %j: index, %n: index) {
  %v = ktdp.construct_memory_view %p, sizes: [40, 24], strides: [24, 1] {
      coordinate_set = #box, memory_space = #ktdp.memory_space<global> } : memref<40x24xf16>
  %t0 = ktdp.construct_access_tile %v[%i * 8 + %j, 12] {
      access_tile_set = affine_set<(a, b) : (a >= 0, -a + 7 >= 0, b >= 0, -b + 11 >= 0)>,
      access_tile_order = affine_map<(a, b) -> (a, b)>
  } : memref<40x24xf16> -> !ktdp.access_tile<8x12xindex>
  %t1 = ktdp.construct_access_tile %v[%i, %j] {
      access_tile_set = affine_set<(a, b) : (a >= 0, -a + 7 >= 0, b >= 0, -b + 11 >= 0)>,
      access_tile_order = affine_map<(a, b) -> (b, a)>
  } : memref<40x24xf16> -> !ktdp.access_tile<12x8xindex>
  %t2 = ktdp.construct_access_tile %v[%i, %j] symbols(%n) {
      access_tile_set = affine_set<(a, b)[m] : (a >= 0, -a + m - 1 >= 0, b >= 0, -b + 5 >= 0)>,
      access_tile_order = affine_map<(a, b) -> (a, b)>
  } : memref<40x24xf16> -> !ktdp.access_tile<?x6xindex>
  %x = ktdp.load %t1 : <12x8xindex> -> tensor<12x8xf16>
  %t4 = ktdp.construct_access_tile %x[3, 0] {
      access_tile_set = affine_set<(a, b) : (a == 0, b >= 0, -b + 7 >= 0)>,
      access_tile_order = affine_map<(a, b) -> (a, b)>
  } : tensor<12x8xf16> -> !ktdp.access_tile<1x8xindex>
  return
}

// -----

#pool = affine_set<(p, s, d) : (p >= 0, -p + 49 >= 0, s >= 0, -s + 7 >= 0, d >= 0, -d + 31 >= 0)>
#tab  = affine_set<(b, k) : (b >= 0, -b + 2 >= 0, k >= 0, -k + 5 >= 0)>
#vars = affine_set<(b, t, d) : (b >= 0, -b + 2 >= 0, t >= 0, -t + 47 >= 0, d >= 0, -d + 31 >= 0)>
#id3  = affine_map<(b, t, d) -> (b, t, d)>
func.func @paged(%pool_p: index, %tab_p: index, %bias: index) {
  %pool = ktdp.construct_memory_view %pool_p, sizes: [50, 8, 32], strides: [256, 32, 1] {
      coordinate_set = #pool, memory_space = #ktdp.memory_space<global> } : memref<50x8x32xf16>
  %tab = ktdp.construct_memory_view %tab_p, sizes: [3, 6], strides: [6, 1] {
      coordinate_set = #tab, memory_space = #ktdp.memory_space<global> } : memref<3x6xi32>
  // value[b, t, d] = pool[ table[b, t floordiv 8], t mod 8, d ]
  %t = ktdp.construct_indirect_access_tile intermediate_variables(%b, %t_, %d)
      %pool[ind(%tab[%b, %t_ floordiv 8]), (%t_ mod 8), (%d)] {
      variables_space_set = #vars, variables_space_order = #id3
  } : memref<50x8x32xf16>, memref<3x6xi32> -> !ktdp.access_tile<3x48x32xindex>
  %x = ktdp.load %t : <3x48x32xindex> -> tensor<3x48x32xf16>
  // captured value; scatter through the same tile
  %u = ktdp.construct_indirect_access_tile intermediate_variables(%q)
      %pool[ind(%tab[%bias, %q]), (%bias + 1), (2)] {
      variables_space_set = affine_set<(q) : (q >= 0, -q + 5 >= 0)>,
      variables_space_order = affine_map<(q) -> (q)>
  } : memref<50x8x32xf16>, memref<3x6xi32> -> !ktdp.access_tile<6xindex>
  %y = ktdp.load %u : <6xindex> -> tensor<6xf16>
  ktdp.store %y, %u : tensor<6xf16>, <6xindex>
  // zero-dimensional variable space
  %z = ktdp.construct_indirect_access_tile intermediate_variables()
      %pool[ind(%tab[%bias, 0]), (0), (0)] {
      variables_space_set = affine_set<() : (0 == 0)>,
      variables_space_order = affine_map<() -> ()>
  } : memref<50x8x32xf16>, memref<3x6xi32> -> !ktdp.access_tile<index>
  return
}

// -----

#pair    = affine_set<(t)[g] : (t - g * 2 >= 0, -t + g * 2 + 1 >= 0)>
#quad    = affine_set<(t)[g] : (t - g * 4 >= 0, -t + g * 4 + 3 >= 0)>
#lead    = affine_set<(t)[g] : (t - g * 4 == 0)>
#two     = affine_set<(g) : (g >= 0, -g + 1 >= 0)>
#four    = affine_set<(g) : (g >= 0, -g + 3 >= 0)>
#partner = affine_set<(p)[c, g] : (p + c - g * 4 - 1 == 0)>
func.func @all_reduce(%x: tensor<6x10xf16>) -> tensor<6x10xf16> {
  %z = arith.constant dense<0.0> : tensor<6x10xf16>
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #quad
      -> !ktdp.tile_future<(tensor<6x10xf16>), groups = #two> {
  ^bb0(%gid: index):
    ktdp.yield_partial %x : tensor<6x10xf16>
  }
  %r = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = #quad, identity(%z : tensor<6x10xf16>)
      : !ktdp.tile_future<(tensor<6x10xf16>), groups = #two> -> tensor<6x10xf16> {
  ^bb0(%a: tensor<6x10xf16>, %b: tensor<6x10xf16>):
    %s = arith.addf %a, %b : tensor<6x10xf16>
    ktdp.yield_reduced %s : tensor<6x10xf16>
  }
  return %r : tensor<6x10xf16>
}
// two values folded at once, delivered to the first tile of each group only
func.func @max_and_sum_to_leader(%m: tensor<10xf32>, %s: tensor<10xf32>) {
  %lo = arith.constant dense<0xFF800000> : tensor<10xf32>
  %zr = arith.constant dense<0.0> : tensor<10xf32>
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #quad
      -> <(tensor<10xf32>, tensor<10xf32>), groups = #two> {
  ^bb0(%gid: index):
    ktdp.yield_partial %m, %s : tensor<10xf32>, tensor<10xf32>
  }
  %r:2 = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = #lead,
      identity(%lo, %zr : tensor<10xf32>, tensor<10xf32>)
      : <(tensor<10xf32>, tensor<10xf32>), groups = #two> -> tensor<10xf32>, tensor<10xf32> {
  ^bb0(%m0: tensor<10xf32>, %s0: tensor<10xf32>, %m1: tensor<10xf32>, %s1: tensor<10xf32>):
    %mx = arith.maximumf %m0, %m1 : tensor<10xf32>
    %sm = arith.addf %s0, %s1 : tensor<10xf32>
    ktdp.yield_reduced %mx, %sm : tensor<10xf32>, tensor<10xf32>
  }
  return
}
// 4 groups of 2; every tile receives its partner's value: p + c = 4g + 1
func.func @swap_partners(%x: tensor<32xf16>) -> tensor<32xf16> {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #pair -> <(tensor<32xf16>), groups = #four> {
  ^bb0(%gid: index):
    ktdp.yield_partial %x : tensor<32xf16>
  }
  %y = ktdp.inter_tile_consume(%f) consumer_tiles_per_group = #pair,
      producer_dependency_per_consumer = #partner : <(tensor<32xf16>), groups = #four> -> tensor<32xf16>
  return %y : tensor<32xf16>
}

// -----

func.func @with_runtime_args(%base: index, %n: !ktdp.runtime_arg<index, granularity=16, upperbound=512>, %s: !ktdp.runtime_arg<f32>) attributes {grid = [4]} {
  %len = ktdp.runtime_arg_extract value from %n : !ktdp.runtime_arg<index, granularity=16, upperbound=512> -> index
  %g = ktdp.runtime_arg_extract granularity from %n : <index, granularity=16, upperbound=512> -> index
  %ub = ktdp.runtime_arg_extract upperbound from %n : <index, granularity=16, upperbound=512> -> index
  %f = ktdp.runtime_arg_extract value from %s : <f32> -> f32
  %v = ktdp.construct_memory_view %base, sizes: [%len, 24], strides: [24, 1] {
      coordinate_set = affine_set<(i, j)[m] : (i >= 0, -i + m - 1 >= 0, j >= 0, -j + 23 >= 0)>,
      memory_space = #ktdp.memory_space<global> } : memref<?x24xf32>
  return
}

// -----

#m = affine_map<(i, j) -> (i, j)>
func.func @spyre(%x: tensor<6x64xf16>, %o: tensor<6x64xf16>) -> tensor<6x64xf16> {
  %r = linalg.generic {indexing_maps = [#m, #m], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<6x64xf16>) outs(%o : tensor<6x64xf16>) {
  ^bb0(%v: f16, %acc: f16):
    %e = spyreop.exp %v : f16
    %s = spyreop.softplus %e beta 0.5 threshold 20.0 : f16
    %d = spyreop.realdiv %s, %v : f16
    linalg.yield %d : f16
  } -> tensor<6x64xf16>
  return %r : tensor<6x64xf16>
}

// -----

func.func @stats(%x: f16, %w: f16, %b: f16, %i: i32, %base: i32, %st: i32) -> f16 {
  %m, %sq = spyreop.exx2 %x : f16
  %s = spyreop.layernormscale %m squares %sq : f16
  %n = spyreop.layernormnorm %x squares %sq scale %s weight %w bias %b : f16
  %a = spyreop.idx32toaddr %i base %base stride %st
  return %n : f16
}
