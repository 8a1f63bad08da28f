#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0) -> (d0)>
#map2 = affine_map<(d0, d1) -> (d0)>
#map3 = affine_map<(d0) -> (2, d0 * -2 + 4)>
#set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 7 >= 0, d1 >= 0, -d1 + 19 >= 0)>
#set1 = affine_set<(d0) : (d0 >= 0, -d0 + 7 >= 0)>
module {
  module {
    func.func @row_sum(%x: index, %s: index) attributes {grid = [2]} {
      call @local_schedule_0(%x) : (index) -> ()
      call @local_schedule_1(%s) : (index) -> ()
      return
    }
    func.func private @local_schedule_0(index)
    func.func private @local_schedule_1(index)
  }
  ktdf_arch.device @toy import("kt:toy")
  module @local_schedule_0 {
    func.func @local_schedule_0(%x: index) attributes {grid = [2], kt.plan = {depth = 2 : i64, tile = {"0" = 2 : i64}}, kt.reserved = {PAD = 16 : i64}} {
      %57 = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-dmai", type = "dmai"} : index
      %58 = dataflow.get_unit {core = 1 : i32, corelet = 0 : i32, name = "C1-dmai", type = "dmai"} : index
      %59 = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-feed", type = "feed"} : index
      %60 = dataflow.get_unit {core = 1 : i32, corelet = 0 : i32, name = "C1-feed", type = "feed"} : index
      %61 = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-vpu", type = "vpu"} : index
      %62 = dataflow.get_unit {core = 1 : i32, corelet = 0 : i32, name = "C1-vpu", type = "vpu"} : index
      %63 = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-drain", type = "drain"} : index
      %64 = dataflow.get_unit {core = 1 : i32, corelet = 0 : i32, name = "C1-drain", type = "drain"} : index
      %65 = ktdp.get_compute_tile_id : index
      %c0_1 = arith.constant 0 : index
      %c1_0 = arith.constant 1 : index
      %66 = uniform.def_immutable_mapping([%c0_1 -> %57], [%c1_0 -> %58]):index
      %67 = uniform.query_map(map:%66, key:%65) : index
      %c0_2 = arith.constant 0 : index
      %c1_1 = arith.constant 1 : index
      %68 = uniform.def_immutable_mapping([%c0_2 -> %59], [%c1_1 -> %60]):index
      %69 = uniform.query_map(map:%68, key:%65) : index
      %c0_3 = arith.constant 0 : index
      %c1_3 = arith.constant 1 : index
      %70 = uniform.def_immutable_mapping([%c0_3 -> %61], [%c1_3 -> %62]):index
      %71 = uniform.query_map(map:%70, key:%65) : index
      %c0_4 = arith.constant 0 : index
      %c1_5 = arith.constant 1 : index
      %72 = uniform.def_immutable_mapping([%c0_4 -> %63], [%c1_5 -> %64]):index
      %73 = uniform.query_map(map:%72, key:%65) : index
      %c0 = arith.constant 0 : index
      %52 = builtin.unrealized_conversion_cast %c0 : index to memref<4xf32, "PAD">
      %c2 = arith.constant 2 : index
      %c80 = arith.constant 80 : index
      %c5 = arith.constant 5 : index
      %c1 = arith.constant 1 : index
      %c0_0 = arith.constant 0 : index
      %cst = arith.constant 0.000000e+00 : f32
      %c4 = arith.constant 4 : index
      %xv = ktdp.construct_memory_view %x, sizes: [8, 20], strides: [20, 1] {coordinate_set = #set, memory_space = #ktdp.memory_space<global>} : memref<8x20xf16>
      %tile = ktdp.get_compute_tile_id : index
      %reinterpret_cast = memref.reinterpret_cast %52 to offset: [0], sizes: [4], strides: [1] : memref<4xf32, "PAD"> to memref<4xf32, strided<[1]>, "PAD">
      %memspacecast = memref.memory_space_cast %xv : memref<8x20xf16> to memref<8x20xf16, "MAIN">
      %21 = arith.muli %tile, %c80 : index
      %reinterpret_cast_0 = memref.reinterpret_cast %memspacecast to offset: [%21], sizes: [4, 20], strides: [20, 1] : memref<8x20xf16, "MAIN"> to memref<4x20xf16, strided<[20, 1], offset: ?>, "MAIN">
      %c16 = arith.constant 16 : index
      %53 = builtin.unrealized_conversion_cast %c16 : index to memref<2x1x20xf16, "PAD">
      %c96 = arith.constant 96 : index
      %54 = builtin.unrealized_conversion_cast %c96 : index to memref<2x1x20xf16, "PAD">
      scf.for %arg2 = %c0_0 to %c2 step %c1 {
        %45 = ktdf.tiling.derive_size [%arg2 : %c2], total_size = %c4 : index
        %49 = ktdf.buffer_phase(%arg2) {num_phases = 2 : i64} : index
        %50 = ktdf.select_memref %49[%53, %54] : memref<2x1x20xf16, "PAD">
        ktdf_lowering.execute_on %67, %69, %71, %73 {
          %25 = ktdf.create_token : !ktdf.token
          ktdf_lowering.execute_on %67 {
            %51 = affine.min #map3(%arg2)
            ktdf.data_transfer from %reinterpret_cast_0[%arg2 * 2, 0] size [%51, 20] to %50[0, 0, 0] size [%51, 1, 20] : memref<4x20xf16, strided<[20, 1], offset: ?>, "MAIN">, memref<2x1x20xf16, "PAD">
          }
          ktdf_lowering.signal %67, %69
          ktdf_lowering.execute_on %69, %71, %73 {
            scf.for %arg3 = %c0_0 to %45 step %c1 {
              ktdf_lowering.execute_on %69, %71, %73 {
                %23 = ktdf.fifo.allocate() {kt.operand = 0 : i64} -> !ktdf.fifo.slot<"FEED" -> "VPU", 4xf16>
                %24 = ktdf.fifo.allocate() {kt.operand = 2 : i64} -> !ktdf.fifo.slot<"VPU" -> "DRAIN", 1xf32>
                %26 = ktdf.create_token : !ktdf.token
                %27 = ktdf.create_token : !ktdf.token
                ktdf_lowering.execute_on %69 {
                  scf.for %arg4 = %c0_0 to %c5 step %c1 {
                    ktdf.data_transfer from %50[%arg3, 0, %arg4 * 4] size [1, 1, 4] to %23 size [4] : memref<2x1x20xf16, "PAD">, !ktdf.fifo.slot<"FEED" -> "VPU", 4xf16>
                  }
                }
                ktdf_lowering.execute_on %71 {
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
                  %32 = scf.for %arg3_0 = %c0_0 to %c5 step %c1 iter_args(%arg5 = %31) -> (tensor<1x4xf32>) {
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
                  ktdf.write_to_fifo %35, %24 : tensor<1xf32>, <"VPU" -> "DRAIN", 1xf32>
                }
                ktdf_lowering.execute_on %73 {
                  ktdf.data_transfer from %24 size [1] to %reinterpret_cast[%arg2 * 2 + %arg3] size [1] : !ktdf.fifo.slot<"VPU" -> "DRAIN", 1xf32>, memref<4xf32, strided<[1]>, "PAD">
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
    func.func @local_schedule_1(%s: index) attributes {grid = [2], kt.plan = {depth = 2 : i64, tile = {}}, kt.reserved = {PAD = 16 : i64}} {
      %74 = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-feed", type = "feed"} : index
      %75 = dataflow.get_unit {core = 1 : i32, corelet = 0 : i32, name = "C1-feed", type = "feed"} : index
      %76 = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-vpu", type = "vpu"} : index
      %77 = dataflow.get_unit {core = 1 : i32, corelet = 0 : i32, name = "C1-vpu", type = "vpu"} : index
      %78 = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-drain", type = "drain"} : index
      %79 = dataflow.get_unit {core = 1 : i32, corelet = 0 : i32, name = "C1-drain", type = "drain"} : index
      %80 = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-dmao", type = "dmao"} : index
      %81 = dataflow.get_unit {core = 1 : i32, corelet = 0 : i32, name = "C1-dmao", type = "dmao"} : index
      %82 = ktdp.get_compute_tile_id : index
      %c0_0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %83 = uniform.def_immutable_mapping([%c0_0 -> %74], [%c1 -> %75]):index
      %84 = uniform.query_map(map:%83, key:%82) : index
      %c0_1 = arith.constant 0 : index
      %c1_1 = arith.constant 1 : index
      %85 = uniform.def_immutable_mapping([%c0_1 -> %76], [%c1_1 -> %77]):index
      %86 = uniform.query_map(map:%85, key:%82) : index
      %c0_2 = arith.constant 0 : index
      %c1_3 = arith.constant 1 : index
      %87 = uniform.def_immutable_mapping([%c0_2 -> %78], [%c1_3 -> %79]):index
      %88 = uniform.query_map(map:%87, key:%82) : index
      %c0_4 = arith.constant 0 : index
      %c1_5 = arith.constant 1 : index
      %89 = uniform.def_immutable_mapping([%c0_4 -> %80], [%c1_5 -> %81]):index
      %90 = uniform.query_map(map:%89, key:%82) : index
      %c0 = arith.constant 0 : index
      %55 = builtin.unrealized_conversion_cast %c0 : index to memref<4xf32, "PAD">
      %c4 = arith.constant 4 : index
      %sv = ktdp.construct_memory_view %s, sizes: [8], strides: [1] {coordinate_set = #set1, memory_space = #ktdp.memory_space<global>} : memref<8xf16>
      %tile = ktdp.get_compute_tile_id : index
      %row = arith.muli %tile, %c4 : index
      %reinterpret_cast = memref.reinterpret_cast %55 to offset: [0], sizes: [4], strides: [1] : memref<4xf32, "PAD"> to memref<4xf32, strided<[1]>, "PAD">
      %memspacecast = memref.memory_space_cast %sv : memref<8xf16> to memref<8xf16, "MAIN">
      %reinterpret_cast_0 = memref.reinterpret_cast %memspacecast to offset: [%row], sizes: [4], strides: [1] : memref<8xf16, "MAIN"> to memref<4xf16, strided<[1], offset: ?>, "MAIN">
      ktdf_lowering.execute_on %84, %86, %88, %90 {
        %37 = ktdf.fifo.allocate() {kt.operand = 0 : i64} -> !ktdf.fifo.slot<"FEED" -> "VPU", 4xf32>
        %38 = ktdf.fifo.allocate() {kt.operand = 1 : i64} -> !ktdf.fifo.slot<"VPU" -> "DRAIN", 4xf16>
        %c16 = arith.constant 16 : index
        %56 = builtin.unrealized_conversion_cast %c16 : index to memref<4xf16, "PAD">
        %39 = ktdf.create_token : !ktdf.token
        %40 = ktdf.create_token : !ktdf.token
        %41 = ktdf.create_token : !ktdf.token
        ktdf_lowering.execute_on %84 {
          ktdf.data_transfer from %reinterpret_cast[0] size [4] to %37 size [4] : memref<4xf32, strided<[1]>, "PAD">, !ktdf.fifo.slot<"FEED" -> "VPU", 4xf32>
        }
        ktdf_lowering.execute_on %86 {
          %42 = ktdf.read_from_fifo %37 : <"FEED" -> "VPU", 4xf32> -> tensor<4xf32>
          %14 = tensor.empty() : tensor<4xf16>
          %sum = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%42 : tensor<4xf32>) outs(%14 : tensor<4xf16>) {
          ^bb0(%in: f32, %out_0: f16):
            %15 = arith.truncf %in : f32 to f16
            linalg.yield %15 : f16
          } -> tensor<4xf16>
          ktdf.write_to_fifo %sum, %38 : tensor<4xf16>, <"VPU" -> "DRAIN", 4xf16>
        }
        ktdf_lowering.execute_on %88 {
          ktdf.data_transfer from %38 size [4] to %56[0] size [4] : !ktdf.fifo.slot<"VPU" -> "DRAIN", 4xf16>, memref<4xf16, "PAD">
        }
        ktdf_lowering.signal %88, %90
        ktdf_lowering.execute_on %90 {
          ktdf.data_transfer from %56[0] size [4] to %reinterpret_cast_0[0] size [4] : memref<4xf16, "PAD">, memref<4xf16, strided<[1], offset: ?>, "MAIN">
        }
      }
      return
    }
  }
}
