func.func @copy_in() attributes {grid = [2]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %src = memref.alloc() : memref<6x32xf16, "GMEM">
  scf.for %i = %c0 to %c6 step %c1 {
    ktdf.pipeline {
      %buf, %q, %t = ktdf.private -> (memref<32xf16, "SPAD">, !ktdf.fifo.slot<"SLU" -> "VPU", 32xf16>, !ktdf.token) {
        %b = memref.alloc() : memref<32xf16, "SPAD">
        %f = ktdf.fifo.allocate() -> !ktdf.fifo.slot<"SLU" -> "VPU", 32xf16>
        %k = ktdf.create_token : !ktdf.token
        ktdf.private_yield %b, %f, %k : memref<32xf16, "SPAD">, !ktdf.fifo.slot<"SLU" -> "VPU", 32xf16>, !ktdf.token
      }
      ktdf.stage depends_in(none) depends_out(%t) {
        ktdf.data_transfer from %src[%i, %c0] size [1, 32] to %buf[%c0] size [32] : memref<6x32xf16, "GMEM">, memref<32xf16, "SPAD">
      } {applicable_units = ["GLU"]}
      ktdf.stage depends_in(%t) depends_out(none) {
        ktdf.data_transfer from %buf[%c0] size [32] to %q size [32] : memref<32xf16, "SPAD">, !ktdf.fifo.slot<"SLU" -> "VPU", 32xf16>
      } {applicable_units = ["SLU"]}
    }
  } {loop_type = #ktdf.loop_type<parallel_loop>}
  return
}

// -----

func.func @copy_in() attributes {grid = [2]} {
  %0 = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-glu", type = "glu"} : index
  %1 = dataflow.get_unit {core = 1 : i32, corelet = 0 : i32, name = "C1-glu", type = "glu"} : index
  %2 = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-slu", type = "slu"} : index
  %3 = dataflow.get_unit {core = 1 : i32, corelet = 0 : i32, name = "C1-slu", type = "slu"} : index
  %4 = ktdp.get_compute_tile_id : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %5 = uniform.def_immutable_mapping([%c0 -> %0], [%c1 -> %1]):index
  %6 = uniform.query_map(map:%5, key:%4) : index
  %c0_0 = arith.constant 0 : index
  %c1_1 = arith.constant 1 : index
  %7 = uniform.def_immutable_mapping([%c0_0 -> %2], [%c1_1 -> %3]):index
  %8 = uniform.query_map(map:%7, key:%4) : index
  %c0_2 = arith.constant 0 : index
  %c1_3 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %alloc = memref.alloc() : memref<6x32xf16, "GMEM">
  scf.for %arg0 = %c0_2 to %c6 step %c1_3 {
    ktdf_lowering.execute_on %6, %8 {
      %alloc_4 = memref.alloc() : memref<32xf16, "SPAD">
      %9 = ktdf.fifo.allocate() -> !ktdf.fifo.slot<"SLU" -> "VPU", 32xf16>
      %10 = ktdf.create_token : !ktdf.token
      ktdf_lowering.execute_on %6 {
        ktdf.data_transfer from %alloc[%arg0, %c0_2] size [1, 32] to %alloc_4[%c0_2] size [32] : memref<6x32xf16, "GMEM">, memref<32xf16, "SPAD">
      }
      ktdf_lowering.signal %6, %8
      ktdf_lowering.execute_on %8 {
        ktdf.data_transfer from %alloc_4[%c0_2] size [32] to %9 size [32] : memref<32xf16, "SPAD">, !ktdf.fifo.slot<"SLU" -> "VPU", 32xf16>
      }
    }
  }
  return
}

// -----

func.func @accumulate() attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %acc = memref.alloc() : memref<32xf16, "SPAD">
  %d = memref.alloc() : memref<7x32xf16, "SPAD">
  scf.for %k = %c0 to %c7 step %c1 {
    ktdf.pipeline {
      %f, %g, %t0, %t1 = ktdf.private -> (!ktdf.fifo.slot<"SLU" -> "VPU", 32xf16>, !ktdf.fifo.slot<"VPU" -> "SSU", 32xf16>, !ktdf.token, !ktdf.token) {
        %x = ktdf.fifo.allocate() -> !ktdf.fifo.slot<"SLU" -> "VPU", 32xf16>
        %y = ktdf.fifo.allocate() -> !ktdf.fifo.slot<"VPU" -> "SSU", 32xf16>
        %a = ktdf.create_token : !ktdf.token
        %b = ktdf.create_token : !ktdf.token
        ktdf.private_yield %x, %y, %a, %b : !ktdf.fifo.slot<"SLU" -> "VPU", 32xf16>, !ktdf.fifo.slot<"VPU" -> "SSU", 32xf16>, !ktdf.token, !ktdf.token
      }
      ktdf.stage depends_in(none) depends_out(%t0) {
        %more = arith.cmpi sgt, %k, %c0 : index
        scf.if %more {
          ktdf.data_transfer from %acc[%c0] size [32] to %f size [32] : memref<32xf16, "SPAD">, !ktdf.fifo.slot<"SLU" -> "VPU", 32xf16>
        }
      } {applicable_units = ["SLU"]}
      ktdf.stage depends_in(%t0) depends_out(%t1) {
        "demo.combine"(%f, %g) : (!ktdf.fifo.slot<"SLU" -> "VPU", 32xf16>, !ktdf.fifo.slot<"VPU" -> "SSU", 32xf16>) -> ()
      } {applicable_units = ["VPU"]}
      ktdf.stage depends_in(%t1) depends_out(none) {
        ktdf.data_transfer from %g size [32] to %acc[%c0] size [32] : !ktdf.fifo.slot<"VPU" -> "SSU", 32xf16>, memref<32xf16, "SPAD">
      } {applicable_units = ["SSU"]}
    }
  }
  return
}

// -----

func.func @split_by_kind() attributes {grid = [2]} {
  %l0 = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-glu", type = "glu"} : index
  %l1 = dataflow.get_unit {core = 1 : i32, corelet = 0 : i32, name = "C1-glu", type = "glu"} : index
  %s0 = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-slu", type = "slu"} : index
  %s1 = dataflow.get_unit {core = 1 : i32, corelet = 0 : i32, name = "C1-slu", type = "slu"} : index
  %t = ktdp.get_compute_tile_id : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %ml = uniform.def_immutable_mapping([%c0 -> %l0], [%c1 -> %l1]):index
  %ql = uniform.query_map(map:%ml, key:%t) : index
  %ms = uniform.def_immutable_mapping([%c0 -> %s0], [%c1 -> %s1]):index
  %qs = uniform.query_map(map:%ms, key:%t) : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    %lin = arith.addi %i, %t : index
    ktdf_lowering.execute_on %ql, %qs {
      ktdf_lowering.execute_on %ql {
        "demo.load"(%lin) : (index) -> ()
      }
      ktdf_lowering.signal %ql, %qs
      ktdf_lowering.execute_on %qs {
        "demo.feed"(%i) : (index) -> ()
      }
    }
  }
  return
}

