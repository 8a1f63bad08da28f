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
      %54 = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-dmai", type = "dmai"} : index
      %55 = dataflow.get_unit {core = 1 : i32, corelet = 0 : i32, name = "C1-dmai", type = "dmai"} : index
      %56 = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-feed", type = "feed"} : index
      %57 = dataflow.get_unit {core = 1 : i32, corelet = 0 : i32, name = "C1-feed", type = "feed"} : index
      %58 = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-vpu", type = "vpu"} : index
      %59 = dataflow.get_unit {core = 1 : i32, corelet = 0 : i32, name = "C1-vpu", type = "vpu"} : index
      %60 = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-drain", type = "drain"} : index
      %61 = dataflow.get_unit {core = 1 : i32, corelet = 0 : i32, name = "C1-drain", type = "drain"} : index
      %62 = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-dmao", type = "dmao"} : index
      %63 = dataflow.get_unit {core = 1 : i32, corelet = 0 : i32, name = "C1-dmao", type = "dmao"} : index
      %64 = ktdp.get_compute_tile_id : index
      %c0_0 = arith.constant 0 : index
      %c1_0 = arith.constant 1 : index
      %65 = uniform.def_immutable_mapping([%c0_0 -> %54], [%c1_0 -> %55]):index
      %66 = uniform.query_map(map:%65, key:%64) : index
      %c0_1 = arith.constant 0 : index
      %c1_1 = arith.constant 1 : index
      %67 = uniform.def_immutable_mapping([%c0_1 -> %56], [%c1_1 -> %57]):index
      %68 = uniform.query_map(map:%67, key:%64) : index
      %c0_3 = arith.constant 0 : index
      %c1_3 = arith.constant 1 : index
      %69 = uniform.def_immutable_mapping([%c0_3 -> %58], [%c1_3 -> %59]):index
      %70 = uniform.query_map(map:%69, key:%64) : index
      %c0_4 = arith.constant 0 : index
      %c1_5 = arith.constant 1 : index
      %71 = uniform.def_immutable_mapping([%c0_4 -> %60], [%c1_5 -> %61]):index
      %72 = uniform.query_map(map:%71, key:%64) : index
      %c0_6 = arith.constant 0 : index
      %c1_7 = arith.constant 1 : index
      %73 = uniform.def_immutable_mapping([%c0_6 -> %62], [%c1_7 -> %63]):index
      %74 = uniform.query_map(map:%73, key:%64) : index
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
        ktdf_lowering.execute_on %66, %68, %70, %72, %74 {
          %25 = ktdf.create_token : !ktdf.token
          %26 = ktdf.create_token : !ktdf.token
          ktdf_lowering.execute_on %66 {
            %48 = affine.min #map3(%arg2)
            ktdf.data_transfer from %reinterpret_cast_1[%arg2 * 2, 0] size [%48, 20] to %46[0, 0, 0] size [%48, 1, 20] : memref<4x20xf16, strided<[20, 1], offset: ?>, "MAIN">, memref<2x1x20xf16, "PAD">
          }
          ktdf_lowering.signal %66, %68
          ktdf_lowering.execute_on %68, %70, %72 {
            scf.for %arg3 = %c0 to %41 step %c1 {
              ktdf_lowering.execute_on %68, %70, %72 {
                %23 = ktdf.fifo.allocate() {kt.operand = 0 : i64} -> !ktdf.fifo.slot<"FEED" -> "VPU", 4xf16>
                %24 = ktdf.fifo.allocate() {kt.operand = 2 : i64} -> !ktdf.fifo.slot<"VPU" -> "DRAIN", 1xf16>
                %27 = ktdf.create_token : !ktdf.token
                %38 = ktdf.create_token : !ktdf.token
                ktdf_lowering.execute_on %68 {
                  scf.for %arg4 = %c0 to %c5 step %c1 {
                    ktdf.data_transfer from %46[%arg3, 0, %arg4 * 4] size [1, 1, 4] to %23 size [4] : memref<2x1x20xf16, "PAD">, !ktdf.fifo.slot<"FEED" -> "VPU", 4xf16>
                  }
                }
                ktdf_lowering.execute_on %70 {
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
                    %33 = ktdf.read_from_fifo %23 : <"FEED" -> "VPU", 4xf16> -> tensor<1x4xf16>
                    %34 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%33 : tensor<1x4xf16>) outs(%arg5 : tensor<1x4xf32>) {
                    ^bb0(%in: f16, %out_1: f32):
                      %12 = arith.extf %in : f16 to f32
                      %13 = arith.addf %out_1, %12 : f32
                      linalg.yield %13 : f32
                    } -> tensor<1x4xf32>
                    scf.yield %34 : tensor<1x4xf32>
                  }
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
                  ktdf.write_to_fifo %37, %24 : tensor<1xf16>, <"VPU" -> "DRAIN", 1xf16>
                }
                ktdf_lowering.execute_on %72 {
                  ktdf.data_transfer from %24 size [1] to %47[%arg3, 0] size [1, 1] : !ktdf.fifo.slot<"VPU" -> "DRAIN", 1xf16>, memref<2x1xf16, "PAD">
                }
              }
            }
          }
          ktdf_lowering.signal %72, %74
          ktdf_lowering.execute_on %74 {
            %49 = affine.min #map3(%arg2)
            ktdf.data_transfer from %47[0, 0] size [%49, 1] to %reinterpret_cast[%arg2 * 2] size [%49] : memref<2x1xf16, "PAD">, memref<4xf16, strided<[1], offset: ?>, "MAIN">
          }
        }
      }
      return
    }
  }
}
