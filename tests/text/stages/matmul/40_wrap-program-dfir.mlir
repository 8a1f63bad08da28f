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
      call @local_schedule_0(%a, %b) : (index, index) -> ()
      call @local_schedule_1(%c) : (index) -> ()
      return
    }
    func.func private @local_schedule_0(index, index)
    func.func private @local_schedule_1(index)
  }
  ktdf_arch.device @toy import("kt:toy")
  module @local_schedule_0 {
    func.func private @local_schedule_0_body()
    func.func @local_schedule_0(%a: index, %b: index) {
      %c16 = arith.constant 16 : index
      %120 = arith.divsi %a, %c16 : index
      symbol.create_id %120 {symbol_id = -4 : si64} : index
      %124 = arith.divsi %b, %c16 : index
      symbol.create_id %124 {symbol_id = -5 : si64} : index
      call @local_schedule_0_body() : () -> ()
      return
    }
    module {
      func.func @local_schedule_0_body() attributes {grid = [2], kt.plan = {depth = 2 : i64, tile = {"0" = 2 : i64, "1" = 1 : i64}}, kt.reserved = {PAD = 128 : i64}} {
        %cst = arith.constant dense<0.000000e+00> : vector<4xf32>
        %c160 = arith.constant 160 : index
        %c48 = arith.constant 48 : index
        %c128 = arith.constant 128 : index
        %c6 = arith.constant 6 : index
        %c10 = arith.constant 10 : index
        %c3 = arith.constant 3 : index
        %c8 = arith.constant 8 : index
        %c12 = arith.constant 12 : index
        %c2 = arith.constant 2 : index
        %c1_0 = arith.constant 1 : index
        %c4 = arith.constant 4 : index
        %c0_1 = arith.constant 0 : index
        %86 = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-dmai", type = "dmai"} : index
        %87 = dataflow.get_unit {core = 1 : i32, corelet = 0 : i32, name = "C1-dmai", type = "dmai"} : index
        %88 = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-feed", type = "feed"} : index
        %89 = dataflow.get_unit {core = 1 : i32, corelet = 0 : i32, name = "C1-feed", type = "feed"} : index
        %90 = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-vpu", type = "vpu"} : index
        %91 = dataflow.get_unit {core = 1 : i32, corelet = 0 : i32, name = "C1-vpu", type = "vpu"} : index
        %92 = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-drain", type = "drain"} : index
        %93 = dataflow.get_unit {core = 1 : i32, corelet = 0 : i32, name = "C1-drain", type = "drain"} : index
        %121 = dataflow.get_unit {name = "main", type = "main"} : index
        %122 = dataflow.get_unit {core = 0 : i32, name = "C0-pad", type = "pad"} : index
        %123 = dataflow.get_unit {core = 1 : i32, name = "C1-pad", type = "pad"} : index
        dataflow.program_unit iter_arg : %arg2 -> (%86, %87) : {
          %125 = symbol.create_symbol {SymbolId = -4 : i64} : index
          %95 = uniform.def_immutable_mapping([%86 -> %c0_1], [%87 -> %c12]):index
          %96 = uniform.query_map(map:%95, key:%arg2) : index
          %126 = dataflow.get_logical_memory_view %121, %125 {addr_unit = "words", layout_map = #map6} : index, index, memref<24x2x6xf16>
          %97 = uniform.def_immutable_mapping([%86 -> %122], [%87 -> %123]):index
          %98 = uniform.query_map(map:%97, key:%arg2) : index
          %127 = dataflow.get_logical_memory_view %98, %c8 {addr_unit = "words", layout_map = #map7} : index, index, memref<2x1x6xf16>
          %128 = symbol.create_symbol {SymbolId = -5 : i64} : index
          %129 = dataflow.get_logical_memory_view %121, %128 {addr_unit = "words", layout_map = #map8} : index, index, memref<6x16xf16>
          %99 = uniform.def_immutable_mapping([%86 -> %88], [%87 -> %89]):index
          %100 = uniform.query_map(map:%99, key:%arg2) : index
          scf.for %arg4 = %c0_1 to %c4 step %c1_0 {
            %72 = arith.cmpi eq, %arg4, %c0_1 : index
            %130 = arith.remui %arg4, %c2 : index
            scf.if %72 {
              agen.composite_load_and_store src:%126[%96, 0, 0] dst:%127[0, 0, 0]
               time_symbols(), load_iv(%arg4_2:vector<6xf16>)
               {load_order = #map9, load_set = #set5, load_time_addr_map = #map10, store_order = #map9, store_set = #set5, store_time_addr_map = #map11, time_order = #map12, time_set = #set6}
              {
                agen.yield
              } : memref<24x2x6xf16>, memref<2x1x6xf16>
            }
            %26 = arith.muli %130, %c3 : index
            %131 = arith.addi %26, %c10 : index
            %132 = dataflow.get_logical_memory_view %98, %131 {addr_unit = "words", layout_map = #map13} : index, index, memref<1x6x4xf16>
            agen.composite_load_and_store src:%129[0, %arg4 * 4 + %c0_1 * 4] dst:%132[%c0_1, 0, 0]
             time_symbols(), load_iv(%arg4_3:vector<4xf16>)
             {load_order = #map, load_set = #set7, load_time_addr_map = #map14, store_order = #map9, store_set = #set8, store_time_addr_map = #map10, time_order = #map12, time_set = #set9}
            {
              agen.yield
            } : memref<6x16xf16>, memref<1x6x4xf16>
            dataflow.sync_send %100 {wait_immediately_for_async_transfers = true} : index
            dataflow.sync_recv %100 : index
          }
        }
        dataflow.program_unit iter_arg : %arg2_0 -> (%88, %89) : {
          %101 = uniform.def_immutable_mapping([%88 -> %86], [%89 -> %87]):index
          %102 = uniform.query_map(map:%101, key:%arg2_0) : index
          %133 = uniform.def_immutable_mapping([%88 -> %122], [%89 -> %123]):index
          %134 = uniform.query_map(map:%133, key:%arg2_0) : index
          %135 = dataflow.get_logical_memory_view %134, %c128 {addr_unit = "words", layout_map = #map7} : index, index, memref<2x1x6xf16>
          %136 = uniform.def_immutable_mapping([%88 -> %90], [%89 -> %91]):index
          %137 = uniform.query_map(map:%136, key:%arg2_0) : index
          scf.for %arg6_0 = %c0_1 to %c4 step %c1_0 {
            %138 = arith.remui %arg6_0, %c2 : index
            dataflow.sync_send %102 {wait_immediately_for_async_transfers = true} : index
            dataflow.sync_recv %102 : index
            scf.for %arg5 = %c0_1 to %c2 step %c1_0 {
              scf.for %arg7 = %c0_1 to %c6 step %c1_0 {
                %139 = agen.vector_load %135[%arg5, 0, %arg7] {load_order = #map9, load_set = #set10} : memref<2x1x6xf16>, vector<1xf16>
                %140 = vectorchain.shuffle input(%139) {indices = [0 : i32], repetition = 4 : i32} : vector<1xf16>, vector<4xf16>
                dataflow.send %137, %140 : vector<4xf16>
                %141 = arith.muli %138, %c48 : index
                %142 = arith.addi %141, %c160 : index
                %143 = dataflow.get_logical_memory_view %134, %142 {addr_unit = "words", layout_map = #map13} : index, index, memref<1x6x4xf16>
                %144 = agen.vector_load %143[%c0_1, %arg7, 0] {load_order = #map9, load_set = #set8} : memref<1x6x4xf16>, vector<4xf16>
                dataflow.send %137, %144 : vector<4xf16>
              }
            }
          }
        }
        dataflow.program_unit iter_arg : %arg2_1 -> (%90, %91) : {
          %145 = uniform.def_immutable_mapping([%90 -> %88], [%91 -> %89]):index
          %146 = uniform.query_map(map:%145, key:%arg2_1) : index
          %147 = uniform.def_immutable_mapping([%90 -> %92], [%91 -> %93]):index
          %148 = uniform.query_map(map:%147, key:%arg2_1) : index
          scf.for %arg6 = %c0_1 to %c4 step %c1_0 {
            scf.for %arg4_0 = %c0_1 to %c2 step %c1_0 {
              %149 = scf.for %arg5_0 = %c0_1 to %c6 step %c1_0 iter_args(%arg6_1 = %cst) -> (vector<4xf32>) {
                %150 = dataflow.receive %146 : vector<4xf16>
                %151 = dataflow.receive %146 : vector<4xf16>
                %152 = arith.extf %150 : vector<4xf16> to vector<4xf32>
                %153 = arith.extf %151 : vector<4xf16> to vector<4xf32>
                %154 = math.fma %152, %153, %arg6_1 : vector<4xf32>
                scf.yield %154 : vector<4xf32>
              }
              dataflow.send %148, %149 : vector<4xf32>
            }
          }
        }
        dataflow.program_unit iter_arg : %arg2_2 -> (%92, %93) : {
          %155 = uniform.def_immutable_mapping([%92 -> %90], [%93 -> %91]):index
          %156 = uniform.query_map(map:%155, key:%arg2_2) : index
          %157 = uniform.def_immutable_mapping([%92 -> %122], [%93 -> %123]):index
          %158 = uniform.query_map(map:%157, key:%arg2_2) : index
          %159 = dataflow.get_logical_memory_view %158, %c0_1 {addr_unit = "words", layout_map = #map8} : index, index, memref<2x16xf32>
          scf.for %arg3 = %c0_1 to %c4 step %c1_0 {
            scf.for %arg4_1 = %c0_1 to %c2 step %c1_0 {
              %160 = dataflow.receive %156 : vector<4xf32>
              agen.vector_store %160, %159[%arg4_1, %arg3 * 4 + %c0_1 * 4] {store_order = #map, store_set = #set7} : memref<2x16xf32>, vector<4xf32>
            }
          }
        }
        return
      }
    }
  }
  module @local_schedule_1 {
    func.func private @local_schedule_1_body()
    func.func @local_schedule_1(%c: index) {
      %c16 = arith.constant 16 : index
      %163 = arith.divsi %c, %c16 : index
      symbol.create_id %163 {symbol_id = -6 : si64} : index
      call @local_schedule_1_body() : () -> ()
      return
    }
    module {
      func.func @local_schedule_1_body() attributes {grid = [2], kt.plan = {depth = 2 : i64, tile = {"0" = 2 : i64, "1" = 1 : i64}}, kt.reserved = {PAD = 128 : i64}} {
        %c32 = arith.constant 32 : index
        %c8 = arith.constant 8 : index
        %c128 = arith.constant 128 : index
        %c16 = arith.constant 16 : index
        %c2 = arith.constant 2 : index
        %c1_0 = arith.constant 1 : index
        %c4 = arith.constant 4 : index
        %c0_1 = arith.constant 0 : index
        %103 = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-feed", type = "feed"} : index
        %104 = dataflow.get_unit {core = 1 : i32, corelet = 0 : i32, name = "C1-feed", type = "feed"} : index
        %105 = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-vpu", type = "vpu"} : index
        %106 = dataflow.get_unit {core = 1 : i32, corelet = 0 : i32, name = "C1-vpu", type = "vpu"} : index
        %107 = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-drain", type = "drain"} : index
        %108 = dataflow.get_unit {core = 1 : i32, corelet = 0 : i32, name = "C1-drain", type = "drain"} : index
        %109 = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-dmao", type = "dmao"} : index
        %110 = dataflow.get_unit {core = 1 : i32, corelet = 0 : i32, name = "C1-dmao", type = "dmao"} : index
        %161 = dataflow.get_unit {core = 0 : i32, name = "C0-pad", type = "pad"} : index
        %162 = dataflow.get_unit {core = 1 : i32, name = "C1-pad", type = "pad"} : index
        %164 = dataflow.get_unit {name = "main", type = "main"} : index
        dataflow.program_unit iter_arg : %arg1 -> (%103, %104) : {
          %112 = uniform.def_immutable_mapping([%103 -> %161], [%104 -> %162]):index
          %113 = uniform.query_map(map:%112, key:%arg1) : index
          %165 = dataflow.get_logical_memory_view %113, %c0_1 {addr_unit = "words", layout_map = #map8} : index, index, memref<2x16xf32>
          %114 = uniform.def_immutable_mapping([%103 -> %105], [%104 -> %106]):index
          %115 = uniform.query_map(map:%114, key:%arg1) : index
          scf.for %arg3 = %c0_1 to %c4 step %c1_0 {
            scf.for %arg4 = %c0_1 to %c2 step %c1_0 {
              %166 = agen.vector_load %165[%arg4, %arg3 * 4 + %c0_1 * 4] {load_order = #map, load_set = #set7} : memref<2x16xf32>, vector<4xf32>
              dataflow.send %115, %166 : vector<4xf32>
            }
          }
        }
        dataflow.program_unit iter_arg : %arg1_0 -> (%105, %106) : {
          %116 = uniform.def_immutable_mapping([%105 -> %103], [%106 -> %104]):index
          %117 = uniform.query_map(map:%116, key:%arg1_0) : index
          %118 = uniform.def_immutable_mapping([%105 -> %107], [%106 -> %108]):index
          %119 = uniform.query_map(map:%118, key:%arg1_0) : index
          scf.for %arg5 = %c0_1 to %c4 step %c1_0 {
            scf.for %arg3_0 = %c0_1 to %c2 step %c1_0 {
              %167 = dataflow.receive %117 : vector<4xf32>
              %168 = arith.truncf %167 : vector<4xf32> to vector<4xf16>
              dataflow.send %119, %168 : vector<4xf16>
            }
          }
        }
        dataflow.program_unit iter_arg : %arg1_1 -> (%107, %108) : {
          %169 = uniform.def_immutable_mapping([%107 -> %105], [%108 -> %106]):index
          %170 = uniform.query_map(map:%169, key:%arg1_1) : index
          %171 = uniform.def_immutable_mapping([%107 -> %161], [%108 -> %162]):index
          %172 = uniform.query_map(map:%171, key:%arg1_1) : index
          %173 = uniform.def_immutable_mapping([%107 -> %109], [%108 -> %110]):index
          %174 = uniform.query_map(map:%173, key:%arg1_1) : index
          scf.for %arg2 = %c0_1 to %c4 step %c1_0 {
            %175 = arith.remui %arg2, %c2 : index
            scf.for %arg3_1 = %c0_1 to %c2 step %c1_0 {
              %176 = dataflow.receive %170 : vector<4xf16>
              %40 = arith.muli %175, %c16 : index
              %177 = arith.addi %40, %c128 : index
              %178 = dataflow.get_logical_memory_view %172, %177 {addr_unit = "words", layout_map = #map15} : index, index, memref<2x1x1x4xf16>
              agen.vector_store %176, %178[%arg3_1, %c0_1, 0, 0] {store_order = #map16, store_set = #set11} : memref<2x1x1x4xf16>, vector<4xf16>
            }
            dataflow.sync_send %174 {wait_immediately_for_async_transfers = true} : index
            dataflow.sync_recv %174 : index
          }
        }
        dataflow.program_unit iter_arg : %arg1_2 -> (%109, %110) : {
          %179 = uniform.def_immutable_mapping([%109 -> %107], [%110 -> %108]):index
          %180 = uniform.query_map(map:%179, key:%arg1_2) : index
          %181 = uniform.def_immutable_mapping([%109 -> %161], [%110 -> %162]):index
          %182 = uniform.query_map(map:%181, key:%arg1_2) : index
          %183 = symbol.create_symbol {SymbolId = -6 : i64} : index
          %184 = uniform.def_immutable_mapping([%109 -> %c0_1], [%110 -> %c32]):index
          %185 = uniform.query_map(map:%184, key:%arg1_2) : index
          %186 = dataflow.get_logical_memory_view %164, %183 {addr_unit = "words", layout_map = #map17} : index, index, memref<64x2x16xf16>
          scf.for %arg2_0 = %c0_1 to %c4 step %c1_0 {
            %187 = arith.remui %arg2_0, %c2 : index
            dataflow.sync_send %180 {wait_immediately_for_async_transfers = true} : index
            dataflow.sync_recv %180 : index
            %188 = arith.addi %187, %c8 : index
            %189 = dataflow.get_logical_memory_view %182, %188 {addr_unit = "words", layout_map = #map18} : index, index, memref<2x4xf16>
            agen.composite_load_and_store src:%189[0, 0] dst:%186[%185, 0, %arg2_0 * 4]
             time_symbols(), load_iv(%arg3_2:vector<4xf16>)
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
}
