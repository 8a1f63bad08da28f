func.func @two_slices(%rows: index, %w: memref<?x64xf16, "LX">) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = ktdf.create_token : !ktdf.token
  ktdf.pipeline {
    ktdf.stage depends_in(none) depends_out(%t) {
      ktdf.parallel (%r, %slice) = (%c0) to (%rows) step (%c1) distribute(num_instances = 2) {
        ktdf.pipeline {
          %f = ktdf.private -> (!ktdf.fifo.slot<"LXLD" -> "VCE", 64xf16>) {
            %s = ktdf.fifo.allocate() -> !ktdf.fifo.slot<"LXLD" -> "VCE", 64xf16>
            ktdf.private_yield %s : !ktdf.fifo.slot<"LXLD" -> "VCE", 64xf16>
          }
          ktdf.stage depends_in(none) depends_out(none) {
            ktdf.data_transfer from %w[%r, 0] size [1, 64] to %f size [64]
              : memref<?x64xf16, "LX">, !ktdf.fifo.slot<"LXLD" -> "VCE", 64xf16>
          } {applicable_units = ["LXLD"]}
        }
        ktdf.parallel_yield
      }
    } {applicable_units = ["LXLD", "VCE"]}
  }
  return
}
