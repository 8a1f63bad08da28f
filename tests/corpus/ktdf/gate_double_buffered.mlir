func.func @gate_db(%x: memref<6x24xf16, "MAIN">, %out: memref<6x24xf16, "MAIN">) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %c8 = arith.constant 8 : index
  %c24 = arith.constant 24 : index
  %ping = memref.alloc() : memref<1x8xf16, "PAD">
  %pong = memref.alloc() : memref<1x8xf16, "PAD">
  scf.for %r = %c0 to %c6 step %c1 {
    scf.for %c = %c0 to %c24 step %c8 {
      %phase = ktdf.buffer_phase(%r, %c) {num_phases = 2 : i64} : index
      %buf = ktdf.select_memref %phase[%ping, %pong] : memref<1x8xf16, "PAD">
      ktdf.pipeline modulo(size : 2) {
        %filled = ktdf.private -> (!ktdf.token) {
          %t = ktdf.create_token : !ktdf.token
          ktdf.private_yield %t : !ktdf.token
        }
        ktdf.stage depends_in(none) depends_out(%filled) {
          ktdf.data_transfer from %x[%r, %c] size [1, 8] to %buf[0, 0] size [1, 8]
            : memref<6x24xf16, "MAIN">, memref<1x8xf16, "PAD">
        } {applicable_units = ["DMAI"]}
        ktdf.stage depends_in(%filled) depends_out(none) {
          ktdf.data_transfer from %buf[0, 0] size [1, 8] to %out[%r, %c] size [1, 8]
            : memref<1x8xf16, "PAD">, memref<6x24xf16, "MAIN">
        } {applicable_units = ["DMAO"]}
      }
    } {loop_type = #ktdf.loop_type<parallel_loop>}
  } {loop_type = #ktdf.loop_type<parallel_loop>}
  memref.dealloc %ping : memref<1x8xf16, "PAD">
  memref.dealloc %pong : memref<1x8xf16, "PAD">
  return
}
