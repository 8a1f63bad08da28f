// passes: compute-group-extraction
// A chain in a loop becomes a program; its row differs between compute tiles, for it starts at the
// tile id. The orchestrator keeps the loop.
#set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 23 >= 0, d1 >= 0, -d1 + 39 >= 0)>
#row = affine_set<(d0, d1) : (d0 >= 0, -d0 >= 0, d1 >= 0, -d1 + 39 >= 0)>
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @rows(%base: index, %n: index) attributes {grid = [3]} {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %t = ktdp.get_compute_tile_id : index
  %x = ktdp.construct_memory_view %base, sizes: [24, 40], strides: [40, 1] {coordinate_set = #set, memory_space = #ktdp.memory_space<global>} : memref<24x40xf16>
  scf.for %i = %t to %n step %c3 {
    %xt = ktdp.construct_access_tile %x[%i, %c0] {access_tile_set = #row, access_tile_order = #id} : memref<24x40xf16> -> !ktdp.access_tile<1x40xindex>
    %v = ktdp.load %xt : <1x40xindex> -> tensor<1x40xf16>
    %w = arith.negf %v : tensor<1x40xf16>
    ktdp.store %w, %xt : tensor<1x40xf16>, <1x40xindex>
  }
  return
}
// becomes
#set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 23 >= 0, d1 >= 0, -d1 + 39 >= 0)>
#row = affine_set<(d0, d1) : (d0 >= 0, -d0 >= 0, d1 >= 0, -d1 + 39 >= 0)>
#id = affine_map<(d0, d1) -> (d0, d1)>
module {
  module {
    func.func @rows(%base: index, %n: index) attributes {grid = [3]} {
      %c3 = arith.constant 3 : index
      %t = ktdp.get_compute_tile_id : index
      scf.for %i = %t to %n step %c3 {
        func.call @local_schedule_0(%base, %i) : (index, index) -> ()
      }
      return
    }
    func.func private @local_schedule_0(index, index {kt.per_tile})
  }
  module @local_schedule_0 {
    func.func @local_schedule_0(%base: index, %i: index {kt.per_tile}) attributes {grid = [3]} {
      %x = ktdp.construct_memory_view %base, sizes: [24, 40], strides: [40, 1] {coordinate_set = #set, memory_space = #ktdp.memory_space<global>} : memref<24x40xf16>
      %c0 = arith.constant 0 : index
      %xt = ktdp.construct_access_tile %x[%i, %c0] {access_tile_set = #row, access_tile_order = #id} : memref<24x40xf16> -> !ktdp.access_tile<1x40xindex>
      %v = ktdp.load %xt : <1x40xindex> -> tensor<1x40xf16>
      %w = arith.negf %v : tensor<1x40xf16>
      ktdp.store %w, %xt : tensor<1x40xf16>, <1x40xindex>
      return
    }
  }
}
