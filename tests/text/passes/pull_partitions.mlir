// passes: pull-partitions
// device: toy
// A window in two partitions is brought together in a buffer, one row is loaded where it lies;
// a row that is known at launch stays for mirror-partitions.
#p = affine_set<(i, j) : (i >= 0, -i + 3 >= 0, j >= 0, -j + 7 >= 0)>
#p1 = affine_set<(i, j) : (i - 4 >= 0, -i + 7 >= 0, j >= 0, -j + 7 >= 0)>
#w = affine_set<(i, j) : (i >= 0, -i + 3 >= 0, j >= 0, -j + 7 >= 0)>
#one = affine_set<(i, j) : (i >= 0, -i >= 0, j >= 0, -j + 7 >= 0)>
#y = affine_set<(i, j) : (i >= 0, -i + 7 >= 0, j >= 0, -j + 7 >= 0)>
#o = affine_map<(i, j) -> (i, j)>
func.func @f(%y: index, %n: index) attributes {grid = [2]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %t = ktdp.get_compute_tile_id : index
  %a = ktdp.construct_memory_view %c0, sizes: [4, 8], strides: [8, 1] {coordinate_set = #p, memory_space = #ktdp.memory_space<ct_local, ct_id = 1>} : memref<4x8xf16>
  %b = ktdp.construct_memory_view %c0, sizes: [4, 8], strides: [8, 1] {coordinate_set = #p1, memory_space = #ktdp.memory_space<ct_local, ct_id = 0>} : memref<4x8xf16>
  %v = ktdp.construct_distributed_memory_view (%a, %b : memref<4x8xf16>, memref<4x8xf16>) : memref<8x8xf16>
  %yv = ktdp.construct_memory_view %y, sizes: [8, 8], strides: [8, 1] {coordinate_set = #y, memory_space = #ktdp.memory_space<global>} : memref<8x8xf16>
  // rows 1 to 4 for tile 0, 4 to 7 for tile 1: they lie in two partitions
  %s = arith.muli %t, %c3 : index
  %r = arith.addi %s, %c1 : index
  %wt = ktdp.construct_access_tile %v[%r, %c0] {access_tile_set = #w, access_tile_order = #o} : memref<8x8xf16> -> !ktdp.access_tile<4x8xindex>
  %w = ktdp.load %wt : !ktdp.access_tile<4x8xindex> -> tensor<4x8xf16>
  %wo = ktdp.construct_access_tile %yv[%s, %c0] {access_tile_set = #w, access_tile_order = #o} : memref<8x8xf16> -> !ktdp.access_tile<4x8xindex>
  ktdp.store %w, %wo : tensor<4x8xf16>, !ktdp.access_tile<4x8xindex>
  // one row: it lies in one partition
  %xt = ktdp.construct_access_tile %v[%r, %c0] {access_tile_set = #one, access_tile_order = #o} : memref<8x8xf16> -> !ktdp.access_tile<1x8xindex>
  %x = ktdp.load %xt : !ktdp.access_tile<1x8xindex> -> tensor<1x8xf16>
  %xo = ktdp.construct_access_tile %yv[%s, %c0] {access_tile_set = #one, access_tile_order = #o} : memref<8x8xf16> -> !ktdp.access_tile<1x8xindex>
  ktdp.store %x, %xo : tensor<1x8xf16>, !ktdp.access_tile<1x8xindex>
  // a row that is known at launch: it stays
  %zt = ktdp.construct_access_tile %v[%n, %c0] {access_tile_set = #one, access_tile_order = #o} : memref<8x8xf16> -> !ktdp.access_tile<1x8xindex>
  %z = ktdp.load %zt : !ktdp.access_tile<1x8xindex> -> tensor<1x8xf16>
  ktdp.store %z, %xo : tensor<1x8xf16>, !ktdp.access_tile<1x8xindex>
  return
}
// becomes
#map = affine_map<(d0, d1) -> (d0, d1)>
#set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 7 >= 0)>
#set1 = affine_set<(d0, d1) : (d0 - 4 >= 0, -d0 + 7 >= 0, d1 >= 0, -d1 + 7 >= 0)>
#set2 = affine_set<(d0, d1) : (d0 >= 0, -d0 + 7 >= 0, d1 >= 0, -d1 + 7 >= 0)>
#set3 = affine_set<(d0, d1) : (d0 >= 0, -d0 + 2 >= 0, d1 >= 0, -d1 + 7 >= 0)>
#set4 = affine_set<(d0, d1) : (d0 >= 0, -d0 >= 0, d1 >= 0, -d1 + 7 >= 0)>
module {
  func.func @f(%arg0: index, %arg1: index) attributes {grid = [2]} {
    %0 = kt.buffer() : memref<4x8xf16>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %1 = ktdp.get_compute_tile_id : index
    %2 = ktdp.construct_memory_view %c0, sizes: [4, 8], strides: [8, 1] {coordinate_set = #set, memory_space = #ktdp.memory_space<ct_local, ct_id = 1>} : memref<4x8xf16>
    %3 = ktdp.construct_memory_view %c0, sizes: [4, 8], strides: [8, 1] {coordinate_set = #set1, memory_space = #ktdp.memory_space<ct_local, ct_id = 0>} : memref<4x8xf16>
    %4 = ktdp.construct_distributed_memory_view(%2, %3 : memref<4x8xf16>, memref<4x8xf16>) : memref<8x8xf16>
    %5 = ktdp.construct_memory_view %arg0, sizes: [8, 8], strides: [8, 1] {coordinate_set = #set2, memory_space = #ktdp.memory_space<global>} : memref<8x8xf16>
    %6 = arith.muli %1, %c3 : index
    %7 = arith.addi %6, %c1 : index
    %8 = ktdp.construct_access_tile %4[%7, %c0] {access_tile_order = #map, access_tile_set = #set} : memref<8x8xf16> -> !ktdp.access_tile<4x8xindex>
    %9 = ktdp.construct_memory_view %c0, sizes: [4, 8], strides: [8, 1] {coordinate_set = #set, memory_space = #ktdp.memory_space<ct_local>} : memref<4x8xf16>
    %10 = ktdp.get_compute_tile_id : index
    %11 = kt.peer_view %9 peers [1, 0] : memref<4x8xf16>
    %c-1 = arith.constant -1 : index
    %12 = arith.muli %10, %c-1 : index
    %c1_0 = arith.constant 1 : index
    %13 = arith.addi %12, %c1_0 : index
    %c0_1 = arith.constant 0 : index
    %14 = ktdp.construct_access_tile %11[%13, %c0_1] {access_tile_order = #map, access_tile_set = #set3} : memref<4x8xf16> -> !ktdp.access_tile<3x8xindex>
    %15 = ktdp.load %14 : <3x8xindex> -> tensor<3x8xf16>
    %c0_2 = arith.constant 0 : index
    %c0_3 = arith.constant 0 : index
    %16 = ktdp.construct_access_tile %0[%c0_2, %c0_3] {access_tile_order = #map, access_tile_set = #set3} : memref<4x8xf16> -> !ktdp.access_tile<3x8xindex>
    ktdp.store %15, %16 : tensor<3x8xf16>, <3x8xindex>
    %17 = kt.peer_view %9 peers [0, 0] : memref<4x8xf16>
    %c3_4 = arith.constant 3 : index
    %18 = arith.muli %10, %c3_4 : index
    %c0_5 = arith.constant 0 : index
    %19 = arith.addi %18, %c0_5 : index
    %c0_6 = arith.constant 0 : index
    %20 = ktdp.construct_access_tile %17[%19, %c0_6] {access_tile_order = #map, access_tile_set = #set4} : memref<4x8xf16> -> !ktdp.access_tile<1x8xindex>
    %21 = ktdp.load %20 : <1x8xindex> -> tensor<1x8xf16>
    %c3_7 = arith.constant 3 : index
    %c0_8 = arith.constant 0 : index
    %22 = ktdp.construct_access_tile %0[%c3_7, %c0_8] {access_tile_order = #map, access_tile_set = #set4} : memref<4x8xf16> -> !ktdp.access_tile<1x8xindex>
    ktdp.store %21, %22 : tensor<1x8xf16>, <1x8xindex>
    %c0_9 = arith.constant 0 : index
    %23 = ktdp.construct_access_tile %0[%c0_9, %c0_9] {access_tile_order = #map, access_tile_set = #set} : memref<4x8xf16> -> !ktdp.access_tile<4x8xindex>
    %24 = ktdp.load %23 : <4x8xindex> -> tensor<4x8xf16>
    %25 = ktdp.construct_access_tile %5[%6, %c0] {access_tile_order = #map, access_tile_set = #set} : memref<8x8xf16> -> !ktdp.access_tile<4x8xindex>
    ktdp.store %24, %25 : tensor<4x8xf16>, <4x8xindex>
    %26 = ktdp.construct_access_tile %4[%7, %c0] {access_tile_order = #map, access_tile_set = #set4} : memref<8x8xf16> -> !ktdp.access_tile<1x8xindex>
    %27 = ktdp.construct_memory_view %c0, sizes: [4, 8], strides: [8, 1] {coordinate_set = #set, memory_space = #ktdp.memory_space<ct_local>} : memref<4x8xf16>
    %28 = ktdp.get_compute_tile_id : index
    %29 = kt.peer_view %27 peers [1, 0] : memref<4x8xf16>
    %c-1_10 = arith.constant -1 : index
    %30 = arith.muli %28, %c-1_10 : index
    %c1_11 = arith.constant 1 : index
    %31 = arith.addi %30, %c1_11 : index
    %c0_12 = arith.constant 0 : index
    %32 = ktdp.construct_access_tile %29[%31, %c0_12] {access_tile_order = #map, access_tile_set = #set4} : memref<4x8xf16> -> !ktdp.access_tile<1x8xindex>
    %33 = ktdp.load %32 : <1x8xindex> -> tensor<1x8xf16>
    %34 = ktdp.construct_access_tile %5[%6, %c0] {access_tile_order = #map, access_tile_set = #set4} : memref<8x8xf16> -> !ktdp.access_tile<1x8xindex>
    ktdp.store %33, %34 : tensor<1x8xf16>, <1x8xindex>
    %35 = ktdp.construct_access_tile %4[%arg1, %c0] {access_tile_order = #map, access_tile_set = #set4} : memref<8x8xf16> -> !ktdp.access_tile<1x8xindex>
    %36 = ktdp.load %35 : <1x8xindex> -> tensor<1x8xf16>
    ktdp.store %36, %34 : tensor<1x8xf16>, <1x8xindex>
    return
  }
}

