#map = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0) -> (64, d0 * -64 + 160)>
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
      %c960 = arith.constant 960 : index
      %c3 = arith.constant 3 : index
      %c1 = arith.constant 1 : index
      %c0 = arith.constant 0 : index
      %c6 = arith.constant 6 : index
      %xv = ktdp.construct_memory_view %x, sizes: [12, 160], strides: [160, 1] {coordinate_set = #set, memory_space = #ktdp.memory_space<global>} : memref<12x160xf16>
      %tile = ktdp.get_compute_tile_id : index
      %yv = ktdp.construct_memory_view %y, sizes: [12, 160], strides: [160, 1] {coordinate_set = #set, memory_space = #ktdp.memory_space<global>} : memref<12x160xf16>
      %zv = ktdp.construct_memory_view %z, sizes: [12, 160], strides: [160, 1] {coordinate_set = #set, memory_space = #ktdp.memory_space<global>} : memref<12x160xf16>
      %memspacecast = memref.memory_space_cast %xv : memref<12x160xf16> to memref<12x160xf16, "LPDDR">
      %13 = arith.muli %tile, %c960 : index
      %reinterpret_cast = memref.reinterpret_cast %memspacecast to offset: [%13], sizes: [6, 160], strides: [160, 1] : memref<12x160xf16, "LPDDR"> to memref<6x160xf16, strided<[160, 1], offset: ?>, "LPDDR">
      %memspacecast_0 = memref.memory_space_cast %yv : memref<12x160xf16> to memref<12x160xf16, "LPDDR">
      %14 = arith.muli %tile, %c960 : index
      %reinterpret_cast_2 = memref.reinterpret_cast %memspacecast_0 to offset: [%14], sizes: [6, 160], strides: [160, 1] : memref<12x160xf16, "LPDDR"> to memref<6x160xf16, strided<[160, 1], offset: ?>, "LPDDR">
      %memspacecast_3 = memref.memory_space_cast %zv : memref<12x160xf16> to memref<12x160xf16, "LPDDR">
      %15 = arith.muli %tile, %c960 : index
      %reinterpret_cast_5 = memref.reinterpret_cast %memspacecast_3 to offset: [%15], sizes: [6, 160], strides: [160, 1] : memref<12x160xf16, "LPDDR"> to memref<6x160xf16, strided<[160, 1], offset: ?>, "LPDDR">
      scf.for %arg3 = %c0 to %c6 step %c1 {
        scf.for %arg4 = %c0 to %c3 step %c1 {
          %16 = affine.min #map2(%arg4)
          ktdf.pipeline {
            %17:10 = ktdf.private -> (memref<1x64xf16, "LX">, memref<1x64xf16, "LX">, !ktdf.fifo.slot<"LXLD" -> "VCE", 64xf16>, !ktdf.fifo.slot<"LXLD" -> "VCE", 64xf16>, !ktdf.fifo.slot<"VCE" -> "LXST", 64xf16>, memref<1x64xf16, "LX">, !ktdf.token, !ktdf.token, !ktdf.token, !ktdf.token) {
              %alloc = memref.alloc() {kt.operand = 0 : i64} : memref<1x64xf16, "LX">
              %alloc_4 = memref.alloc() {kt.operand = 1 : i64} : memref<1x64xf16, "LX">
              %18 = ktdf.fifo.allocate() {kt.operand = 0 : i64} -> !ktdf.fifo.slot<"LXLD" -> "VCE", 64xf16>
              %19 = ktdf.fifo.allocate() {kt.operand = 1 : i64} -> !ktdf.fifo.slot<"LXLD" -> "VCE", 64xf16>
              %20 = ktdf.fifo.allocate() {kt.operand = 2 : i64} -> !ktdf.fifo.slot<"VCE" -> "LXST", 64xf16>
              %alloc_5 = memref.alloc() {kt.operand = 2 : i64} : memref<1x64xf16, "LX">
              %21 = ktdf.create_token : !ktdf.token
              %22 = ktdf.create_token : !ktdf.token
              %23 = ktdf.create_token : !ktdf.token
              %28 = ktdf.create_token : !ktdf.token
              ktdf.private_yield %alloc, %alloc_4, %18, %19, %20, %alloc_5, %21, %22, %23, %28 : memref<1x64xf16, "LX">, memref<1x64xf16, "LX">, !ktdf.fifo.slot<"LXLD" -> "VCE", 64xf16>, !ktdf.fifo.slot<"LXLD" -> "VCE", 64xf16>, !ktdf.fifo.slot<"VCE" -> "LXST", 64xf16>, memref<1x64xf16, "LX">, !ktdf.token, !ktdf.token, !ktdf.token, !ktdf.token
            }
            ktdf.stage depends_in(none) depends_out(%17#6) {
              ktdf.data_transfer from %reinterpret_cast[%arg3, %arg4 * 64] size [1, %16] to %17#0[0, 0] size [1, %16] : memref<6x160xf16, strided<[160, 1], offset: ?>, "LPDDR">, memref<1x64xf16, "LX">
              ktdf.data_transfer from %reinterpret_cast_2[%arg3, %arg4 * 64] size [1, %16] to %17#1[0, 0] size [1, %16] : memref<6x160xf16, strided<[160, 1], offset: ?>, "LPDDR">, memref<1x64xf16, "LX">
            } {applicable_units = ["DMALD"]}
            ktdf.stage depends_in(%17#6) depends_out(%17#7) {
              ktdf.data_transfer from %17#0[0, 0] size [1, %16] to %17#2 size [64] {transfer_mode = "pad"} : memref<1x64xf16, "LX">, !ktdf.fifo.slot<"LXLD" -> "VCE", 64xf16>
              ktdf.data_transfer from %17#1[0, 0] size [1, %16] to %17#3 size [64] {transfer_mode = "pad"} : memref<1x64xf16, "LX">, !ktdf.fifo.slot<"LXLD" -> "VCE", 64xf16>
            } {applicable_units = ["LXLD"]}
            ktdf.stage depends_in(%17#7) depends_out(%17#8) {
              %24 = ktdf.read_from_fifo %17#2 : <"LXLD" -> "VCE", 64xf16> -> tensor<1x64xf16>
              %25 = ktdf.read_from_fifo %17#3 : <"LXLD" -> "VCE", 64xf16> -> tensor<1x64xf16>
              %26 = tensor.empty() : tensor<1x64xf16>
              %27 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%24, %25 : tensor<1x64xf16>, tensor<1x64xf16>) outs(%26 : tensor<1x64xf16>) {
              ^bb0(%in: f16, %in_9: f16, %out: f16):
                %12 = arith.addf %in, %in_9 : f16
                linalg.yield %12 : f16
              } -> tensor<1x64xf16>
              ktdf.write_to_fifo %27, %17#4 : tensor<1x64xf16>, <"VCE" -> "LXST", 64xf16>
            } {applicable_units = ["VCE"]}
            ktdf.stage depends_in(%17#8) depends_out(%17#9) {
              ktdf.data_transfer from %17#4 size [64] to %17#5[0, 0] size [1, 64] : !ktdf.fifo.slot<"VCE" -> "LXST", 64xf16>, memref<1x64xf16, "LX">
            } {applicable_units = ["LXST"]}
            ktdf.stage depends_in(%17#9) depends_out(none) {
              ktdf.data_transfer from %17#5[0, 0] size [1, %16] to %reinterpret_cast_5[%arg3, %arg4 * 64] size [1, %16] : memref<1x64xf16, "LX">, memref<6x160xf16, strided<[160, 1], offset: ?>, "LPDDR">
            } {applicable_units = ["DMAST"]}
          }
        } {kt.dim = 1 : i64, loop_type = #ktdf.loop_type<parallel_loop>}
      } {kt.dim = 0 : i64, loop_type = #ktdf.loop_type<parallel_loop>}
      return
    }
  }
}
