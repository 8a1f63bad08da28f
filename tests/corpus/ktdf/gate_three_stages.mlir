ktdf_arch.device @toy import("devices/toy.mlir")

#id2 = affine_map<(d0, d1) -> (d0, d1)>

func.func @gate(%x: memref<6x24xf16, "MAIN">, %g: memref<6x24xf16, "MAIN">,
                %out: memref<6x24xf16, "MAIN">) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %c8 = arith.constant 8 : index
  %c24 = arith.constant 24 : index
  scf.for %r = %c0 to %c6 step %c1 {
    scf.for %c = %c0 to %c24 step %c8 {
      ktdf.pipeline {
        %res:5 = ktdf.private -> (!ktdf.fifo.slot<"MAIN" -> "VPU", 8xf16>,
                                  !ktdf.fifo.slot<"MAIN" -> "VPU", 8xf16>,
                                  !ktdf.fifo.slot<"VPU" -> "MAIN", 8xf16>,
                                  !ktdf.token, !ktdf.token) {
          %in:2 = ktdf.fifo.allocate() -> !ktdf.fifo.slot<"MAIN" -> "VPU", 8xf16>,
                                          !ktdf.fifo.slot<"MAIN" -> "VPU", 8xf16>
          %back = ktdf.fifo.allocate() -> !ktdf.fifo.slot<"VPU" -> "MAIN", 8xf16>
          %loaded = ktdf.create_token : !ktdf.token
          %computed = ktdf.create_token : !ktdf.token
          ktdf.private_yield %in#0, %in#1, %back, %loaded, %computed
            : !ktdf.fifo.slot<"MAIN" -> "VPU", 8xf16>, !ktdf.fifo.slot<"MAIN" -> "VPU", 8xf16>,
              !ktdf.fifo.slot<"VPU" -> "MAIN", 8xf16>, !ktdf.token, !ktdf.token
        }
        // 1: load
        ktdf.stage depends_in(none) depends_out(%res#3) {
          ktdf.data_transfer from %x[%r, %c] size [1, 8] to %res#0 size [1, 8]
            : memref<6x24xf16, "MAIN">, !ktdf.fifo.slot<"MAIN" -> "VPU", 8xf16>
          ktdf.data_transfer from %g[%r, %c] size [1, 8] to %res#1 size [1, 8]
            : memref<6x24xf16, "MAIN">, !ktdf.fifo.slot<"MAIN" -> "VPU", 8xf16>
        }
        // 2: compute
        ktdf.stage depends_in(%res#3) depends_out(%res#4) {
          %a = ktdf.read_from_fifo %res#0 : <"MAIN" -> "VPU", 8xf16> -> tensor<1x8xf16>
          %b = ktdf.read_from_fifo %res#1 : <"MAIN" -> "VPU", 8xf16> -> tensor<1x8xf16>
          %init = tensor.empty() : tensor<1x8xf16>
          %v = linalg.generic {indexing_maps = [#id2, #id2, #id2],
                               iterator_types = ["parallel", "parallel"]}
              ins(%a, %b : tensor<1x8xf16>, tensor<1x8xf16>) outs(%init : tensor<1x8xf16>) {
          ^bb0(%p: f16, %q: f16, %o: f16):
            %m = arith.mulf %p, %q : f16
            linalg.yield %m : f16
          } -> tensor<1x8xf16>
          ktdf.write_to_fifo %v, %res#2 : tensor<1x8xf16>, <"VPU" -> "MAIN", 8xf16>
        } {applicable_units = ["VPU"]}
        // 3: store
        ktdf.stage depends_in(%res#4) depends_out(none) {
          ktdf.data_transfer from %res#2 size [1, 8] to %out[%r, %c] size [1, 8]
            : !ktdf.fifo.slot<"VPU" -> "MAIN", 8xf16>, memref<6x24xf16, "MAIN">
        }
      }
    } {loop_type = #ktdf.loop_type<parallel_loop>}
  } {loop_type = #ktdf.loop_type<parallel_loop>}
  return
}
