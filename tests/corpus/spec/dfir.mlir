func.func @two_cores() {
  %e0 = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-vpu", type = "vpu"} : index
  %e1 = dataflow.get_unit {core = 1 : i32, corelet = 0 : i32, name = "C1-vpu", type = "vpu"} : index
  dataflow.program_unit iter_arg : %self -> (%e0, %e1) {precision = "fp16"} : {
  }
  return
}

// -----

func.func @groups() {
  %a = dataflow.get_unit {core = 0 : i32, name = "C0-slu", type = "slu"} : index
  %b = dataflow.get_unit {core = 1 : i32, name = "C1-slu", type = "slu"} : index
  %g = dataflow.create_group(%a, %b : index, index) : index
  %m = dataflow.create_multicast_group(%a -> (%b)) {count = 0 : i32, group_id = 6 : i32, num_consumers = 1 : i32} : index
  return
}

// -----

func.func @views() {
  %mem = dataflow.get_unit {core = 0 : i32, name = "C0-spad", type = "spad"} : index
  %c0 = arith.constant 0 : index
  %c640 = arith.constant 640 : index
  %c4096 = arith.constant 4096 : index
  %v = dataflow.get_logical_memory_view %mem, %c640 {layout_map = affine_map<(d0, d1) -> (d0 * 40 + d1)>} : index, index, memref<9x40xf16>
  %p = dataflow.get_paged_logical_memory_view %mem, %c0 {layout_map = affine_map<(d0) -> (d0)>}
    {segments =
      page0: (idx_set = affine_set<(d0) : (d0 >= 0, -d0 + 127 >= 0)>, start_addr = %c0),
      page1: (idx_set = affine_set<(d0) : (d0 - 128 >= 0, -d0 + 255 >= 0)>, start_addr = %c4096)} : index, index, memref<256xf16>
  return
}

// -----

func.func @p2p() {
  %a = dataflow.get_unit {core = 0 : i32, name = "C0-slu", type = "slu"} : index
  %b = dataflow.get_unit {core = 0 : i32, name = "C0-vpu", type = "vpu"} : index
  dataflow.program_unit iter_arg : %self -> (%a) : {
    %k = arith.constant dense<2.5> : vector<24xf16>
    dataflow.send %b, %k {dbgName = "feed", dir = #dataflow<direction Clockwise>} : vector<24xf16>
    dataflow.sync_send %b {wait_immediately_for_async_transfers = true} : index
  }
  dataflow.program_unit iter_arg : %self -> (%b) : {
    %r = dataflow.receive %a : vector<24xf16>
    dataflow.sync_recv %a : index
  }
  return
}

// -----

func.func @op() {
  dataflow.opaque {func_name = "newton_step", parameter_dictionary = {unroll = "2"}, read_only_register_dictionary = {k = "R9"}, read_write_register_dictionary = {acc = "R1"}}
  return
}

// -----

func.func @per_unit() {
  %a = dataflow.get_unit {core = 0 : i32, name = "C0-glu", type = "glu"} : index
  %b = dataflow.get_unit {core = 1 : i32, name = "C1-glu", type = "glu"} : index
  %c11 = arith.constant 11 : index
  %c13 = arith.constant 13 : index
  %trip = uniform.def_immutable_mapping([%a -> %c11], [%b -> %c13]):index
  dataflow.program_unit iter_arg : %self -> (%a, %b) : {
    %n = uniform.query_map(map:%trip, key:%self) : index
  }
  return
}

// -----

func.func @clauses() {
  %a = dataflow.get_unit {core = 0 : i32, name = "C0-glu", type = "glu"} : index
  %b = dataflow.get_unit {core = 1 : i32, name = "C1-glu", type = "glu"} : index
  %c = dataflow.get_unit {core = 2 : i32, name = "C2-glu", type = "glu"} : index
  %g = dataflow.create_group(%b, %c : index, index) : index
  %r = uniform.uniformize_regions -> index {
    (%k -> %a) {
      %x = arith.constant 17 : index
      uniform.yield %x : index
    }
    (%k -> %g) {
      %x = arith.constant 19 : index
      uniform.yield %x : index
    }
  } {regIndices = [0 : i32, 1 : i32]}
  uniform.equalize_pattern {
    (%k -> %a) {
      %x = arith.constant 1 : index
    }
    (%k -> %b, %c) {
      %x = arith.constant 2 : index
    }
  }
  return
}

// -----

func.func @syms(%base: index) {
  %c64 = arith.constant 64 : index
  symbol.create_id %base {symbol_id = -1 : si64} : index
  %w = arith.divsi %base, %c64 : index
  symbol.create_id %w {symbol_id = -2 : si64} : index
  %u = dataflow.get_unit {core = 0 : i32, name = "C0-glu", type = "glu"} : index
  %mem = dataflow.get_unit {name = "gmem", type = "gmem"} : index
  dataflow.program_unit iter_arg : %self -> (%u) : {
    %s = symbol.create_symbol {SymbolId = -2 : i64} : index
    %v = dataflow.get_logical_memory_view %mem, %s {layout_map = affine_map<(d0) -> (d0)>} : index, index, memref<96xf16>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = symbol.create_symbol {SymbolId = -3 : i64} : index
    %m = symbol.symbol_immutable_mapping ([%c0 -> %s], [%c1 -> %t]) : index
    scf.for %i = %c0 to %c1 step %c1 {
      %q = symbol.query_map(map:%m, key:%i) : index
    }
  }
  return
}

// -----

func.func @vec(%m: memref<7x36xf16>, %i: index, %mc: index) {
  %v = agen.vector_load %m[%i, 0] multicast_info = %mc {load_order = affine_map<(d0, d1) -> (d0, d1)>, load_set = affine_set<(d0, d1) : (d0 == 0, d1 >= 0, -d1 + 35 >= 0)>} : memref<7x36xf16>, vector<36xf16>
  %w = agen.vector_load %m[0, %i + 1] {load_order = affine_map<(d0, d1) -> (d1, d0)>, load_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 6 >= 0, d1 == 0)>} : memref<7x36xf16>, vector<7xf16>
  agen.vector_store %v, %m[%i + 1, 0] {store_order = affine_map<(d0, d1) -> (d0, d1)>, store_set = affine_set<(d0, d1) : (d0 == 0, d1 >= 0, -d1 + 35 >= 0)>} : memref<7x36xf16>, vector<36xf16>
  return
}

