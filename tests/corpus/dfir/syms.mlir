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
