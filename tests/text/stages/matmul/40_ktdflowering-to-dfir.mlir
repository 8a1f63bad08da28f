#map = affine_map<(d0, d1) -> (d0, d1)>
#map6 = affine_map<(d0, d1, d2) -> (d2 + d1 * 6 + d0)>
#map7 = affine_map<(d0, d1, d2) -> (d2 + d1 * 6 + d0 * 6)>
#map8 = affine_map<(d0, d1) -> (d1 + d0 * 16)>
#map9 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map10 = affine_map<(d0) -> (0, d0, 0)>
#map11 = affine_map<(d0) -> (d0, 0, 0)>
#map12 = affine_map<(d0) -> (d0)>
#map13 = affine_map<(d0, d1, d2) -> (d2 + d1 * 4 + d0 * 24)>
#map14 = affine_map<(d0) -> (d0, 0)>
#map15 = affine_map<(d0, d1, d2, d3) -> (d3 + d2 * 4 + d1 * 4 + d0 * 4)>
#map16 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map17 = affine_map<(d0, d1, d2) -> (d2 + d1 * 16 + d0)>
#map18 = affine_map<(d0, d1) -> (d1 + d0 * 4)>
#set5 = affine_set<(d0, d1, d2) : (d0 == 0, d1 == 0, d2 >= 0, -d2 + 5 >= 0)>
#set6 = affine_set<(d0) : (d0 >= 0, -d0 + 1 >= 0)>
#set7 = affine_set<(d0, d1) : (d0 == 0, d1 >= 0, -d1 + 3 >= 0)>
#set8 = affine_set<(d0, d1, d2) : (d0 == 0, d1 == 0, d2 >= 0, -d2 + 3 >= 0)>
#set9 = affine_set<(d0) : (d0 >= 0, -d0 + 5 >= 0)>
#set10 = affine_set<(d0, d1, d2) : (d0 == 0, d1 == 0, d2 == 0)>
#set11 = affine_set<(d0, d1, d2, d3) : (d0 == 0, d1 == 0, d2 == 0, d3 >= 0, -d3 + 3 >= 0)>
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
      %cst = arith.constant dense<0.000000e+00> : vector<4xf32>
      %c8 = arith.constant 8 : index
      %c128 = arith.constant 128 : index
      %c32 = arith.constant 32 : index
      %c48 = arith.constant 48 : index
      %c6 = arith.constant 6 : index
      %c3 = arith.constant 3 : index
      %c12 = arith.constant 12 : index
      %c16 = arith.constant 16 : index
      %c2 = arith.constant 2 : index
      %c1_0 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %c0_0 = arith.constant 0 : index
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
      %97 = arith.divsi %a, %c16 : index
      symbol.create_id %97 {symbol_id = -4 : si64} : index
      %98 = dataflow.get_unit {name = "main", type = "main"} : index
      %99 = dataflow.get_unit {core = 0 : i32, name = "C0-pad", type = "pad"} : index
      %100 = dataflow.get_unit {core = 1 : i32, name = "C1-pad", type = "pad"} : index
      %101 = arith.divsi %b, %c16 : index
      symbol.create_id %101 {symbol_id = -5 : si64} : index
      %102 = arith.divsi %c, %c16 : index
      symbol.create_id %102 {symbol_id = -6 : si64} : index
      dataflow.program_unit iter_arg : %arg3 -> (%75, %76) : {
        %103 = symbol.create_symbol {SymbolId = -4 : i64} : index
        %86 = uniform.def_immutable_mapping([%75 -> %c0_0], [%76 -> %c12]):index
        %87 = uniform.query_map(map:%86, key:%arg3) : index
        %104 = dataflow.get_logical_memory_view %98, %103 {addr_unit = "words", layout_map = #map6} : index, index, memref<24x2x6xf16>
        %88 = uniform.def_immutable_mapping([%75 -> %99], [%76 -> %100]):index
        %89 = uniform.query_map(map:%88, key:%arg3) : index
        %105 = dataflow.get_logical_memory_view %89, %c0_0 {addr_unit = "words", layout_map = #map7} : index, index, memref<2x1x6xf16>
        %106 = symbol.create_symbol {SymbolId = -5 : i64} : index
        %107 = dataflow.get_logical_memory_view %98, %106 {addr_unit = "words", layout_map = #map8} : index, index, memref<6x16xf16>
        %90 = uniform.def_immutable_mapping([%75 -> %77], [%76 -> %78]):index
        %91 = uniform.query_map(map:%90, key:%arg3) : index
        scf.for %arg4 = %c0_0 to %c4 step %c1_0 {
          %55 = arith.cmpi eq, %arg4, %c0_0 : index
          %108 = arith.remui %arg4, %c2 : index
          scf.if %55 {
            agen.composite_load_and_store src:%104[%87, 0, 0] dst:%105[0, 0, 0]
             time_symbols(), load_iv(%arg5:vector<6xf16>)
             {load_order = #map9, load_set = #set5, load_time_addr_map = #map10, store_order = #map9, store_set = #set5, store_time_addr_map = #map11, time_order = #map12, time_set = #set6}
            {
              agen.yield
            } : memref<24x2x6xf16>, memref<2x1x6xf16>
          }
          %26 = arith.muli %108, %c3 : index
          %109 = arith.addi %26, %c2 : index
          %110 = dataflow.get_logical_memory_view %89, %109 {addr_unit = "words", layout_map = #map13} : index, index, memref<1x6x4xf16>
          agen.composite_load_and_store src:%107[0, %arg4 * 4 + %c0_0 * 4] dst:%110[%c0_0, 0, 0]
           time_symbols(), load_iv(%arg5_0:vector<4xf16>)
           {load_order = #map, load_set = #set7, load_time_addr_map = #map14, store_order = #map9, store_set = #set8, store_time_addr_map = #map10, time_order = #map12, time_set = #set9}
          {
            agen.yield
          } : memref<6x16xf16>, memref<1x6x4xf16>
          dataflow.sync_send %91 {wait_immediately_for_async_transfers = true} : index
          dataflow.sync_recv %91 : index
        }
      }
      dataflow.program_unit iter_arg : %arg3_0 -> (%77, %78) : {
        %92 = uniform.def_immutable_mapping([%77 -> %75], [%78 -> %76]):index
        %93 = uniform.query_map(map:%92, key:%arg3_0) : index
        %94 = uniform.def_immutable_mapping([%77 -> %99], [%78 -> %100]):index
        %95 = uniform.query_map(map:%94, key:%arg3_0) : index
        %111 = dataflow.get_logical_memory_view %95, %c0_0 {addr_unit = "words", layout_map = #map7} : index, index, memref<2x1x6xf16>
        %112 = uniform.def_immutable_mapping([%77 -> %79], [%78 -> %80]):index
        %113 = uniform.query_map(map:%112, key:%arg3_0) : index
        scf.for %arg6_0 = %c0_0 to %c4 step %c1_0 {
          %114 = arith.remui %arg6_0, %c2 : index
          dataflow.sync_send %93 {wait_immediately_for_async_transfers = true} : index
          dataflow.sync_recv %93 : index
          scf.for %arg7 = %c0_0 to %c6 step %c1_0 {
            %115 = agen.vector_load %111[%c0_0, 0, %arg7] {load_order = #map9, load_set = #set10} : memref<2x1x6xf16>, vector<1xf16>
            %116 = vectorchain.shuffle input(%115) {indices = [0 : i32], repetition = 4 : i32} : vector<1xf16>, vector<4xf16>
            dataflow.send %113, %116 : vector<4xf16>
            %117 = agen.vector_load %111[%c1_0, 0, %arg7] {load_order = #map9, load_set = #set10} : memref<2x1x6xf16>, vector<1xf16>
            %118 = vectorchain.shuffle input(%117) {indices = [0 : i32], repetition = 4 : i32} : vector<1xf16>, vector<4xf16>
            dataflow.send %113, %118 : vector<4xf16>
            %27 = arith.muli %114, %c48 : index
            %119 = arith.addi %27, %c32 : index
            %120 = dataflow.get_logical_memory_view %95, %119 {addr_unit = "words", layout_map = #map13} : index, index, memref<1x6x4xf16>
            %121 = agen.vector_load %120[%c0_0, %arg7, 0] {load_order = #map9, load_set = #set8} : memref<1x6x4xf16>, vector<4xf16>
            dataflow.send %113, %121 : vector<4xf16>
          }
        }
      }
      dataflow.program_unit iter_arg : %arg3_1 -> (%79, %80) : {
        %122 = uniform.def_immutable_mapping([%79 -> %77], [%80 -> %78]):index
        %123 = uniform.query_map(map:%122, key:%arg3_1) : index
        %124 = uniform.def_immutable_mapping([%79 -> %81], [%80 -> %82]):index
        %125 = uniform.query_map(map:%124, key:%arg3_1) : index
        scf.for %arg6 = %c0_0 to %c4 step %c1_0 {
          %126:2 = scf.for %arg5_1 = %c0_0 to %c6 step %c1_0 iter_args(%arg6_1 = %cst, %arg7_0 = %cst) -> (vector<4xf32>, vector<4xf32>) {
            %127 = dataflow.receive %123 : vector<4xf16>
            %128 = dataflow.receive %123 : vector<4xf16>
            %129 = dataflow.receive %123 : vector<4xf16>
            %130 = arith.extf %127 : vector<4xf16> to vector<4xf32>
            %131 = arith.extf %129 : vector<4xf16> to vector<4xf32>
            %132 = math.fma %130, %131, %arg6_1 : vector<4xf32>
            %133 = arith.extf %128 : vector<4xf16> to vector<4xf32>
            %134 = arith.extf %129 : vector<4xf16> to vector<4xf32>
            %135 = math.fma %133, %134, %arg7_0 : vector<4xf32>
            scf.yield %132, %135 : vector<4xf32>, vector<4xf32>
          }
          %136 = arith.truncf %126#0 : vector<4xf32> to vector<4xf16>
          %137 = arith.truncf %126#1 : vector<4xf32> to vector<4xf16>
          dataflow.send %125, %136 : vector<4xf16>
          dataflow.send %125, %137 : vector<4xf16>
        }
      }
      dataflow.program_unit iter_arg : %arg3_2 -> (%81, %82) : {
        %138 = uniform.def_immutable_mapping([%81 -> %79], [%82 -> %80]):index
        %139 = uniform.query_map(map:%138, key:%arg3_2) : index
        %140 = uniform.def_immutable_mapping([%81 -> %99], [%82 -> %100]):index
        %141 = uniform.query_map(map:%140, key:%arg3_2) : index
        %142 = uniform.def_immutable_mapping([%81 -> %83], [%82 -> %84]):index
        %143 = uniform.query_map(map:%142, key:%arg3_2) : index
        scf.for %arg4_0 = %c0_0 to %c4 step %c1_0 {
          %144 = arith.remui %arg4_0, %c2 : index
          %145 = dataflow.receive %139 : vector<4xf16>
          %96 = arith.muli %144, %c16 : index
          %146 = arith.addi %96, %c128 : index
          %147 = dataflow.get_logical_memory_view %141, %146 {addr_unit = "words", layout_map = #map15} : index, index, memref<2x1x1x4xf16>
          agen.vector_store %145, %147[%c0_0, %c0_0, 0, 0] {store_order = #map16, store_set = #set11} : memref<2x1x1x4xf16>, vector<4xf16>
          %148 = dataflow.receive %139 : vector<4xf16>
          agen.vector_store %148, %147[%c1_0, %c0_0, 0, 0] {store_order = #map16, store_set = #set11} : memref<2x1x1x4xf16>, vector<4xf16>
          dataflow.sync_send %143 {wait_immediately_for_async_transfers = true} : index
          dataflow.sync_recv %143 : index
        }
      }
      dataflow.program_unit iter_arg : %arg3_3 -> (%83, %84) : {
        %149 = uniform.def_immutable_mapping([%83 -> %81], [%84 -> %82]):index
        %150 = uniform.query_map(map:%149, key:%arg3_3) : index
        %151 = uniform.def_immutable_mapping([%83 -> %99], [%84 -> %100]):index
        %152 = uniform.query_map(map:%151, key:%arg3_3) : index
        %153 = symbol.create_symbol {SymbolId = -6 : i64} : index
        %154 = uniform.def_immutable_mapping([%83 -> %c0_0], [%84 -> %c32]):index
        %155 = uniform.query_map(map:%154, key:%arg3_3) : index
        %156 = dataflow.get_logical_memory_view %98, %153 {addr_unit = "words", layout_map = #map17} : index, index, memref<64x2x16xf16>
        scf.for %arg4_1 = %c0_0 to %c4 step %c1_0 {
          %157 = arith.remui %arg4_1, %c2 : index
          dataflow.sync_send %150 {wait_immediately_for_async_transfers = true} : index
          dataflow.sync_recv %150 : index
          %158 = arith.addi %157, %c8 : index
          %159 = dataflow.get_logical_memory_view %152, %158 {addr_unit = "words", layout_map = #map18} : index, index, memref<2x4xf16>
          agen.composite_load_and_store src:%159[0, 0] dst:%156[%155, 0, %arg4_1 * 4]
           time_symbols(), load_iv(%arg5_2:vector<4xf16>)
           {load_order = #map, load_set = #set7, load_time_addr_map = #map14, store_order = #map9, store_set = #set8, store_time_addr_map = #map10, time_order = #map12, time_set = #set6}
          {
            agen.yield
          } : memref<2x4xf16>, memref<64x2x16xf16>
        }
      }
      return
    }
  }
}
