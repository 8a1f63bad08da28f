#map = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0) -> (64, d0 * -64 + 160)>
#map3 = affine_map<(d0) -> (2, d0 * -2 + 6)>
#set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 11 >= 0, d1 >= 0, -d1 + 159 >= 0)>
module {
  module {
    func.func @add(%x: index, %y: index, %z: index) attributes {grid = [2]} {
      call @local_schedule_0(%x, %y, %z) : (index, index, index) -> ()
      return
    }
    func.func private @local_schedule_0(index, index, index)
  }
  ktdf_arch.device @spyre import("kt:spyre")
  module @local_schedule_0 {
    func.func @local_schedule_0(%x: index, %y: index, %z: index) attributes {grid = [2], kt.plan = {depth = 2 : i64, instances = {"0" = 2 : i64}, tile = {"0" = 2 : i64, "1" = 3 : i64}}} {
      %54 = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-dmald", type = "dmald"} : index
      %55 = dataflow.get_unit {core = 1 : i32, corelet = 0 : i32, name = "C1-dmald", type = "dmald"} : index
      %56 = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-lxld-CL0", type = "lxld"} : index
      %57 = dataflow.get_unit {core = 1 : i32, corelet = 0 : i32, name = "C1-lxld-CL0", type = "lxld"} : index
      %58 = dataflow.get_unit {core = 0 : i32, corelet = 1 : i32, name = "C0-lxld-CL1", type = "lxld"} : index
      %59 = dataflow.get_unit {core = 1 : i32, corelet = 1 : i32, name = "C1-lxld-CL1", type = "lxld"} : index
      %60 = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-vce-CL0", type = "vce"} : index
      %61 = dataflow.get_unit {core = 1 : i32, corelet = 0 : i32, name = "C1-vce-CL0", type = "vce"} : index
      %62 = dataflow.get_unit {core = 0 : i32, corelet = 1 : i32, name = "C0-vce-CL1", type = "vce"} : index
      %63 = dataflow.get_unit {core = 1 : i32, corelet = 1 : i32, name = "C1-vce-CL1", type = "vce"} : index
      %64 = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-lxst-CL0", type = "lxst"} : index
      %65 = dataflow.get_unit {core = 1 : i32, corelet = 0 : i32, name = "C1-lxst-CL0", type = "lxst"} : index
      %66 = dataflow.get_unit {core = 0 : i32, corelet = 1 : i32, name = "C0-lxst-CL1", type = "lxst"} : index
      %67 = dataflow.get_unit {core = 1 : i32, corelet = 1 : i32, name = "C1-lxst-CL1", type = "lxst"} : index
      %68 = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-dmast", type = "dmast"} : index
      %69 = dataflow.get_unit {core = 1 : i32, corelet = 0 : i32, name = "C1-dmast", type = "dmast"} : index
      %70 = ktdp.get_compute_tile_id : index
      %c0_0 = arith.constant 0 : index
      %c1_0 = arith.constant 1 : index
      %71 = uniform.def_immutable_mapping([%c0_0 -> %54], [%c1_0 -> %55]):index
      %72 = uniform.query_map(map:%71, key:%70) : index
      %c0_1 = arith.constant 0 : index
      %c1_1 = arith.constant 1 : index
      %73 = uniform.def_immutable_mapping([%c0_1 -> %56], [%c1_1 -> %57]):index
      %74 = uniform.query_map(map:%73, key:%70) : index
      %c0_2 = arith.constant 0 : index
      %c1_3 = arith.constant 1 : index
      %75 = uniform.def_immutable_mapping([%c0_2 -> %58], [%c1_3 -> %59]):index
      %76 = uniform.query_map(map:%75, key:%70) : index
      %c0_3 = arith.constant 0 : index
      %c1_5 = arith.constant 1 : index
      %77 = uniform.def_immutable_mapping([%c0_3 -> %60], [%c1_5 -> %61]):index
      %78 = uniform.query_map(map:%77, key:%70) : index
      %c0_6 = arith.constant 0 : index
      %c1_7 = arith.constant 1 : index
      %79 = uniform.def_immutable_mapping([%c0_6 -> %62], [%c1_7 -> %63]):index
      %80 = uniform.query_map(map:%79, key:%70) : index
      %c0_8 = arith.constant 0 : index
      %c1_9 = arith.constant 1 : index
      %81 = uniform.def_immutable_mapping([%c0_8 -> %64], [%c1_9 -> %65]):index
      %82 = uniform.query_map(map:%81, key:%70) : index
      %c0_10 = arith.constant 0 : index
      %c1_11 = arith.constant 1 : index
      %83 = uniform.def_immutable_mapping([%c0_10 -> %66], [%c1_11 -> %67]):index
      %84 = uniform.query_map(map:%83, key:%70) : index
      %c0_12 = arith.constant 0 : index
      %c1_13 = arith.constant 1 : index
      %85 = uniform.def_immutable_mapping([%c0_12 -> %68], [%c1_13 -> %69]):index
      %86 = uniform.query_map(map:%85, key:%70) : index
      %c2 = arith.constant 2 : index
      %c960 = arith.constant 960 : index
      %c3 = arith.constant 3 : index
      %c1 = arith.constant 1 : index
      %c0 = arith.constant 0 : index
      %xv = ktdp.construct_memory_view %x, sizes: [12, 160], strides: [160, 1] {coordinate_set = #set, memory_space = #ktdp.memory_space<global>} : memref<12x160xf16>
      %tile = ktdp.get_compute_tile_id : index
      %yv = ktdp.construct_memory_view %y, sizes: [12, 160], strides: [160, 1] {coordinate_set = #set, memory_space = #ktdp.memory_space<global>} : memref<12x160xf16>
      %zv = ktdp.construct_memory_view %z, sizes: [12, 160], strides: [160, 1] {coordinate_set = #set, memory_space = #ktdp.memory_space<global>} : memref<12x160xf16>
      %memspacecast = memref.memory_space_cast %xv : memref<12x160xf16> to memref<12x160xf16, "LPDDR">
      %13 = arith.muli %tile, %c960 : index
      %reinterpret_cast = memref.reinterpret_cast %memspacecast to offset: [%13], sizes: [6, 160], strides: [160, 1] : memref<12x160xf16, "LPDDR"> to memref<6x160xf16, strided<[160, 1], offset: ?>, "LPDDR">
      %memspacecast_0 = memref.memory_space_cast %yv : memref<12x160xf16> to memref<12x160xf16, "LPDDR">
      %14 = arith.muli %tile, %c960 : index
      %reinterpret_cast_2 = memref.reinterpret_cast %memspacecast_0 to offset: [%14], sizes: [6, 160], strides: [160, 1] : memref<12x160xf16, "LPDDR"> to memref<6x160xf16, strided<[160, 1], offset: ?>, "LPDDR">
      %memspacecast_3 = memref.memory_space_cast %zv : memref<12x160xf16> to memref<12x160xf16, "LPDDR">
      %15 = arith.muli %tile, %c960 : index
      %reinterpret_cast_5 = memref.reinterpret_cast %memspacecast_3 to offset: [%15], sizes: [6, 160], strides: [160, 1] : memref<12x160xf16, "LPDDR"> to memref<6x160xf16, strided<[160, 1], offset: ?>, "LPDDR">
      %c0_4 = arith.constant 0 : index
      %48 = builtin.unrealized_conversion_cast %c0_4 : index to memref<2x3x1x64xf16, "LX">
      %c768 = arith.constant 768 : index
      %49 = builtin.unrealized_conversion_cast %c768 : index to memref<2x3x1x64xf16, "LX">
      %c1536 = arith.constant 1536 : index
      %50 = builtin.unrealized_conversion_cast %c1536 : index to memref<2x3x1x64xf16, "LX">
      %c2304 = arith.constant 2304 : index
      %51 = builtin.unrealized_conversion_cast %c2304 : index to memref<2x3x1x64xf16, "LX">
      %c3072 = arith.constant 3072 : index
      %52 = builtin.unrealized_conversion_cast %c3072 : index to memref<2x3x1x64xf16, "LX">
      %c3840 = arith.constant 3840 : index
      %53 = builtin.unrealized_conversion_cast %c3840 : index to memref<2x3x1x64xf16, "LX">
      scf.for %arg3 = %c0 to %c3 step %c1 {
        %43 = ktdf.buffer_phase(%arg3) {num_phases = 2 : i64} : index
        %44 = ktdf.select_memref %43[%48, %49] : memref<2x3x1x64xf16, "LX">
        %reinterpret_cast_9 = memref.reinterpret_cast %44 to offset: [0], sizes: [2, 192], strides: [192, 1] : memref<2x3x1x64xf16, "LX"> to memref<2x192xf16, strided<[192, 1]>, "LX">
        %45 = ktdf.select_memref %43[%50, %51] : memref<2x3x1x64xf16, "LX">
        %reinterpret_cast_10 = memref.reinterpret_cast %45 to offset: [0], sizes: [2, 192], strides: [192, 1] : memref<2x3x1x64xf16, "LX"> to memref<2x192xf16, strided<[192, 1]>, "LX">
        %46 = ktdf.select_memref %43[%52, %53] : memref<2x3x1x64xf16, "LX">
        %reinterpret_cast_11 = memref.reinterpret_cast %46 to offset: [0], sizes: [2, 192], strides: [192, 1] : memref<2x3x1x64xf16, "LX"> to memref<2x192xf16, strided<[192, 1]>, "LX">
        ktdf_lowering.execute_on %72, %74, %76, %78, %80, %82, %84, %86 {
          %21 = ktdf.create_token : !ktdf.token
          %22 = ktdf.create_token : !ktdf.token
          ktdf_lowering.execute_on %72 {
            %16 = affine.min #map3(%arg3)
            ktdf.data_transfer from %reinterpret_cast[%arg3 * 2, 0] size [%16, 160] to %reinterpret_cast_9[0, 0] size [%16, 160] : memref<6x160xf16, strided<[160, 1], offset: ?>, "LPDDR">, memref<2x192xf16, strided<[192, 1]>, "LX">
            %40 = affine.min #map3(%arg3)
            ktdf.data_transfer from %reinterpret_cast_2[%arg3 * 2, 0] size [%40, 160] to %reinterpret_cast_10[0, 0] size [%40, 160] : memref<6x160xf16, strided<[160, 1], offset: ?>, "LPDDR">, memref<2x192xf16, strided<[192, 1]>, "LX">
          }
          ktdf_lowering.signal %72, %74, %76
          ktdf_lowering.execute_on %74, %76, %78, %80, %82, %84 {
            ktdf.parallel (%arg4, %arg5) = (%c0) to (%c2) step (%c1) distribute(num_instances = 2) {
              scf.for %arg6_0 = %c0 to %c3 step %c1 {
                %38 = affine.min #map2(%arg6_0)
                ktdf_lowering.execute_on %74, %76, %78, %80, %82, %84 {
                  %18 = ktdf.fifo.allocate() {kt.operand = 0 : i64} -> !ktdf.fifo.slot<"LXLD" -> "VCE", 64xf16>
                  %19 = ktdf.fifo.allocate() {kt.operand = 1 : i64} -> !ktdf.fifo.slot<"LXLD" -> "VCE", 64xf16>
                  %20 = ktdf.fifo.allocate() {kt.operand = 2 : i64} -> !ktdf.fifo.slot<"VCE" -> "LXST", 64xf16>
                  %23 = ktdf.create_token : !ktdf.token
                  %28 = ktdf.create_token : !ktdf.token
                  ktdf_lowering.execute_on %74, %76 {
                    ktdf.data_transfer from %44[%arg4, %arg6_0, 0, 0] size [1, 1, 1, %38] to %18 size [64] {transfer_mode = "pad"} : memref<2x3x1x64xf16, "LX">, !ktdf.fifo.slot<"LXLD" -> "VCE", 64xf16>
                    ktdf.data_transfer from %45[%arg4, %arg6_0, 0, 0] size [1, 1, 1, %38] to %19 size [64] {transfer_mode = "pad"} : memref<2x3x1x64xf16, "LX">, !ktdf.fifo.slot<"LXLD" -> "VCE", 64xf16>
                  }
                  ktdf_lowering.execute_on %78, %80 {
                    %24 = ktdf.read_from_fifo %18 : <"LXLD" -> "VCE", 64xf16> -> tensor<1x64xf16>
                    %25 = ktdf.read_from_fifo %19 : <"LXLD" -> "VCE", 64xf16> -> tensor<1x64xf16>
                    %26 = tensor.empty() : tensor<1x64xf16>
                    %27 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%24, %25 : tensor<1x64xf16>, tensor<1x64xf16>) outs(%26 : tensor<1x64xf16>) {
                    ^bb0(%in: f16, %in_9: f16, %out: f16):
                      %12 = arith.addf %in, %in_9 : f16
                      linalg.yield %12 : f16
                    } -> tensor<1x64xf16>
                    ktdf.write_to_fifo %27, %20 : tensor<1x64xf16>, <"VCE" -> "LXST", 64xf16>
                  }
                  ktdf_lowering.execute_on %82, %84 {
                    ktdf.data_transfer from %20 size [64] to %46[%arg4, %arg6_0, 0, 0] size [1, 1, 1, 64] : !ktdf.fifo.slot<"VCE" -> "LXST", 64xf16>, memref<2x3x1x64xf16, "LX">
                  }
                }
              }
              ktdf.parallel_yield
            }
          }
          ktdf_lowering.signal %82, %84, %86
          ktdf_lowering.execute_on %86 {
            %47 = affine.min #map3(%arg3)
            ktdf.data_transfer from %reinterpret_cast_11[0, 0] size [%47, 160] to %reinterpret_cast_5[%arg3 * 2, 0] size [%47, 160] : memref<2x192xf16, strided<[192, 1]>, "LX">, memref<6x160xf16, strided<[160, 1], offset: ?>, "LPDDR">
          }
        }
      }
      return
    }
  }
}
