#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0) -> (d0)>
#map4 = affine_map<(d0, d1, d2) -> (d2 + d1 * 20 + d0)>
#map5 = affine_map<(d0, d1, d2) -> (d2 + d1 * 20 + d0 * 20)>
#map6 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map7 = affine_map<(d0) -> (0, d0, 0)>
#map8 = affine_map<(d0) -> (d0, 0, 0)>
#map9 = affine_map<(d0, d1) -> (d1 + d0)>
#map10 = affine_map<(d0) -> (0)>
#map11 = affine_map<(d0) -> (0, 0)>
#set3 = affine_set<(d0) : (d0 >= 0, -d0 + 3 >= 0)>
#set4 = affine_set<(d0, d1, d2) : (d0 == 0, d1 == 0, d2 >= 0, -d2 + 19 >= 0)>
#set5 = affine_set<(d0) : (d0 >= 0, -d0 + 1 >= 0)>
#set6 = affine_set<(d0, d1, d2) : (d0 == 0, d1 == 0, d2 >= 0, -d2 + 3 >= 0)>
#set7 = affine_set<(d0) : (d0 == 0)>
#set8 = affine_set<(d0, d1) : (d0 == 0, d1 >= 0, -d1 + 3 >= 0)>
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
      %cst = arith.constant dense<0.000000e+00> : vector<4xf32>
      %cst_0 = arith.constant dense<0.000000e+00> : vector<1xf32>
      %c5 = arith.constant 5 : index
      %c80 = arith.constant 80 : index
      %c16 = arith.constant 16 : index
      %c1_0 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c0_1 = arith.constant 0 : index
      %57 = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-dmai", type = "dmai"} : index
      %58 = dataflow.get_unit {core = 1 : i32, corelet = 0 : i32, name = "C1-dmai", type = "dmai"} : index
      %59 = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-feed", type = "feed"} : index
      %60 = dataflow.get_unit {core = 1 : i32, corelet = 0 : i32, name = "C1-feed", type = "feed"} : index
      %61 = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-vpu", type = "vpu"} : index
      %62 = dataflow.get_unit {core = 1 : i32, corelet = 0 : i32, name = "C1-vpu", type = "vpu"} : index
      %63 = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-drain", type = "drain"} : index
      %64 = dataflow.get_unit {core = 1 : i32, corelet = 0 : i32, name = "C1-drain", type = "drain"} : index
      %91 = arith.divsi %x, %c16 : index
      symbol.create_id %91 {symbol_id = -3 : si64} : index
      %92 = dataflow.get_unit {name = "main", type = "main"} : index
      %93 = dataflow.get_unit {core = 0 : i32, name = "C0-pad", type = "pad"} : index
      %94 = dataflow.get_unit {core = 1 : i32, name = "C1-pad", type = "pad"} : index
      dataflow.program_unit iter_arg : %arg1 -> (%57, %58) : {
        %95 = symbol.create_symbol {SymbolId = -3 : i64} : index
        %66 = uniform.def_immutable_mapping([%57 -> %c0_1], [%58 -> %c80]):index
        %67 = uniform.query_map(map:%66, key:%arg1) : index
        %96 = dataflow.get_logical_memory_view %92, %95 {addr_unit = "words", layout_map = #map4} : index, index, memref<160x4x20xf16>
        %68 = uniform.def_immutable_mapping([%57 -> %93], [%58 -> %94]):index
        %69 = uniform.query_map(map:%68, key:%arg1) : index
        %70 = uniform.def_immutable_mapping([%57 -> %59], [%58 -> %60]):index
        %71 = uniform.query_map(map:%70, key:%arg1) : index
        scf.for %arg2 = %c0_1 to %c2 step %c1_0 {
          %97 = arith.remui %arg2, %c2 : index
          %21 = arith.muli %97, %c5 : index
          %98 = arith.addi %21, %c1_0 : index
          %99 = dataflow.get_logical_memory_view %69, %98 {addr_unit = "words", layout_map = #map5} : index, index, memref<2x1x20xf16>
          agen.composite_load_and_store src:%96[%67, %arg2 * 2, 0] dst:%99[0, 0, 0]
           time_symbols(), load_iv(%arg3_3:vector<20xf16>)
           {load_order = #map6, load_set = #set4, load_time_addr_map = #map7, store_order = #map6, store_set = #set4, store_time_addr_map = #map8, time_order = #map1, time_set = #set5}
          {
            agen.yield
          } : memref<160x4x20xf16>, memref<2x1x20xf16>
          dataflow.sync_send %71 {wait_immediately_for_async_transfers = true} : index
          dataflow.sync_recv %71 : index
        }
      }
      dataflow.program_unit iter_arg : %arg1_0 -> (%59, %60) : {
        %72 = uniform.def_immutable_mapping([%59 -> %57], [%60 -> %58]):index
        %73 = uniform.query_map(map:%72, key:%arg1_0) : index
        %100 = uniform.def_immutable_mapping([%59 -> %93], [%60 -> %94]):index
        %101 = uniform.query_map(map:%100, key:%arg1_0) : index
        %102 = uniform.def_immutable_mapping([%59 -> %61], [%60 -> %62]):index
        %103 = uniform.query_map(map:%102, key:%arg1_0) : index
        scf.for %arg3 = %c0_1 to %c2 step %c1_0 {
          %104 = arith.remui %arg3, %c2 : index
          dataflow.sync_send %73 {wait_immediately_for_async_transfers = true} : index
          dataflow.sync_recv %73 : index
          scf.for %arg3_0 = %c0_1 to %c2 step %c1_0 {
            scf.for %arg4 = %c0_1 to %c5 step %c1_0 {
              %105 = arith.muli %104, %c80 : index
              %106 = arith.addi %105, %c16 : index
              %107 = dataflow.get_logical_memory_view %101, %106 {addr_unit = "words", layout_map = #map5} : index, index, memref<2x1x20xf16>
              %108 = agen.vector_load %107[%arg3_0, 0, %arg4 * 4] {load_order = #map6, load_set = #set6} : memref<2x1x20xf16>, vector<4xf16>
              dataflow.send %103, %108 : vector<4xf16>
            }
          }
        }
      }
      dataflow.program_unit iter_arg : %arg1_1 -> (%61, %62) : {
        %109 = uniform.def_immutable_mapping([%61 -> %59], [%62 -> %60]):index
        %110 = uniform.query_map(map:%109, key:%arg1_1) : index
        %111 = uniform.def_immutable_mapping([%61 -> %63], [%62 -> %64]):index
        %112 = uniform.query_map(map:%111, key:%arg1_1) : index
        scf.for %arg2_0 = %c0_1 to %c2 step %c1_0 {
          scf.for %arg3_1 = %c0_1 to %c2 step %c1_0 {
            %113 = scf.for %arg4_0 = %c0_1 to %c5 step %c1_0 iter_args(%arg5 = %cst) -> (vector<4xf32>) {
              %114 = dataflow.receive %110 : vector<4xf16>
              %115 = arith.extf %114 : vector<4xf16> to vector<4xf32>
              %116 = vectorchain.binary %arg5, %115 {binary_op = #vectorchain<binary_operator add>, op_specific_map = #map1} : vector<4xf32>, vector<4xf32>, vector<4xf32>
              scf.yield %116 : vector<4xf32>
            }
            %117 = vectorchain.shuffle input(%113) {indices = [0 : i32, 1 : i32], repetition = 1 : i32} : vector<4xf32>, vector<2xf32>
            %118 = vectorchain.shuffle input(%113) {indices = [2 : i32, 3 : i32], repetition = 1 : i32} : vector<4xf32>, vector<2xf32>
            %119 = vectorchain.binary %117, %118 {binary_op = #vectorchain<binary_operator add>, op_specific_map = #map1} : vector<2xf32>, vector<2xf32>, vector<2xf32>
            %120 = vectorchain.shuffle input(%119) {indices = [0 : i32], repetition = 1 : i32} : vector<2xf32>, vector<1xf32>
            %121 = vectorchain.shuffle input(%119) {indices = [1 : i32], repetition = 1 : i32} : vector<2xf32>, vector<1xf32>
            %122 = vectorchain.binary %120, %121 {binary_op = #vectorchain<binary_operator add>, op_specific_map = #map1} : vector<1xf32>, vector<1xf32>, vector<1xf32>
            %123 = vectorchain.binary %cst_0, %122 {binary_op = #vectorchain<binary_operator add>, op_specific_map = #map1} : vector<1xf32>, vector<1xf32>, vector<1xf32>
            dataflow.send %112, %123 : vector<1xf32>
          }
        }
      }
      dataflow.program_unit iter_arg : %arg1_2 -> (%63, %64) : {
        %124 = uniform.def_immutable_mapping([%63 -> %61], [%64 -> %62]):index
        %125 = uniform.query_map(map:%124, key:%arg1_2) : index
        %126 = uniform.def_immutable_mapping([%63 -> %93], [%64 -> %94]):index
        %127 = uniform.query_map(map:%126, key:%arg1_2) : index
        %128 = dataflow.get_logical_memory_view %127, %c0_1 {addr_unit = "words", layout_map = #map1} : index, index, memref<4xf32>
        scf.for %arg2_1 = %c0_1 to %c2 step %c1_0 {
          scf.for %arg3_2 = %c0_1 to %c2 step %c1_0 {
            %129 = dataflow.receive %125 : vector<1xf32>
            agen.vector_store %129, %128[%arg2_1 * 2 + %arg3_2] {store_order = #map1, store_set = #set7} : memref<4xf32>, vector<1xf32>
          }
        }
      }
      return
    }
  }
  module @local_schedule_1 {
    func.func @local_schedule_1(%s: index) attributes {grid = [2], kt.plan = {depth = 2 : i64, tile = {}}, kt.reserved = {PAD = 16 : i64}} {
      %c4 = arith.constant 4 : index
      %c1 = arith.constant 1 : index
      %c16 = arith.constant 16 : index
      %c0_0 = arith.constant 0 : index
      %74 = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-feed", type = "feed"} : index
      %75 = dataflow.get_unit {core = 1 : i32, corelet = 0 : i32, name = "C1-feed", type = "feed"} : index
      %76 = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-vpu", type = "vpu"} : index
      %77 = dataflow.get_unit {core = 1 : i32, corelet = 0 : i32, name = "C1-vpu", type = "vpu"} : index
      %78 = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-drain", type = "drain"} : index
      %79 = dataflow.get_unit {core = 1 : i32, corelet = 0 : i32, name = "C1-drain", type = "drain"} : index
      %80 = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-dmao", type = "dmao"} : index
      %81 = dataflow.get_unit {core = 1 : i32, corelet = 0 : i32, name = "C1-dmao", type = "dmao"} : index
      %130 = dataflow.get_unit {core = 0 : i32, name = "C0-pad", type = "pad"} : index
      %131 = dataflow.get_unit {core = 1 : i32, name = "C1-pad", type = "pad"} : index
      %132 = arith.divsi %s, %c16 : index
      symbol.create_id %132 {symbol_id = -4 : si64} : index
      %133 = dataflow.get_unit {name = "main", type = "main"} : index
      dataflow.program_unit iter_arg : %arg1 -> (%74, %75) : {
        %83 = uniform.def_immutable_mapping([%74 -> %130], [%75 -> %131]):index
        %84 = uniform.query_map(map:%83, key:%arg1) : index
        %134 = dataflow.get_logical_memory_view %84, %c0_0 {addr_unit = "words", layout_map = #map1} : index, index, memref<4xf32>
        %85 = uniform.def_immutable_mapping([%74 -> %76], [%75 -> %77]):index
        %86 = uniform.query_map(map:%85, key:%arg1) : index
        %135 = agen.vector_load %134[0] {load_order = #map1, load_set = #set3} : memref<4xf32>, vector<4xf32>
        dataflow.send %86, %135 : vector<4xf32>
      }
      dataflow.program_unit iter_arg : %arg1_0 -> (%76, %77) : {
        %87 = uniform.def_immutable_mapping([%76 -> %74], [%77 -> %75]):index
        %88 = uniform.query_map(map:%87, key:%arg1_0) : index
        %89 = uniform.def_immutable_mapping([%76 -> %78], [%77 -> %79]):index
        %90 = uniform.query_map(map:%89, key:%arg1_0) : index
        %136 = dataflow.receive %88 : vector<4xf32>
        %137 = arith.truncf %136 : vector<4xf32> to vector<4xf16>
        dataflow.send %90, %137 : vector<4xf16>
      }
      dataflow.program_unit iter_arg : %arg1_1 -> (%78, %79) : {
        %138 = uniform.def_immutable_mapping([%78 -> %76], [%79 -> %77]):index
        %139 = uniform.query_map(map:%138, key:%arg1_1) : index
        %140 = uniform.def_immutable_mapping([%78 -> %130], [%79 -> %131]):index
        %141 = uniform.query_map(map:%140, key:%arg1_1) : index
        %142 = dataflow.get_logical_memory_view %141, %c16 {addr_unit = "words", layout_map = #map1} : index, index, memref<4xf16>
        %143 = uniform.def_immutable_mapping([%78 -> %80], [%79 -> %81]):index
        %144 = uniform.query_map(map:%143, key:%arg1_1) : index
        %145 = dataflow.receive %139 : vector<4xf16>
        agen.vector_store %145, %142[0] {store_order = #map1, store_set = #set3} : memref<4xf16>, vector<4xf16>
        dataflow.sync_send %144 {wait_immediately_for_async_transfers = true} : index
        dataflow.sync_recv %144 : index
      }
      dataflow.program_unit iter_arg : %arg1_2 -> (%80, %81) : {
        %146 = uniform.def_immutable_mapping([%80 -> %78], [%81 -> %79]):index
        %147 = uniform.query_map(map:%146, key:%arg1_2) : index
        %148 = uniform.def_immutable_mapping([%80 -> %130], [%81 -> %131]):index
        %149 = uniform.query_map(map:%148, key:%arg1_2) : index
        %150 = dataflow.get_logical_memory_view %149, %c1 {addr_unit = "words", layout_map = #map1} : index, index, memref<4xf16>
        %151 = symbol.create_symbol {SymbolId = -4 : i64} : index
        %152 = uniform.def_immutable_mapping([%80 -> %c0_0], [%81 -> %c4]):index
        %153 = uniform.query_map(map:%152, key:%arg1_2) : index
        %154 = dataflow.get_logical_memory_view %133, %151 {addr_unit = "words", layout_map = #map9} : index, index, memref<8x4xf16>
        dataflow.sync_send %147 {wait_immediately_for_async_transfers = true} : index
        dataflow.sync_recv %147 : index
        agen.composite_load_and_store src:%150[0] dst:%154[%153, 0]
         time_symbols(), load_iv(%arg2:vector<4xf16>)
         {load_order = #map1, load_set = #set3, load_time_addr_map = #map10, store_order = #map, store_set = #set8, store_time_addr_map = #map11, time_order = #map1, time_set = #set7}
        {
          agen.yield
        } : memref<4xf16>, memref<8x4xf16>
      }
      return
    }
  }
}