// -----

func.func @copy(%s: memref<5x64xf16>, %d: memref<64xf16>, %i: index) {
  agen.composite_load_and_store src:%s[%i, 0] dst:%d[0]
   time_symbols(), load_iv(%x:vector<32xf16>)
   {load_order = affine_map<(d0, d1) -> (d0, d1)>, load_set = affine_set<(d0, d1) : (d0 == 0, d1 >= 0, -d1 + 31 >= 0)>, load_time_addr_map = affine_map<(d0) -> (0, d0 * 32)>, store_order = affine_map<(d0) -> (d0)>, store_set = affine_set<(d0) : (d0 >= 0, -d0 + 31 >= 0)>, store_time_addr_map = affine_map<(d0) -> (d0 * 32)>, time_order = affine_map<(d0) -> (d0)>, time_set = affine_set<(d0) : (d0 >= 0, -d0 + 1 >= 0)>}
  {
    agen.yield
  } : memref<5x64xf16>, memref<64xf16>
  return
}

// -----

func.func @gather(%ix: memref<12xindex>, %m: memref<40x16xf16>, %i: index) {
  %v = agen.indirect_vector_load indirect:%ix[%i] direct:%m[0, 0]
    {load_order = affine_map<(d0, d1) -> (d0, d1)>, load_set = affine_set<(d0, d1) : (d0 == 0, d1 >= 0, -d1 + 15 >= 0)>}
    : memref<12xindex>, memref<40x16xf16>, vector<16xf16>
  agen.composite_indirect_load indirect:%ix[0] direct:%m[0, 0] time_symbols(), load_iv(%x:vector<16xf16>)
    {load_order = affine_map<(d0, d1) -> (d0, d1)>, load_set = affine_set<(d0, d1) : (d0 == 0, d1 >= 0, -d1 + 15 >= 0)>, time_addr_map = affine_map<(d0) -> (d0)>, time_order = affine_map<(d0) -> (d0)>, time_set = affine_set<(d0) : (d0 >= 0, -d0 + 11 >= 0)>}
  {
    agen.yield
  } : memref<12xindex>, memref<40x16xf16>
  return
}

