#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0) -> (d0)>
#map4 = affine_map<(d0, d1, d2) -> (d2 + d1 * 20 + d0)>
#map5 = affine_map<(d0, d1, d2) -> (d2 + d1 * 20 + d0 * 20)>
#map6 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map7 = affine_map<(d0) -> (0, d0, 0)>
#map8 = affine_map<(d0) -> (d0, 0, 0)>
#map9 = affine_map<(d0, d1) -> (d1 + d0)>
#map10 = affine_map<(d0) -> (0, 0)>
#set4 = affine_set<(d0, d1, d2) : (d0 == 0, d1 == 0, d2 >= 0, -d2 + 19 >= 0)>
#set5 = affine_set<(d0) : (d0 >= 0, -d0 + 1 >= 0)>
#set6 = affine_set<(d0, d1, d2) : (d0 == 0, d1 == 0, d2 >= 0, -d2 + 3 >= 0)>
#set7 = affine_set<(d0, d1) : (d0 == 0, d1 == 0)>
#set8 = affine_set<(d0, d1) : (d0 >= 0, -d0 + 1 >= 0, d1 == 0)>
#set9 = affine_set<(d0, d1) : (d0 == 0, d1 >= 0, -d1 + 1 >= 0)>
#set10 = affine_set<(d0) : (d0 == 0)>
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
      %cst = arith.constant dense<0.000000e+00> : vector<4xf32>
      %cst_0 = arith.constant dense<0.000000e+00> : vector<1xf32>
      %c10 = arith.constant 10 : index
      %c160 = arith.constant 160 : index
      %c5 = arith.constant 5 : index
      %c80 = arith.constant 80 : index
      %c16 = arith.constant 16 : index
      %c4 = arith.constant 4 : index
      %c1_0 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c0_0 = arith.constant 0 : index
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
      %75 = arith.divsi %x, %c16 : index
      symbol.create_id %75 {symbol_id = -3 : si64} : index
      %76 = dataflow.get_unit {name = "main", type = "main"} : index
      %77 = dataflow.get_unit {core = 0 : i32, name = "C0-pad", type = "pad"} : index
      %78 = dataflow.get_unit {core = 1 : i32, name = "C1-pad", type = "pad"} : index
      %79 = arith.divsi %s, %c16 : index
      symbol.create_id %79 {symbol_id = -4 : si64} : index
      dataflow.program_unit iter_arg : %arg2_0 -> (%54, %55) : {
        %80 = symbol.create_symbol {SymbolId = -3 : i64} : index
        %65 = uniform.def_immutable_mapping([%54 -> %c0_0], [%55 -> %c80]):index
        %66 = uniform.query_map(map:%65, key:%arg2_0) : index
        %81 = dataflow.get_logical_memory_view %76, %80 {addr_unit = "words", layout_map = #map4} : index, index, memref<160x4x20xf16>
        %67 = uniform.def_immutable_mapping([%54 -> %77], [%55 -> %78]):index
        %68 = uniform.query_map(map:%67, key:%arg2_0) : index
        %69 = uniform.def_immutable_mapping([%54 -> %56], [%55 -> %57]):index
        %70 = uniform.query_map(map:%69, key:%arg2_0) : index
        scf.for %arg2 = %c0_0 to %c2 step %c1_0 {
          %82 = arith.remui %arg2, %c2 : index
          %row = arith.muli %82, %c5 : index
          %83 = dataflow.get_logical_memory_view %68, %row {addr_unit = "words", layout_map = #map5} : index, index, memref<2x1x20xf16>
          agen.composite_load_and_store src:%81[%66, %arg2 * 2, 0] dst:%83[0, 0, 0]
           time_symbols(), load_iv(%arg4_2:vector<20xf16>)
           {load_order = #map6, load_set = #set4, load_time_addr_map = #map7, store_order = #map6, store_set = #set4, store_time_addr_map = #map8, time_order = #map1, time_set = #set5}
          {
            agen.yield
          } : memref<160x4x20xf16>, memref<2x1x20xf16>
          dataflow.sync_send %70 {wait_immediately_for_async_transfers = true} : index
          dataflow.sync_recv %70 : index
        }
      }
      dataflow.program_unit iter_arg : %arg2_1 -> (%56, %57) : {
        %71 = uniform.def_immutable_mapping([%56 -> %54], [%57 -> %55]):index
        %72 = uniform.query_map(map:%71, key:%arg2_1) : index
        %73 = uniform.def_immutable_mapping([%56 -> %77], [%57 -> %78]):index
        %74 = uniform.query_map(map:%73, key:%arg2_1) : index
        %84 = uniform.def_immutable_mapping([%56 -> %58], [%57 -> %59]):index
        %85 = uniform.query_map(map:%84, key:%arg2_1) : index
        scf.for %arg3 = %c0_0 to %c2 step %c1_0 {
          %86 = arith.remui %arg3, %c2 : index
          dataflow.sync_send %72 {wait_immediately_for_async_transfers = true} : index
          dataflow.sync_recv %72 : index
          scf.for %arg4 = %c0_0 to %c2 step %c1_0 {
            scf.for %arg5 = %c0_0 to %c5 step %c1_0 {
              %21 = arith.muli %86, %c80 : index
              %87 = dataflow.get_logical_memory_view %74, %21 {addr_unit = "words", layout_map = #map5} : index, index, memref<2x1x20xf16>
              %88 = agen.vector_load %87[%arg4, 0, %arg5 * 4] {load_order = #map6, load_set = #set6} : memref<2x1x20xf16>, vector<4xf16>
              dataflow.send %85, %88 : vector<4xf16>
            }
          }
        }
      }
      dataflow.program_unit iter_arg : %arg2_2 -> (%58, %59) : {
        %89 = uniform.def_immutable_mapping([%58 -> %56], [%59 -> %57]):index
        %90 = uniform.query_map(map:%89, key:%arg2_2) : index
        %91 = uniform.def_immutable_mapping([%58 -> %60], [%59 -> %61]):index
        %92 = uniform.query_map(map:%91, key:%arg2_2) : index
        scf.for %arg3_0 = %c0_0 to %c2 step %c1_0 {
          scf.for %arg4_0 = %c0_0 to %c2 step %c1_0 {
            %93 = scf.for %arg5_0 = %c0_0 to %c5 step %c1_0 iter_args(%arg6 = %cst) -> (vector<4xf32>) {
              %94 = dataflow.receive %90 : vector<4xf16>
              %95 = arith.extf %94 : vector<4xf16> to vector<4xf32>
              %96 = vectorchain.binary %arg6, %95 {binary_op = #vectorchain<binary_operator add>, op_specific_map = #map1} : vector<4xf32>, vector<4xf32>, vector<4xf32>
              scf.yield %96 : vector<4xf32>
            }
            %97 = vectorchain.shuffle input(%93) {indices = [0 : i32, 1 : i32], repetition = 1 : i32} : vector<4xf32>, vector<2xf32>
            %98 = vectorchain.shuffle input(%93) {indices = [2 : i32, 3 : i32], repetition = 1 : i32} : vector<4xf32>, vector<2xf32>
            %99 = vectorchain.binary %97, %98 {binary_op = #vectorchain<binary_operator add>, op_specific_map = #map1} : vector<2xf32>, vector<2xf32>, vector<2xf32>
            %100 = vectorchain.shuffle input(%99) {indices = [0 : i32], repetition = 1 : i32} : vector<2xf32>, vector<1xf32>
            %101 = vectorchain.shuffle input(%99) {indices = [1 : i32], repetition = 1 : i32} : vector<2xf32>, vector<1xf32>
            %102 = vectorchain.binary %100, %101 {binary_op = #vectorchain<binary_operator add>, op_specific_map = #map1} : vector<1xf32>, vector<1xf32>, vector<1xf32>
            %103 = vectorchain.binary %cst_0, %102 {binary_op = #vectorchain<binary_operator add>, op_specific_map = #map1} : vector<1xf32>, vector<1xf32>, vector<1xf32>
            %104 = arith.truncf %103 : vector<1xf32> to vector<1xf16>
            dataflow.send %92, %104 : vector<1xf16>
          }
        }
      }
      dataflow.program_unit iter_arg : %arg2_3 -> (%60, %61) : {
        %105 = uniform.def_immutable_mapping([%60 -> %58], [%61 -> %59]):index
        %106 = uniform.query_map(map:%105, key:%arg2_3) : index
        %107 = uniform.def_immutable_mapping([%60 -> %77], [%61 -> %78]):index
        %108 = uniform.query_map(map:%107, key:%arg2_3) : index
        %109 = uniform.def_immutable_mapping([%60 -> %62], [%61 -> %63]):index
        %110 = uniform.query_map(map:%109, key:%arg2_3) : index
        scf.for %arg3_1 = %c0_0 to %c2 step %c1_0 {
          %111 = arith.remui %arg3_1, %c2 : index
          scf.for %arg4_1 = %c0_0 to %c2 step %c1_0 {
            %112 = dataflow.receive %106 : vector<1xf16>
            %113 = arith.muli %111, %c16 : index
            %114 = arith.addi %113, %c160 : index
            %115 = dataflow.get_logical_memory_view %108, %114 {addr_unit = "words", layout_map = #map9} : index, index, memref<2x1xf16>
            agen.vector_store %112, %115[%arg4_1, 0] {store_order = #map, store_set = #set7} : memref<2x1xf16>, vector<1xf16>
          }
          dataflow.sync_send %110 {wait_immediately_for_async_transfers = true} : index
          dataflow.sync_recv %110 : index
        }
      }
      dataflow.program_unit iter_arg : %arg2_4 -> (%62, %63) : {
        %116 = uniform.def_immutable_mapping([%62 -> %60], [%63 -> %61]):index
        %117 = uniform.query_map(map:%116, key:%arg2_4) : index
        %118 = uniform.def_immutable_mapping([%62 -> %77], [%63 -> %78]):index
        %119 = uniform.query_map(map:%118, key:%arg2_4) : index
        %120 = symbol.create_symbol {SymbolId = -4 : i64} : index
        %121 = uniform.def_immutable_mapping([%62 -> %c0_0], [%63 -> %c4]):index
        %122 = uniform.query_map(map:%121, key:%arg2_4) : index
        %123 = dataflow.get_logical_memory_view %76, %120 {addr_unit = "words", layout_map = #map9} : index, index, memref<8x4xf16>
        scf.for %arg3_2 = %c0_0 to %c2 step %c1_0 {
          %124 = arith.remui %arg3_2, %c2 : index
          dataflow.sync_send %117 {wait_immediately_for_async_transfers = true} : index
          dataflow.sync_recv %117 : index
          %125 = arith.addi %124, %c10 : index
          %126 = dataflow.get_logical_memory_view %119, %125 {addr_unit = "words", layout_map = #map9} : index, index, memref<2x1xf16>
          agen.composite_load_and_store src:%126[0, 0] dst:%123[%122, %arg3_2 * 2]
           time_symbols(), load_iv(%arg4_3:vector<2xf16>)
           {load_order = #map, load_set = #set8, load_time_addr_map = #map10, store_order = #map, store_set = #set9, store_time_addr_map = #map10, time_order = #map1, time_set = #set10}
          {
            agen.yield
          } : memref<2x1xf16>, memref<8x4xf16>
        }
      }
      return
    }
  }
}
