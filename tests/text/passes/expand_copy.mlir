// passes: path-expansion
// device: toy
// A transposing copy: no compute unit, the data waits in the scratchpad between two engines.
func.func @program(%a: memref<9x20xf16, "MAIN">, %o: memref<20x9xf16, "MAIN">, %i: index, %n: index) {
  ktdf.pipeline {
    %r:3 = ktdf.private -> (!ktdf.fifo.slot<"MAIN" -> "MAIN", 8xf16>, !ktdf.token, !ktdf.token) {
      %s = ktdf.fifo.allocate() {kt.operand = 0 : i64} -> !ktdf.fifo.slot<"MAIN" -> "MAIN", 8xf16>
      %t0 = ktdf.create_token : !ktdf.token
      %t1 = ktdf.create_token : !ktdf.token
      ktdf.private_yield %s, %t0, %t1 : !ktdf.fifo.slot<"MAIN" -> "MAIN", 8xf16>, !ktdf.token, !ktdf.token
    }
    ktdf.stage depends_in(none) depends_out(%r#1) {
      ktdf.data_transfer from %a[0, %i] size [%n, 1] to %r#0 size [%n, 1] : memref<9x20xf16, "MAIN">, !ktdf.fifo.slot<"MAIN" -> "MAIN", 8xf16>
    }
    ktdf.stage depends_in(%r#1) depends_out(%r#2) {
      ktdf.data_transfer from %r#0 size [1, %n] to %o[%i, 0] size [1, %n] : !ktdf.fifo.slot<"MAIN" -> "MAIN", 8xf16>, memref<20x9xf16, "MAIN">
    }
  }
  return
}
// becomes
func.func @program(%a: memref<9x20xf16, "MAIN">, %o: memref<20x9xf16, "MAIN">, %i: index, %n: index) {
  ktdf.pipeline {
    %r:2 = ktdf.private -> (memref<8x1xf16, "PAD">, !ktdf.token) {
      %b = memref.alloc() {kt.operand = 0 : i64} : memref<8x1xf16, "PAD">
      %t = ktdf.create_token : !ktdf.token
      ktdf.private_yield %b, %t : memref<8x1xf16, "PAD">, !ktdf.token
    }
    ktdf.stage depends_in(none) depends_out(%r#1) {
      ktdf.data_transfer from %a[0, %i] size [%n, 1] to %r#0[0, 0] size [%n, 1] : memref<9x20xf16, "MAIN">, memref<8x1xf16, "PAD">
    } {applicable_units = ["DMAI"]}
    ktdf.stage depends_in(%r#1) depends_out(none) {
      ktdf.data_transfer from %r#0[0, 0] size [%n, 1] to %o[%i, 0] size [1, %n] : memref<8x1xf16, "PAD">, memref<20x9xf16, "MAIN">
    } {applicable_units = ["DMAO"]}
  }
  return
}
