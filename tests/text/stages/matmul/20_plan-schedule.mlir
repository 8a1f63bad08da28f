#map = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0, d1, d2) -> (d2, d1)>
#map3 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map4 = affine_map<(d0, d1, d2) -> (d0, d2, d1)>
#set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 5 >= 0)>
#set1 = affine_set<(d0, d1) : (d0 >= 0, -d0 + 5 >= 0, d1 >= 0, -d1 + 15 >= 0)>
#set2 = affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 15 >= 0)>
module {
  module {
    func.func @matmul(%a: index, %b: index, %c: index) attributes {grid = [2]} {
      %alloc = memref.alloc() {kt.address = 0 : i64} : memref<2x16xf32, "PAD">
      call @local_schedule_0(%a, %b, %alloc) : (index, index, memref<2x16xf32, "PAD">) -> ()
      call @local_schedule_1(%alloc, %c) : (memref<2x16xf32, "PAD">, index) -> ()
      return
    }
    func.func private @local_schedule_0(index, index, memref<2x16xf32, "PAD">)
    func.func private @local_schedule_1(memref<2x16xf32, "PAD">, index)
  }
  ktdf_arch.device @toy import("kt:toy")
  module @local_schedule_0 {
    func.func @local_schedule_0(%a: index, %b: index, %arg2: memref<2x16xf32, "PAD">) attributes {grid = [2], kt.plan = {depth = 2 : i64, tile = {"0" = 2 : i64, "1" = 1 : i64}}, kt.reserved = {PAD = 128 : i64}} {
      %c12 = arith.constant 12 : index
      %c4 = arith.constant 4 : index
      %c1 = arith.constant 1 : index
      %c0_0 = arith.constant 0 : index
      %c6 = arith.constant 6 : index
      %cst = arith.constant 0.000000e+00 : f32
      %c2 = arith.constant 2 : index
      %av = ktdp.construct_memory_view %a, sizes: [4, 6], strides: [6, 1] {coordinate_set = #set, memory_space = #ktdp.memory_space<global>} : memref<4x6xf16>
      %tile = ktdp.get_compute_tile_id : index
      %bv = ktdp.construct_memory_view %b, sizes: [6, 16], strides: [16, 1] {coordinate_set = #set1, memory_space = #ktdp.memory_space<global>} : memref<6x16xf16>
      %reinterpret_cast = memref.reinterpret_cast %arg2 to offset: [0], sizes: [2, 16], strides: [16, 1] : memref<2x16xf32, "PAD"> to memref<2x16xf32, strided<[16, 1]>, "PAD">
      %memspacecast = memref.memory_space_cast %av : memref<4x6xf16> to memref<4x6xf16, "MAIN">
      %26 = arith.muli %tile, %c12 : index
      %reinterpret_cast_0 = memref.reinterpret_cast %memspacecast to offset: [%26], sizes: [2, 6], strides: [6, 1] : memref<4x6xf16, "MAIN"> to memref<2x6xf16, strided<[6, 1], offset: ?>, "MAIN">
      %memspacecast_1 = memref.memory_space_cast %bv : memref<6x16xf16> to memref<6x16xf16, "MAIN">
      %reinterpret_cast_2 = memref.reinterpret_cast %memspacecast_1 to offset: [0], sizes: [6, 16], strides: [16, 1] : memref<6x16xf16, "MAIN"> to memref<6x16xf16, strided<[16, 1]>, "MAIN">
      scf.for %arg3 = %c0_0 to %c2 step %c1 {
        scf.for %arg4 = %c0_0 to %c4 step %c1 {
          ktdf.pipeline {
            %27:8 = ktdf.private -> (memref<1x6xf16, "PAD">, memref<6x4xf16, "PAD">, !ktdf.fifo.slot<"FEED" -> "VPU", 4xf16>, !ktdf.fifo.slot<"FEED" -> "VPU", 4xf16>, !ktdf.fifo.slot<"VPU" -> "DRAIN", 4xf32>, !ktdf.token, !ktdf.token, !ktdf.token) {
              %alloc = memref.alloc() {kt.operand = 0 : i64} : memref<1x6xf16, "PAD">
              %alloc_3 = memref.alloc() {kt.operand = 1 : i64} : memref<6x4xf16, "PAD">
              %28 = ktdf.fifo.allocate() {kt.operand = 0 : i64} -> !ktdf.fifo.slot<"FEED" -> "VPU", 4xf16>
              %29 = ktdf.fifo.allocate() {kt.operand = 1 : i64} -> !ktdf.fifo.slot<"FEED" -> "VPU", 4xf16>
              %30 = ktdf.fifo.allocate() {kt.operand = 3 : i64} -> !ktdf.fifo.slot<"VPU" -> "DRAIN", 4xf32>
              %31 = ktdf.create_token : !ktdf.token
              %32 = ktdf.create_token : !ktdf.token
              %33 = ktdf.create_token : !ktdf.token
              ktdf.private_yield %alloc, %alloc_3, %28, %29, %30, %31, %32, %33 : memref<1x6xf16, "PAD">, memref<6x4xf16, "PAD">, !ktdf.fifo.slot<"FEED" -> "VPU", 4xf16>, !ktdf.fifo.slot<"FEED" -> "VPU", 4xf16>, !ktdf.fifo.slot<"VPU" -> "DRAIN", 4xf32>, !ktdf.token, !ktdf.token, !ktdf.token
            }
            ktdf.stage depends_in(none) depends_out(%27#5) {
              ktdf.data_transfer from %reinterpret_cast_0[%arg3, 0] size [1, 6] to %27#0[0, 0] size [1, 6] : memref<2x6xf16, strided<[6, 1], offset: ?>, "MAIN">, memref<1x6xf16, "PAD">
              ktdf.data_transfer from %reinterpret_cast_2[0, %arg4 * 4] size [6, 4] to %27#1[0, 0] size [6, 4] : memref<6x16xf16, strided<[16, 1]>, "MAIN">, memref<6x4xf16, "PAD">
            } {applicable_units = ["DMAI"]}
            ktdf.stage depends_in(%27#5) depends_out(%27#6) {
              scf.for %arg5 = %c0_0 to %c6 step %c1 {
                ktdf.data_transfer from %27#0[0, %arg5] size [1, 1] to %27#2 size [4] {transfer_mode = "splat"} : memref<1x6xf16, "PAD">, !ktdf.fifo.slot<"FEED" -> "VPU", 4xf16>
                ktdf.data_transfer from %27#1[%arg5, 0] size [1, 4] to %27#3 size [4] : memref<6x4xf16, "PAD">, !ktdf.fifo.slot<"FEED" -> "VPU", 4xf16>
              } {kt.dim = 2 : i64, loop_type = #ktdf.loop_type<reduction_loop>}
            } {applicable_units = ["FEED"]}
            ktdf.stage depends_in(%27#6) depends_out(%27#7) {
              %34 = tensor.empty() : tensor<1x4xf32>
              %35 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%34 : tensor<1x4xf32>) {
              ^bb0(%out: f32):
                linalg.yield %cst : f32
              } -> tensor<1x4xf32>
              %36 = scf.for %arg5_0 = %c0_0 to %c6 step %c1 iter_args(%arg6 = %35) -> (tensor<1x4xf32>) {
                %37 = ktdf.read_from_fifo %27#2 : <"FEED" -> "VPU", 4xf16> -> tensor<1x1x4xf16>
                %38 = ktdf.read_from_fifo %27#3 : <"FEED" -> "VPU", 4xf16> -> tensor<1x4xf16>
                %39 = linalg.generic {indexing_maps = [#map4, #map2, #map3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%37, %38 : tensor<1x1x4xf16>, tensor<1x4xf16>) outs(%arg6 : tensor<1x4xf32>) {
                ^bb0(%in: f16, %in_8: f16, %out_0: f32):
                  %17 = arith.extf %in : f16 to f32
                  %18 = arith.extf %in_8 : f16 to f32
                  %19 = arith.mulf %17, %18 : f32
                  %20 = arith.addf %out_0, %19 : f32
                  linalg.yield %20 : f32
                } -> tensor<1x4xf32>
                scf.yield %39 : tensor<1x4xf32>
              } {kt.dim = 2 : i64, loop_type = #ktdf.loop_type<reduction_loop>}
              ktdf.write_to_fifo %36, %27#4 : tensor<1x4xf32>, <"VPU" -> "DRAIN", 4xf32>
            } {applicable_units = ["VPU"]}
            ktdf.stage depends_in(%27#7) depends_out(none) {
              ktdf.data_transfer from %27#4 size [4] to %reinterpret_cast[%arg3, %arg4 * 4] size [1, 4] : !ktdf.fifo.slot<"VPU" -> "DRAIN", 4xf32>, memref<2x16xf32, strided<[16, 1]>, "PAD">
            } {applicable_units = ["DRAIN"]}
          }
        } {kt.dim = 1 : i64, loop_type = #ktdf.loop_type<parallel_loop>}
      } {kt.dim = 0 : i64, loop_type = #ktdf.loop_type<parallel_loop>}
      return
    }
  }
  module @local_schedule_1 {
    func.func @local_schedule_1(%arg0: memref<2x16xf32, "PAD">, %c: index) attributes {grid = [2], kt.plan = {depth = 2 : i64, tile = {"0" = 2 : i64, "1" = 1 : i64}}, kt.reserved = {PAD = 128 : i64}} {
      %c32 = arith.constant 32 : index
      %c4 = arith.constant 4 : index
      %c1 = arith.constant 1 : index
      %c0 = arith.constant 0 : index
      %c2 = arith.constant 2 : index
      %cv = ktdp.construct_memory_view %c, sizes: [4, 16], strides: [16, 1] {coordinate_set = #set2, memory_space = #ktdp.memory_space<global>} : memref<4x16xf16>
      %tile = ktdp.get_compute_tile_id : index
      %reinterpret_cast = memref.reinterpret_cast %arg0 to offset: [0], sizes: [2, 16], strides: [16, 1] : memref<2x16xf32, "PAD"> to memref<2x16xf32, strided<[16, 1]>, "PAD">
      %memspacecast = memref.memory_space_cast %cv : memref<4x16xf16> to memref<4x16xf16, "MAIN">
      %40 = arith.muli %tile, %c32 : index
      %reinterpret_cast_0 = memref.reinterpret_cast %memspacecast to offset: [%40], sizes: [2, 16], strides: [16, 1] : memref<4x16xf16, "MAIN"> to memref<2x16xf16, strided<[16, 1], offset: ?>, "MAIN">
      scf.for %arg2 = %c0 to %c2 step %c1 {
        scf.for %arg3 = %c0 to %c4 step %c1 {
          ktdf.pipeline {
            %41:6 = ktdf.private -> (!ktdf.fifo.slot<"FEED" -> "VPU", 4xf32>, !ktdf.fifo.slot<"VPU" -> "DRAIN", 4xf16>, memref<1x4xf16, "PAD">, !ktdf.token, !ktdf.token, !ktdf.token) {
              %42 = ktdf.fifo.allocate() {kt.operand = 0 : i64} -> !ktdf.fifo.slot<"FEED" -> "VPU", 4xf32>
              %43 = ktdf.fifo.allocate() {kt.operand = 1 : i64} -> !ktdf.fifo.slot<"VPU" -> "DRAIN", 4xf16>
              %alloc = memref.alloc() {kt.operand = 1 : i64} : memref<1x4xf16, "PAD">
              %44 = ktdf.create_token : !ktdf.token
              %45 = ktdf.create_token : !ktdf.token
              %46 = ktdf.create_token : !ktdf.token
              ktdf.private_yield %42, %43, %alloc, %44, %45, %46 : !ktdf.fifo.slot<"FEED" -> "VPU", 4xf32>, !ktdf.fifo.slot<"VPU" -> "DRAIN", 4xf16>, memref<1x4xf16, "PAD">, !ktdf.token, !ktdf.token, !ktdf.token
            }
            ktdf.stage depends_in(none) depends_out(%41#3) {
              ktdf.data_transfer from %reinterpret_cast[%arg2, %arg3 * 4] size [1, 4] to %41#0 size [4] : memref<2x16xf32, strided<[16, 1]>, "PAD">, !ktdf.fifo.slot<"FEED" -> "VPU", 4xf32>
            } {applicable_units = ["FEED"]}
            ktdf.stage depends_in(%41#3) depends_out(%41#4) {
              %47 = ktdf.read_from_fifo %41#0 : <"FEED" -> "VPU", 4xf32> -> tensor<1x4xf32>
              %48 = tensor.empty() : tensor<1x4xf16>
              %49 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%47 : tensor<1x4xf32>) outs(%48 : tensor<1x4xf16>) {
              ^bb0(%in: f32, %out: f16):
                %21 = arith.truncf %in : f32 to f16
                linalg.yield %21 : f16
              } -> tensor<1x4xf16>
              ktdf.write_to_fifo %49, %41#1 : tensor<1x4xf16>, <"VPU" -> "DRAIN", 4xf16>
            } {applicable_units = ["VPU"]}
            ktdf.stage depends_in(%41#4) depends_out(%41#5) {
              ktdf.data_transfer from %41#1 size [4] to %41#2[0, 0] size [1, 4] : !ktdf.fifo.slot<"VPU" -> "DRAIN", 4xf16>, memref<1x4xf16, "PAD">
            } {applicable_units = ["DRAIN"]}
            ktdf.stage depends_in(%41#5) depends_out(none) {
              ktdf.data_transfer from %41#2[0, 0] size [1, 4] to %reinterpret_cast_0[%arg2, %arg3 * 4] size [1, 4] : memref<1x4xf16, "PAD">, memref<2x16xf16, strided<[16, 1], offset: ?>, "MAIN">
            } {applicable_units = ["DMAO"]}
          }
        } {kt.dim = 1 : i64, loop_type = #ktdf.loop_type<parallel_loop>}
      } {kt.dim = 0 : i64, loop_type = #ktdf.loop_type<parallel_loop>}
      return
    }
  }
}
