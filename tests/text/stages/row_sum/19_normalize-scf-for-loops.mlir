#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0) -> (d0)>
#map2 = affine_map<(d0, d1) -> (d0)>
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
    func.func @local_schedule_0(%x: index, %s: index) attributes {grid = [2]} {
      %c1 = arith.constant 1 : index
      %c0 = arith.constant 0 : index
      %c20 = arith.constant 20 : index
      %cst = arith.constant 0.000000e+00 : f32
      %c4 = arith.constant 4 : index
      %xv = ktdp.construct_memory_view %x, sizes: [8, 20], strides: [20, 1] {coordinate_set = #set, memory_space = #ktdp.memory_space<global>} : memref<8x20xf16>
      %tile = ktdp.get_compute_tile_id : index
      %row = arith.muli %tile, %c4 : index
      %sv = ktdp.construct_memory_view %s, sizes: [8], strides: [1] {coordinate_set = #set1, memory_space = #ktdp.memory_space<global>} : memref<8xf16>
      %memspacecast = memref.memory_space_cast %sv : memref<8xf16> to memref<8xf16, "MAIN">
      %reinterpret_cast = memref.reinterpret_cast %memspacecast to offset: [%row], sizes: [4], strides: [1] : memref<8xf16, "MAIN"> to memref<4xf16, strided<[1], offset: ?>, "MAIN">
      %memspacecast_0 = memref.memory_space_cast %xv : memref<8x20xf16> to memref<8x20xf16, "MAIN">
      %21 = arith.muli %row, %c20 : index
      %reinterpret_cast_1 = memref.reinterpret_cast %memspacecast_0 to offset: [%21], sizes: [4, 20], strides: [20, 1] : memref<8x20xf16, "MAIN"> to memref<4x20xf16, strided<[20, 1], offset: ?>, "MAIN">
      scf.for %arg2 = %c0 to %c4 step %c1 {
        ktdf.pipeline {
          %22:8 = ktdf.private -> (memref<1x20xf16, "PAD">, !ktdf.fifo.slot<"FEED" -> "VPU", 4xf16>, !ktdf.fifo.slot<"VPU" -> "DRAIN", 1xf16>, memref<1xf16, "PAD">, !ktdf.token, !ktdf.token, !ktdf.token, !ktdf.token) {
            %alloc = memref.alloc() {kt.operand = 0 : i64} : memref<1x20xf16, "PAD">
            %23 = ktdf.fifo.allocate() {kt.operand = 0 : i64} -> !ktdf.fifo.slot<"FEED" -> "VPU", 4xf16>
            %24 = ktdf.fifo.allocate() {kt.operand = 2 : i64} -> !ktdf.fifo.slot<"VPU" -> "DRAIN", 1xf16>
            %alloc_2 = memref.alloc() {kt.operand = 2 : i64} : memref<1xf16, "PAD">
            %25 = ktdf.create_token : !ktdf.token
            %26 = ktdf.create_token : !ktdf.token
            %27 = ktdf.create_token : !ktdf.token
            %38 = ktdf.create_token : !ktdf.token
            ktdf.private_yield %alloc, %23, %24, %alloc_2, %25, %26, %27, %38 : memref<1x20xf16, "PAD">, !ktdf.fifo.slot<"FEED" -> "VPU", 4xf16>, !ktdf.fifo.slot<"VPU" -> "DRAIN", 1xf16>, memref<1xf16, "PAD">, !ktdf.token, !ktdf.token, !ktdf.token, !ktdf.token
          }
          ktdf.stage depends_in(none) depends_out(%22#4) {
            ktdf.data_transfer from %reinterpret_cast_1[%arg2, 0] size [1, 20] to %22#0[0, 0] size [1, 20] : memref<4x20xf16, strided<[20, 1], offset: ?>, "MAIN">, memref<1x20xf16, "PAD">
          } {applicable_units = ["DMAI"]}
          ktdf.stage depends_in(%22#4) depends_out(%22#5) {
            %c5 = arith.constant 5 : index
            %c0_2 = arith.constant 0 : index
            %c1_3 = arith.constant 1 : index
            scf.for %arg3 = %c0_2 to %c5 step %c1_3 {
              ktdf.data_transfer from %22#0[0, %arg3 * 4] size [1, 4] to %22#1 size [4] : memref<1x20xf16, "PAD">, !ktdf.fifo.slot<"FEED" -> "VPU", 4xf16>
            } {kt.dim = 1 : i64, loop_type = #ktdf.loop_type<reduction_loop>}
          } {applicable_units = ["FEED"]}
          ktdf.stage depends_in(%22#5) depends_out(%22#6) {
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
            %c5_0 = arith.constant 5 : index
            %c0_0 = arith.constant 0 : index
            %c1_0 = arith.constant 1 : index
            %32 = scf.for %arg3_0 = %c0_0 to %c5_0 step %c1_0 iter_args(%arg4 = %31) -> (tensor<1x4xf32>) {
              %33 = ktdf.read_from_fifo %22#1 : <"FEED" -> "VPU", 4xf16> -> tensor<1x4xf16>
              %34 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%33 : tensor<1x4xf16>) outs(%arg4 : tensor<1x4xf32>) {
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
            ktdf.write_to_fifo %37, %22#2 : tensor<1xf16>, <"VPU" -> "DRAIN", 1xf16>
          } {applicable_units = ["VPU"]}
          ktdf.stage depends_in(%22#6) depends_out(%22#7) {
            ktdf.data_transfer from %22#2 size [1] to %22#3[0] size [1] : !ktdf.fifo.slot<"VPU" -> "DRAIN", 1xf16>, memref<1xf16, "PAD">
          } {applicable_units = ["DRAIN"]}
          ktdf.stage depends_in(%22#7) depends_out(none) {
            ktdf.data_transfer from %22#3[0] size [1] to %reinterpret_cast[%arg2] size [1] : memref<1xf16, "PAD">, memref<4xf16, strided<[1], offset: ?>, "MAIN">
          } {applicable_units = ["DMAO"]}
        }
      } {kt.dim = 0 : i64, loop_type = #ktdf.loop_type<parallel_loop>}
      return
    }
  }
}