// -----

func.func @split_by_kind() attributes {grid = [2]} {
  %c4 = arith.constant 4 : index
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %0 = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-glu", type = "glu"} : index
  %1 = dataflow.get_unit {core = 1 : i32, corelet = 0 : i32, name = "C1-glu", type = "glu"} : index
  %2 = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-slu", type = "slu"} : index
  %3 = dataflow.get_unit {core = 1 : i32, corelet = 0 : i32, name = "C1-slu", type = "slu"} : index
  dataflow.program_unit iter_arg : %arg0 -> (%0, %1) : {
    %4 = uniform.def_immutable_mapping([%0 -> %c0], [%1 -> %c1]):index
    %5 = uniform.query_map(map:%4, key:%arg0) : index
    scf.for %arg1 = %c0 to %c4 step %c1 {
      %6 = arith.addi %arg1, %5 : index
      "demo.load"(%6) : (index) -> ()
      %7 = uniform.def_immutable_mapping([%0 -> %2], [%1 -> %3]):index
      %8 = uniform.query_map(map:%7, key:%arg0) : index
      dataflow.sync_send %8 {wait_immediately_for_async_transfers = true} : index
      dataflow.sync_recv %8 : index
    }
  }
  dataflow.program_unit iter_arg : %arg0 -> (%2, %3) : {
    scf.for %arg1 = %c0 to %c4 step %c1 {
      %4 = uniform.def_immutable_mapping([%2 -> %0], [%3 -> %1]):index
      %5 = uniform.query_map(map:%4, key:%arg0) : index
      dataflow.sync_send %5 {wait_immediately_for_async_transfers = true} : index
      dataflow.sync_recv %5 : index
      "demo.feed"(%arg1) : (index) -> ()
    }
  }
  return
}

// -----

