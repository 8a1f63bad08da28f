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
    func.func @local_schedule_0(%a: index, %b: index, %c: index) attributes {grid = [2], kt.plan = {depth = 2 : i64, tile = {"0" = 2 : i64, "1" = 1 : i64}}} {
      %66 = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-dmai", type = "dmai"} : index
      %67 = dataflow.get_unit {core = 1 : i32, corelet = 0 : i32, name = "C1-dmai", type = "dmai"} : index
      %68 = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-feed", type = "feed"} : index
      %69 = dataflow.get_unit {core = 1 : i32, corelet = 0 : i32, name = "C1-feed", type = "feed"} : index
      %70 = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-vpu", type = "vpu"} : index
      %71 = dataflow.get_unit {core = 1 : i32, corelet = 0 : i32, name = "C1-vpu", type = "vpu"} : index
      %72 = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-drain", type = "drain"} : index
      %73 = dataflow.get_unit {core = 1 : i32, corelet = 0 : i32, name = "C1-drain", type = "drain"} : index
      %74 = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-dmao", type = "dmao"} : index
      %75 = dataflow.get_unit {core = 1 : i32, corelet = 0 : i32, name = "C1-dmao", type = "dmao"} : index
      %76 = ktdp.get_compute_tile_id : index
      %c0_0 = arith.constant 0 : index
      %c1_0 = arith.constant 1 : index
      %77 = uniform.def_immutable_mapping([%c0_0 -> %66], [%c1_0 -> %67]):index
      %78 = uniform.query_map(map:%77, key:%76) : index
      %c0_1 = arith.constant 0 : index
      %c1_1 = arith.constant 1 : index
      %79 = uniform.def_immutable_mapping([%c0_1 -> %68], [%c1_1 -> %69]):index
      %80 = uniform.query_map(map:%79, key:%76) : index
      %c0_2 = arith.constant 0 : index
      %c1_3 = arith.constant 1 : index
      %81 = uniform.def_immutable_mapping([%c0_2 -> %70], [%c1_3 -> %71]):index
      %82 = uniform.query_map(map:%81, key:%76) : index
      %c0_3 = arith.constant 0 : index
      %c1_5 = arith.constant 1 : index
      %83 = uniform.def_immutable_mapping([%c0_3 -> %72], [%c1_5 -> %73]):index
      %84 = uniform.query_map(map:%83, key:%76) : index
      %c0_6 = arith.constant 0 : index
      %c1_7 = arith.constant 1 : index
      %85 = uniform.def_immutable_mapping([%c0_6 -> %74], [%c1_7 -> %75]):index
      %86 = uniform.query_map(map:%85, key:%76) : index
      %c12 = arith.constant 12 : index
      %c32 = arith.constant 32 : index
      %c4 = arith.constant 4 : index
      %c1 = arith.constant 1 : index
      %c0 = arith.constant 0 : index
      %c6 = arith.constant 6 : index
      %cst = arith.constant 0.000000e+00 : f32
      %c2 = arith.constant 2 : index
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
      %61 = builtin.unrealized_conversion_cast %c0_4 : index to memref<2x1x6xf16, "PAD">
      %c32_5 = arith.constant 32 : index
      %62 = builtin.unrealized_conversion_cast %c32_5 : index to memref<1x6x4xf16, "PAD">
      %c80 = arith.constant 80 : index
      %63 = builtin.unrealized_conversion_cast %c80 : index to memref<1x6x4xf16, "PAD">
      %c128 = arith.constant 128 : index
      %64 = builtin.unrealized_conversion_cast %c128 : index to memref<2x1x1x4xf16, "PAD">
      %c144 = arith.constant 144 : index
      %65 = builtin.unrealized_conversion_cast %c144 : index to memref<2x1x1x4xf16, "PAD">
      scf.for %arg4 = %c0 to %c4 step %c1 {
        %49 = ktdf.tiling.derive_size [%arg4 : %c1], total_size = %c4 : index
        %55 = arith.cmpi eq, %arg4, %c0 : index
        %56 = ktdf.buffer_phase(%arg4) {num_phases = 2 : i64} : index
        %57 = ktdf.select_memref %56[%62, %63] : memref<1x6x4xf16, "PAD">
        %58 = ktdf.select_memref %56[%64, %65] : memref<2x1x1x4xf16, "PAD">
        %reinterpret_cast_8 = memref.reinterpret_cast %58 to offset: [0], sizes: [2, 4], strides: [4, 1] : memref<2x1x1x4xf16, "PAD"> to memref<2x4xf16, strided<[4, 1]>, "PAD">
        ktdf_lowering.execute_on %78, %80, %82, %84, %86 {
          %32 = ktdf.create_token : !ktdf.token
          %33 = ktdf.create_token : !ktdf.token
          ktdf_lowering.execute_on %78 {
            scf.if %55 {
              ktdf.data_transfer from %reinterpret_cast_1[0, 0] size [2, 6] to %61[0, 0, 0] size [2, 1, 6] : memref<2x6xf16, strided<[6, 1], offset: ?>, "MAIN">, memref<2x1x6xf16, "PAD">
            } {kt.held = 1 : i64}
            scf.for %arg6_0 = %c0 to %49 step %c1 {
              ktdf.data_transfer from %reinterpret_cast_3[0, %arg4 * 4 + %arg6_0 * 4] size [6, 4] to %57[%arg6_0, 0, 0] size [1, 6, 4] : memref<6x16xf16, strided<[16, 1]>, "MAIN">, memref<1x6x4xf16, "PAD">
            }
          }
          ktdf_lowering.signal %78, %80
          ktdf_lowering.execute_on %80, %82, %84 {
            scf.for %arg5 = %c0 to %c2 step %c1 {
              scf.for %arg6 = %c0 to %49 step %c1 {
                ktdf_lowering.execute_on %80, %82, %84 {
                  %29 = ktdf.fifo.allocate() {kt.operand = 0 : i64} -> !ktdf.fifo.slot<"FEED" -> "VPU", 4xf16>
                  %30 = ktdf.fifo.allocate() {kt.operand = 1 : i64} -> !ktdf.fifo.slot<"FEED" -> "VPU", 4xf16>
                  %31 = ktdf.fifo.allocate() {kt.operand = 3 : i64} -> !ktdf.fifo.slot<"VPU" -> "DRAIN", 4xf16>
                  %34 = ktdf.create_token : !ktdf.token
                  %43 = ktdf.create_token : !ktdf.token
                  ktdf_lowering.execute_on %80 {
                    scf.for %arg7 = %c0 to %c6 step %c1 {
                      ktdf.data_transfer from %61[%arg5, 0, %arg7] size [1, 1, 1] to %29 size [4] {transfer_mode = "splat"} : memref<2x1x6xf16, "PAD">, !ktdf.fifo.slot<"FEED" -> "VPU", 4xf16>
                      ktdf.data_transfer from %57[%arg6, %arg7, 0] size [1, 1, 4] to %30 size [4] : memref<1x6x4xf16, "PAD">, !ktdf.fifo.slot<"FEED" -> "VPU", 4xf16>
                    }
                  }
                  ktdf_lowering.execute_on %82 {
                    %35 = tensor.empty() : tensor<1x4xf32>
                    %36 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%35 : tensor<1x4xf32>) {
                    ^bb0(%out: f32):
                      linalg.yield %cst : f32
                    } -> tensor<1x4xf32>
                    %37 = scf.for %arg5_0 = %c0 to %c6 step %c1 iter_args(%arg8 = %36) -> (tensor<1x4xf32>) {
                      %38 = ktdf.read_from_fifo %29 : <"FEED" -> "VPU", 4xf16> -> tensor<1x1x4xf16>
                      %39 = ktdf.read_from_fifo %30 : <"FEED" -> "VPU", 4xf16> -> tensor<1x4xf16>
                      %40 = linalg.generic {indexing_maps = [#map4, #map2, #map3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%38, %39 : tensor<1x1x4xf16>, tensor<1x4xf16>) outs(%arg8 : tensor<1x4xf32>) {
                      ^bb0(%in: f16, %in_10: f16, %out_0: f32):
                        %17 = arith.extf %in : f16 to f32
                        %18 = arith.extf %in_10 : f16 to f32
                        %60 = math.fma %17, %18, %out_0 : f32
                        linalg.yield %60 : f32
                      } -> tensor<1x4xf32>
                      scf.yield %40 : tensor<1x4xf32>
                    }
                    %41 = tensor.empty() : tensor<1x4xf16>
                    %42 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%37 : tensor<1x4xf32>) outs(%41 : tensor<1x4xf16>) {
                    ^bb0(%in_0: f32, %out_1: f16):
                      %21 = arith.truncf %in_0 : f32 to f16
                      linalg.yield %21 : f16
                    } -> tensor<1x4xf16>
                    ktdf.write_to_fifo %42, %31 : tensor<1x4xf16>, <"VPU" -> "DRAIN", 4xf16>
                  }
                  ktdf_lowering.execute_on %84 {
                    ktdf.data_transfer from %31 size [4] to %58[%arg5, %arg6, 0, 0] size [1, 1, 1, 4] : !ktdf.fifo.slot<"VPU" -> "DRAIN", 4xf16>, memref<2x1x1x4xf16, "PAD">
                  }
                }
              }
            }
          }
          ktdf_lowering.signal %84, %86
          ktdf_lowering.execute_on %86 {
            %59 = affine.min #map5(%arg4)
            ktdf.data_transfer from %reinterpret_cast_8[0, 0] size [2, %59] to %reinterpret_cast[0, %arg4 * 4] size [2, %59] : memref<2x4xf16, strided<[4, 1]>, "PAD">, memref<2x16xf16, strided<[16, 1], offset: ?>, "MAIN">
          }
        }
      }
      return
    }
  }
}
