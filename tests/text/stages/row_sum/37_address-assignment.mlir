#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0) -> (d0)>
#map2 = affine_map<(d0, d1) -> (d0)>
#map3 = affine_map<(d0) -> (2, d0 * -2 + 4)>
#set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 7 >= 0, d1 >= 0, -d1 + 19 >= 0)>
#set1 = affine_set<(d0) : (d0 >= 0, -d0 + 7 >= 0)>
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
    func.func @local_schedule_0(%x: index, %s: index) attributes {grid = [2], kt.plan = {depth = 2 : i64, tile = {"0" = 2 : i64}}} {
      %c2 = arith.constant 2 : index
      %c80 = arith.constant 80 : index
      %c5 = arith.constant 5 : index
      %c1 = arith.constant 1 : index
      %c0 = arith.constant 0 : index
      %cst = arith.constant 0.000000e+00 : f32
      %c4 = arith.constant 4 : index
      %xv = ktdp.construct_memory_view %x, sizes: [8, 20], strides: [20, 1] {coordinate_set = #set, memory_space = #ktdp.memory_space<global>} : memref<8x20xf16>
      %tile = ktdp.get_compute_tile_id : index
      %row = arith.muli %tile, %c4 : index
      %sv = ktdp.construct_memory_view %s, sizes: [8], strides: [1] {coordinate_set = #set1, memory_space = #ktdp.memory_space<global>} : memref<8xf16>
      %memspacecast = memref.memory_space_cast %sv : memref<8xf16> to memref<8xf16, "MAIN">
      %reinterpret_cast = memref.reinterpret_cast %memspacecast to offset: [%row], sizes: [4], strides: [1] : memref<8xf16, "MAIN"> to memref<4xf16, strided<[1], offset: ?>, "MAIN">
      %memspacecast_0 = memref.memory_space_cast %xv : memref<8x20xf16> to memref<8x20xf16, "MAIN">
      %21 = arith.muli %tile, %c80 : index
      %reinterpret_cast_1 = memref.reinterpret_cast %memspacecast_0 to offset: [%21], sizes: [4, 20], strides: [20, 1] : memref<8x20xf16, "MAIN"> to memref<4x20xf16, strided<[20, 1], offset: ?>, "MAIN">
      %c0_2 = arith.constant 0 : index
      %50 = builtin.unrealized_conversion_cast %c0_2 : index to memref<2x1x20xf16, "PAD">
      %c80_3 = arith.constant 80 : index
      %51 = builtin.unrealized_conversion_cast %c80_3 : index to memref<2x1x20xf16, "PAD">
      %c160 = arith.constant 160 : index
      %52 = builtin.unrealized_conversion_cast %c160 : index to memref<2x1xf16, "PAD">
      %c176 = arith.constant 176 : index
      %53 = builtin.unrealized_conversion_cast %c176 : index to memref<2x1xf16, "PAD">
      scf.for %arg2 = %c0 to %c2 step %c1 {
        %41 = ktdf.tiling.derive_size [%arg2 : %c2], total_size = %c4 : index
        %45 = ktdf.buffer_phase(%arg2) {num_phases = 2 : i64} : index
        %46 = ktdf.select_memref %45[%50, %51] : memref<2x1x20xf16, "PAD">
        %47 = ktdf.select_memref %45[%52, %53] : memref<2x1xf16, "PAD">
        ktdf.pipeline modulo(size : 2) {
          %22:2 = ktdf.private -> (!ktdf.token, !ktdf.token) {
            %25 = ktdf.create_token : !ktdf.token
            %26 = ktdf.create_token : !ktdf.token
            ktdf.private_yield %25, %26 : !ktdf.token, !ktdf.token
          }
          ktdf.stage depends_in(none) depends_out(%22#0) {
            %48 = affine.min #map3(%arg2)
            ktdf.data_transfer from %reinterpret_cast_1[%arg2 * 2, 0] size [%48, 20] to %46[0, 0, 0] size [%48, 1, 20] : memref<4x20xf16, strided<[20, 1], offset: ?>, "MAIN">, memref<2x1x20xf16, "PAD">
          } {applicable_units = ["DMAI"]}
          ktdf.stage depends_in(%22#0) depends_out(%22#1) {
            scf.for %arg3 = %c0 to %41 step %c1 {
              ktdf.pipeline {
                %44:4 = ktdf.private -> (!ktdf.fifo.slot<"FEED" -> "VPU", 4xf16>, !ktdf.fifo.slot<"VPU" -> "DRAIN", 1xf16>, !ktdf.token, !ktdf.token) {
                  %23 = ktdf.fifo.allocate() {kt.operand = 0 : i64} -> !ktdf.fifo.slot<"FEED" -> "VPU", 4xf16>
                  %24 = ktdf.fifo.allocate() {kt.operand = 2 : i64} -> !ktdf.fifo.slot<"VPU" -> "DRAIN", 1xf16>
                  %27 = ktdf.create_token : !ktdf.token
                  %38 = ktdf.create_token : !ktdf.token
                  ktdf.private_yield %23, %24, %27, %38 : !ktdf.fifo.slot<"FEED" -> "VPU", 4xf16>, !ktdf.fifo.slot<"VPU" -> "DRAIN", 1xf16>, !ktdf.token, !ktdf.token
                }
                ktdf.stage depends_in(none) depends_out(%44#2) {
                  scf.for %arg4 = %c0 to %c5 step %c1 {
                    ktdf.data_transfer from %46[%arg3, 0, %arg4 * 4] size [1, 1, 4] to %44#0 size [4] : memref<2x1x20xf16, "PAD">, !ktdf.fifo.slot<"FEED" -> "VPU", 4xf16>
                  } {kt.dim = 1 : i64, loop_type = #ktdf.loop_type<reduction_loop>}
                } {applicable_units = ["FEED"]}
                ktdf.stage depends_in(%44#2) depends_out(%44#3) {
                  %28 = tensor.empty() : tensor<1xf32>
                  %29 = linalg.generic {indexing_maps = [#map1], iterator_types = ["parallel"]} outs(%28 : tensor<1xf32>) {
                  ^bb0(%out: f32):
                    linalg.yield %cst : f32
                  } -> tensor<1xf32>
                  %30 = tensor.empty() : tensor<1x4xf32>
                  %31 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%30 : tensor<1x4xf32>) {
                  ^bb0(%out_0: f32):
                    linalg.yield %cst : f32
                  } -> tensor<1x4xf32>
                  %32 = scf.for %arg3_0 = %c0 to %c5 step %c1 iter_args(%arg5 = %31) -> (tensor<1x4xf32>) {
                    %33 = ktdf.read_from_fifo %44#0 : <"FEED" -> "VPU", 4xf16> -> tensor<1x4xf16>
                    %34 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%33 : tensor<1x4xf16>) outs(%arg5 : tensor<1x4xf32>) {
                    ^bb0(%in: f16, %out_1: f32):
                      %12 = arith.extf %in : f16 to f32
                      %13 = arith.addf %out_1, %12 : f32
                      linalg.yield %13 : f32
                    } -> tensor<1x4xf32>
                    scf.yield %34 : tensor<1x4xf32>
                  } {kt.dim = 1 : i64, loop_type = #ktdf.loop_type<reduction_loop>}
                  %35 = linalg.generic {indexing_maps = [#map, #map2], iterator_types = ["parallel", "reduction"]} ins(%32 : tensor<1x4xf32>) outs(%29 : tensor<1xf32>) {
                  ^bb0(%in_0: f32, %out_2: f32):
                    %20 = arith.addf %out_2, %in_0 : f32
                    linalg.yield %20 : f32
                  } -> tensor<1xf32>
                  %36 = tensor.empty() : tensor<1xf16>
                  %37 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%35 : tensor<1xf32>) outs(%36 : tensor<1xf16>) {
                  ^bb0(%in_1: f32, %out_3: f16):
                    %15 = arith.truncf %in_1 : f32 to f16
                    linalg.yield %15 : f16
                  } -> tensor<1xf16>
                  ktdf.write_to_fifo %37, %44#1 : tensor<1xf16>, <"VPU" -> "DRAIN", 1xf16>
                } {applicable_units = ["VPU"]}
                ktdf.stage depends_in(%44#3) depends_out(none) {
                  ktdf.data_transfer from %44#1 size [1] to %47[%arg3, 0] size [1, 1] : !ktdf.fifo.slot<"VPU" -> "DRAIN", 1xf16>, memref<2x1xf16, "PAD">
                } {applicable_units = ["DRAIN"]}
              }
            } {kt.dim = 0 : i64, kt.point, loop_type = #ktdf.loop_type<parallel_loop>}
          } {applicable_units = ["FEED", "VPU", "DRAIN"]}
          ktdf.stage depends_in(%22#1) depends_out(none) {
            %49 = affine.min #map3(%arg2)
            ktdf.data_transfer from %47[0, 0] size [%49, 1] to %reinterpret_cast[%arg2 * 2] size [%49] : memref<2x1xf16, "PAD">, memref<4xf16, strided<[1], offset: ?>, "MAIN">
          } {applicable_units = ["DMAO"]}
        }
      } {kt.dim = 0 : i64, loop_type = #ktdf.loop_type<parallel_loop>}
      return
    }
  }
}
