#map = affine_map<(d0, d1) -> (d0, d1)>
#map4 = affine_map<(d0, d1, d2) -> (d2 + d1 * 160 + d0)>
#map5 = affine_map<(d0, d1) -> (d1 + d0 * 192)>
#map6 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map7 = affine_map<(d0) -> (0, d0, 0)>
#map8 = affine_map<(d0) -> (d0, 0)>
#map9 = affine_map<(d0) -> (d0)>
#map10 = affine_map<(d0, d1, d2, d3) -> (d3 + d2 * 64 + d1 * 64 + d0 * 192)>
#map11 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#set2 = affine_set<(d0, d1, d2) : (d0 == 0, d1 == 0, d2 >= 0, -d2 + 159 >= 0)>
#set3 = affine_set<(d0, d1) : (d0 == 0, d1 >= 0, -d1 + 159 >= 0)>
#set4 = affine_set<(d0) : (d0 >= 0, -d0 + 1 >= 0)>
#set5 = affine_set<(d0, d1, d2, d3) : (d0 == 0, d1 == 0, d2 == 0, d3 >= 0, -d3 + 63 >= 0)>
#set6 = affine_set<(d0, d1, d2, d3) : (d0 == 0, d1 == 0, d2 == 0, d3 >= 0, -d3 + 31 >= 0)>
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
      %cst = arith.constant 0.000000e+00 : f16
      %c24 = arith.constant 24 : index
      %c3072 = arith.constant 3072 : index
      %c1536 = arith.constant 1536 : index
      %c768 = arith.constant 768 : index
      %c160 = arith.constant 160 : index
      %c-64 = arith.constant -64 : index
      %c64 = arith.constant 64 : index
      %c12 = arith.constant 12 : index
      %c960 = arith.constant 960 : index
      %c128 = arith.constant 128 : index
      %c6 = arith.constant 6 : index
      %c2 = arith.constant 2 : index
      %c1_0 = arith.constant 1 : index
      %c3 = arith.constant 3 : index
      %c0_0 = arith.constant 0 : index
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
      %93 = arith.divsi %x, %c128 : index
      symbol.create_id %93 {symbol_id = -4 : si64} : index
      %94 = dataflow.get_unit {name = "lpddr", type = "lpddr"} : index
      %95 = dataflow.get_unit {core = 0 : i32, name = "C0-lx", type = "lx"} : index
      %96 = dataflow.get_unit {core = 1 : i32, name = "C1-lx", type = "lx"} : index
      %97 = arith.divsi %y, %c128 : index
      symbol.create_id %97 {symbol_id = -5 : si64} : index
      %98 = arith.divsi %z, %c128 : index
      symbol.create_id %98 {symbol_id = -6 : si64} : index
      dataflow.program_unit iter_arg : %arg3_0 -> (%54, %55) : {
        %99 = symbol.create_symbol {SymbolId = -4 : i64} : index
        %71 = uniform.def_immutable_mapping([%54 -> %c0_0], [%55 -> %c960]):index
        %72 = uniform.query_map(map:%71, key:%arg3_0) : index
        %100 = dataflow.get_logical_memory_view %94, %99 {addr_unit = "words", layout_map = #map4} : index, index, memref<1920x6x160xf16>
        %73 = uniform.def_immutable_mapping([%54 -> %95], [%55 -> %96]):index
        %74 = uniform.query_map(map:%73, key:%arg3_0) : index
        %101 = symbol.create_symbol {SymbolId = -5 : i64} : index
        %102 = dataflow.get_logical_memory_view %94, %101 {addr_unit = "words", layout_map = #map4} : index, index, memref<1920x6x160xf16>
        %75 = uniform.def_immutable_mapping([%54 -> %56], [%55 -> %57]):index
        %76 = uniform.query_map(map:%75, key:%arg3_0) : index
        %77 = uniform.def_immutable_mapping([%54 -> %58], [%55 -> %59]):index
        %78 = uniform.query_map(map:%77, key:%arg3_0) : index
        scf.for %arg3 = %c0_0 to %c3 step %c1_0 {
          %103 = arith.remui %arg3, %c2 : index
          %15 = arith.muli %103, %c6 : index
          %104 = dataflow.get_logical_memory_view %74, %15 {addr_unit = "words", layout_map = #map5} : index, index, memref<2x192xf16>
          agen.composite_load_and_store src:%100[%72, %arg3 * 2, 0] dst:%104[0, 0]
           time_symbols(), load_iv(%arg5_2:vector<160xf16>)
           {load_order = #map6, load_set = #set2, load_time_addr_map = #map7, store_order = #map, store_set = #set3, store_time_addr_map = #map8, time_order = #map9, time_set = #set4}
          {
            agen.yield
          } : memref<1920x6x160xf16>, memref<2x192xf16>
          %87 = arith.muli %103, %c6 : index
          %105 = arith.addi %87, %c12 : index
          %106 = dataflow.get_logical_memory_view %74, %105 {addr_unit = "words", layout_map = #map5} : index, index, memref<2x192xf16>
          agen.composite_load_and_store src:%102[%72, %arg3 * 2, 0] dst:%106[0, 0]
           time_symbols(), load_iv(%arg5_3:vector<160xf16>)
           {load_order = #map6, load_set = #set2, load_time_addr_map = #map7, store_order = #map, store_set = #set3, store_time_addr_map = #map8, time_order = #map9, time_set = #set4}
          {
            agen.yield
          } : memref<1920x6x160xf16>, memref<2x192xf16>
          dataflow.sync_send %76 {wait_immediately_for_async_transfers = true} : index
          dataflow.sync_send %78 {wait_immediately_for_async_transfers = true} : index
          dataflow.sync_recv %76 : index
          dataflow.sync_recv %78 : index
        }
      }
      dataflow.program_unit iter_arg : %arg3_1 -> (%56, %57, %58, %59) : {
        %107 = uniform.def_immutable_mapping([%56 -> %54], [%57 -> %55], [%58 -> %54], [%59 -> %55]):index
        %80 = uniform.query_map(map:%107, key:%arg3_1) : index
        %108 = uniform.def_immutable_mapping([%56 -> %c0_0], [%57 -> %c0_0], [%58 -> %c1_0], [%59 -> %c1_0]):index
        %82 = uniform.query_map(map:%108, key:%arg3_1) : index
        %109 = uniform.def_immutable_mapping([%56 -> %c1_0], [%57 -> %c1_0], [%58 -> %c2], [%59 -> %c2]):index
        %84 = uniform.query_map(map:%109, key:%arg3_1) : index
        %110 = uniform.def_immutable_mapping([%56 -> %95], [%57 -> %96], [%58 -> %95], [%59 -> %96]):index
        %86 = uniform.query_map(map:%110, key:%arg3_1) : index
        %111 = uniform.def_immutable_mapping([%56 -> %60], [%57 -> %61], [%58 -> %62], [%59 -> %63]):index
        %112 = uniform.query_map(map:%111, key:%arg3_1) : index
        scf.for %arg6_0 = %c0_0 to %c3 step %c1_0 {
          %113 = arith.remui %arg6_0, %c2 : index
          dataflow.sync_send %80 {wait_immediately_for_async_transfers = true} : index
          dataflow.sync_recv %80 : index
          scf.for %arg5 = %82 to %84 step %c1_0 {
            scf.for %arg6 = %c0_0 to %c3 step %c1_0 {
              %88 = arith.muli %arg6, %c-64 : index
              %114 = arith.addi %88, %c160 : index
              %115 = arith.minsi %114, %c64 : index
              %116 = arith.cmpi eq, %115, %c64 : index
              scf.if %116 {
                %13 = arith.muli %113, %c768 : index
                %117 = dataflow.get_logical_memory_view %86, %13 {addr_unit = "words", layout_map = #map10} : index, index, memref<2x3x1x64xf16>
                %118 = agen.vector_load %117[%arg5, %arg6, 0, 0] {load_order = #map11, load_set = #set5} : memref<2x3x1x64xf16>, vector<64xf16>
                dataflow.send %112, %118 : vector<64xf16>
              } else {
                %89 = arith.muli %113, %c768 : index
                %119 = dataflow.get_logical_memory_view %86, %89 {addr_unit = "words", layout_map = #map10} : index, index, memref<2x3x1x64xf16>
                %120 = agen.vector_load %119[%arg5, %arg6, 0, 0] {load_order = #map11, load_set = #set6} : memref<2x3x1x64xf16>, vector<32xf16>
                %121 = vectorchain.shuffle input(%120), pad(%cst) {indices = [0 : i32, 1 : i32, 2 : i32, 3 : i32, 4 : i32, 5 : i32, 6 : i32, 7 : i32, 8 : i32, 9 : i32, 10 : i32, 11 : i32, 12 : i32, 13 : i32, 14 : i32, 15 : i32, 16 : i32, 17 : i32, 18 : i32, 19 : i32, 20 : i32, 21 : i32, 22 : i32, 23 : i32, 24 : i32, 25 : i32, 26 : i32, 27 : i32, 28 : i32, 29 : i32, 30 : i32, 31 : i32, -1 : i32, -1 : i32, -1 : i32, -1 : i32, -1 : i32, -1 : i32, -1 : i32, -1 : i32, -1 : i32, -1 : i32, -1 : i32, -1 : i32, -1 : i32, -1 : i32, -1 : i32, -1 : i32, -1 : i32, -1 : i32, -1 : i32, -1 : i32, -1 : i32, -1 : i32, -1 : i32, -1 : i32, -1 : i32, -1 : i32, -1 : i32, -1 : i32, -1 : i32, -1 : i32, -1 : i32, -1 : i32], repetition = 1 : i32} : vector<32xf16>, f16, vector<64xf16>
                dataflow.send %112, %121 : vector<64xf16>
              }
              %122 = arith.cmpi eq, %115, %c64 : index
              scf.if %122 {
                %14 = arith.muli %113, %c768 : index
                %123 = arith.addi %14, %c1536 : index
                %124 = dataflow.get_logical_memory_view %86, %123 {addr_unit = "words", layout_map = #map10} : index, index, memref<2x3x1x64xf16>
                %125 = agen.vector_load %124[%arg5, %arg6, 0, 0] {load_order = #map11, load_set = #set5} : memref<2x3x1x64xf16>, vector<64xf16>
                dataflow.send %112, %125 : vector<64xf16>
              } else {
                %90 = arith.muli %113, %c768 : index
                %126 = arith.addi %90, %c1536 : index
                %127 = dataflow.get_logical_memory_view %86, %126 {addr_unit = "words", layout_map = #map10} : index, index, memref<2x3x1x64xf16>
                %128 = agen.vector_load %127[%arg5, %arg6, 0, 0] {load_order = #map11, load_set = #set6} : memref<2x3x1x64xf16>, vector<32xf16>
                %129 = vectorchain.shuffle input(%128), pad(%cst) {indices = [0 : i32, 1 : i32, 2 : i32, 3 : i32, 4 : i32, 5 : i32, 6 : i32, 7 : i32, 8 : i32, 9 : i32, 10 : i32, 11 : i32, 12 : i32, 13 : i32, 14 : i32, 15 : i32, 16 : i32, 17 : i32, 18 : i32, 19 : i32, 20 : i32, 21 : i32, 22 : i32, 23 : i32, 24 : i32, 25 : i32, 26 : i32, 27 : i32, 28 : i32, 29 : i32, 30 : i32, 31 : i32, -1 : i32, -1 : i32, -1 : i32, -1 : i32, -1 : i32, -1 : i32, -1 : i32, -1 : i32, -1 : i32, -1 : i32, -1 : i32, -1 : i32, -1 : i32, -1 : i32, -1 : i32, -1 : i32, -1 : i32, -1 : i32, -1 : i32, -1 : i32, -1 : i32, -1 : i32, -1 : i32, -1 : i32, -1 : i32, -1 : i32, -1 : i32, -1 : i32, -1 : i32, -1 : i32, -1 : i32, -1 : i32], repetition = 1 : i32} : vector<32xf16>, f16, vector<64xf16>
                dataflow.send %112, %129 : vector<64xf16>
              }
            }
          }
        }
      }
      dataflow.program_unit iter_arg : %arg3_2 -> (%60, %61, %62, %63) : {
        %130 = uniform.def_immutable_mapping([%60 -> %c0_0], [%61 -> %c0_0], [%62 -> %c1_0], [%63 -> %c1_0]):index
        %131 = uniform.query_map(map:%130, key:%arg3_2) : index
        %132 = uniform.def_immutable_mapping([%60 -> %c1_0], [%61 -> %c1_0], [%62 -> %c2], [%63 -> %c2]):index
        %133 = uniform.query_map(map:%132, key:%arg3_2) : index
        %134 = uniform.def_immutable_mapping([%60 -> %56], [%61 -> %57], [%62 -> %58], [%63 -> %59]):index
        %135 = uniform.query_map(map:%134, key:%arg3_2) : index
        %136 = uniform.def_immutable_mapping([%60 -> %64], [%61 -> %65], [%62 -> %66], [%63 -> %67]):index
        %137 = uniform.query_map(map:%136, key:%arg3_2) : index
        scf.for %arg4 = %c0_0 to %c3 step %c1_0 {
          scf.for %arg5_0 = %131 to %133 step %c1_0 {
            scf.for %arg6_1 = %c0_0 to %c3 step %c1_0 {
              %138 = dataflow.receive %135 : vector<64xf16>
              %139 = dataflow.receive %135 : vector<64xf16>
              %140 = vectorchain.binary %138, %139 {binary_op = #vectorchain<binary_operator add>, op_specific_map = #map9} : vector<64xf16>, vector<64xf16>, vector<64xf16>
              dataflow.send %137, %140 : vector<64xf16>
            }
          }
        }
      }
      dataflow.program_unit iter_arg : %arg3_3 -> (%64, %65, %66, %67) : {
        %141 = uniform.def_immutable_mapping([%64 -> %c0_0], [%65 -> %c0_0], [%66 -> %c1_0], [%67 -> %c1_0]):index
        %142 = uniform.query_map(map:%141, key:%arg3_3) : index
        %143 = uniform.def_immutable_mapping([%64 -> %c1_0], [%65 -> %c1_0], [%66 -> %c2], [%67 -> %c2]):index
        %144 = uniform.query_map(map:%143, key:%arg3_3) : index
        %145 = uniform.def_immutable_mapping([%64 -> %60], [%65 -> %61], [%66 -> %62], [%67 -> %63]):index
        %146 = uniform.query_map(map:%145, key:%arg3_3) : index
        %147 = uniform.def_immutable_mapping([%64 -> %95], [%65 -> %96], [%66 -> %95], [%67 -> %96]):index
        %148 = uniform.query_map(map:%147, key:%arg3_3) : index
        %149 = uniform.def_immutable_mapping([%64 -> %68], [%65 -> %69], [%66 -> %68], [%67 -> %69]):index
        %150 = uniform.query_map(map:%149, key:%arg3_3) : index
        scf.for %arg4_0 = %c0_0 to %c3 step %c1_0 {
          %151 = arith.remui %arg4_0, %c2 : index
          scf.for %arg5_1 = %142 to %144 step %c1_0 {
            scf.for %arg6_2 = %c0_0 to %c3 step %c1_0 {
              %152 = dataflow.receive %146 : vector<64xf16>
              %91 = arith.muli %151, %c768 : index
              %153 = arith.addi %91, %c3072 : index
              %154 = dataflow.get_logical_memory_view %148, %153 {addr_unit = "words", layout_map = #map10} : index, index, memref<2x3x1x64xf16>
              agen.vector_store %152, %154[%arg5_1, %arg6_2, 0, 0] {store_order = #map11, store_set = #set5} : memref<2x3x1x64xf16>, vector<64xf16>
            }
          }
          dataflow.sync_send %150 {wait_immediately_for_async_transfers = true} : index
          dataflow.sync_recv %150 : index
        }
      }
      dataflow.program_unit iter_arg : %arg3_4 -> (%68, %69) : {
        %79 = uniform.def_immutable_mapping([%68 -> %64], [%69 -> %65]):index
        %155 = uniform.query_map(map:%79, key:%arg3_4) : index
        %81 = uniform.def_immutable_mapping([%68 -> %66], [%69 -> %67]):index
        %156 = uniform.query_map(map:%81, key:%arg3_4) : index
        %83 = uniform.def_immutable_mapping([%68 -> %95], [%69 -> %96]):index
        %157 = uniform.query_map(map:%83, key:%arg3_4) : index
        %158 = symbol.create_symbol {SymbolId = -6 : i64} : index
        %85 = uniform.def_immutable_mapping([%68 -> %c0_0], [%69 -> %c960]):index
        %159 = uniform.query_map(map:%85, key:%arg3_4) : index
        %160 = dataflow.get_logical_memory_view %94, %158 {addr_unit = "words", layout_map = #map4} : index, index, memref<1920x6x160xf16>
        scf.for %arg4_1 = %c0_0 to %c3 step %c1_0 {
          %161 = arith.remui %arg4_1, %c2 : index
          dataflow.sync_send %155 {wait_immediately_for_async_transfers = true} : index
          dataflow.sync_send %156 {wait_immediately_for_async_transfers = true} : index
          dataflow.sync_recv %155 : index
          dataflow.sync_recv %156 : index
          %92 = arith.muli %161, %c6 : index
          %162 = arith.addi %92, %c24 : index
          %163 = dataflow.get_logical_memory_view %157, %162 {addr_unit = "words", layout_map = #map5} : index, index, memref<2x192xf16>
          agen.composite_load_and_store src:%163[0, 0] dst:%160[%159, %arg4_1 * 2, 0]
           time_symbols(), load_iv(%arg5_4:vector<160xf16>)
           {load_order = #map, load_set = #set3, load_time_addr_map = #map8, store_order = #map6, store_set = #set2, store_time_addr_map = #map7, time_order = #map9, time_set = #set4}
          {
            agen.yield
          } : memref<2x192xf16>, memref<1920x6x160xf16>
        }
      }
      return
    }
  }
}
