// passes: path-expansion,scalar-broadcast-legalization
// device: toy
// The column lies in the scratchpad already, so it needs no buffer; its loader repeats the element.
// The short vector of %x is padded on its way into the slot.
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @program(%x: memref<4x13xf16, "MAIN">, %c: memref<4x1xf16, "PAD">, %o: memref<4x13xf16, "PAD">, %i: index) {
  ktdf.pipeline {
    %r:6 = ktdf.private -> (!ktdf.fifo.slot<"MAIN" -> "VPU", 8xf16>, !ktdf.fifo.slot<"PAD" -> "VPU", 1xf16>, !ktdf.fifo.slot<"VPU" -> "PAD", 8xf16>, !ktdf.token, !ktdf.token, !ktdf.token) {
      %s0 = ktdf.fifo.allocate() -> !ktdf.fifo.slot<"MAIN" -> "VPU", 8xf16>
      %s1 = ktdf.fifo.allocate() -> !ktdf.fifo.slot<"PAD" -> "VPU", 1xf16>
      %s2 = ktdf.fifo.allocate() -> !ktdf.fifo.slot<"VPU" -> "PAD", 8xf16>
      %t0 = ktdf.create_token : !ktdf.token
      %t1 = ktdf.create_token : !ktdf.token
      %t2 = ktdf.create_token : !ktdf.token
      ktdf.private_yield %s0, %s1, %s2, %t0, %t1, %t2 : !ktdf.fifo.slot<"MAIN" -> "VPU", 8xf16>, !ktdf.fifo.slot<"PAD" -> "VPU", 1xf16>, !ktdf.fifo.slot<"VPU" -> "PAD", 8xf16>, !ktdf.token, !ktdf.token, !ktdf.token
    }
    ktdf.stage depends_in(none) depends_out(%r#3) {
      ktdf.data_transfer from %x[%i, 8] size [1, 5] to %r#0 size [1, 8] {transfer_mode = "pad"} : memref<4x13xf16, "MAIN">, !ktdf.fifo.slot<"MAIN" -> "VPU", 8xf16>
      ktdf.data_transfer from %c[%i, 0] size [1, 1] to %r#1 size [1, 1] : memref<4x1xf16, "PAD">, !ktdf.fifo.slot<"PAD" -> "VPU", 1xf16>
    }
    ktdf.stage depends_in(%r#3) depends_out(%r#4) {
      %a = ktdf.read_from_fifo %r#0 : <"MAIN" -> "VPU", 8xf16> -> tensor<1x8xf16>
      %b = ktdf.read_from_fifo %r#1 : <"PAD" -> "VPU", 1xf16> -> tensor<1x1xf16>
      %e = tensor.empty() : tensor<1x8xf16>
      %z = linalg.generic {indexing_maps = [#id, affine_map<(d0, d1) -> (d0, 0)>, #id], iterator_types = ["parallel", "parallel"]} ins(%a, %b : tensor<1x8xf16>, tensor<1x1xf16>) outs(%e : tensor<1x8xf16>) {
      ^bb0(%in: f16, %in2: f16, %out: f16):
        %p = arith.addf %in, %in2 : f16
        linalg.yield %p : f16
      } -> tensor<1x8xf16>
      ktdf.write_to_fifo %z, %r#2 : tensor<1x8xf16>, <"VPU" -> "PAD", 8xf16>
    } {applicable_units = ["VPU"]}
    ktdf.stage depends_in(%r#4) depends_out(%r#5) {
      ktdf.data_transfer from %r#2 size [1, 8] to %o[%i, 8] size [1, 5] {transfer_mode = "pad"} : !ktdf.fifo.slot<"VPU" -> "PAD", 8xf16>, memref<4x13xf16, "PAD">
    }
  }
  return
}
// becomes
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @program(%x: memref<4x13xf16, "MAIN">, %c: memref<4x1xf16, "PAD">, %o: memref<4x13xf16, "PAD">, %i: index) {
  ktdf.pipeline {
    %r:7 = ktdf.private -> (memref<1x8xf16, "PAD">, !ktdf.fifo.slot<"FEED" -> "VPU", 8xf16>, !ktdf.fifo.slot<"FEED" -> "VPU", 8xf16>, !ktdf.fifo.slot<"VPU" -> "DRAIN", 8xf16>, !ktdf.token, !ktdf.token, !ktdf.token) {
      %b = memref.alloc() : memref<1x8xf16, "PAD">
      %s0 = ktdf.fifo.allocate() -> !ktdf.fifo.slot<"FEED" -> "VPU", 8xf16>
      %s1 = ktdf.fifo.allocate() -> !ktdf.fifo.slot<"FEED" -> "VPU", 8xf16>
      %s2 = ktdf.fifo.allocate() -> !ktdf.fifo.slot<"VPU" -> "DRAIN", 8xf16>
      %t0 = ktdf.create_token : !ktdf.token
      %t1 = ktdf.create_token : !ktdf.token
      %t2 = ktdf.create_token : !ktdf.token
      ktdf.private_yield %b, %s0, %s1, %s2, %t0, %t1, %t2 : memref<1x8xf16, "PAD">, !ktdf.fifo.slot<"FEED" -> "VPU", 8xf16>, !ktdf.fifo.slot<"FEED" -> "VPU", 8xf16>, !ktdf.fifo.slot<"VPU" -> "DRAIN", 8xf16>, !ktdf.token, !ktdf.token, !ktdf.token
    }
    ktdf.stage depends_in(none) depends_out(%r#4) {
      ktdf.data_transfer from %x[%i, 8] size [1, 5] to %r#0[0, 0] size [1, 5] : memref<4x13xf16, "MAIN">, memref<1x8xf16, "PAD">
    } {applicable_units = ["DMAI"]}
    ktdf.stage depends_in(%r#4) depends_out(%r#5) {
      ktdf.data_transfer from %r#0[0, 0] size [1, 5] to %r#1 size [8] {transfer_mode = "pad"} : memref<1x8xf16, "PAD">, !ktdf.fifo.slot<"FEED" -> "VPU", 8xf16>
      ktdf.data_transfer from %c[%i, 0] size [1, 1] to %r#2 size [8] {transfer_mode = "splat"} : memref<4x1xf16, "PAD">, !ktdf.fifo.slot<"FEED" -> "VPU", 8xf16>
    } {applicable_units = ["FEED"]}
    ktdf.stage depends_in(%r#5) depends_out(%r#6) {
      %a = ktdf.read_from_fifo %r#1 : <"FEED" -> "VPU", 8xf16> -> tensor<1x8xf16>
      %b = ktdf.read_from_fifo %r#2 : <"FEED" -> "VPU", 8xf16> -> tensor<1x8xf16>
      %e = tensor.empty() : tensor<1x8xf16>
      %z = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%a, %b : tensor<1x8xf16>, tensor<1x8xf16>) outs(%e : tensor<1x8xf16>) {
      ^bb0(%in: f16, %in2: f16, %out: f16):
        %p = arith.addf %in, %in2 : f16
        linalg.yield %p : f16
      } -> tensor<1x8xf16>
      ktdf.write_to_fifo %z, %r#3 : tensor<1x8xf16>, <"VPU" -> "DRAIN", 8xf16>
    } {applicable_units = ["VPU"]}
    ktdf.stage depends_in(%r#6) depends_out(none) {
      ktdf.data_transfer from %r#3 size [8] to %o[%i, 8] size [1, 5] {transfer_mode = "pad"} : !ktdf.fifo.slot<"VPU" -> "DRAIN", 8xf16>, memref<4x13xf16, "PAD">
    } {applicable_units = ["DRAIN"]}
  }
  return
}
