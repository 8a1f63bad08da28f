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
    func.func @local_schedule_0(%a: index, %b: index, %c: index) attributes {grid = [2], kt.plan = {depth = 2 : i64, tile = {"0" = 2 : i64, "1" = 1 : i64}}} {
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
      %88 = arith.divsi %a, %c16 : index
      symbol.create_id %88 {symbol_id = -4 : si64} : index
      %89 = dataflow.get_unit {name = "main", type = "main"} : index
      %90 = dataflow.get_unit {core = 0 : i32, name = "C0-pad", type = "pad"} : index
      %91 = dataflow.get_unit {core = 1 : i32, name = "C1-pad", type = "pad"} : index
      %92 = arith.divsi %b, %c16 : index
      symbol.create_id %92 {symbol_id = -5 : si64} : index
      %93 = arith.divsi %c, %c16 : index
      symbol.create_id %93 {symbol_id = -6 : si64} : index
      dataflow.program_unit iter_arg : %arg3 -> (%66, %67) : {
        %94 = symbol.create_symbol {SymbolId = -4 : i64} : index
        %77 = uniform.def_immutable_mapping([%66 -> %c0_0], [%67 -> %c12]):index
        %78 = uniform.query_map(map:%77, key:%arg3) : index
        %95 = dataflow.get_logical_memory_view %89, %94 {addr_unit = "words", layout_map = #map6} : index, index, memref<24x2x6xf16>
        %79 = uniform.def_immutable_mapping([%66 -> %90], [%67 -> %91]):index
        %80 = uniform.query_map(map:%79, key:%arg3) : index
        %96 = dataflow.get_logical_memory_view %80, %c0_0 {addr_unit = "words", layout_map = #map7} : index, index, memref<2x1x6xf16>
        %97 = symbol.create_symbol {SymbolId = -5 : i64} : index
        %98 = dataflow.get_logical_memory_view %89, %97 {addr_unit = "words", layout_map = #map8} : index, index, memref<6x16xf16>
        %81 = uniform.def_immutable_mapping([%66 -> %68], [%67 -> %69]):index
        %82 = uniform.query_map(map:%81, key:%arg3) : index
        scf.for %arg4 = %c0_0 to %c4 step %c1_0 {
          %55 = arith.cmpi eq, %arg4, %c0_0 : index
          %99 = arith.remui %arg4, %c2 : index
          scf.if %55 {
            agen.composite_load_and_store src:%95[%78, 0, 0] dst:%96[0, 0, 0]
             time_symbols(), load_iv(%arg5_2:vector<6xf16>)
             {load_order = #map9, load_set = #set5, load_time_addr_map = #map10, store_order = #map9, store_set = #set5, store_time_addr_map = #map11, time_order = #map12, time_set = #set6}
            {
              agen.yield
            } : memref<24x2x6xf16>, memref<2x1x6xf16>
          }
          %26 = arith.muli %99, %c3 : index
          %100 = arith.addi %26, %c2 : index
          %101 = dataflow.get_logical_memory_view %80, %100 {addr_unit = "words", layout_map = #map13} : index, index, memref<1x6x4xf16>
          agen.composite_load_and_store src:%98[0, %arg4 * 4 + %c0_0 * 4] dst:%101[%c0_0, 0, 0]
           time_symbols(), load_iv(%arg5_3:vector<4xf16>)
           {load_order = #map, load_set = #set7, load_time_addr_map = #map14, store_order = #map9, store_set = #set8, store_time_addr_map = #map10, time_order = #map12, time_set = #set9}
          {
            agen.yield
          } : memref<6x16xf16>, memref<1x6x4xf16>
          dataflow.sync_send %82 {wait_immediately_for_async_transfers = true} : index
          dataflow.sync_recv %82 : index
        }
      }
      dataflow.program_unit iter_arg : %arg3_0 -> (%68, %69) : {
        %83 = uniform.def_immutable_mapping([%68 -> %66], [%69 -> %67]):index
        %84 = uniform.query_map(map:%83, key:%arg3_0) : index
        %85 = uniform.def_immutable_mapping([%68 -> %90], [%69 -> %91]):index
        %86 = uniform.query_map(map:%85, key:%arg3_0) : index
        %102 = dataflow.get_logical_memory_view %86, %c0_0 {addr_unit = "words", layout_map = #map7} : index, index, memref<2x1x6xf16>
        %103 = uniform.def_immutable_mapping([%68 -> %70], [%69 -> %71]):index
        %104 = uniform.query_map(map:%103, key:%arg3_0) : index
        scf.for %arg6_0 = %c0_0 to %c4 step %c1_0 {
          %105 = arith.remui %arg6_0, %c2 : index
          dataflow.sync_send %84 {wait_immediately_for_async_transfers = true} : index
          dataflow.sync_recv %84 : index
          scf.for %arg5 = %c0_0 to %c2 step %c1_0 {
            scf.for %arg7 = %c0_0 to %c6 step %c1_0 {
              %106 = agen.vector_load %102[%arg5, 0, %arg7] {load_order = #map9, load_set = #set10} : memref<2x1x6xf16>, vector<1xf16>
              %107 = vectorchain.shuffle input(%106) {indices = [0 : i32], repetition = 4 : i32} : vector<1xf16>, vector<4xf16>
              dataflow.send %104, %107 : vector<4xf16>
              %27 = arith.muli %105, %c48 : index
              %108 = arith.addi %27, %c32 : index
              %109 = dataflow.get_logical_memory_view %86, %108 {addr_unit = "words", layout_map = #map13} : index, index, memref<1x6x4xf16>
              %110 = agen.vector_load %109[%c0_0, %arg7, 0] {load_order = #map9, load_set = #set8} : memref<1x6x4xf16>, vector<4xf16>
              dataflow.send %104, %110 : vector<4xf16>
            }
          }
        }
      }
      dataflow.program_unit iter_arg : %arg3_1 -> (%70, %71) : {
        %111 = uniform.def_immutable_mapping([%70 -> %68], [%71 -> %69]):index
        %112 = uniform.query_map(map:%111, key:%arg3_1) : index
        %113 = uniform.def_immutable_mapping([%70 -> %72], [%71 -> %73]):index
        %114 = uniform.query_map(map:%113, key:%arg3_1) : index
        scf.for %arg6 = %c0_0 to %c4 step %c1_0 {
          scf.for %arg5_0 = %c0_0 to %c2 step %c1_0 {
            %115 = scf.for %arg6_1 = %c0_0 to %c6 step %c1_0 iter_args(%arg7_0 = %cst) -> (vector<4xf32>) {
              %116 = dataflow.receive %112 : vector<4xf16>
              %117 = dataflow.receive %112 : vector<4xf16>
              %118 = arith.extf %116 : vector<4xf16> to vector<4xf32>
              %119 = arith.extf %117 : vector<4xf16> to vector<4xf32>
              %120 = math.fma %118, %119, %arg7_0 : vector<4xf32>
              scf.yield %120 : vector<4xf32>
            }
            %121 = arith.truncf %115 : vector<4xf32> to vector<4xf16>
            dataflow.send %114, %121 : vector<4xf16>
          }
        }
      }
      dataflow.program_unit iter_arg : %arg3_2 -> (%72, %73) : {
        %122 = uniform.def_immutable_mapping([%72 -> %70], [%73 -> %71]):index
        %123 = uniform.query_map(map:%122, key:%arg3_2) : index
        %124 = uniform.def_immutable_mapping([%72 -> %90], [%73 -> %91]):index
        %125 = uniform.query_map(map:%124, key:%arg3_2) : index
        %126 = uniform.def_immutable_mapping([%72 -> %74], [%73 -> %75]):index
        %127 = uniform.query_map(map:%126, key:%arg3_2) : index
        scf.for %arg4_0 = %c0_0 to %c4 step %c1_0 {
          %128 = arith.remui %arg4_0, %c2 : index
          scf.for %arg5_1 = %c0_0 to %c2 step %c1_0 {
            %129 = dataflow.receive %123 : vector<4xf16>
            %87 = arith.muli %128, %c16 : index
            %130 = arith.addi %87, %c128 : index
            %131 = dataflow.get_logical_memory_view %125, %130 {addr_unit = "words", layout_map = #map15} : index, index, memref<2x1x1x4xf16>
            agen.vector_store %129, %131[%arg5_1, %c0_0, 0, 0] {store_order = #map16, store_set = #set11} : memref<2x1x1x4xf16>, vector<4xf16>
          }
          dataflow.sync_send %127 {wait_immediately_for_async_transfers = true} : index
          dataflow.sync_recv %127 : index
        }
      }
      dataflow.program_unit iter_arg : %arg3_3 -> (%74, %75) : {
        %132 = uniform.def_immutable_mapping([%74 -> %72], [%75 -> %73]):index
        %133 = uniform.query_map(map:%132, key:%arg3_3) : index
        %134 = uniform.def_immutable_mapping([%74 -> %90], [%75 -> %91]):index
        %135 = uniform.query_map(map:%134, key:%arg3_3) : index
        %136 = symbol.create_symbol {SymbolId = -6 : i64} : index
        %137 = uniform.def_immutable_mapping([%74 -> %c0_0], [%75 -> %c32]):index
        %138 = uniform.query_map(map:%137, key:%arg3_3) : index
        %139 = dataflow.get_logical_memory_view %89, %136 {addr_unit = "words", layout_map = #map17} : index, index, memref<64x2x16xf16>
        scf.for %arg4_1 = %c0_0 to %c4 step %c1_0 {
          %140 = arith.remui %arg4_1, %c2 : index
          dataflow.sync_send %133 {wait_immediately_for_async_transfers = true} : index
          dataflow.sync_recv %133 : index
          %141 = arith.addi %140, %c8 : index
          %142 = dataflow.get_logical_memory_view %135, %141 {addr_unit = "words", layout_map = #map18} : index, index, memref<2x4xf16>
          agen.composite_load_and_store src:%142[0, 0] dst:%139[%138, 0, %arg4_1 * 4]
           time_symbols(), load_iv(%arg5_4:vector<4xf16>)
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