// -----

func.func @mask(%z: index) {
  %k = agen.set_transfer_mask_state mask_value(%z) {num_slices = 4 : i32, slice_mask_map = "(0)(A)(A|B)(1)", maskA = "(unmasked = 6 : i32, masked = 2 : i32)", maskB = "(unmasked = 1 : i32, masked = 3 : i32)"} : index, vector<32xf16>
  return
}

// -----

func.func @symvec(%i: index, %j: index, %s: index) {
  %mem = dataflow.get_unit {name = "gmem", type = "gmem"} : index
  %c0 = arith.constant 0 : index
  %v = dataflow.get_logical_memory_view %mem, %c0 {layout_map = affine_map<(d0) -> (d0)>} : index, index, memref<2048xf16>
  %x = agen.symbolic_vector_load %v[indices:(%i, %j), strides:(%s, %s)] {load_order = affine_map<(d0) -> (d0)>, load_set = affine_set<(d0) : (d0 >= 0, -d0 + 31 >= 0)>} : memref<2048xf16>, vector<32xf16>
  agen.symbolic_vector_store %x, %v[indices:(%i), strides:(%s)] {store_order = affine_map<(d0) -> (d0)>, store_set = affine_set<(d0) : (d0 >= 0, -d0 + 31 >= 0)>} : memref<2048xf16>, vector<32xf16>
  return
}

// -----

func.func @compute(%a: vector<48xf16>, %b: vector<48xf16>, %m: vector<48xi1>, %h: vector<24xf16>, %p: index) {
  %0 = vectorchain.binary %a, %b[%m : vector<48xi1>] {binary_op = #vectorchain<binary_operator sub>, op_specific_map = affine_map<(d0) -> (d0)>} : vector<48xf16>, vector<48xf16>, vector<48xf16>
  %1 = vectorchain.multiply %a, %b {reduction_map = affine_map<(d0) -> (d0 floordiv 6)>} : vector<48xf16>, vector<48xf16>, vector<8xf16>
  %2 = vectorchain.element_wise_compare %a, %b {compare_op = #vectorchain<element_wise_compare_operator compare_ge>} : vector<48xf16>, vector<48xf16>, vector<48xi1>
  %3 = vectorchain.element_wise_selection %2 ? %a : %b : vector<48xi1>, vector<48xf16>, vector<48xf16>, vector<48xf16>
  %4 = vectorchain.constant_bitstream {value = [0x3c00]} : vector<1xf16>
  %5 = vectorchain.shuffle input(%4) {indices = [0 : i32], repetition = 48 : i32} : vector<1xf16>, vector<48xf16>
  %6 = vectorchain.multiply_and_accumulate %a, %5, %3 {reduction_map = affine_map<(d0) -> (d0)>} : vector<48xf16>, vector<48xf16>, vector<48xf16>, vector<48xf16>
  %7 = vectorchain.merge %h, %h {access_function_A = affine_map<(d0) -> (d0)>, access_function_B = affine_map<(d0) -> (d0)>, access_function_CA = affine_map<(d0) -> (d0 * 2)>, access_function_CB = affine_map<(d0) -> (d0 * 2 + 1)>, iteration_space_CA = affine_set<(d0) : (d0 >= 0, -d0 + 23 >= 0)>, iteration_space_CB = affine_set<(d0) : (d0 >= 0, -d0 + 23 >= 0)>} : vector<24xf16>, vector<24xf16>, vector<48xf16>
  %8 = vectorchain.rotate %7, %p {right_shift = false} : vector<48xf16>, index, vector<48xf16>
  %9 = vectorchain.scan_with_gap %8 {eval_order = #vectorchain<eval_order left_to_right>, gap = 3 : index, reduction_op = #vectorchain<binary_operator add>} : vector<48xf16>, vector<48xf16>
  %10 = vectorchain.cast %9 : vector<48xf16>, vector<48xf32>
  %11 = vectorchain.create_affine_mask %p {mask_set = affine_set<(d0)[s0] : (s0 - d0 - 1 >= 0)>} : vector<48xi1>
  return
}

// -----

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
