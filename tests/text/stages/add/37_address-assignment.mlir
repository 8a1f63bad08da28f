#map = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0) -> (64, d0 * -64 + 160)>
#map3 = affine_map<(d0) -> (2, d0 * -2 + 6)>
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
    func.func @local_schedule_0(%x: index, %y: index, %z: index) attributes {grid = [2], kt.plan = {depth = 2 : i64, instances = {"0" = 2 : i64}, tile = {"0" = 2 : i64, "1" = 3 : i64}}} {
      %c2 = arith.constant 2 : index
      %c960 = arith.constant 960 : index
      %c3 = arith.constant 3 : index
      %c1 = arith.constant 1 : index
      %c0 = arith.constant 0 : index
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
      %c0_4 = arith.constant 0 : index
      %48 = builtin.unrealized_conversion_cast %c0_4 : index to memref<2x3x1x64xf16, "LX">
      %c768 = arith.constant 768 : index
      %49 = builtin.unrealized_conversion_cast %c768 : index to memref<2x3x1x64xf16, "LX">
      %c1536 = arith.constant 1536 : index
      %50 = builtin.unrealized_conversion_cast %c1536 : index to memref<2x3x1x64xf16, "LX">
      %c2304 = arith.constant 2304 : index
      %51 = builtin.unrealized_conversion_cast %c2304 : index to memref<2x3x1x64xf16, "LX">
      %c3072 = arith.constant 3072 : index
      %52 = builtin.unrealized_conversion_cast %c3072 : index to memref<2x3x1x64xf16, "LX">
      %c3840 = arith.constant 3840 : index
      %53 = builtin.unrealized_conversion_cast %c3840 : index to memref<2x3x1x64xf16, "LX">
      scf.for %arg3 = %c0 to %c3 step %c1 {
        %43 = ktdf.buffer_phase(%arg3) {num_phases = 2 : i64} : index
        %44 = ktdf.select_memref %43[%48, %49] : memref<2x3x1x64xf16, "LX">
        %reinterpret_cast_9 = memref.reinterpret_cast %44 to offset: [0], sizes: [2, 192], strides: [192, 1] : memref<2x3x1x64xf16, "LX"> to memref<2x192xf16, strided<[192, 1]>, "LX">
        %45 = ktdf.select_memref %43[%50, %51] : memref<2x3x1x64xf16, "LX">
        %reinterpret_cast_10 = memref.reinterpret_cast %45 to offset: [0], sizes: [2, 192], strides: [192, 1] : memref<2x3x1x64xf16, "LX"> to memref<2x192xf16, strided<[192, 1]>, "LX">
        %46 = ktdf.select_memref %43[%52, %53] : memref<2x3x1x64xf16, "LX">
        %reinterpret_cast_11 = memref.reinterpret_cast %46 to offset: [0], sizes: [2, 192], strides: [192, 1] : memref<2x3x1x64xf16, "LX"> to memref<2x192xf16, strided<[192, 1]>, "LX">
        ktdf.pipeline modulo(size : 2) {
          %17:2 = ktdf.private -> (!ktdf.token, !ktdf.token) {
            %21 = ktdf.create_token : !ktdf.token
            %22 = ktdf.create_token : !ktdf.token
            ktdf.private_yield %21, %22 : !ktdf.token, !ktdf.token
          }
          ktdf.stage depends_in(none) depends_out(%17#0) {
            %16 = affine.min #map3(%arg3)
            ktdf.data_transfer from %reinterpret_cast[%arg3 * 2, 0] size [%16, 160] to %reinterpret_cast_9[0, 0] size [%16, 160] : memref<6x160xf16, strided<[160, 1], offset: ?>, "LPDDR">, memref<2x192xf16, strided<[192, 1]>, "LX">
            %40 = affine.min #map3(%arg3)
            ktdf.data_transfer from %reinterpret_cast_2[%arg3 * 2, 0] size [%40, 160] to %reinterpret_cast_10[0, 0] size [%40, 160] : memref<6x160xf16, strided<[160, 1], offset: ?>, "LPDDR">, memref<2x192xf16, strided<[192, 1]>, "LX">
          } {applicable_units = ["DMALD"]}
          ktdf.stage depends_in(%17#0) depends_out(%17#1) {
            ktdf.parallel (%arg4, %arg5) = (%c0) to (%c2) step (%c1) distribute(num_instances = 2) {
              scf.for %arg6_0 = %c0 to %c3 step %c1 {
                %38 = affine.min #map2(%arg6_0)
                ktdf.pipeline {
                  %42:5 = ktdf.private -> (!ktdf.fifo.slot<"LXLD" -> "VCE", 64xf16>, !ktdf.fifo.slot<"LXLD" -> "VCE", 64xf16>, !ktdf.fifo.slot<"VCE" -> "LXST", 64xf16>, !ktdf.token, !ktdf.token) {
                    %18 = ktdf.fifo.allocate() {kt.operand = 0 : i64} -> !ktdf.fifo.slot<"LXLD" -> "VCE", 64xf16>
                    %19 = ktdf.fifo.allocate() {kt.operand = 1 : i64} -> !ktdf.fifo.slot<"LXLD" -> "VCE", 64xf16>
                    %20 = ktdf.fifo.allocate() {kt.operand = 2 : i64} -> !ktdf.fifo.slot<"VCE" -> "LXST", 64xf16>
                    %23 = ktdf.create_token : !ktdf.token
                    %28 = ktdf.create_token : !ktdf.token
                    ktdf.private_yield %18, %19, %20, %23, %28 : !ktdf.fifo.slot<"LXLD" -> "VCE", 64xf16>, !ktdf.fifo.slot<"LXLD" -> "VCE", 64xf16>, !ktdf.fifo.slot<"VCE" -> "LXST", 64xf16>, !ktdf.token, !ktdf.token
                  }
                  ktdf.stage depends_in(none) depends_out(%42#3) {
                    ktdf.data_transfer from %44[%arg4, %arg6_0, 0, 0] size [1, 1, 1, %38] to %42#0 size [64] {transfer_mode = "pad"} : memref<2x3x1x64xf16, "LX">, !ktdf.fifo.slot<"LXLD" -> "VCE", 64xf16>
                    ktdf.data_transfer from %45[%arg4, %arg6_0, 0, 0] size [1, 1, 1, %38] to %42#1 size [64] {transfer_mode = "pad"} : memref<2x3x1x64xf16, "LX">, !ktdf.fifo.slot<"LXLD" -> "VCE", 64xf16>
                  } {applicable_units = ["LXLD"]}
                  ktdf.stage depends_in(%42#3) depends_out(%42#4) {
                    %24 = ktdf.read_from_fifo %42#0 : <"LXLD" -> "VCE", 64xf16> -> tensor<1x64xf16>
                    %25 = ktdf.read_from_fifo %42#1 : <"LXLD" -> "VCE", 64xf16> -> tensor<1x64xf16>
                    %26 = tensor.empty() : tensor<1x64xf16>
                    %27 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%24, %25 : tensor<1x64xf16>, tensor<1x64xf16>) outs(%26 : tensor<1x64xf16>) {
                    ^bb0(%in: f16, %in_9: f16, %out: f16):
                      %12 = arith.addf %in, %in_9 : f16
                      linalg.yield %12 : f16
                    } -> tensor<1x64xf16>
                    ktdf.write_to_fifo %27, %42#2 : tensor<1x64xf16>, <"VCE" -> "LXST", 64xf16>
                  } {applicable_units = ["VCE"]}
                  ktdf.stage depends_in(%42#4) depends_out(none) {
                    ktdf.data_transfer from %42#2 size [64] to %46[%arg4, %arg6_0, 0, 0] size [1, 1, 1, 64] : !ktdf.fifo.slot<"VCE" -> "LXST", 64xf16>, memref<2x3x1x64xf16, "LX">
                  } {applicable_units = ["LXST"]}
                }
              } {kt.dim = 1 : i64, kt.point, loop_type = #ktdf.loop_type<parallel_loop>}
              ktdf.parallel_yield
            }
          } {applicable_units = ["LXLD", "VCE", "LXST"]}
          ktdf.stage depends_in(%17#1) depends_out(none) {
            %47 = affine.min #map3(%arg3)
            ktdf.data_transfer from %reinterpret_cast_11[0, 0] size [%47, 160] to %reinterpret_cast_5[%arg3 * 2, 0] size [%47, 160] : memref<2x192xf16, strided<[192, 1]>, "LX">, memref<6x160xf16, strided<[160, 1], offset: ?>, "LPDDR">
          } {applicable_units = ["DMAST"]}
        }
      } {kt.dim = 0 : i64, loop_type = #ktdf.loop_type<parallel_loop>}
      return
    }
  }
}
