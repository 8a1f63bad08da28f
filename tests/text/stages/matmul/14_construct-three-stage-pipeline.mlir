#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d2)>
#map2 = affine_map<(d0, d1, d2) -> (d2, d1)>
#map3 = affine_map<(d0, d1, d2) -> (d0, d1)>
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
    func.func @local_schedule_0(%a: index, %b: index, %arg2: memref<2x16xf32, "PAD">) attributes {grid = [2], kt.reserved = {PAD = 128 : i64}} {
      %av = ktdp.construct_memory_view %a, sizes: [4, 6], strides: [6, 1] {coordinate_set = #set, memory_space = #ktdp.memory_space<global>} : memref<4x6xf16>
      %tile = ktdp.get_compute_tile_id : index
      %c2 = arith.constant 2 : index
      %row = arith.muli %tile, %c2 : index
      %bv = ktdp.construct_memory_view %b, sizes: [6, 16], strides: [16, 1] {coordinate_set = #set1, memory_space = #ktdp.memory_space<global>} : memref<6x16xf16>
      %cst = arith.constant 0.000000e+00 : f32
      %reinterpret_cast = memref.reinterpret_cast %arg2 to offset: [0], sizes: [2, 16], strides: [16, 1] : memref<2x16xf32, "PAD"> to memref<2x16xf32, strided<[16, 1]>, "PAD">
      %memspacecast = memref.memory_space_cast %av : memref<4x6xf16> to memref<4x6xf16, "MAIN">
      %c6 = arith.constant 6 : index
      %26 = arith.muli %row, %c6 : index
      %reinterpret_cast_0 = memref.reinterpret_cast %memspacecast to offset: [%26], sizes: [2, 6], strides: [6, 1] : memref<4x6xf16, "MAIN"> to memref<2x6xf16, strided<[6, 1], offset: ?>, "MAIN">
      %memspacecast_1 = memref.memory_space_cast %bv : memref<6x16xf16> to memref<6x16xf16, "MAIN">
      %reinterpret_cast_2 = memref.reinterpret_cast %memspacecast_1 to offset: [0], sizes: [6, 16], strides: [16, 1] : memref<6x16xf16, "MAIN"> to memref<6x16xf16, strided<[16, 1]>, "MAIN">
      %c2_3 = arith.constant 2 : index
      %c0_0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      scf.for %arg3 = %c0_0 to %c2_3 step %c1 {
        %c16 = arith.constant 16 : index
        %c0_1 = arith.constant 0 : index
        %c4 = arith.constant 4 : index
        scf.for %arg4 = %c0_1 to %c16 step %c4 {
          ktdf.pipeline {
            %27:6 = ktdf.private -> (!ktdf.fifo.slot<"MAIN" -> "VPU", 1xf16>, !ktdf.fifo.slot<"MAIN" -> "VPU", 4xf16>, !ktdf.fifo.slot<"VPU" -> "PAD", 4xf32>, !ktdf.token, !ktdf.token, !ktdf.token) {
              %28 = ktdf.fifo.allocate() {kt.operand = 0 : i64} -> !ktdf.fifo.slot<"MAIN" -> "VPU", 1xf16>
              %29 = ktdf.fifo.allocate() {kt.operand = 1 : i64} -> !ktdf.fifo.slot<"MAIN" -> "VPU", 4xf16>
              %30 = ktdf.fifo.allocate() {kt.operand = 3 : i64} -> !ktdf.fifo.slot<"VPU" -> "PAD", 4xf32>
              %31 = ktdf.create_token : !ktdf.token
              %32 = ktdf.create_token : !ktdf.token
              %33 = ktdf.create_token : !ktdf.token
              ktdf.private_yield %28, %29, %30, %31, %32, %33 : !ktdf.fifo.slot<"MAIN" -> "VPU", 1xf16>, !ktdf.fifo.slot<"MAIN" -> "VPU", 4xf16>, !ktdf.fifo.slot<"VPU" -> "PAD", 4xf32>, !ktdf.token, !ktdf.token, !ktdf.token
            }
            ktdf.stage depends_in(none) depends_out(%27#3) {
              %c6_5 = arith.constant 6 : index
              %c0 = arith.constant 0 : index
              %c1_7 = arith.constant 1 : index
              scf.for %arg5 = %c0 to %c6_5 step %c1_7 {
                ktdf.data_transfer from %reinterpret_cast_0[%arg3, %arg5] size [1, 1] to %27#0 size [1, 1] : memref<2x6xf16, strided<[6, 1], offset: ?>, "MAIN">, !ktdf.fifo.slot<"MAIN" -> "VPU", 1xf16>
                ktdf.data_transfer from %reinterpret_cast_2[%arg5, %arg4] size [1, 4] to %27#1 size [1, 4] : memref<6x16xf16, strided<[16, 1]>, "MAIN">, !ktdf.fifo.slot<"MAIN" -> "VPU", 4xf16>
              } {kt.dim = 2 : i64, loop_type = #ktdf.loop_type<reduction_loop>}
            }
            ktdf.stage depends_in(%27#3) depends_out(%27#4) {
              %34 = tensor.empty() : tensor<1x4xf32>
              %35 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%34 : tensor<1x4xf32>) {
              ^bb0(%out: f32):
                linalg.yield %cst : f32
              } -> tensor<1x4xf32>
              %c6_0 = arith.constant 6 : index
              %c0_6 = arith.constant 0 : index
              %c1_0 = arith.constant 1 : index
              %36 = scf.for %arg5_0 = %c0_6 to %c6_0 step %c1_0 iter_args(%arg6 = %35) -> (tensor<1x4xf32>) {
                %37 = ktdf.read_from_fifo %27#0 : <"MAIN" -> "VPU", 1xf16> -> tensor<1x1xf16>
                %38 = ktdf.read_from_fifo %27#1 : <"MAIN" -> "VPU", 4xf16> -> tensor<1x4xf16>
                %39 = linalg.generic {indexing_maps = [#map1, #map2, #map3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%37, %38 : tensor<1x1xf16>, tensor<1x4xf16>) outs(%arg6 : tensor<1x4xf32>) {
                ^bb0(%in: f16, %in_8: f16, %out_0: f32):
                  %17 = arith.extf %in : f16 to f32
                  %18 = arith.extf %in_8 : f16 to f32
                  %19 = arith.mulf %17, %18 : f32
                  %20 = arith.addf %out_0, %19 : f32
                  linalg.yield %20 : f32
                } -> tensor<1x4xf32>
                scf.yield %39 : tensor<1x4xf32>
              } {kt.dim = 2 : i64, loop_type = #ktdf.loop_type<reduction_loop>}
              ktdf.write_to_fifo %36, %27#2 : tensor<1x4xf32>, <"VPU" -> "PAD", 4xf32>
            } {applicable_units = ["VPU"]}
            ktdf.stage depends_in(%27#4) depends_out(%27#5) {
              ktdf.data_transfer from %27#2 size [1, 4] to %reinterpret_cast[%arg3, %arg4] size [1, 4] : !ktdf.fifo.slot<"VPU" -> "PAD", 4xf32>, memref<2x16xf32, strided<[16, 1]>, "PAD">
            }
          }
        } {kt.dim = 1 : i64, loop_type = #ktdf.loop_type<parallel_loop>}
      } {kt.dim = 0 : i64, loop_type = #ktdf.loop_type<parallel_loop>}
      return
    }
  }
  module @local_schedule_1 {
    func.func @local_schedule_1(%arg0: memref<2x16xf32, "PAD">, %c: index) attributes {grid = [2], kt.reserved = {PAD = 128 : i64}} {
      %cv = ktdp.construct_memory_view %c, sizes: [4, 16], strides: [16, 1] {coordinate_set = #set2, memory_space = #ktdp.memory_space<global>} : memref<4x16xf16>
      %tile = ktdp.get_compute_tile_id : index
      %c2 = arith.constant 2 : index
      %row = arith.muli %tile, %c2 : index
      %reinterpret_cast = memref.reinterpret_cast %arg0 to offset: [0], sizes: [2, 16], strides: [16, 1] : memref<2x16xf32, "PAD"> to memref<2x16xf32, strided<[16, 1]>, "PAD">
      %memspacecast = memref.memory_space_cast %cv : memref<4x16xf16> to memref<4x16xf16, "MAIN">
      %c16 = arith.constant 16 : index
      %40 = arith.muli %row, %c16 : index
      %reinterpret_cast_0 = memref.reinterpret_cast %memspacecast to offset: [%40], sizes: [2, 16], strides: [16, 1] : memref<4x16xf16, "MAIN"> to memref<2x16xf16, strided<[16, 1], offset: ?>, "MAIN">
      %c2_1 = arith.constant 2 : index
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c16_2 = arith.constant 16 : index
      %c0_3 = arith.constant 0 : index
      %c4 = arith.constant 4 : index
      scf.for %arg2 = %c0 to %c2_1 step %c1 {
        scf.for %arg3 = %c0_3 to %c16_2 step %c4 {
          ktdf.pipeline {
            %41:5 = ktdf.private -> (!ktdf.fifo.slot<"PAD" -> "VPU", 4xf32>, !ktdf.fifo.slot<"VPU" -> "MAIN", 4xf16>, !ktdf.token, !ktdf.token, !ktdf.token) {
              %42 = ktdf.fifo.allocate() {kt.operand = 0 : i64} -> !ktdf.fifo.slot<"PAD" -> "VPU", 4xf32>
              %43 = ktdf.fifo.allocate() {kt.operand = 1 : i64} -> !ktdf.fifo.slot<"VPU" -> "MAIN", 4xf16>
              %44 = ktdf.create_token : !ktdf.token
              %45 = ktdf.create_token : !ktdf.token
              %46 = ktdf.create_token : !ktdf.token
              ktdf.private_yield %42, %43, %44, %45, %46 : !ktdf.fifo.slot<"PAD" -> "VPU", 4xf32>, !ktdf.fifo.slot<"VPU" -> "MAIN", 4xf16>, !ktdf.token, !ktdf.token, !ktdf.token
            }
            ktdf.stage depends_in(none) depends_out(%41#2) {
              ktdf.data_transfer from %reinterpret_cast[%arg2, %arg3] size [1, 4] to %41#0 size [1, 4] : memref<2x16xf32, strided<[16, 1]>, "PAD">, !ktdf.fifo.slot<"PAD" -> "VPU", 4xf32>
            }
            ktdf.stage depends_in(%41#2) depends_out(%41#3) {
              %47 = ktdf.read_from_fifo %41#0 : <"PAD" -> "VPU", 4xf32> -> tensor<1x4xf32>
              %48 = tensor.empty() : tensor<1x4xf16>
              %49 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%47 : tensor<1x4xf32>) outs(%48 : tensor<1x4xf16>) {
              ^bb0(%in: f32, %out: f16):
                %21 = arith.truncf %in : f32 to f16
                linalg.yield %21 : f16
              } -> tensor<1x4xf16>
              ktdf.write_to_fifo %49, %41#1 : tensor<1x4xf16>, <"VPU" -> "MAIN", 4xf16>
            } {applicable_units = ["VPU"]}
            ktdf.stage depends_in(%41#3) depends_out(%41#4) {
              ktdf.data_transfer from %41#1 size [1, 4] to %reinterpret_cast_0[%arg2, %arg3] size [1, 4] : !ktdf.fifo.slot<"VPU" -> "MAIN", 4xf16>, memref<2x16xf16, strided<[16, 1], offset: ?>, "MAIN">
            }
          }
        } {kt.dim = 1 : i64, loop_type = #ktdf.loop_type<parallel_loop>}
      } {kt.dim = 0 : i64, loop_type = #ktdf.loop_type<parallel_loop>}
      return
    }
  }
}
