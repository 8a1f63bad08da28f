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
        %res:10 = ktdf.private -> (memref<1x8xf16, "PAD">, memref<1x8xf16, "PAD">,
                                   !ktdf.fifo.slot<"FEED" -> "VPU", 8xf16>,
                                   !ktdf.fifo.slot<"FEED" -> "VPU", 8xf16>,
                                   !ktdf.fifo.slot<"VPU" -> "DRAIN", 8xf16>,
                                   memref<1x8xf16, "PAD">,
                                   !ktdf.token, !ktdf.token, !ktdf.token, !ktdf.token) {
          %bx = memref.alloc() : memref<1x8xf16, "PAD">
          %bg = memref.alloc() : memref<1x8xf16, "PAD">
          %in:2 = ktdf.fifo.allocate() -> !ktdf.fifo.slot<"FEED" -> "VPU", 8xf16>,
                                          !ktdf.fifo.slot<"FEED" -> "VPU", 8xf16>
          %back = ktdf.fifo.allocate() -> !ktdf.fifo.slot<"VPU" -> "DRAIN", 8xf16>
          %bo = memref.alloc() : memref<1x8xf16, "PAD">
          %t0 = ktdf.create_token : !ktdf.token
          %t1 = ktdf.create_token : !ktdf.token
          %t2 = ktdf.create_token : !ktdf.token
          %t3 = ktdf.create_token : !ktdf.token
          ktdf.private_yield %bx, %bg, %in#0, %in#1, %back, %bo, %t0, %t1, %t2, %t3
            : memref<1x8xf16, "PAD">, memref<1x8xf16, "PAD">,
              !ktdf.fifo.slot<"FEED" -> "VPU", 8xf16>, !ktdf.fifo.slot<"FEED" -> "VPU", 8xf16>,
              !ktdf.fifo.slot<"VPU" -> "DRAIN", 8xf16>, memref<1x8xf16, "PAD">,
              !ktdf.token, !ktdf.token, !ktdf.token, !ktdf.token
        }
        // 1: MAIN -> PAD
        ktdf.stage depends_in(none) depends_out(%res#6) {
          ktdf.data_transfer from %x[%r, %c] size [1, 8] to %res#0[0, 0] size [1, 8]
            : memref<6x24xf16, "MAIN">, memref<1x8xf16, "PAD">
          ktdf.data_transfer from %g[%r, %c] size [1, 8] to %res#1[0, 0] size [1, 8]
            : memref<6x24xf16, "MAIN">, memref<1x8xf16, "PAD">
        } {applicable_units = ["DMAI"]}
        // 2: PAD -> FIFO
        ktdf.stage depends_in(%res#6) depends_out(%res#7) {
          ktdf.data_transfer from %res#0[0, 0] size [1, 8] to %res#2 size [8]
            : memref<1x8xf16, "PAD">, !ktdf.fifo.slot<"FEED" -> "VPU", 8xf16>
          ktdf.data_transfer from %res#1[0, 0] size [1, 8] to %res#3 size [8]
            : memref<1x8xf16, "PAD">, !ktdf.fifo.slot<"FEED" -> "VPU", 8xf16>
        } {applicable_units = ["FEED"]}
        // 3: compute
        ktdf.stage depends_in(%res#7) depends_out(%res#8) {
          %a = ktdf.read_from_fifo %res#2 : <"FEED" -> "VPU", 8xf16> -> tensor<1x8xf16>
          %b = ktdf.read_from_fifo %res#3 : <"FEED" -> "VPU", 8xf16> -> tensor<1x8xf16>
          %init = tensor.empty() : tensor<1x8xf16>
          %v = linalg.generic {indexing_maps = [#id2, #id2, #id2],
                               iterator_types = ["parallel", "parallel"]}
              ins(%a, %b : tensor<1x8xf16>, tensor<1x8xf16>) outs(%init : tensor<1x8xf16>) {
          ^bb0(%p: f16, %q: f16, %o: f16):
            %m = arith.mulf %p, %q : f16
            linalg.yield %m : f16
          } -> tensor<1x8xf16>
          ktdf.write_to_fifo %v, %res#4 : tensor<1x8xf16>, <"VPU" -> "DRAIN", 8xf16>
        } {applicable_units = ["VPU"]}
        // 4: FIFO -> PAD
        ktdf.stage depends_in(%res#8) depends_out(%res#9) {
          ktdf.data_transfer from %res#4 size [8] to %res#5[0, 0] size [1, 8]
            : !ktdf.fifo.slot<"VPU" -> "DRAIN", 8xf16>, memref<1x8xf16, "PAD">
        } {applicable_units = ["DRAIN"]}
        // 5: PAD -> MAIN
        ktdf.stage depends_in(%res#9) depends_out(none) {
          ktdf.data_transfer from %res#5[0, 0] size [1, 8] to %out[%r, %c] size [1, 8]
            : memref<1x8xf16, "PAD">, memref<6x24xf16, "MAIN">
        } {applicable_units = ["DMAO"]}
      }
    } {loop_type = #ktdf.loop_type<parallel_loop>}
  } {loop_type = #ktdf.loop_type<parallel_loop>}
  return
}
