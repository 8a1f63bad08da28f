#map = affine_map<(d0, d1) -> (d0, d1)>
#set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 11 >= 0, d1 >= 0, -d1 + 159 >= 0)>
#set1 = affine_set<(d0, d1) : (d0 >= 0, -d0 + 5 >= 0, d1 >= 0, -d1 + 159 >= 0)>
module {
  module {
    func.func @add(%x: index, %y: index, %z: index) attributes {grid = [2]} {
      call @local_schedule_0(%x, %y, %z) : (index, index, index) -> ()
      return
    }
    func.func private @local_schedule_0(index, index, index)
  }
  ktdf_arch.device @spyre import("kt:spyre")
  module @local_schedule_0 {
    func.func @local_schedule_0(%x: index, %y: index, %z: index) attributes {grid = [2]} {
      %xv = ktdp.construct_memory_view %x, sizes: [12, 160], strides: [160, 1] {coordinate_set = #set, memory_space = #ktdp.memory_space<global>} : memref<12x160xf16>
      %tile = ktdp.get_compute_tile_id : index
      %c6 = arith.constant 6 : index
      %row = arith.muli %tile, %c6 : index
      %c0 = arith.constant 0 : index
      %xt = ktdp.construct_access_tile %xv[%row, %c0] {access_tile_order = #map, access_tile_set = #set1} : memref<12x160xf16> -> !ktdp.access_tile<6x160xindex>
      %a = ktdp.load %xt : <6x160xindex> -> tensor<6x160xf16>
      %yv = ktdp.construct_memory_view %y, sizes: [12, 160], strides: [160, 1] {coordinate_set = #set, memory_space = #ktdp.memory_space<global>} : memref<12x160xf16>
      %yt = ktdp.construct_access_tile %yv[%row, %c0] {access_tile_order = #map, access_tile_set = #set1} : memref<12x160xf16> -> !ktdp.access_tile<6x160xindex>
      %b = ktdp.load %yt : <6x160xindex> -> tensor<6x160xf16>
      %10 = tensor.empty() : tensor<6x160xf16>
      %sum = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%a, %b : tensor<6x160xf16>, tensor<6x160xf16>) outs(%10 : tensor<6x160xf16>) {
      ^bb0(%in: f16, %in_0: f16, %out: f16):
        %12 = arith.addf %in, %in_0 : f16
        linalg.yield %12 : f16
      } -> tensor<6x160xf16>
      %zv = ktdp.construct_memory_view %z, sizes: [12, 160], strides: [160, 1] {coordinate_set = #set, memory_space = #ktdp.memory_space<global>} : memref<12x160xf16>
      %zt = ktdp.construct_access_tile %zv[%row, %c0] {access_tile_order = #map, access_tile_set = #set1} : memref<12x160xf16> -> !ktdp.access_tile<6x160xindex>
      ktdp.store %sum, %zt : tensor<6x160xf16>, <6x160xindex>
      return
    }
  }
}
