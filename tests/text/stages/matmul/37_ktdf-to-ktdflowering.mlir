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
      call @local_schedule_0(%a, %b) : (index, index) -> ()
      call @local_schedule_1(%c) : (index) -> ()
      return
    }
    func.func private @local_schedule_0(index, index)
    func.func private @local_schedule_1(index)
  }
  ktdf_arch.device @toy import("kt:toy")
  module @local_schedule_0 {
    func.func @local_schedule_0(%a: index, %b: index) attributes {grid = [2], kt.plan = {depth = 2 : i64, tile = {"0" = 2 : i64, "1" = 1 : i64}}, kt.reserved = {PAD = 128 : i64}} {
      %86 = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-dmai", type = "dmai"} : index
      %87 = dataflow.get_unit {core = 1 : i32, corelet = 0 : i32, name = "C1-dmai", type = "dmai"} : index
      %88 = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-feed", type = "feed"} : index
      %89 = dataflow.get_unit {core = 1 : i32, corelet = 0 : i32, name = "C1-feed", type = "feed"} : index
      %90 = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-vpu", type = "vpu"} : index
      %91 = dataflow.get_unit {core = 1 : i32, corelet = 0 : i32, name = "C1-vpu", type = "vpu"} : index
      %92 = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-drain", type = "drain"} : index
      %93 = dataflow.get_unit {core = 1 : i32, corelet = 0 : i32, name = "C1-drain", type = "drain"} : index
      %94 = ktdp.get_compute_tile_id : index
      %c0_1 = arith.constant 0 : index
      %c1_0 = arith.constant 1 : index
      %95 = uniform.def_immutable_mapping([%c0_1 -> %86], [%c1_0 -> %87]):index
      %96 = uniform.query_map(map:%95, key:%94) : index
      %c0_2 = arith.constant 0 : index
      %c1_1 = arith.constant 1 : index
      %97 = uniform.def_immutable_mapping([%c0_2 -> %88], [%c1_1 -> %89]):index
      %98 = uniform.query_map(map:%97, key:%94) : index
      %c0_3 = arith.constant 0 : index
      %c1_3 = arith.constant 1 : index
      %99 = uniform.def_immutable_mapping([%c0_3 -> %90], [%c1_3 -> %91]):index
      %100 = uniform.query_map(map:%99, key:%94) : index
      %c0_4 = arith.constant 0 : index
      %c1_5 = arith.constant 1 : index
      %101 = uniform.def_immutable_mapping([%c0_4 -> %92], [%c1_5 -> %93]):index
      %102 = uniform.query_map(map:%101, key:%94) : index
      %c0 = arith.constant 0 : index
      %79 = builtin.unrealized_conversion_cast %c0 : index to memref<2x16xf32, "PAD">
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
      %reinterpret_cast = memref.reinterpret_cast %79 to offset: [0], sizes: [2, 16], strides: [16, 1] : memref<2x16xf32, "PAD"> to memref<2x16xf32, strided<[16, 1]>, "PAD">
      %memspacecast = memref.memory_space_cast %av : memref<4x6xf16> to memref<4x6xf16, "MAIN">
      %26 = arith.muli %tile, %c12 : index
      %reinterpret_cast_0 = memref.reinterpret_cast %memspacecast to offset: [%26], sizes: [2, 6], strides: [6, 1] : memref<4x6xf16, "MAIN"> to memref<2x6xf16, strided<[6, 1], offset: ?>, "MAIN">
      %memspacecast_1 = memref.memory_space_cast %bv : memref<6x16xf16> to memref<6x16xf16, "MAIN">
      %reinterpret_cast_2 = memref.reinterpret_cast %memspacecast_1 to offset: [0], sizes: [6, 16], strides: [16, 1] : memref<6x16xf16, "MAIN"> to memref<6x16xf16, strided<[16, 1]>, "MAIN">
      %c128 = arith.constant 128 : index
      %80 = builtin.unrealized_conversion_cast %c128 : index to memref<2x1x6xf16, "PAD">
      %c160 = arith.constant 160 : index
      %81 = builtin.unrealized_conversion_cast %c160 : index to memref<1x6x4xf16, "PAD">
      %c208 = arith.constant 208 : index
      %82 = builtin.unrealized_conversion_cast %c208 : index to memref<1x6x4xf16, "PAD">
      scf.for %arg4 = %c0_0 to %c4 step %c1 {
        %55 = ktdf.tiling.derive_size [%arg4 : %c1], total_size = %c4 : index
        %72 = arith.cmpi eq, %arg4, %c0_0 : index
        %73 = ktdf.buffer_phase(%arg4) {num_phases = 2 : i64} : index
        %74 = ktdf.select_memref %73[%81, %82] : memref<1x6x4xf16, "PAD">
        ktdf_lowering.execute_on %96, %98, %100, %102 {
          %31 = ktdf.create_token : !ktdf.token
          ktdf_lowering.execute_on %96 {
            scf.if %72 {
              ktdf.data_transfer from %reinterpret_cast_0[0, 0] size [2, 6] to %80[0, 0, 0] size [2, 1, 6] : memref<2x6xf16, strided<[6, 1], offset: ?>, "MAIN">, memref<2x1x6xf16, "PAD">
            } {kt.held = 1 : i64}
            scf.for %arg6_0 = %c0_0 to %55 step %c1 {
              ktdf.data_transfer from %reinterpret_cast_2[0, %arg4 * 4 + %arg6_0 * 4] size [6, 4] to %74[%arg6_0, 0, 0] size [1, 6, 4] : memref<6x16xf16, strided<[16, 1]>, "MAIN">, memref<1x6x4xf16, "PAD">
            }
          }
          ktdf_lowering.signal %96, %98
          ktdf_lowering.execute_on %98, %100, %102 {
            scf.for %arg5 = %c0_0 to %c2 step %c1 {
              scf.for %arg6 = %c0_0 to %55 step %c1 {
                ktdf_lowering.execute_on %98, %100, %102 {
                  %28 = ktdf.fifo.allocate() {kt.operand = 0 : i64} -> !ktdf.fifo.slot<"FEED" -> "VPU", 4xf16>
                  %29 = ktdf.fifo.allocate() {kt.operand = 1 : i64} -> !ktdf.fifo.slot<"FEED" -> "VPU", 4xf16>
                  %30 = ktdf.fifo.allocate() {kt.operand = 3 : i64} -> !ktdf.fifo.slot<"VPU" -> "DRAIN", 4xf32>
                  %32 = ktdf.create_token : !ktdf.token
                  %33 = ktdf.create_token : !ktdf.token
                  ktdf_lowering.execute_on %98 {
                    scf.for %arg7 = %c0_0 to %c6 step %c1 {
                      ktdf.data_transfer from %80[%arg5, 0, %arg7] size [1, 1, 1] to %28 size [4] {transfer_mode = "splat"} : memref<2x1x6xf16, "PAD">, !ktdf.fifo.slot<"FEED" -> "VPU", 4xf16>
                      ktdf.data_transfer from %74[%arg6, %arg7, 0] size [1, 1, 4] to %29 size [4] : memref<1x6x4xf16, "PAD">, !ktdf.fifo.slot<"FEED" -> "VPU", 4xf16>
                    }
                  }
                  ktdf_lowering.execute_on %100 {
                    %34 = tensor.empty() : tensor<1x4xf32>
                    %35 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%34 : tensor<1x4xf32>) {
                    ^bb0(%out: f32):
                      linalg.yield %cst : f32
                    } -> tensor<1x4xf32>
                    %36 = scf.for %arg5_0 = %c0_0 to %c6 step %c1 iter_args(%arg8 = %35) -> (tensor<1x4xf32>) {
                      %37 = ktdf.read_from_fifo %28 : <"FEED" -> "VPU", 4xf16> -> tensor<1x1x4xf16>
                      %38 = ktdf.read_from_fifo %29 : <"FEED" -> "VPU", 4xf16> -> tensor<1x4xf16>
                      %39 = linalg.generic {indexing_maps = [#map4, #map2, #map3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%37, %38 : tensor<1x1x4xf16>, tensor<1x4xf16>) outs(%arg8 : tensor<1x4xf32>) {
                      ^bb0(%in: f16, %in_8: f16, %out_0: f32):
                        %17 = arith.extf %in : f16 to f32
                        %18 = arith.extf %in_8 : f16 to f32
                        %78 = math.fma %17, %18, %out_0 : f32
                        linalg.yield %78 : f32
                      } -> tensor<1x4xf32>
                      scf.yield %39 : tensor<1x4xf32>
                    }
                    ktdf.write_to_fifo %36, %30 : tensor<1x4xf32>, <"VPU" -> "DRAIN", 4xf32>
                  }
                  ktdf_lowering.execute_on %102 {
                    ktdf.data_transfer from %30 size [4] to %reinterpret_cast[%arg5, %arg4 * 4 + %arg6 * 4] size [1, 4] : !ktdf.fifo.slot<"VPU" -> "DRAIN", 4xf32>, memref<2x16xf32, strided<[16, 1]>, "PAD">
                  }
                }
              }
            }
          }
        }
      }
      return
    }
  }
  module @local_schedule_1 {
    func.func @local_schedule_1(%c: index) attributes {grid = [2], kt.plan = {depth = 2 : i64, tile = {"0" = 2 : i64, "1" = 1 : i64}}, kt.reserved = {PAD = 128 : i64}} {
      %103 = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-feed", type = "feed"} : index
      %104 = dataflow.get_unit {core = 1 : i32, corelet = 0 : i32, name = "C1-feed", type = "feed"} : index
      %105 = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-vpu", type = "vpu"} : index
      %106 = dataflow.get_unit {core = 1 : i32, corelet = 0 : i32, name = "C1-vpu", type = "vpu"} : index
      %107 = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-drain", type = "drain"} : index
      %108 = dataflow.get_unit {core = 1 : i32, corelet = 0 : i32, name = "C1-drain", type = "drain"} : index
      %109 = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-dmao", type = "dmao"} : index
      %110 = dataflow.get_unit {core = 1 : i32, corelet = 0 : i32, name = "C1-dmao", type = "dmao"} : index
      %111 = ktdp.get_compute_tile_id : index
      %c0_1 = arith.constant 0 : index
      %c1_0 = arith.constant 1 : index
      %112 = uniform.def_immutable_mapping([%c0_1 -> %103], [%c1_0 -> %104]):index
      %113 = uniform.query_map(map:%112, key:%111) : index
      %c0_2 = arith.constant 0 : index
      %c1_1 = arith.constant 1 : index
      %114 = uniform.def_immutable_mapping([%c0_2 -> %105], [%c1_1 -> %106]):index
      %115 = uniform.query_map(map:%114, key:%111) : index
      %c0_3 = arith.constant 0 : index
      %c1_3 = arith.constant 1 : index
      %116 = uniform.def_immutable_mapping([%c0_3 -> %107], [%c1_3 -> %108]):index
      %117 = uniform.query_map(map:%116, key:%111) : index
      %c0_4 = arith.constant 0 : index
      %c1_5 = arith.constant 1 : index
      %118 = uniform.def_immutable_mapping([%c0_4 -> %109], [%c1_5 -> %110]):index
      %119 = uniform.query_map(map:%118, key:%111) : index
      %c0_0 = arith.constant 0 : index
      %83 = builtin.unrealized_conversion_cast %c0_0 : index to memref<2x16xf32, "PAD">
      %c32 = arith.constant 32 : index
      %c4 = arith.constant 4 : index
      %c1 = arith.constant 1 : index
      %c0 = arith.constant 0 : index
      %c2 = arith.constant 2 : index
      %cv = ktdp.construct_memory_view %c, sizes: [4, 16], strides: [16, 1] {coordinate_set = #set2, memory_space = #ktdp.memory_space<global>} : memref<4x16xf16>
      %tile = ktdp.get_compute_tile_id : index
      %reinterpret_cast = memref.reinterpret_cast %83 to offset: [0], sizes: [2, 16], strides: [16, 1] : memref<2x16xf32, "PAD"> to memref<2x16xf32, strided<[16, 1]>, "PAD">
      %memspacecast = memref.memory_space_cast %cv : memref<4x16xf16> to memref<4x16xf16, "MAIN">
      %40 = arith.muli %tile, %c32 : index
      %reinterpret_cast_0 = memref.reinterpret_cast %memspacecast to offset: [%40], sizes: [2, 16], strides: [16, 1] : memref<4x16xf16, "MAIN"> to memref<2x16xf16, strided<[16, 1], offset: ?>, "MAIN">
      %c128 = arith.constant 128 : index
      %84 = builtin.unrealized_conversion_cast %c128 : index to memref<2x1x1x4xf16, "PAD">
      %c144 = arith.constant 144 : index
      %85 = builtin.unrealized_conversion_cast %c144 : index to memref<2x1x1x4xf16, "PAD">
      scf.for %arg3 = %c0 to %c4 step %c1 {
        %63 = ktdf.tiling.derive_size [%arg3 : %c1], total_size = %c4 : index
        %75 = ktdf.buffer_phase(%arg3) {num_phases = 2 : i64} : index
        %76 = ktdf.select_memref %75[%84, %85] : memref<2x1x1x4xf16, "PAD">
        %reinterpret_cast_2 = memref.reinterpret_cast %76 to offset: [0], sizes: [2, 4], strides: [4, 1] : memref<2x1x1x4xf16, "PAD"> to memref<2x4xf16, strided<[4, 1]>, "PAD">
        ktdf_lowering.execute_on %113, %115, %117, %119 {
          %44 = ktdf.create_token : !ktdf.token
          ktdf_lowering.execute_on %113, %115, %117 {
            scf.for %arg4 = %c0 to %c2 step %c1 {
              scf.for %arg5 = %c0 to %63 step %c1 {
                ktdf_lowering.execute_on %113, %115, %117 {
                  %42 = ktdf.fifo.allocate() {kt.operand = 0 : i64} -> !ktdf.fifo.slot<"FEED" -> "VPU", 4xf32>
                  %43 = ktdf.fifo.allocate() {kt.operand = 1 : i64} -> !ktdf.fifo.slot<"VPU" -> "DRAIN", 4xf16>
                  %45 = ktdf.create_token : !ktdf.token
                  %46 = ktdf.create_token : !ktdf.token
                  ktdf_lowering.execute_on %113 {
                    ktdf.data_transfer from %reinterpret_cast[%arg4, %arg3 * 4 + %arg5 * 4] size [1, 4] to %42 size [4] : memref<2x16xf32, strided<[16, 1]>, "PAD">, !ktdf.fifo.slot<"FEED" -> "VPU", 4xf32>
                  }
                  ktdf_lowering.execute_on %115 {
                    %47 = ktdf.read_from_fifo %42 : <"FEED" -> "VPU", 4xf32> -> tensor<1x4xf32>
                    %48 = tensor.empty() : tensor<1x4xf16>
                    %49 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%47 : tensor<1x4xf32>) outs(%48 : tensor<1x4xf16>) {
                    ^bb0(%in: f32, %out: f16):
                      %21 = arith.truncf %in : f32 to f16
                      linalg.yield %21 : f16
                    } -> tensor<1x4xf16>
                    ktdf.write_to_fifo %49, %43 : tensor<1x4xf16>, <"VPU" -> "DRAIN", 4xf16>
                  }
                  ktdf_lowering.execute_on %117 {
                    ktdf.data_transfer from %43 size [4] to %76[%arg4, %arg5, 0, 0] size [1, 1, 1, 4] : !ktdf.fifo.slot<"VPU" -> "DRAIN", 4xf16>, memref<2x1x1x4xf16, "PAD">
                  }
                }
              }
            }
          }
          ktdf_lowering.signal %117, %119
          ktdf_lowering.execute_on %119 {
            %77 = affine.min #map5(%arg3)
            ktdf.data_transfer from %reinterpret_cast_2[0, 0] size [2, %77] to %reinterpret_cast_0[0, %arg3 * 4] size [2, %77] : memref<2x4xf16, strided<[4, 1]>, "PAD">, memref<2x16xf16, strided<[16, 1], offset: ?>, "MAIN">
          }
        }
      }
      return
    }
  }
}
