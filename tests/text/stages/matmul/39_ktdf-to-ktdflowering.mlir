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
      %75 = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-dmai", type = "dmai"} : index
      %76 = dataflow.get_unit {core = 1 : i32, corelet = 0 : i32, name = "C1-dmai", type = "dmai"} : index
      %77 = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-feed", type = "feed"} : index
      %78 = dataflow.get_unit {core = 1 : i32, corelet = 0 : i32, name = "C1-feed", type = "feed"} : index
      %79 = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-vpu", type = "vpu"} : index
      %80 = dataflow.get_unit {core = 1 : i32, corelet = 0 : i32, name = "C1-vpu", type = "vpu"} : index
      %81 = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-drain", type = "drain"} : index
      %82 = dataflow.get_unit {core = 1 : i32, corelet = 0 : i32, name = "C1-drain", type = "drain"} : index
      %83 = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-dmao", type = "dmao"} : index
      %84 = dataflow.get_unit {core = 1 : i32, corelet = 0 : i32, name = "C1-dmao", type = "dmao"} : index
      %85 = ktdp.get_compute_tile_id : index
      %c0_0 = arith.constant 0 : index
      %c1_0 = arith.constant 1 : index
      %86 = uniform.def_immutable_mapping([%c0_0 -> %75], [%c1_0 -> %76]):index
      %87 = uniform.query_map(map:%86, key:%85) : index
      %c0_1 = arith.constant 0 : index
      %c1_1 = arith.constant 1 : index
      %88 = uniform.def_immutable_mapping([%c0_1 -> %77], [%c1_1 -> %78]):index
      %89 = uniform.query_map(map:%88, key:%85) : index
      %c0_2 = arith.constant 0 : index
      %c1_3 = arith.constant 1 : index
      %90 = uniform.def_immutable_mapping([%c0_2 -> %79], [%c1_3 -> %80]):index
      %91 = uniform.query_map(map:%90, key:%85) : index
      %c0_3 = arith.constant 0 : index
      %c1_5 = arith.constant 1 : index
      %92 = uniform.def_immutable_mapping([%c0_3 -> %81], [%c1_5 -> %82]):index
      %93 = uniform.query_map(map:%92, key:%85) : index
      %c0_6 = arith.constant 0 : index
      %c1_7 = arith.constant 1 : index
      %94 = uniform.def_immutable_mapping([%c0_6 -> %83], [%c1_7 -> %84]):index
      %95 = uniform.query_map(map:%94, key:%85) : index
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
        ktdf_lowering.execute_on %87, %89, %91, %93, %95 {
          %32 = ktdf.create_token : !ktdf.token
          %33 = ktdf.create_token : !ktdf.token
          ktdf_lowering.execute_on %87 {
            scf.if %55 {
              ktdf.data_transfer from %reinterpret_cast_1[0, 0] size [2, 6] to %70[0, 0, 0] size [2, 1, 6] : memref<2x6xf16, strided<[6, 1], offset: ?>, "MAIN">, memref<2x1x6xf16, "PAD">
            } {kt.held = 1 : i64}
            scf.for %arg6_0 = %c0 to %49 step %c1 {
              ktdf.data_transfer from %reinterpret_cast_3[0, %arg4 * 4 + %arg6_0 * 4] size [6, 4] to %57[%arg6_0, 0, 0] size [1, 6, 4] : memref<6x16xf16, strided<[16, 1]>, "MAIN">, memref<1x6x4xf16, "PAD">
            }
          }
          ktdf_lowering.signal %87, %89
          ktdf_lowering.execute_on %89, %91, %93 {
            scf.for %arg6 = %c0 to %49 step %c1 {
              ktdf_lowering.execute_on %89, %91, %93 {
                %29 = ktdf.fifo.allocate() {kt.operand = 0 : i64} -> !ktdf.fifo.slot<"FEED" -> "VPU", 4xf16>
                %30 = ktdf.fifo.allocate() {kt.operand = 1 : i64} -> !ktdf.fifo.slot<"FEED" -> "VPU", 4xf16>
                %31 = ktdf.fifo.allocate() {kt.operand = 3 : i64} -> !ktdf.fifo.slot<"VPU" -> "DRAIN", 4xf16>
                %34 = ktdf.create_token : !ktdf.token
                %43 = ktdf.create_token : !ktdf.token
                ktdf_lowering.execute_on %89 {
                  scf.for %arg7 = %c0 to %c6 step %c1 {
                    ktdf.data_transfer from %70[%c0, 0, %arg7] size [1, 1, 1] to %29 size [4] {transfer_mode = "splat"} : memref<2x1x6xf16, "PAD">, !ktdf.fifo.slot<"FEED" -> "VPU", 4xf16>
                    ktdf.data_transfer from %70[%c1, 0, %arg7] size [1, 1, 1] to %29 size [4] {transfer_mode = "splat"} : memref<2x1x6xf16, "PAD">, !ktdf.fifo.slot<"FEED" -> "VPU", 4xf16>
                    ktdf.data_transfer from %57[%arg6, %arg7, 0] size [1, 1, 4] to %30 size [4] : memref<1x6x4xf16, "PAD">, !ktdf.fifo.slot<"FEED" -> "VPU", 4xf16>
                  }
                }
                ktdf_lowering.execute_on %91 {
                  %35 = tensor.empty() : tensor<1x4xf32>
                  %36 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%35 : tensor<1x4xf32>) {
                  ^bb0(%out: f32):
                    linalg.yield %cst : f32
                  } -> tensor<1x4xf32>
                  %37:2 = scf.for %arg5_0 = %c0 to %c6 step %c1 iter_args(%arg8 = %36, %arg7_0 = %36) -> (tensor<1x4xf32>, tensor<1x4xf32>) {
                    %38 = ktdf.read_from_fifo %29 : <"FEED" -> "VPU", 4xf16> -> tensor<1x1x4xf16>
                    %60 = ktdf.read_from_fifo %29 : <"FEED" -> "VPU", 4xf16> -> tensor<1x1x4xf16>
                    %39 = ktdf.read_from_fifo %30 : <"FEED" -> "VPU", 4xf16> -> tensor<1x4xf16>
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
                  }
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
                  ktdf.write_to_fifo %42, %31 : tensor<1x4xf16>, <"VPU" -> "DRAIN", 4xf16>
                  ktdf.write_to_fifo %66, %31 : tensor<1x4xf16>, <"VPU" -> "DRAIN", 4xf16>
                }
                ktdf_lowering.execute_on %93 {
                  ktdf.data_transfer from %31 size [4] to %58[%c0, %arg6, 0, 0] size [1, 1, 1, 4] : !ktdf.fifo.slot<"VPU" -> "DRAIN", 4xf16>, memref<2x1x1x4xf16, "PAD">
                  ktdf.data_transfer from %31 size [4] to %58[%c1, %arg6, 0, 0] size [1, 1, 1, 4] : !ktdf.fifo.slot<"VPU" -> "DRAIN", 4xf16>, memref<2x1x1x4xf16, "PAD">
                }
              }
            }
          }
          ktdf_lowering.signal %93, %95
          ktdf_lowering.execute_on %95 {
            %59 = affine.min #map5(%arg4)
            ktdf.data_transfer from %reinterpret_cast_8[0, 0] size [2, %59] to %reinterpret_cast[0, %arg4 * 4] size [2, %59] : memref<2x4xf16, strided<[4, 1]>, "PAD">, memref<2x16xf16, strided<[16, 1], offset: ?>, "MAIN">
          }
        }
      }
      return
    }
  }
}
