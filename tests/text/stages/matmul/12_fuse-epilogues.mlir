#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d2)>
#map2 = affine_map<(d0, d1, d2) -> (d2, d1)>
#map3 = affine_map<(d0, d1, d2) -> (d0, d1)>
#set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 5 >= 0)>
#set1 = affine_set<(d0, d1) : (d0 >= 0, -d0 + 5 >= 0, d1 >= 0, -d1 + 15 >= 0)>
#set2 = affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 15 >= 0)>
#set3 = affine_set<(d0, d1) : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 5 >= 0)>
#set4 = affine_set<(d0, d1) : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 15 >= 0)>
module {
  ktdf_arch.device @toy import("kt:toy")
  func.func @matmul(%a: index, %b: index, %c: index) attributes {grid = [2]} {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %tile = ktdp.get_compute_tile_id : index
    %row = arith.muli %tile, %c2 : index
    %av = ktdp.construct_memory_view %a, sizes: [4, 6], strides: [6, 1] {coordinate_set = #set, memory_space = #ktdp.memory_space<global>} : memref<4x6xf16>
    %bv = ktdp.construct_memory_view %b, sizes: [6, 16], strides: [16, 1] {coordinate_set = #set1, memory_space = #ktdp.memory_space<global>} : memref<6x16xf16>
    %cv = ktdp.construct_memory_view %c, sizes: [4, 16], strides: [16, 1] {coordinate_set = #set2, memory_space = #ktdp.memory_space<global>} : memref<4x16xf16>
    %at = ktdp.construct_access_tile %av[%row, %c0] {access_tile_order = #map, access_tile_set = #set3} : memref<4x6xf16> -> !ktdp.access_tile<2x6xindex>
    %bt = ktdp.construct_access_tile %bv[%c0, %c0] {access_tile_order = #map, access_tile_set = #set1} : memref<6x16xf16> -> !ktdp.access_tile<6x16xindex>
    %ct = ktdp.construct_access_tile %cv[%row, %c0] {access_tile_order = #map, access_tile_set = #set4} : memref<4x16xf16> -> !ktdp.access_tile<2x16xindex>
    %x = ktdp.load %at : <2x6xindex> -> tensor<2x6xf16>
    %w = ktdp.load %bt : <6x16xindex> -> tensor<6x16xf16>
    %cst = arith.constant 0.000000e+00 : f32
    %14 = tensor.empty() : tensor<2x16xf32>
    %15 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%14 : tensor<2x16xf32>) {
    ^bb0(%out: f32):
      linalg.yield %cst : f32
    } -> tensor<2x16xf32>
    %16 = linalg.generic {indexing_maps = [#map1, #map2, #map3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<2x6xf16>, tensor<6x16xf16>) outs(%15 : tensor<2x16xf32>) {
    ^bb0(%in: f16, %in_0: f16, %out_0: f32):
      %17 = arith.extf %in : f16 to f32
      %18 = arith.extf %in_0 : f16 to f32
      %19 = arith.mulf %17, %18 : f32
      %20 = arith.addf %out_0, %19 : f32
      linalg.yield %20 : f32
    } -> tensor<2x16xf32>
    %c0_0 = arith.constant 0 : index
    %c0_1 = arith.constant 0 : index
    %e = tensor.empty() : tensor<2x16xf16>
    %y = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%16 : tensor<2x16xf32>) outs(%e : tensor<2x16xf16>) {
    ^bb0(%in_1: f32, %out_1: f16):
      %21 = arith.truncf %in_1 : f32 to f16
      linalg.yield %21 : f16
    } -> tensor<2x16xf16>
    ktdp.store %y, %ct : tensor<2x16xf16>, <2x16xindex>
    return
  }
}