#box = affine_set<(d0, d1) : (d0 >= 0, -d0 + 8 >= 0, d1 >= 0, -d1 + 31 >= 0)>
func.func @views() attributes {grid = [2]} {
  %l0 = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-glu", type = "glu"} : index
  %l1 = dataflow.get_unit {core = 1 : i32, corelet = 0 : i32, name = "C1-glu", type = "glu"} : index
  %t = ktdp.get_compute_tile_id : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %ml = uniform.def_immutable_mapping([%c0 -> %l0], [%c1 -> %l1]):index
  %ql = uniform.query_map(map:%ml, key:%t) : index
  %c7000 = arith.constant 7000 : index
  %c192 = arith.constant 192 : index
  %w = ktdp.construct_memory_view %c7000, sizes: [9, 32], strides: [32, 1] {coordinate_set = #box, memory_space = #ktdp.memory_space<global>} : memref<9x32xf16>
  %g = memref.memory_space_cast %w : memref<9x32xf16> to memref<9x32xf16, "GMEM">
  %tile = memref.reinterpret_cast %g to offset: [64], sizes: [3, 32], strides: [32, 1] : memref<9x32xf16, "GMEM"> to memref<3x32xf16, strided<[32, 1], offset: 64>, "GMEM">
  %b = builtin.unrealized_conversion_cast %c192 : index to memref<32xf16, "SPAD">
  ktdf_lowering.execute_on %ql {
    ktdf.data_transfer from %tile[%c1, %c0] size [1, 32] to %b[%c0] size [32] : memref<3x32xf16, strided<[32, 1], offset: 64>, "GMEM">, memref<32xf16, "SPAD">
  }
  memref.dealloc %b : memref<32xf16, "SPAD">
  return
}

// -----

#map = affine_map<(d0, d1) -> (d0 * 32 + d1)>
#map1 = affine_map<(d0) -> (d0)>
#map2 = affine_map<(d0, d1) -> (d0, d1)>
#map3 = affine_map<(d0) -> (0, 0)>
#map4 = affine_map<(d0) -> (0)>
#set = affine_set<(d0, d1) : (d0 == 0, d1 >= 0, -d1 + 31 >= 0)>
#set1 = affine_set<(d0) : (d0 >= 0, -d0 + 31 >= 0)>
#set2 = affine_set<(d0) : (d0 == 0)>
func.func @views() attributes {grid = [2]} {
  %c7064 = arith.constant 7064 : index
  %c192 = arith.constant 192 : index
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %0 = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-glu", type = "glu"} : index
  %1 = dataflow.get_unit {core = 1 : i32, corelet = 0 : i32, name = "C1-glu", type = "glu"} : index
  %2 = dataflow.get_unit {name = "gmem", type = "gmem"} : index
  %3 = dataflow.get_unit {core = 0 : i32, name = "C0-spad", type = "spad"} : index
  %4 = dataflow.get_unit {core = 1 : i32, name = "C1-spad", type = "spad"} : index
  dataflow.program_unit iter_arg : %arg0 -> (%0, %1) : {
    %5 = uniform.def_immutable_mapping([%0 -> %3], [%1 -> %4]):index
    %6 = uniform.query_map(map:%5, key:%arg0) : index
    %7 = dataflow.get_logical_memory_view %2, %c7064 {layout_map = #map} : index, index, memref<9x32xf16>
    %8 = dataflow.get_logical_memory_view %6, %c192 {layout_map = #map1} : index, index, memref<32xf16>
    agen.composite_load_and_store src:%7[%c1, %c0] dst:%8[%c0]
     time_symbols(), load_iv(%arg1:vector<32xf16>)
     {load_order = #map2, load_set = #set, load_time_addr_map = #map3, store_order = #map1, store_set = #set1, store_time_addr_map = #map4, time_order = #map1, time_set = #set2}
    {
      agen.yield
    } : memref<9x32xf16>, memref<32xf16>
  }
  return
}

// -----

#box = affine_set<(d0, d1) : (d0 >= 0, -d0 + 9 >= 0, d1 >= 0, -d1 + 31 >= 0)>
module {
  module {
    func.func @k(%n: f16, %x: index) attributes {grid = [2]} {
      call @p(%x) : (index) -> ()
      return
    }
    func.func private @p(index)
  }
  module @p {
    func.func @p(%x: index) attributes {grid = [2]} {
      %l0 = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-glu", type = "glu"} : index
      %l1 = dataflow.get_unit {core = 1 : i32, corelet = 0 : i32, name = "C1-glu", type = "glu"} : index
      %t = ktdp.get_compute_tile_id : index
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %ml = uniform.def_immutable_mapping([%c0 -> %l0], [%c1 -> %l1]):index
      %ql = uniform.query_map(map:%ml, key:%t) : index
      %c128 = arith.constant 128 : index
      %c160 = arith.constant 160 : index
      %shifted = arith.addi %x, %c128 : index
      %w = ktdp.construct_memory_view %shifted, sizes: [10, 32], strides: [32, 1] {coordinate_set = #box, memory_space = #ktdp.memory_space<global>} : memref<10x32xf16>
      %g = memref.memory_space_cast %w : memref<10x32xf16> to memref<10x32xf16, "GMEM">
      %off = arith.muli %t, %c160 : index
      %tile = memref.reinterpret_cast %g to offset: [%off], sizes: [5, 32], strides: [32, 1] : memref<10x32xf16, "GMEM"> to memref<5x32xf16, strided<[32, 1], offset: ?>, "GMEM">
      %b = builtin.unrealized_conversion_cast %c0 : index to memref<32xf16, "SPAD">
      ktdf_lowering.execute_on %ql {
        ktdf.data_transfer from %tile[%c1, %c0] size [1, 32] to %b[%c0] size [32] : memref<5x32xf16, strided<[32, 1], offset: ?>, "GMEM">, memref<32xf16, "SPAD">
      }
      return
    }
  }
}

// -----

#map = affine_map<(d0, d1) -> (d0 * 32 + d1)>
#map1 = affine_map<(d0) -> (d0)>
#map2 = affine_map<(d0, d1) -> (d0, d1)>
#map3 = affine_map<(d0) -> (0, 0)>
#map4 = affine_map<(d0) -> (0)>
#set = affine_set<(d0, d1) : (d0 == 0, d1 >= 0, -d1 + 31 >= 0)>
#set1 = affine_set<(d0) : (d0 >= 0, -d0 + 31 >= 0)>
#set2 = affine_set<(d0) : (d0 == 0)>
module {
  module {
    func.func @k(%arg0: f16, %arg1: index) attributes {grid = [2]} {
      symbol.create_id %arg1 {symbol_id = -2 : si64} : index
      call @p(%arg1) : (index) -> ()
      return
    }
    func.func private @p(index)
  }
  module @p {
    func.func @p(%arg0: index) attributes {grid = [2]} {
      %c448 = arith.constant 448 : index
      %c128 = arith.constant 128 : index
      %c1 = arith.constant 1 : index
      %c0 = arith.constant 0 : index
      %c32 = arith.constant 32 : index
      %0 = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-glu", type = "glu"} : index
      %1 = dataflow.get_unit {core = 1 : i32, corelet = 0 : i32, name = "C1-glu", type = "glu"} : index
      %2 = dataflow.get_unit {name = "gmem", type = "gmem"} : index
      %3 = dataflow.get_unit {core = 0 : i32, name = "C0-spad", type = "spad"} : index
      %4 = dataflow.get_unit {core = 1 : i32, name = "C1-spad", type = "spad"} : index
      symbol.create_id %arg0 {symbol_id = -2 : si64} : index
      %5 = arith.addi %arg0, %c128 : index
      %6 = arith.divsi %5, %c32 : index
      symbol.create_id %6 {symbol_id = -3 : si64} : index
      %7 = arith.addi %arg0, %c448 : index
      %8 = arith.divsi %7, %c32 : index
      symbol.create_id %8 {symbol_id = -4 : si64} : index
      dataflow.program_unit iter_arg : %arg1 -> (%0, %1) : {
        %9 = uniform.def_immutable_mapping([%0 -> %3], [%1 -> %4]):index
        %10 = uniform.query_map(map:%9, key:%arg1) : index
        %11 = symbol.create_symbol {SymbolId = -3 : i64} : index
        %12 = symbol.create_symbol {SymbolId = -4 : i64} : index
        %13 = uniform.def_immutable_mapping([%0 -> %11], [%1 -> %12]):index
        %14 = uniform.query_map(map:%13, key:%arg1) : index
        %15 = dataflow.get_logical_memory_view %2, %14 {layout_map = #map} : index, index, memref<10x32xf16>
        %16 = dataflow.get_logical_memory_view %10, %c0 {layout_map = #map1} : index, index, memref<32xf16>
        agen.composite_load_and_store src:%15[%c1, %c0] dst:%16[%c0]
         time_symbols(), load_iv(%arg2:vector<32xf16>)
         {load_order = #map2, load_set = #set, load_time_addr_map = #map3, store_order = #map1, store_set = #set1, store_time_addr_map = #map4, time_order = #map1, time_set = #set2}
        {
          agen.yield
        } : memref<10x32xf16>, memref<32xf16>
      }
      return
    }
  }
}

// -----

func.func @fold() attributes {grid = [2]} {
  %l0 = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-glu", type = "glu"} : index
  %l1 = dataflow.get_unit {core = 1 : i32, corelet = 0 : i32, name = "C1-glu", type = "glu"} : index
  %t = ktdp.get_compute_tile_id : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %ml = uniform.def_immutable_mapping([%c0 -> %l0], [%c1 -> %l1]):index
  %ql = uniform.query_map(map:%ml, key:%t) : index
  %c5 = arith.constant 5 : index
  %c3 = arith.constant 3 : index
  ktdf_lowering.execute_on %ql {
    %a = arith.muli %t, %c5 : index
    %b = arith.addi %a, %c3 : index
    %c = arith.muli %a, %b : index
    "demo.use"(%c) : (index) -> ()
  }
  return
}

// -----

func.func @fold() attributes {grid = [2]} {
  %c40 = arith.constant 40 : index
  %c0 = arith.constant 0 : index
  %0 = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-glu", type = "glu"} : index
  %1 = dataflow.get_unit {core = 1 : i32, corelet = 0 : i32, name = "C1-glu", type = "glu"} : index
  dataflow.program_unit iter_arg : %arg0 -> (%0, %1) : {
    %2 = uniform.def_immutable_mapping([%0 -> %c0], [%1 -> %c40]):index
    %3 = uniform.query_map(map:%2, key:%arg0) : index
    "demo.use"(%3) : (index) -> ()
  }
  return
}

// -----

func.func @moves() attributes {grid = [1]} {
  %u = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-glu", type = "glu"} : index
  %s = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-slu", type = "slu"} : index
  %v = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-vpu", type = "vpu"} : index
  %t = ktdp.get_compute_tile_id : index
  %c0 = arith.constant 0 : index
  %mu = uniform.def_immutable_mapping([%c0 -> %u]):index
  %qu = uniform.query_map(map:%mu, key:%t) : index
  %ms = uniform.def_immutable_mapping([%c0 -> %s]):index
  %qs = uniform.query_map(map:%ms, key:%t) : index
  %mv = uniform.def_immutable_mapping([%c0 -> %v]):index
  %qv = uniform.query_map(map:%mv, key:%t) : index
  %g = memref.alloc() : memref<2x5x64xf16, "GMEM">
  %a = memref.alloc() : memref<5x64xf16, "SPAD">
  %n = memref.alloc() : memref<4x32xf16, "SPAD">
  %f = ktdf.fifo.allocate() -> !ktdf.fifo.slot<"SLU" -> "VPU", 32xf16>
  ktdf_lowering.execute_on %qu {
    ktdf.data_transfer from %g[%c0, %c0, %c0] size [1, 5, 64] to %a[%c0, %c0] size [5, 64] : memref<2x5x64xf16, "GMEM">, memref<5x64xf16, "SPAD">
    ktdf.data_transfer from %g[%c0, %c0, %c0] size [1, 4, 32] to %n[%c0, %c0] size [4, 32] : memref<2x5x64xf16, "GMEM">, memref<4x32xf16, "SPAD">
  }
  ktdf_lowering.execute_on %qs {
    ktdf.data_transfer from %n[%c0, %c0] size [1, 4] to %f size [32] {transfer_mode = "splat"} : memref<4x32xf16, "SPAD">, !ktdf.fifo.slot<"SLU" -> "VPU", 32xf16>
  }
  ktdf_lowering.execute_on %qv {
    %r = ktdf.read_from_fifo %f : <"SLU" -> "VPU", 32xf16> -> tensor<32xf16>
    "demo.use"(%r) : (tensor<32xf16>) -> ()
  }
  return
}

// -----

#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map1 = affine_map<(d0, d1) -> (0, d0, d1 * 32)>
#map2 = affine_map<(d0, d1) -> (d0, d1)>
#map3 = affine_map<(d0, d1) -> (d0, d1 * 32)>
#map4 = affine_map<(d0) -> (0, 0, 0)>
#map5 = affine_map<(d0) -> (0, 0)>
#map6 = affine_map<(d0) -> (d0)>
#set = affine_set<(d0, d1, d2) : (d0 == 0, d1 == 0, d2 >= 0, -d2 + 31 >= 0)>
#set1 = affine_set<(d0, d1) : (d0 == 0, d1 >= 0, -d1 + 31 >= 0)>
#set2 = affine_set<(d0, d1) : (d0 >= 0, -d0 + 4 >= 0, d1 >= 0, -d1 + 1 >= 0)>
#set3 = affine_set<(d0) : (d0 == 0)>
#set4 = affine_set<(d0, d1) : (d0 == 0, d1 >= 0, -d1 + 3 >= 0)>
func.func @moves() attributes {grid = [1]} {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c0 = arith.constant 0 : index
  %0 = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-glu", type = "glu"} : index
  %1 = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-slu", type = "slu"} : index
  %2 = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-vpu", type = "vpu"} : index
  dataflow.program_unit iter_arg : %arg0 -> (%0) : {
    %alloc = memref.alloc() : memref<2x5x64xf16, "GMEM">
    %alloc_0 = memref.alloc() : memref<5x64xf16, "SPAD">
    %alloc_1 = memref.alloc() : memref<4x32xf16, "SPAD">
    agen.composite_load_and_store src:%alloc[%c0, %c0, %c0] dst:%alloc_0[%c0, %c0]
     time_symbols(), load_iv(%arg1:vector<32xf16>)
     {load_order = #map, load_set = #set, load_time_addr_map = #map1, store_order = #map2, store_set = #set1, store_time_addr_map = #map3, time_order = #map2, time_set = #set2}
    {
      agen.yield
    } : memref<2x5x64xf16, "GMEM">, memref<5x64xf16, "SPAD">
    scf.for %arg1 = %c0 to %c4 step %c1 {
      agen.composite_load_and_store src:%alloc[%c0, %c0 + %arg1, %c0] dst:%alloc_1[%c0 + %arg1, %c0]
       time_symbols(), load_iv(%arg2:vector<32xf16>)
       {load_order = #map, load_set = #set, load_time_addr_map = #map4, store_order = #map2, store_set = #set1, store_time_addr_map = #map5, time_order = #map6, time_set = #set3}
      {
        agen.yield
      } : memref<2x5x64xf16, "GMEM">, memref<4x32xf16, "SPAD">
    }
  }
  dataflow.program_unit iter_arg : %arg0 -> (%1) : {
    %alloc = memref.alloc() : memref<4x32xf16, "SPAD">
    %3 = agen.vector_load %alloc[%c0, %c0] {load_order = #map2, load_set = #set4} : memref<4x32xf16, "SPAD">, vector<4xf16>
    %4 = vectorchain.shuffle input(%3) {indices = [0 : i32, 1 : i32, 2 : i32, 3 : i32], repetition = 8 : i32} : vector<4xf16>, vector<32xf16>
    %5 = uniform.def_immutable_mapping([%1 -> %2]):index
    %6 = uniform.query_map(map:%5, key:%arg0) : index
    dataflow.send %6, %4 : vector<32xf16>
  }
  dataflow.program_unit iter_arg : %arg0 -> (%2) : {
    %3 = uniform.def_immutable_mapping([%2 -> %1]):index
    %4 = uniform.query_map(map:%3, key:%arg0) : index
    %5 = dataflow.receive %4 : vector<32xf16>
    "demo.use"(%5) : (vector<32xf16>) -> ()
  }
  return
}

// -----

#id = affine_map<(d0) -> (d0)>
#in2 = affine_map<(d0, d1) -> (d0, d1)>
#out2 = affine_map<(d0, d1) -> (d1)>
func.func @math() attributes {grid = [1]} {
  %s = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-slu", type = "slu"} : index
  %v = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-vpu", type = "vpu"} : index
  %w = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-ssu", type = "ssu"} : index
  %t = ktdp.get_compute_tile_id : index
  %c0 = arith.constant 0 : index
  %ms = uniform.def_immutable_mapping([%c0 -> %s]):index
  %qs = uniform.query_map(map:%ms, key:%t) : index
  %mv = uniform.def_immutable_mapping([%c0 -> %v]):index
  %qv = uniform.query_map(map:%mv, key:%t) : index
  %mw = uniform.def_immutable_mapping([%c0 -> %w]):index
  %qw = uniform.query_map(map:%mw, key:%t) : index
  %half = arith.constant dense<5.000000e-01> : tensor<32xf16>
  %zero = arith.constant 0.000000e+00 : f16
  %c8 = arith.constant 8 : index
  %reg = builtin.unrealized_conversion_cast %c8 : index to memref<1x32xf16, "VREG">
  %f = ktdf.fifo.allocate() -> !ktdf.fifo.slot<"SLU" -> "VPU", 32xf16>
  %h = ktdf.fifo.allocate() -> !ktdf.fifo.slot<"SLU" -> "VPU", 192xf16>
  %o = ktdf.fifo.allocate() -> !ktdf.fifo.slot<"VPU" -> "SSU", 32xf16>
  ktdf_lowering.execute_on %qs {
    "demo.feed"() : () -> ()
  }
  ktdf_lowering.execute_on %qv {
    linalg.fill ins(%zero : f16) outs(%reg : memref<1x32xf16, "VREG">)
    %a = ktdf.read_from_fifo %f : <"SLU" -> "VPU", 32xf16> -> tensor<32xf16>
    %e = tensor.empty() : tensor<32xf16>
    %b = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%a, %half : tensor<32xf16>, tensor<32xf16>) outs(%e : tensor<32xf16>) {
    ^bb0(%p: f16, %q: f16, %r: f16):
      %m = arith.mulf %p, %q : f16
      linalg.yield %m : f16
    } -> tensor<32xf16>
    ktdf.write_to_fifo %b, %o : tensor<32xf16>, <"VPU" -> "SSU", 32xf16>
    %x = ktdf.read_from_fifo %h : <"SLU" -> "VPU", 192xf16> -> tensor<6x32xf16>
    %y = linalg.generic {indexing_maps = [#in2, #out2], iterator_types = ["reduction", "parallel"]} ins(%x : tensor<6x32xf16>) outs(%e : tensor<32xf16>) {
    ^bb0(%p: f16, %r: f16):
      %m = arith.addf %p, %r : f16
      linalg.yield %m : f16
    } -> tensor<32xf16>
    ktdf.write_to_fifo %y, %o : tensor<32xf16>, <"VPU" -> "SSU", 32xf16>
    ktdf.write_to_fifo %reg, %o : memref<1x32xf16, "VREG">, <"VPU" -> "SSU", 32xf16>
  }
  ktdf_lowering.execute_on %qw {
    "demo.drain"() : () -> ()
  }
  return
}

// -----

#map = affine_map<(d0, d1) -> (d0 * 32 + d1)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0) -> (d0)>
#set = affine_set<(d0, d1) : (d0 == 0, d1 >= 0, -d1 + 31 >= 0)>
func.func @math() attributes {grid = [1]} {
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %cst = arith.constant dense<0.000000e+00> : vector<32xf16>
  %cst_0 = arith.constant dense<5.000000e-01> : vector<32xf16>
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %0 = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-slu", type = "slu"} : index
  %1 = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-vpu", type = "vpu"} : index
  %2 = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-ssu", type = "ssu"} : index
  %3 = dataflow.get_unit {name = "vreg", type = "vreg"} : index
  dataflow.program_unit iter_arg : %arg0 -> (%0) : {
    "demo.feed"() : () -> ()
  }
  dataflow.program_unit iter_arg : %arg0 -> (%1) : {
    %4 = dataflow.get_logical_memory_view %3, %c8 {layout_map = #map} : index, index, memref<1x32xf16>
    %5 = vectorchain.constant_bitstream {value = [0x0]} : vector<1xf16>
    %6 = vectorchain.shuffle input(%5) {indices = [0 : i32], repetition = 32 : i32} : vector<1xf16>, vector<32xf16>
    agen.vector_store %6, %4[%c0, %c0] {store_order = #map1, store_set = #set} : memref<1x32xf16>, vector<32xf16>
    %7 = uniform.def_immutable_mapping([%1 -> %0]):index
    %8 = uniform.query_map(map:%7, key:%arg0) : index
    %9 = dataflow.receive %8 : vector<32xf16>
    %10 = vectorchain.binary %9, %cst_0 {binary_op = #vectorchain<binary_operator mul>, op_specific_map = #map2} : vector<32xf16>, vector<32xf16>, vector<32xf16>
    %11 = uniform.def_immutable_mapping([%1 -> %2]):index
    %12 = uniform.query_map(map:%11, key:%arg0) : index
    dataflow.send %12, %10 : vector<32xf16>
    %13 = scf.for %arg1 = %c0 to %c6 step %c1 iter_args(%arg2 = %cst) -> (vector<32xf16>) {
      %19 = uniform.def_immutable_mapping([%1 -> %0]):index
      %20 = uniform.query_map(map:%19, key:%arg0) : index
      %21 = dataflow.receive %20 : vector<32xf16>
      %22 = vectorchain.binary %arg2, %21 {binary_op = #vectorchain<binary_operator add>, op_specific_map = #map2} : vector<32xf16>, vector<32xf16>, vector<32xf16>
      scf.yield %22 : vector<32xf16>
    }
    %14 = uniform.def_immutable_mapping([%1 -> %2]):index
    %15 = uniform.query_map(map:%14, key:%arg0) : index
    dataflow.send %15, %13 : vector<32xf16>
    %16 = uniform.def_immutable_mapping([%1 -> %2]):index
    %17 = uniform.query_map(map:%16, key:%arg0) : index
    %18 = agen.vector_load %4[%c0, %c0] {load_order = #map1, load_set = #set} : memref<1x32xf16>, vector<32xf16>
    dataflow.send %17, %18 : vector<32xf16>
  }
  dataflow.program_unit iter_arg : %arg0 -> (%2) : {
    "demo.drain"() : () -> ()
  }
  return
}

// -----

func.func @tail() attributes {grid = [1]} {
  %u = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-glu", type = "glu"} : index
  %t = ktdp.get_compute_tile_id : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %mu = uniform.def_immutable_mapping([%c0 -> %u]):index
  %qu = uniform.query_map(map:%mu, key:%t) : index
  %c5 = arith.constant 5 : index
  %c17 = arith.constant 17 : index
  %c4 = arith.constant 4 : index
  ktdf_lowering.execute_on %qu {
    scf.for %i = %c0 to %c4 step %c1 {
      %n = ktdf.tiling.derive_size [%i : %c5], total_size = %c17 : index
      scf.for %j = %c0 to %n step %c1 {
        "demo.step"(%i, %j) : (index, index) -> ()
      }
    }
  }
  return
}

// -----

func.func @tail() attributes {grid = [1]} {
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %0 = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-glu", type = "glu"} : index
  dataflow.program_unit iter_arg : %arg0 -> (%0) : {
    scf.for %arg1 = %c0 to %c4 step %c1 {
      %1 = arith.cmpi slt, %arg1, %c3 : index
      %2 = arith.select %1, %c5, %c2 : index
      scf.for %arg2 = %c0 to %2 step %c1 {
        "demo.step"(%arg1, %arg2) : (index, index) -> ()
      }
    }
  }
  return
}

// -----

func.func @ping_pong() attributes {grid = [1]} {
  %u = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-glu", type = "glu"} : index
  %s = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-slu", type = "slu"} : index
  %v = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-vpu", type = "vpu"} : index
  %t = ktdp.get_compute_tile_id : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %mu = uniform.def_immutable_mapping([%c0 -> %u]):index
  %qu = uniform.query_map(map:%mu, key:%t) : index
  %ms = uniform.def_immutable_mapping([%c0 -> %s]):index
  %qs = uniform.query_map(map:%ms, key:%t) : index
  %mv = uniform.def_immutable_mapping([%c0 -> %v]):index
  %qv = uniform.query_map(map:%mv, key:%t) : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %c40 = arith.constant 40 : index
  %c72 = arith.constant 72 : index
  %g = memref.alloc() : memref<3x5x32xf16, "GMEM">
  %b0 = builtin.unrealized_conversion_cast %c40 : index to memref<32xf16, "SPAD">
  %b1 = builtin.unrealized_conversion_cast %c72 : index to memref<32xf16, "SPAD">
  scf.for %i = %c0 to %c3 step %c1 {
    scf.for %j = %c0 to %c5 step %c1 {
      %ph = ktdf.buffer_phase(%i, %j) {num_phases = 2 : i64} : index
      %b = ktdf.select_memref %ph[%b0, %b1] : memref<32xf16, "SPAD">
      %f = ktdf.fifo.allocate() -> !ktdf.fifo.slot<"SLU" -> "VPU", 32xf16>
      ktdf_lowering.execute_on %qu {
        ktdf.data_transfer from %g[%i, %j, %c0] size [1, 1, 32] to %b[%c0] size [32] : memref<3x5x32xf16, "GMEM">, memref<32xf16, "SPAD">
      }
      ktdf_lowering.signal %qu, %qs
      ktdf_lowering.execute_on %qs {
        ktdf.data_transfer from %b[%c0] size [32] to %f size [32] : memref<32xf16, "SPAD">, !ktdf.fifo.slot<"SLU" -> "VPU", 32xf16>
      }
      ktdf_lowering.execute_on %qv {
        %r = ktdf.read_from_fifo %f : <"SLU" -> "VPU", 32xf16> -> tensor<32xf16>
        "demo.use"(%r) : (tensor<32xf16>) -> ()
      }
    }
  }
  return
}

// -----

#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map2 = affine_map<(d0) -> (0, 0, 0)>
#map3 = affine_map<(d0) -> (0)>
#set = affine_set<(d0, d1, d2) : (d0 == 0, d1 == 0, d2 >= 0, -d2 + 31 >= 0)>
#set1 = affine_set<(d0) : (d0 >= 0, -d0 + 31 >= 0)>
#set2 = affine_set<(d0) : (d0 == 0)>
func.func @ping_pong() attributes {grid = [1]} {
  %c112 = arith.constant 112 : index
  %c72 = arith.constant 72 : index
  %c40 = arith.constant 40 : index
  %c5 = arith.constant 5 : index
  %c3 = arith.constant 3 : index
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %0 = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-glu", type = "glu"} : index
  %1 = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-slu", type = "slu"} : index
  %2 = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-vpu", type = "vpu"} : index
  %3 = dataflow.get_unit {core = 0 : i32, name = "C0-spad", type = "spad"} : index
  dataflow.program_unit iter_arg : %arg0 -> (%0) : {
    %4 = uniform.def_immutable_mapping([%0 -> %3]):index
    %5 = uniform.query_map(map:%4, key:%arg0) : index
    %alloc = memref.alloc() : memref<3x5x32xf16, "GMEM">
    %6 = scf.for %arg1 = %c0 to %c3 step %c1 iter_args(%arg2 = %c72) -> (index) {
      %7 = scf.for %arg3 = %c0 to %c5 step %c1 iter_args(%arg4 = %arg2) -> (index) {
        %8 = arith.subi %c112, %arg4 : index
        %9 = dataflow.get_logical_memory_view %5, %8 {layout_map = #map} : index, index, memref<32xf16>
        agen.composite_load_and_store src:%alloc[%arg1, %arg3, %c0] dst:%9[%c0]
         time_symbols(), load_iv(%arg5:vector<32xf16>)
         {load_order = #map1, load_set = #set, load_time_addr_map = #map2, store_order = #map, store_set = #set1, store_time_addr_map = #map3, time_order = #map, time_set = #set2}
        {
          agen.yield
        } : memref<3x5x32xf16, "GMEM">, memref<32xf16>
        %10 = uniform.def_immutable_mapping([%0 -> %1]):index
        %11 = uniform.query_map(map:%10, key:%arg0) : index
        dataflow.sync_send %11 {wait_immediately_for_async_transfers = true} : index
        dataflow.sync_recv %11 : index
        scf.yield %8 : index
      }
      scf.yield %7 : index
    }
  }
  dataflow.program_unit iter_arg : %arg0 -> (%1) : {
    %4 = uniform.def_immutable_mapping([%1 -> %3]):index
    %5 = uniform.query_map(map:%4, key:%arg0) : index
    %6 = scf.for %arg1 = %c0 to %c3 step %c1 iter_args(%arg2 = %c40) -> (index) {
      %7 = scf.for %arg3 = %c0 to %c5 step %c1 iter_args(%arg4 = %arg2) -> (index) {
        %8 = dataflow.get_logical_memory_view %5, %arg4 {layout_map = #map} : index, index, memref<32xf16>
        %9 = uniform.def_immutable_mapping([%1 -> %0]):index
        %10 = uniform.query_map(map:%9, key:%arg0) : index
        dataflow.sync_send %10 {wait_immediately_for_async_transfers = true} : index
        dataflow.sync_recv %10 : index
        %11 = agen.vector_load %8[%c0] {load_order = #map, load_set = #set1} : memref<32xf16>, vector<32xf16>
        %12 = uniform.def_immutable_mapping([%1 -> %2]):index
        %13 = uniform.query_map(map:%12, key:%arg0) : index
        dataflow.send %13, %11 : vector<32xf16>
        %14 = arith.subi %c112, %arg4 : index
        scf.yield %14 : index
      }
      scf.yield %7 : index
    }
  }
  dataflow.program_unit iter_arg : %arg0 -> (%2) : {
    scf.for %arg1 = %c0 to %c3 step %c1 {
      scf.for %arg2 = %c0 to %c5 step %c1 {
        %4 = uniform.def_immutable_mapping([%2 -> %1]):index
        %5 = uniform.query_map(map:%4, key:%arg0) : index
        %6 = dataflow.receive %5 : vector<32xf16>
        "demo.use"(%6) : (vector<32xf16>) -> ()
      }
    }
  }
  return
}

// -----

func.func @corelets() attributes {grid = [1]} {
  %a = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-slu-CL0", type = "slu"} : index
  %b = dataflow.get_unit {core = 0 : i32, corelet = 1 : i32, name = "C0-slu-CL1", type = "slu"} : index
  %x = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-vpu-CL0", type = "vpu"} : index
  %y = dataflow.get_unit {core = 0 : i32, corelet = 1 : i32, name = "C0-vpu-CL1", type = "vpu"} : index
  %t = ktdp.get_compute_tile_id : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %ma = uniform.def_immutable_mapping([%c0 -> %a]):index
  %qa = uniform.query_map(map:%ma, key:%t) : index
  %mb = uniform.def_immutable_mapping([%c0 -> %b]):index
  %qb = uniform.query_map(map:%mb, key:%t) : index
  %mx = uniform.def_immutable_mapping([%c0 -> %x]):index
  %qx = uniform.query_map(map:%mx, key:%t) : index
  %my = uniform.def_immutable_mapping([%c0 -> %y]):index
  %qy = uniform.query_map(map:%my, key:%t) : index
  %c10 = arith.constant 10 : index
  %c256 = arith.constant 256 : index
  %buf = builtin.unrealized_conversion_cast %c256 : index to memref<10x32xf16, "SPAD">
  ktdf.parallel (%i, %inst) = (%c0) to (%c10) step (%c1) distribute(num_instances = 2) {
    %f = ktdf.fifo.allocate() -> !ktdf.fifo.slot<"SLU" -> "VPU", 32xf16>
    ktdf_lowering.execute_on %qa, %qb {
      ktdf.data_transfer from %buf[%i, %c0] size [1, 32] to %f size [32] : memref<10x32xf16, "SPAD">, !ktdf.fifo.slot<"SLU" -> "VPU", 32xf16>
    }
    ktdf_lowering.execute_on %qx, %qy {
      %r = ktdf.read_from_fifo %f : <"SLU" -> "VPU", 32xf16> -> tensor<32xf16>
      "demo.use"(%r) : (tensor<32xf16>) -> ()
    }
    ktdf.parallel_yield
  }
  return
}

// -----

#map = affine_map<(d0, d1) -> (d0 * 32 + d1)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#set = affine_set<(d0, d1) : (d0 == 0, d1 >= 0, -d1 + 31 >= 0)>
func.func @corelets() attributes {grid = [1]} {
  %c5 = arith.constant 5 : index
  %c160 = arith.constant 160 : index
  %c256 = arith.constant 256 : index
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %0 = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-slu-CL0", type = "slu"} : index
  %1 = dataflow.get_unit {core = 0 : i32, corelet = 1 : i32, name = "C0-slu-CL1", type = "slu"} : index
  %2 = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-vpu-CL0", type = "vpu"} : index
  %3 = dataflow.get_unit {core = 0 : i32, corelet = 1 : i32, name = "C0-vpu-CL1", type = "vpu"} : index
  %4 = dataflow.get_unit {core = 0 : i32, name = "C0-spad", type = "spad"} : index
  dataflow.program_unit iter_arg : %arg0 -> (%0, %1) : {
    %5 = uniform.def_immutable_mapping([%0 -> %4], [%1 -> %4]):index
    %6 = uniform.query_map(map:%5, key:%arg0) : index
    %7 = uniform.def_immutable_mapping([%0 -> %c0], [%1 -> %c160]):index
    %8 = uniform.query_map(map:%7, key:%arg0) : index
    %9 = arith.addi %8, %c256 : index
    %10 = dataflow.get_logical_memory_view %6, %9 {layout_map = #map} : index, index, memref<10x32xf16>
    scf.for %arg1 = %c0 to %c5 step %c1 {
      %11 = agen.vector_load %10[%arg1, %c0] {load_order = #map1, load_set = #set} : memref<10x32xf16>, vector<32xf16>
      %12 = uniform.def_immutable_mapping([%0 -> %2], [%1 -> %3]):index
      %13 = uniform.query_map(map:%12, key:%arg0) : index
      dataflow.send %13, %11 : vector<32xf16>
    }
  }
  dataflow.program_unit iter_arg : %arg0 -> (%2, %3) : {
    scf.for %arg1 = %c0 to %c5 step %c1 {
      %5 = uniform.def_immutable_mapping([%2 -> %0], [%3 -> %1]):index
      %6 = uniform.query_map(map:%5, key:%arg0) : index
      %7 = dataflow.receive %6 : vector<32xf16>
      "demo.use"(%7) : (vector<32xf16>) -> ()
    }
  }
  return
}

// -----

#map = affine_map<(d0, d1) -> (d0 * 32 + d1)>
#map1 = affine_map<(d0) -> (d0)>
#map2 = affine_map<(d0, d1) -> (d0, d1)>
#map3 = affine_map<(d0) -> (0, 0)>
#map4 = affine_map<(d0) -> (0)>
#set = affine_set<(d0, d1) : (d0 == 0, d1 >= 0, -d1 + 31 >= 0)>
#set1 = affine_set<(d0) : (d0 >= 0, -d0 + 31 >= 0)>
#set2 = affine_set<(d0) : (d0 == 0)>
module {
  module {
    func.func @k(%arg0: f16, %arg1: index) attributes {grid = [2]} {
      symbol.create_id %arg1 {symbol_id = -2 : si64} : index
      call @p(%arg1) : (index) -> ()
      return
    }
    func.func private @p(index)
  }
  module @p {
    func.func private @p_body()
    func.func @p(%arg0: index) {
      %c448 = arith.constant 448 : index
      %c128 = arith.constant 128 : index
      %c32 = arith.constant 32 : index
      symbol.create_id %arg0 {symbol_id = -2 : si64} : index
      %0 = arith.addi %arg0, %c128 : index
      %1 = arith.divsi %0, %c32 : index
      symbol.create_id %1 {symbol_id = -3 : si64} : index
      %2 = arith.addi %arg0, %c448 : index
      %3 = arith.divsi %2, %c32 : index
      symbol.create_id %3 {symbol_id = -4 : si64} : index
      call @p_body() : () -> ()
      return
    }
    module {
      func.func @p_body() attributes {grid = [2]} {
        %c1 = arith.constant 1 : index
        %c0 = arith.constant 0 : index
        %0 = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-glu", type = "glu"} : index
        %1 = dataflow.get_unit {core = 1 : i32, corelet = 0 : i32, name = "C1-glu", type = "glu"} : index
        %2 = dataflow.get_unit {name = "gmem", type = "gmem"} : index
        %3 = dataflow.get_unit {core = 0 : i32, name = "C0-spad", type = "spad"} : index
        %4 = dataflow.get_unit {core = 1 : i32, name = "C1-spad", type = "spad"} : index
        dataflow.program_unit iter_arg : %arg0 -> (%0, %1) : {
          %5 = uniform.def_immutable_mapping([%0 -> %3], [%1 -> %4]):index
          %6 = uniform.query_map(map:%5, key:%arg0) : index
          %7 = symbol.create_symbol {SymbolId = -3 : i64} : index
          %8 = symbol.create_symbol {SymbolId = -4 : i64} : index
          %9 = uniform.def_immutable_mapping([%0 -> %7], [%1 -> %8]):index
          %10 = uniform.query_map(map:%9, key:%arg0) : index
          %11 = dataflow.get_logical_memory_view %2, %10 {layout_map = #map} : index, index, memref<10x32xf16>
          %12 = dataflow.get_logical_memory_view %6, %c0 {layout_map = #map1} : index, index, memref<32xf16>
          agen.composite_load_and_store src:%11[%c1, %c0] dst:%12[%c0]
           time_symbols(), load_iv(%arg1:vector<32xf16>)
           {load_order = #map2, load_set = #set, load_time_addr_map = #map3, store_order = #map1, store_set = #set1, store_time_addr_map = #map4, time_order = #map1, time_set = #set2}
          {
            agen.yield
          } : memref<10x32xf16>, memref<32xf16>
        }
        return
      }
    }
  }
}

// -----

#GMEM = { kind = "GMEM", size = 536870912 }
#SPAD = { kind = "SPAD", size = 262144 }
#VREG = { kind = "VREG", size = 1024 }
#GLU = { kind = "GLU", ktdf_arch.features = { ktdf_arch.feature.load = { word_size = #ktdf_arch.map<"GMEM" = 32, "SPAD" = 32>, access_granularity = #ktdf_arch.map<"GMEM" = [{size_in_words = 1, align_in_words = 1}], "SPAD" = [{size_in_words = 1, align_in_words = 1}]> } }, dataflow_scheduler.double_buffer_last }
#GSU = { kind = "GSU", ktdf_arch.features = { ktdf_arch.feature.store = { word_size = #ktdf_arch.map<"GMEM" = 32, "SPAD" = 32>, access_granularity = #ktdf_arch.map<"GMEM" = [{size_in_words = 1, align_in_words = 1}], "SPAD" = [{size_in_words = 1, align_in_words = 1}]> } }, dataflow_scheduler.double_buffer_last }
#VPU = { kind = "VPU", ktdf_arch.features = { ktdf_arch.feature.compute, ktdf_arch.feature.simd = { lanes = #ktdf_arch.map<f16 = 32, f32 = 16> } } }
#SLU = { kind = "SLU", ktdf_arch.features = { ktdf_arch.feature.load = { access_granularity = #ktdf_arch.map<"SPAD" = [{size_in_words = 32, align_in_words = 32}]> }, ktdf_arch.feature.simd = { splat, zero_pad } } }
#SSU = { kind = "SSU", ktdf_arch.features = { ktdf_arch.feature.store = { access_granularity = #ktdf_arch.map<"SPAD" = [{size_in_words = 32, align_in_words = 32}]> } } }
#Q = { ktdf_arch.features = { ktdf_arch.feature.queue = { depth = 8, ordered } } }
#G = { ktdf_arch.transfer_granularity = array<i64: 32> }
ktdf_arch.device @mini {
  %g = memory #GMEM
  group { kind = "core" } share(%g) {
    %s = memory #SPAD
    %glu = exec_unit #GLU
    %gsu = exec_unit #GSU
    datapath #G %g to %glu : memory, exec_unit
    datapath #G %glu to %s : exec_unit, memory
    datapath #G %s to %gsu : memory, exec_unit
    datapath #G %gsu to %g : exec_unit, memory
    group share(%s) {
      %vpu = group { kind = "VPU_Block" } share() {
        %r = memory #VREG
        %v = exec_unit #VPU
        yield %v
      } -> exec_unit
      %slu = exec_unit #SLU
      %ssu = exec_unit #SSU
      datapath #Q %s to %slu : memory, exec_unit
      datapath #Q %slu to %vpu : exec_unit, exec_unit
      datapath #Q %vpu to %ssu : exec_unit, exec_unit
      datapath #Q %ssu to %s : exec_unit, memory
    }
    group share(%s) {
      %vpu = group { kind = "VPU_Block" } share() {
        %r = memory #VREG
        %v = exec_unit #VPU
        yield %v
      } -> exec_unit
      %slu = exec_unit #SLU
      %ssu = exec_unit #SSU
      datapath #Q %s to %slu : memory, exec_unit
      datapath #Q %slu to %vpu : exec_unit, exec_unit
      datapath #Q %vpu to %ssu : exec_unit, exec_unit
      datapath #Q %ssu to %s : exec_unit, memory
    }
  }
}
