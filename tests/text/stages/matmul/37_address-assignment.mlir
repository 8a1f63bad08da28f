#map = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0, d1, d2) -> (d2, d1)>
#map3 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map4 = affine_map<(d0, d1, d2) -> (d0, d2, d1)>
#map5 = affine_map<(d0) -> (4, (-d0 + 4) * 4)>
#set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 5 >= 0)>
#set1 = affine_set<(d0, d1) : (d0 >= 0, -d0 + 5 >= 0, d1 >= 0, -d1 + 15 >= 0)>
#set2 = affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 15 >= 0)>
module {
  module {
    func.func @matmul(%a: index, %b: index, %c: index) attributes {grid = [2]} {
      call @local_schedule_0(%a, %b, %c) : (index, index, index) -> ()
      return
    }
    func.func private @local_schedule_0(index, index, index)
  }
  ktdf_arch.device @toy import("kt:toy")
  module @local_schedule_0 {
    func.func @local_schedule_0(%a: index, %b: index, %c: index) attributes {grid = [2], kt.plan = {depth = 2 : i64, jam = {"0" = 2 : i64}, tile = {"0" = 2 : i64, "1" = 1 : i64}}} {
      %c12 = arith.constant 12 : index
      %c32 = arith.constant 32 : index
      %c4 = arith.constant 4 : index
      %c1 = arith.constant 1 : index
      %c0 = arith.constant 0 : index
      %c6 = arith.constant 6 : index
      %cst = arith.constant 0.000000e+00 : f32
      %av = ktdp.construct_memory_view %a, sizes: [4, 6], strides: [6, 1] {coordinate_set = #set, memory_space = #ktdp.memory_space<global>} : memref<4x6xf16>
      %tile = ktdp.get_compute_tile_id : index
      %bv = ktdp.construct_memory_view %b, sizes: [6, 16], strides: [16, 1] {coordinate_set = #set1, memory_space = #ktdp.memory_space<global>} : memref<6x16xf16>
      %cv = ktdp.construct_memory_view %c, sizes: [4, 16], strides: [16, 1] {coordinate_set = #set2, memory_space = #ktdp.memory_space<global>} : memref<4x16xf16>
      %memspacecast = memref.memory_space_cast %cv : memref<4x16xf16> to memref<4x16xf16, "MAIN">
      %26 = arith.muli %tile, %c32 : index
      %reinterpret_cast = memref.reinterpret_cast %memspacecast to offset: [%26], sizes: [2, 16], strides: [16, 1] : memref<4x16xf16, "MAIN"> to memref<2x16xf16, strided<[16, 1], offset: ?>, "MAIN">
      %memspacecast_0 = memref.memory_space_cast %av : memref<4x6xf16> to memref<4x6xf16, "MAIN">
      %27 = arith.muli %tile, %c12 : index
      %reinterpret_cast_1 = memref.reinterpret_cast %memspacecast_0 to offset: [%27], sizes: [2, 6], strides: [6, 1] : memref<4x6xf16, "MAIN"> to memref<2x6xf16, strided<[6, 1], offset: ?>, "MAIN">
      %memspacecast_2 = memref.memory_space_cast %bv : memref<6x16xf16> to memref<6x16xf16, "MAIN">
      %reinterpret_cast_3 = memref.reinterpret_cast %memspacecast_2 to offset: [0], sizes: [6, 16], strides: [16, 1] : memref<6x16xf16, "MAIN"> to memref<6x16xf16, strided<[16, 1]>, "MAIN">
      %c0_4 = arith.constant 0 : index
      %70 = builtin.unrealized_conversion_cast %c0_4 : index to memref<2x1x6xf16, "PAD">
      %c32_5 = arith.constant 32 : index
      %71 = builtin.unrealized_conversion_cast %c32_5 : index to memref<1x6x4xf16, "PAD">
      %c80 = arith.constant 80 : index
      %72 = builtin.unrealized_conversion_cast %c80 : index to memref<1x6x4xf16, "PAD">
      %c128 = arith.constant 128 : index
      %73 = builtin.unrealized_conversion_cast %c128 : index to memref<2x1x1x4xf16, "PAD">
      %c144 = arith.constant 144 : index
      %74 = builtin.unrealized_conversion_cast %c144 : index to memref<2x1x1x4xf16, "PAD">
      scf.for %arg4 = %c0 to %c4 step %c1 {
        %49 = ktdf.tiling.derive_size [%arg4 : %c1], total_size = %c4 : index
        %55 = arith.cmpi eq, %arg4, %c0 : index
        %56 = ktdf.buffer_phase(%arg4) {num_phases = 2 : i64} : index
        %57 = ktdf.select_memref %56[%71, %72] : memref<1x6x4xf16, "PAD">
        %58 = ktdf.select_memref %56[%73, %74] : memref<2x1x1x4xf16, "PAD">
        %reinterpret_cast_8 = memref.reinterpret_cast %58 to offset: [0], sizes: [2, 4], strides: [4, 1] : memref<2x1x1x4xf16, "PAD"> to memref<2x4xf16, strided<[4, 1]>, "PAD">
        ktdf.pipeline modulo(size : 2) {
          %28:2 = ktdf.private -> (!ktdf.token, !ktdf.token) {
            %32 = ktdf.create_token : !ktdf.token
            %33 = ktdf.create_token : !ktdf.token
            ktdf.private_yield %32, %33 : !ktdf.token, !ktdf.token
          }
          ktdf.stage depends_in(none) depends_out(%28#0) {
            scf.if %55 {
              ktdf.data_transfer from %reinterpret_cast_1[0, 0] size [2, 6] to %70[0, 0, 0] size [2, 1, 6] : memref<2x6xf16, strided<[6, 1], offset: ?>, "MAIN">, memref<2x1x6xf16, "PAD">
            } {kt.held = 1 : i64}
            scf.for %arg6_0 = %c0 to %49 step %c1 {
              ktdf.data_transfer from %reinterpret_cast_3[0, %arg4 * 4 + %arg6_0 * 4] size [6, 4] to %57[%arg6_0, 0, 0] size [1, 6, 4] : memref<6x16xf16, strided<[16, 1]>, "MAIN">, memref<1x6x4xf16, "PAD">
            } {kt.dim = 1 : i64, kt.point, loop_type = #ktdf.loop_type<parallel_loop>}
          } {applicable_units = ["DMAI"]}
          ktdf.stage depends_in(%28#0) depends_out(%28#1) {
            scf.for %arg6 = %c0 to %49 step %c1 {
              ktdf.pipeline {
                %54:5 = ktdf.private -> (!ktdf.fifo.slot<"FEED" -> "VPU", 4xf16>, !ktdf.fifo.slot<"FEED" -> "VPU", 4xf16>, !ktdf.fifo.slot<"VPU" -> "DRAIN", 4xf16>, !ktdf.token, !ktdf.token) {
                  %29 = ktdf.fifo.allocate() {kt.operand = 0 : i64} -> !ktdf.fifo.slot<"FEED" -> "VPU", 4xf16>
                  %30 = ktdf.fifo.allocate() {kt.operand = 1 : i64} -> !ktdf.fifo.slot<"FEED" -> "VPU", 4xf16>
                  %31 = ktdf.fifo.allocate() {kt.operand = 3 : i64} -> !ktdf.fifo.slot<"VPU" -> "DRAIN", 4xf16>
                  %34 = ktdf.create_token : !ktdf.token
                  %43 = ktdf.create_token : !ktdf.token
                  ktdf.private_yield %29, %30, %31, %34, %43 : !ktdf.fifo.slot<"FEED" -> "VPU", 4xf16>, !ktdf.fifo.slot<"FEED" -> "VPU", 4xf16>, !ktdf.fifo.slot<"VPU" -> "DRAIN", 4xf16>, !ktdf.token, !ktdf.token
                }
                ktdf.stage depends_in(none) depends_out(%54#3) {
                  scf.for %arg7 = %c0 to %c6 step %c1 {
                    ktdf.data_transfer from %70[%c0, 0, %arg7] size [1, 1, 1] to %54#0 size [4] {transfer_mode = "splat"} : memref<2x1x6xf16, "PAD">, !ktdf.fifo.slot<"FEED" -> "VPU", 4xf16>
                    ktdf.data_transfer from %70[%c1, 0, %arg7] size [1, 1, 1] to %54#0 size [4] {transfer_mode = "splat"} : memref<2x1x6xf16, "PAD">, !ktdf.fifo.slot<"FEED" -> "VPU", 4xf16>
                    ktdf.data_transfer from %57[%arg6, %arg7, 0] size [1, 1, 4] to %54#1 size [4] : memref<1x6x4xf16, "PAD">, !ktdf.fifo.slot<"FEED" -> "VPU", 4xf16>
                  } {kt.dim = 2 : i64, loop_type = #ktdf.loop_type<reduction_loop>}
                } {applicable_units = ["FEED"]}
                ktdf.stage depends_in(%54#3) depends_out(%54#4) {
                  %35 = tensor.empty() : tensor<1x4xf32>
                  %36 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%35 : tensor<1x4xf32>) {
                  ^bb0(%out: f32):
                    linalg.yield %cst : f32
                  } -> tensor<1x4xf32>
                  %37:2 = scf.for %arg5_0 = %c0 to %c6 step %c1 iter_args(%arg8 = %36, %arg7_0 = %36) -> (tensor<1x4xf32>, tensor<1x4xf32>) {
                    %38 = ktdf.read_from_fifo %54#0 : <"FEED" -> "VPU", 4xf16> -> tensor<1x1x4xf16>
                    %60 = ktdf.read_from_fifo %54#0 : <"FEED" -> "VPU", 4xf16> -> tensor<1x1x4xf16>
                    %39 = ktdf.read_from_fifo %54#1 : <"FEED" -> "VPU", 4xf16> -> tensor<1x4xf16>
                    %40 = linalg.generic {indexing_maps = [#map4, #map2, #map3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%38, %39 : tensor<1x1x4xf16>, tensor<1x4xf16>) outs(%arg8 : tensor<1x4xf32>) {
                    ^bb0(%in: f16, %in_10: f16, %out_0: f32):
                      %17 = arith.extf %in : f16 to f32
                      %18 = arith.extf %in_10 : f16 to f32
                      %68 = math.fma %17, %18, %out_0 : f32
                      linalg.yield %68 : f32
                    } -> tensor<1x4xf32>
                    %61 = linalg.generic {indexing_maps = [#map4, #map2, #map3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%60, %39 : tensor<1x1x4xf16>, tensor<1x4xf16>) outs(%arg7_0 : tensor<1x4xf32>) {
                    ^bb0(%in_1: f16, %in_9: f16, %out_2: f32):
                      %62 = arith.extf %in_1 : f16 to f32
                      %63 = arith.extf %in_9 : f16 to f32
                      %69 = math.fma %62, %63, %out_2 : f32
                      linalg.yield %69 : f32
                    } -> tensor<1x4xf32>
                    scf.yield %40, %61 : tensor<1x4xf32>, tensor<1x4xf32>
                  } {kt.dim = 2 : i64, loop_type = #ktdf.loop_type<reduction_loop>}
                  %41 = tensor.empty() : tensor<1x4xf16>
                  %42 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%37#0 : tensor<1x4xf32>) outs(%41 : tensor<1x4xf16>) {
                  ^bb0(%in_0: f32, %out_1: f16):
                    %21 = arith.truncf %in_0 : f32 to f16
                    linalg.yield %21 : f16
                  } -> tensor<1x4xf16>
                  %66 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%37#1 : tensor<1x4xf32>) outs(%41 : tensor<1x4xf16>) {
                  ^bb0(%in_2: f32, %out_3: f16):
                    %67 = arith.truncf %in_2 : f32 to f16
                    linalg.yield %67 : f16
                  } -> tensor<1x4xf16>
                  ktdf.write_to_fifo %42, %54#2 : tensor<1x4xf16>, <"VPU" -> "DRAIN", 4xf16>
                  ktdf.write_to_fifo %66, %54#2 : tensor<1x4xf16>, <"VPU" -> "DRAIN", 4xf16>
                } {applicable_units = ["VPU"]}
                ktdf.stage depends_in(%54#4) depends_out(none) {
                  ktdf.data_transfer from %54#2 size [4] to %58[%c0, %arg6, 0, 0] size [1, 1, 1, 4] : !ktdf.fifo.slot<"VPU" -> "DRAIN", 4xf16>, memref<2x1x1x4xf16, "PAD">
                  ktdf.data_transfer from %54#2 size [4] to %58[%c1, %arg6, 0, 0] size [1, 1, 1, 4] : !ktdf.fifo.slot<"VPU" -> "DRAIN", 4xf16>, memref<2x1x1x4xf16, "PAD">
                } {applicable_units = ["DRAIN"]}
              }
            } {kt.dim = 1 : i64, kt.point, loop_type = #ktdf.loop_type<parallel_loop>}
          } {applicable_units = ["FEED", "VPU", "DRAIN"]}
          ktdf.stage depends_in(%28#1) depends_out(none) {
            %59 = affine.min #map5(%arg4)
            ktdf.data_transfer from %reinterpret_cast_8[0, 0] size [2, %59] to %reinterpret_cast[0, %arg4 * 4] size [2, %59] : memref<2x4xf16, strided<[4, 1]>, "PAD">, memref<2x16xf16, strided<[16, 1], offset: ?>, "MAIN">
          } {applicable_units = ["DMAO"]}
        }
      } {kt.dim = 1 : i64, loop_type = #ktdf.loop_type<parallel_loop>}
      return
    }
  }
}
