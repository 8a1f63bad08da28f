func.func @every_op(%n: index, %src: memref<32x16xf16, "MAIN">, %pa: memref<16xf16, "PAD">,
                    %pb: memref<16xf16, "PAD">) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %ts = ktdf.tiling.reserve_size {min_value = 4 : index, divisibility = 2 : index} : index
  %dyn, %fix = ktdf.fifo.allocate(%n) -> !ktdf.fifo.slot<"FEED" -> "VPU", ?xf16>,
                                         !ktdf.fifo.slot<"FEED" -> "VPU", 16xf16>
  %t = ktdf.create_token : !ktdf.token
  scf.for %i = %c0 to %n step %c1 {
    %left = ktdf.tiling.derive_size [%i : %ts], total_size = %n : index
    %flat = ktdf.tiling.linearize_index [%i : %ts] [%left : %c1] : index
    %ph = ktdf.buffer_phase(%i) {num_phases = 2 : i64} : index
    %buf = ktdf.select_memref %ph[%pa, %pb] : memref<16xf16, "PAD">
    ktdf.pipeline modulo(size : 2) {
      %p = ktdf.private -> (!ktdf.token) {
        %q = ktdf.create_token : !ktdf.token
        ktdf.private_yield %q : !ktdf.token
      }
      ktdf.stage depends_in(none) depends_out(%p, %t) {
        ktdf.data_transfer from %src[%i, %flat * 2 + 1] size [1, %n] to %buf[0] size [%n]
          : memref<32x16xf16, "MAIN">, memref<16xf16, "PAD">
        ktdf.data_transfer from %buf[0] size [16] to %fix {transfer_mode = "pad"}
          : memref<16xf16, "PAD">, !ktdf.fifo.slot<"FEED" -> "VPU", 16xf16>
      } {applicable_units = ["DMAI"]}
      ktdf.stage depends_in(%p) depends_out(none) {
        %v = ktdf.read_from_fifo %fix : <"FEED" -> "VPU", 16xf16> -> tensor<4x4xf16>
        %w = ktdf.opaque "NEGATE" -> tensor<4x4xf16> ins(%v : tensor<4x4xf16>) outs(%v : tensor<4x4xf16>)
        ktdf.write_to_fifo %w, %fix : tensor<4x4xf16>, <"FEED" -> "VPU", 16xf16>
      }
    }
    ktdf.parallel (%a, %b, %id) = (%c0, %c0) to (%n, %c4) step (%c1, %c1)
        distribute(num_instances = 2) {
      ktdf.parallel_yield
    }
  } {loop_type = #ktdf.loop_type<reduction_loop>}
  return
}
