func.func private @slots(!ktdf.fifo.slot<"FEED" -> "VPU", 8xf16>,
                         !ktdf.fifo.slot<"VPU" -> "DRAIN", ?xf32>,
                         !ktdf.fifo.slot<3 -> f16, 1xi8>)

// -----

func.func @opaque_forms(%a: tensor<8xf16>, %m: memref<8xf16, "PAD">, %s: f16) -> tensor<8xf16> {
  %init = tensor.empty() : tensor<8xf16>
  %r = ktdf.opaque "FMA8" {rounding = "rne"} -> tensor<8xf16>
         ins(%a, %s : tensor<8xf16>, f16) outs(%init : tensor<8xf16>)
  ktdf.opaque "FILL" ins(%s : f16) outs(%m : memref<8xf16, "PAD">)
  ktdf.opaque "FENCE" ins() outs()
  return %r : tensor<8xf16>
}

// -----

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

// -----

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

// -----

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

// -----

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

// -----

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
