#row = affine_map<(d0, d1) -> (d0 * 32 + d1)>
#id1 = affine_map<(d0) -> (d0)>
#id2 = affine_map<(d0, d1) -> (d0, d1)>
#z1 = affine_map<(d0) -> (0)>
#z2 = affine_map<(d0) -> (0, 0)>
#line = affine_set<(d0) : (d0 >= 0, -d0 + 31 >= 0)>
#one_row = affine_set<(d0, d1) : (d0 == 0, d1 >= 0, -d1 + 31 >= 0)>
#once = affine_set<(d0) : (d0 == 0)>
module {
  module {
    func.func @twice(%x: index, %y: index) attributes {grid = [2]} {
      symbol.create_id %x {symbol_id = -1 : si64} : index
      symbol.create_id %y {symbol_id = -2 : si64} : index
      call @twice_0(%x, %y) : (index, index) -> ()
      return
    }
    func.func private @twice_0(index, index)
  }
  module @twice_0 {
    func.func private @twice_0_body()
    func.func @twice_0(%x: index, %y: index) {
      // what each symbol is: per core, (base + share in bytes) / word size in bytes
      %c32 = arith.constant 32 : index
      %c256 = arith.constant 256 : index
      symbol.create_id %x {symbol_id = -1 : si64} : index
      symbol.create_id %y {symbol_id = -2 : si64} : index
      %x0 = arith.divsi %x, %c32 : index
      symbol.create_id %x0 {symbol_id = -3 : si64} : index
      %xb = arith.addi %x, %c256 : index
      %x1 = arith.divsi %xb, %c32 : index
      symbol.create_id %x1 {symbol_id = -4 : si64} : index
      %y0 = arith.divsi %y, %c32 : index
      symbol.create_id %y0 {symbol_id = -5 : si64} : index
      %yb = arith.addi %y, %c256 : index
      %y1 = arith.divsi %yb, %c32 : index
      symbol.create_id %y1 {symbol_id = -6 : si64} : index
      call @twice_0_body() : () -> ()
      return
    }
    module {
      func.func @twice_0_body() attributes {grid = [2]} {
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c4 = arith.constant 4 : index
        %c64 = arith.constant 64 : index
        %ld0 = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-glu", type = "glu"} : index
        %ld1 = dataflow.get_unit {core = 1 : i32, corelet = 0 : i32, name = "C1-glu", type = "glu"} : index
        %sl0 = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-slu", type = "slu"} : index
        %sl1 = dataflow.get_unit {core = 1 : i32, corelet = 0 : i32, name = "C1-slu", type = "slu"} : index
        %vp0 = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-vpu", type = "vpu"} : index
        %vp1 = dataflow.get_unit {core = 1 : i32, corelet = 0 : i32, name = "C1-vpu", type = "vpu"} : index
        %ss0 = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-ssu", type = "ssu"} : index
        %ss1 = dataflow.get_unit {core = 1 : i32, corelet = 0 : i32, name = "C1-ssu", type = "ssu"} : index
        %st0 = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-gsu", type = "gsu"} : index
        %st1 = dataflow.get_unit {core = 1 : i32, corelet = 0 : i32, name = "C1-gsu", type = "gsu"} : index
        %gm = dataflow.get_unit {name = "gmem", type = "gmem"} : index
        %sp0 = dataflow.get_unit {core = 0 : i32, name = "C0-spad", type = "spad"} : index
        %sp1 = dataflow.get_unit {core = 1 : i32, name = "C1-spad", type = "spad"} : index
        // loader: global memory -> scratchpad
        dataflow.program_unit iter_arg : %me -> (%ld0, %ld1) : {
          %spm = uniform.def_immutable_mapping([%ld0 -> %sp0], [%ld1 -> %sp1]):index
          %sp = uniform.query_map(map:%spm, key:%me) : index
          %s3 = symbol.create_symbol {SymbolId = -3 : i64} : index
          %s4 = symbol.create_symbol {SymbolId = -4 : i64} : index
          %sm = uniform.def_immutable_mapping([%ld0 -> %s3], [%ld1 -> %s4]):index
          %start = uniform.query_map(map:%sm, key:%me) : index
          %in = dataflow.get_logical_memory_view %gm, %start {layout_map = #row} : index, index, memref<4x32xf16>
          %buf = dataflow.get_logical_memory_view %sp, %c0 {layout_map = #id1} : index, index, memref<32xf16>
          scf.for %i = %c0 to %c4 step %c1 {
            agen.composite_load_and_store src:%in[%i, %c0] dst:%buf[%c0]
             time_symbols(), load_iv(%v:vector<32xf16>)
             {load_order = #id2, load_set = #one_row, load_time_addr_map = #z2, store_order = #id1, store_set = #line, store_time_addr_map = #z1, time_order = #id1, time_set = #once}
            {
              agen.yield
            } : memref<4x32xf16>, memref<32xf16>
            %pm = uniform.def_immutable_mapping([%ld0 -> %sl0], [%ld1 -> %sl1]):index
            %peer = uniform.query_map(map:%pm, key:%me) : index
            dataflow.sync_send %peer {wait_immediately_for_async_transfers = true} : index
            dataflow.sync_recv %peer : index
          }
        }
        // scratchpad -> fifo
        dataflow.program_unit iter_arg : %me -> (%sl0, %sl1) : {
          %spm = uniform.def_immutable_mapping([%sl0 -> %sp0], [%sl1 -> %sp1]):index
          %sp = uniform.query_map(map:%spm, key:%me) : index
          %buf = dataflow.get_logical_memory_view %sp, %c0 {layout_map = #id1} : index, index, memref<32xf16>
          scf.for %i = %c0 to %c4 step %c1 {
            %lm = uniform.def_immutable_mapping([%sl0 -> %ld0], [%sl1 -> %ld1]):index
            %l = uniform.query_map(map:%lm, key:%me) : index
            dataflow.sync_send %l {wait_immediately_for_async_transfers = true} : index
            dataflow.sync_recv %l : index
            %v = agen.vector_load %buf[%c0] {load_order = #id1, load_set = #line} : memref<32xf16>, vector<32xf16>
            %vm = uniform.def_immutable_mapping([%sl0 -> %vp0], [%sl1 -> %vp1]):index
            %q = uniform.query_map(map:%vm, key:%me) : index
            dataflow.send %q, %v : vector<32xf16>
          }
        }
        // compute
        dataflow.program_unit iter_arg : %me -> (%vp0, %vp1) : {
          scf.for %i = %c0 to %c4 step %c1 {
            %fm = uniform.def_immutable_mapping([%vp0 -> %sl0], [%vp1 -> %sl1]):index
            %f = uniform.query_map(map:%fm, key:%me) : index
            %v = dataflow.receive %f : vector<32xf16>
            %w = vectorchain.binary %v, %v {binary_op = #vectorchain<binary_operator add>, op_specific_map = #id1} : vector<32xf16>, vector<32xf16>, vector<32xf16>
            %tm = uniform.def_immutable_mapping([%vp0 -> %ss0], [%vp1 -> %ss1]):index
            %t = uniform.query_map(map:%tm, key:%me) : index
            dataflow.send %t, %w : vector<32xf16>
          }
        }
        // fifo -> scratchpad
        dataflow.program_unit iter_arg : %me -> (%ss0, %ss1) : {
          %spm = uniform.def_immutable_mapping([%ss0 -> %sp0], [%ss1 -> %sp1]):index
          %sp = uniform.query_map(map:%spm, key:%me) : index
          %buf = dataflow.get_logical_memory_view %sp, %c64 {layout_map = #id1} : index, index, memref<32xf16>
          scf.for %i = %c0 to %c4 step %c1 {
            %fm = uniform.def_immutable_mapping([%ss0 -> %vp0], [%ss1 -> %vp1]):index
            %f = uniform.query_map(map:%fm, key:%me) : index
            %w = dataflow.receive %f : vector<32xf16>
            agen.vector_store %w, %buf[%c0] {store_order = #id1, store_set = #line} : memref<32xf16>, vector<32xf16>
            %pm = uniform.def_immutable_mapping([%ss0 -> %st0], [%ss1 -> %st1]):index
            %p = uniform.query_map(map:%pm, key:%me) : index
            dataflow.sync_send %p {wait_immediately_for_async_transfers = true} : index
            dataflow.sync_recv %p : index
          }
        }
        // scratchpad -> global memory
        dataflow.program_unit iter_arg : %me -> (%st0, %st1) : {
          %spm = uniform.def_immutable_mapping([%st0 -> %sp0], [%st1 -> %sp1]):index
          %sp = uniform.query_map(map:%spm, key:%me) : index
          %s5 = symbol.create_symbol {SymbolId = -5 : i64} : index
          %s6 = symbol.create_symbol {SymbolId = -6 : i64} : index
          %sm = uniform.def_immutable_mapping([%st0 -> %s5], [%st1 -> %s6]):index
          %start = uniform.query_map(map:%sm, key:%me) : index
          %out = dataflow.get_logical_memory_view %gm, %start {layout_map = #row} : index, index, memref<4x32xf16>
          %buf = dataflow.get_logical_memory_view %sp, %c64 {layout_map = #id1} : index, index, memref<32xf16>
          scf.for %i = %c0 to %c4 step %c1 {
            %pm = uniform.def_immutable_mapping([%st0 -> %ss0], [%st1 -> %ss1]):index
            %p = uniform.query_map(map:%pm, key:%me) : index
            dataflow.sync_send %p {wait_immediately_for_async_transfers = true} : index
            dataflow.sync_recv %p : index
            agen.composite_load_and_store src:%buf[%c0] dst:%out[%i, %c0]
             time_symbols(), load_iv(%v:vector<32xf16>)
             {load_order = #id1, load_set = #line, load_time_addr_map = #z1, store_order = #id2, store_set = #one_row, store_time_addr_map = #z2, time_order = #id1, time_set = #once}
            {
              agen.yield
            } : memref<32xf16>, memref<4x32xf16>
          }
        }
        return
      }
    }
  }
}
