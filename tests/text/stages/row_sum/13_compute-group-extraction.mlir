#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0) -> (d0)>
#map2 = affine_map<(d0, d1) -> (d0)>
#set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 7 >= 0, d1 >= 0, -d1 + 19 >= 0)>
#set1 = affine_set<(d0) : (d0 >= 0, -d0 + 7 >= 0)>
#set2 = affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 19 >= 0)>
#set3 = affine_set<(d0) : (d0 >= 0, -d0 + 3 >= 0)>
module {
  module {
    func.func @row_sum(%x: index, %s: index) attributes {grid = [2]} {
      call @local_schedule_0(%x, %s) : (index, index) -> ()
      return
    }
    func.func private @local_schedule_0(index, index)
  }
  ktdf_arch.device @toy import("kt:toy")
  module @local_schedule_0 {
    func.func @local_schedule_0(%x: index, %s: index) attributes {grid = [2]} {
      %xv = ktdp.construct_memory_view %x, sizes: [8, 20], strides: [20, 1] {coordinate_set = #set, memory_space = #ktdp.memory_space<global>} : memref<8x20xf16>
      %tile = ktdp.get_compute_tile_id : index
      %c4 = arith.constant 4 : index
      %row = arith.muli %tile, %c4 : index
      %c0 = arith.constant 0 : index
      %xt = ktdp.construct_access_tile %xv[%row, %c0] {access_tile_order = #map, access_tile_set = #set2} : memref<8x20xf16> -> !ktdp.access_tile<4x20xindex>
      %a = ktdp.load %xt : <4x20xindex> -> tensor<4x20xf16>
      %7 = tensor.empty() : tensor<4xf32>
      %cst = arith.constant 0.000000e+00 : f32
      %8 = linalg.generic {indexing_maps = [#map1], iterator_types = ["parallel"]} outs(%7 : tensor<4xf32>) {
      ^bb0(%out: f32):
        linalg.yield %cst : f32
      } -> tensor<4xf32>
      %9 = linalg.generic {indexing_maps = [#map, #map2], iterator_types = ["parallel", "reduction"]} ins(%a : tensor<4x20xf16>) outs(%8 : tensor<4xf32>) {
      ^bb0(%in.0: f16, %out.0: f32):
        %12 = arith.extf %in.0 : f16 to f32
        %13 = arith.addf %out.0, %12 : f32
        linalg.yield %13 : f32
      } -> tensor<4xf32>
      %14 = tensor.empty() : tensor<4xf16>
      %sum = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%9 : tensor<4xf32>) outs(%14 : tensor<4xf16>) {
      ^bb0(%in: f32, %out_0: f16):
        %15 = arith.truncf %in : f32 to f16
        linalg.yield %15 : f16
      } -> tensor<4xf16>
      %sv = ktdp.construct_memory_view %s, sizes: [8], strides: [1] {coordinate_set = #set1, memory_space = #ktdp.memory_space<global>} : memref<8xf16>
      %st = ktdp.construct_access_tile %sv[%row] {access_tile_order = #map1, access_tile_set = #set3} : memref<8xf16> -> !ktdp.access_tile<4xindex>
      ktdp.store %sum, %st : tensor<4xf16>, <4xindex>
      return
    }
  }
}
