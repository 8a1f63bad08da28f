#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0) -> (64, -d0 + 160)>
#set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 11 >= 0, d1 >= 0, -d1 + 159 >= 0)>
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
      %yv = ktdp.construct_memory_view %y, sizes: [12, 160], strides: [160, 1] {coordinate_set = #set, memory_space = #ktdp.memory_space<global>} : memref<12x160xf16>
      %zv = ktdp.construct_memory_view %z, sizes: [12, 160], strides: [160, 1] {coordinate_set = #set, memory_space = #ktdp.memory_space<global>} : memref<12x160xf16>
      %memspacecast = memref.memory_space_cast %xv : memref<12x160xf16> to memref<12x160xf16, "LPDDR">
      %c160 = arith.constant 160 : index
      %13 = arith.muli %row, %c160 : index
      %reinterpret_cast = memref.reinterpret_cast %memspacecast to offset: [%13], sizes: [6, 160], strides: [160, 1] : memref<12x160xf16, "LPDDR"> to memref<6x160xf16, strided<[160, 1], offset: ?>, "LPDDR">
      %memspacecast_0 = memref.memory_space_cast %yv : memref<12x160xf16> to memref<12x160xf16, "LPDDR">
      %c160_1 = arith.constant 160 : index
      %14 = arith.muli %row, %c160_1 : index
      %reinterpret_cast_2 = memref.reinterpret_cast %memspacecast_0 to offset: [%14], sizes: [6, 160], strides: [160, 1] : memref<12x160xf16, "LPDDR"> to memref<6x160xf16, strided<[160, 1], offset: ?>, "LPDDR">
      %memspacecast_3 = memref.memory_space_cast %zv : memref<12x160xf16> to memref<12x160xf16, "LPDDR">
      %c160_4 = arith.constant 160 : index
      %15 = arith.muli %row, %c160_4 : index
      %reinterpret_cast_5 = memref.reinterpret_cast %memspacecast_3 to offset: [%15], sizes: [6, 160], strides: [160, 1] : memref<12x160xf16, "LPDDR"> to memref<6x160xf16, strided<[160, 1], offset: ?>, "LPDDR">
      %c6_6 = arith.constant 6 : index
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c160_7 = arith.constant 160 : index
      %c0_8 = arith.constant 0 : index
      %c64 = arith.constant 64 : index
      scf.for %arg3 = %c0 to %c6_6 step %c1 {
        scf.for %arg4 = %c0_8 to %c160_7 step %c64 {
          %16 = affine.min #map1(%arg4)
          ktdf.pipeline {
            %17:6 = ktdf.private -> (!ktdf.fifo.slot<"LPDDR" -> "VCE", 64xf16>, !ktdf.fifo.slot<"LPDDR" -> "VCE", 64xf16>, !ktdf.fifo.slot<"VCE" -> "LPDDR", 64xf16>, !ktdf.token, !ktdf.token, !ktdf.token) {
              %18 = ktdf.fifo.allocate() {kt.operand = 0 : i64} -> !ktdf.fifo.slot<"LPDDR" -> "VCE", 64xf16>
              %19 = ktdf.fifo.allocate() {kt.operand = 1 : i64} -> !ktdf.fifo.slot<"LPDDR" -> "VCE", 64xf16>
              %20 = ktdf.fifo.allocate() {kt.operand = 2 : i64} -> !ktdf.fifo.slot<"VCE" -> "LPDDR", 64xf16>
              %21 = ktdf.create_token : !ktdf.token
              %22 = ktdf.create_token : !ktdf.token
              %23 = ktdf.create_token : !ktdf.token
              ktdf.private_yield %18, %19, %20, %21, %22, %23 : !ktdf.fifo.slot<"LPDDR" -> "VCE", 64xf16>, !ktdf.fifo.slot<"LPDDR" -> "VCE", 64xf16>, !ktdf.fifo.slot<"VCE" -> "LPDDR", 64xf16>, !ktdf.token, !ktdf.token, !ktdf.token
            }
            ktdf.stage depends_in(none) depends_out(%17#3) {
              ktdf.data_transfer from %reinterpret_cast[%arg3, %arg4] size [1, %16] to %17#0 size [1, 64] {transfer_mode = "pad"} : memref<6x160xf16, strided<[160, 1], offset: ?>, "LPDDR">, !ktdf.fifo.slot<"LPDDR" -> "VCE", 64xf16>
              ktdf.data_transfer from %reinterpret_cast_2[%arg3, %arg4] size [1, %16] to %17#1 size [1, 64] {transfer_mode = "pad"} : memref<6x160xf16, strided<[160, 1], offset: ?>, "LPDDR">, !ktdf.fifo.slot<"LPDDR" -> "VCE", 64xf16>
            }
            ktdf.stage depends_in(%17#3) depends_out(%17#4) {
              %24 = ktdf.read_from_fifo %17#0 : <"LPDDR" -> "VCE", 64xf16> -> tensor<1x64xf16>
              %25 = ktdf.read_from_fifo %17#1 : <"LPDDR" -> "VCE", 64xf16> -> tensor<1x64xf16>
              %26 = tensor.empty() : tensor<1x64xf16>
              %27 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%24, %25 : tensor<1x64xf16>, tensor<1x64xf16>) outs(%26 : tensor<1x64xf16>) {
              ^bb0(%in: f16, %in_9: f16, %out: f16):
                %12 = arith.addf %in, %in_9 : f16
                linalg.yield %12 : f16
              } -> tensor<1x64xf16>
              ktdf.write_to_fifo %27, %17#2 : tensor<1x64xf16>, <"VCE" -> "LPDDR", 64xf16>
            } {applicable_units = ["VCE"]}
            ktdf.stage depends_in(%17#4) depends_out(%17#5) {
              ktdf.data_transfer from %17#2 size [1, 64] to %reinterpret_cast_5[%arg3, %arg4] size [1, %16] {transfer_mode = "pad"} : !ktdf.fifo.slot<"VCE" -> "LPDDR", 64xf16>, memref<6x160xf16, strided<[160, 1], offset: ?>, "LPDDR">
            }
          }
        } {kt.dim = 1 : i64, loop_type = #ktdf.loop_type<parallel_loop>}
      } {kt.dim = 0 : i64, loop_type = #ktdf.loop_type<parallel_loop>}
      return
    }
  }
}
