// passes: normalize-ktir,exchange-over-links
// device: mesh
// Partial results stay in the scratchpads of their tiles, which others read behind a barrier. A sum
// of halves is kept in f32; what is needed twice is fetched once. A tile that consumes nothing takes its own.
#row = affine_set<(i, j) : (i >= 0, -i >= 0, j >= 0, -j + 7 >= 0)>
#three = affine_set<(i, j) : (i >= 0, -i + 2 >= 0, j >= 0, -j + 7 >= 0)>
#o = affine_map<(i, j) -> (i, j)>
#one = affine_set<(g) : (g == 0)>
#all = affine_set<(t)[g] : (t - g * 3 >= 0, -t + g * 3 + 2 >= 0)>
#some = affine_set<(t)[g] : (t - g * 3 - 1 >= 0, -t + g * 3 + 2 >= 0)>
#root = affine_set<(t)[g] : (t - g * 3 == 0)>
func.func @f(%x: index, %y: index) attributes {grid = [3]} {
  %c0 = arith.constant 0 : index
  %t = ktdp.get_compute_tile_id : index
  %xv = ktdp.construct_memory_view %x, sizes: [3, 8], strides: [8, 1] {coordinate_set = #three, memory_space = #ktdp.memory_space<global>} : memref<3x8xf16>
  %yv = ktdp.construct_memory_view %y, sizes: [3, 8], strides: [8, 1] {coordinate_set = #three, memory_space = #ktdp.memory_space<global>} : memref<3x8xf16>
  %xt = ktdp.construct_access_tile %xv[%t, %c0] {access_tile_set = #row, access_tile_order = #o} : memref<3x8xf16> -> !ktdp.access_tile<1x8xindex>
  %yt = ktdp.construct_access_tile %yv[%t, %c0] {access_tile_set = #row, access_tile_order = #o} : memref<3x8xf16> -> !ktdp.access_tile<1x8xindex>
  %p = ktdp.load %xt : !ktdp.access_tile<1x8xindex> -> tensor<1x8xf16>
  %zero = arith.constant dense<0.0> : tensor<1x8xf16>
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #all -> !ktdp.tile_future<(tensor<1x8xf16>), groups = #one> {
  ^bb0(%g: index):
    ktdp.yield_partial %p : tensor<1x8xf16>
  }
  // Tiles 1 and 2 consume the sum of what tiles 1 and 2 have, which tile 0 doesn't need: it takes its own.
  %s = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = #some, producer_dependency_per_consumer = affine_set<(p)[c] : (p - 1 >= 0, -p + 2 >= 0)>,
      identity(%zero : tensor<1x8xf16>) : !ktdp.tile_future<(tensor<1x8xf16>), groups = #one> -> tensor<1x8xf16> {
  ^bb0(%l: tensor<1x8xf16>, %r: tensor<1x8xf16>):
    %sum = arith.addf %l, %r : tensor<1x8xf16>
    ktdp.yield_reduced %sum : tensor<1x8xf16>
  }
  %c1 = arith.constant 1 : index
  %takes = arith.cmpi sge, %t, %c1 : index
  scf.if %takes {
    ktdp.store %s, %yt : tensor<1x8xf16>, !ktdp.access_tile<1x8xindex>
  }
  // Everybody gets what the root has, and needs it twice.
  %h = ktdp.inter_tile_produce producer_tiles_per_group = #root -> !ktdp.tile_future<(tensor<1x8xf16>), groups = #one> {
  ^bb0(%g: index):
    ktdp.yield_partial %p : tensor<1x8xf16>
  }
  %b = ktdp.inter_tile_consume(%h) consumer_tiles_per_group = #all : !ktdp.tile_future<(tensor<1x8xf16>), groups = #one> -> tensor<1x8xf16>
  ktdp.store %b, %yt : tensor<1x8xf16>, !ktdp.access_tile<1x8xindex>
  ktdp.store %b, %xt : tensor<1x8xf16>, !ktdp.access_tile<1x8xindex>
  return
}
// becomes
#map = affine_map<(d0, d1) -> (d0, d1)>
#set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 2 >= 0, d1 >= 0, -d1 + 7 >= 0)>
#set1 = affine_set<(d0, d1) : (d0 >= 0, -d0 >= 0, d1 >= 0, -d1 + 7 >= 0)>
module {
  func.func @f(%arg0: index, %arg1: index) attributes {grid = [3]} {
    %0 = kt.buffer() : memref<1x8xf16>
    %1 = kt.buffer() : memref<1x8xf16>
    %2 = kt.buffer() : memref<1x8xf16>
    %c0 = arith.constant 0 : index
    %3 = ktdp.get_compute_tile_id : index
    %4 = ktdp.construct_memory_view %arg0, sizes: [3, 8], strides: [8, 1] {coordinate_set = #set, memory_space = #ktdp.memory_space<global>} : memref<3x8xf16>
    %5 = ktdp.construct_memory_view %arg1, sizes: [3, 8], strides: [8, 1] {coordinate_set = #set, memory_space = #ktdp.memory_space<global>} : memref<3x8xf16>
    %6 = ktdp.construct_access_tile %4[%3, %c0] {access_tile_order = #map, access_tile_set = #set1} : memref<3x8xf16> -> !ktdp.access_tile<1x8xindex>
    %7 = ktdp.construct_access_tile %5[%3, %c0] {access_tile_order = #map, access_tile_set = #set1} : memref<3x8xf16> -> !ktdp.access_tile<1x8xindex>
    %8 = ktdp.load %6 : <1x8xindex> -> tensor<1x8xf16>
    %cst = arith.constant 0.000000e+00 : f16
    %9 = tensor.empty() : tensor<1x8xf16>
    %10 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%9 : tensor<1x8xf16>) {
    ^bb0(%out: f16):
      linalg.yield %cst : f16
    } -> tensor<1x8xf16>
    %11 = ktdp.get_compute_tile_id : index
    %c0_0 = arith.constant 0 : index
    %12 = ktdp.construct_access_tile %2[%c0_0, %c0_0] {access_tile_order = #map, access_tile_set = #set1} : memref<1x8xf16> -> !ktdp.access_tile<1x8xindex>
    ktdp.store %8, %12 : tensor<1x8xf16>, <1x8xindex>
    kt.barrier
    %13 = kt.peer_view %2 peers [0, 1, 1] : memref<1x8xf16>
    %c0_1 = arith.constant 0 : index
    %14 = ktdp.construct_access_tile %13[%c0_1, %c0_1] {access_tile_order = #map, access_tile_set = #set1} : memref<1x8xf16> -> !ktdp.access_tile<1x8xindex>
    %15 = ktdp.load %14 : <1x8xindex> -> tensor<1x8xf16>
    %16 = kt.peer_view %2 peers [0, 2, 2] : memref<1x8xf16>
    %c0_2 = arith.constant 0 : index
    %17 = ktdp.construct_access_tile %16[%c0_2, %c0_2] {access_tile_order = #map, access_tile_set = #set1} : memref<1x8xf16> -> !ktdp.access_tile<1x8xindex>
    %18 = ktdp.load %17 : <1x8xindex> -> tensor<1x8xf16>
    %19 = tensor.empty() : tensor<1x8xf16>
    %20 = linalg.generic {indexing_maps = [#map, #map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%10, %15, %18 : tensor<1x8xf16>, tensor<1x8xf16>, tensor<1x8xf16>) outs(%19 : tensor<1x8xf16>) {
    ^bb0(%in: f16, %in_10: f16, %in_11: f16, %out: f16):
      %32 = arith.extf %in : f16 to f32
      %33 = arith.extf %in_10 : f16 to f32
      %34 = arith.addf %32, %33 : f32
      %35 = arith.extf %in_11 : f16 to f32
      %36 = arith.addf %34, %35 : f32
      %37 = arith.truncf %36 : f32 to f16
      linalg.yield %37 : f16
    } -> tensor<1x8xf16>
    %c1 = arith.constant 1 : index
    %21 = arith.cmpi sge, %3, %c1 : index
    scf.if %21 {
      ktdp.store %20, %7 : tensor<1x8xf16>, <1x8xindex>
    }
    %22 = ktdp.get_compute_tile_id : index
    %c1_3 = arith.constant 1 : index
    %c1_4 = arith.constant 1 : index
    %23 = arith.cmpi sge, %22, %c1_4 : index
    %c0_5 = arith.constant 0 : index
    %24 = arith.select %23, %c0_5, %c1_3 : index
    %c1_6 = arith.constant 1 : index
    %25 = arith.cmpi eq, %24, %c1_6 : index
    scf.if %25 {
      %c0_10 = arith.constant 0 : index
      %32 = ktdp.construct_access_tile %0[%c0_10, %c0_10] {access_tile_order = #map, access_tile_set = #set1} : memref<1x8xf16> -> !ktdp.access_tile<1x8xindex>
      ktdp.store %8, %32 : tensor<1x8xf16>, <1x8xindex>
    }
    kt.barrier
    %26 = kt.peer_view %0 peers [0, 0, 0] : memref<1x8xf16>
    %c0_7 = arith.constant 0 : index
    %27 = ktdp.construct_access_tile %26[%c0_7, %c0_7] {access_tile_order = #map, access_tile_set = #set1} : memref<1x8xf16> -> !ktdp.access_tile<1x8xindex>
    %28 = ktdp.load %27 : <1x8xindex> -> tensor<1x8xf16>
    %c0_8 = arith.constant 0 : index
    %29 = ktdp.construct_access_tile %1[%c0_8, %c0_8] {access_tile_order = #map, access_tile_set = #set1} : memref<1x8xf16> -> !ktdp.access_tile<1x8xindex>
    ktdp.store %28, %29 : tensor<1x8xf16>, <1x8xindex>
    %c0_9 = arith.constant 0 : index
    %30 = ktdp.construct_access_tile %1[%c0_9, %c0_9] {access_tile_order = #map, access_tile_set = #set1} : memref<1x8xf16> -> !ktdp.access_tile<1x8xindex>
    %31 = ktdp.load %30 : <1x8xindex> -> tensor<1x8xf16>
    ktdp.store %31, %7 : tensor<1x8xf16>, <1x8xindex>
    ktdp.store %31, %6 : tensor<1x8xf16>, <1x8xindex>
    return
  }
}

