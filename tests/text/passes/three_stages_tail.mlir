// passes: construct-three-stage-pipeline
// device: toy
// Rows of 13 f16 on a device with 8 lanes: the second vector of each row has 5 elements. The column
// %b is one element per row, the scalar argument %k is used by the body as it is.
#set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 12 >= 0)>
#col = affine_set<(d0) : (d0 >= 0, -d0 + 3 >= 0)>
#id = affine_map<(d0, d1) -> (d0, d1)>
#id1 = affine_map<(d0) -> (d0)>
func.func @program(%a: index, %b: index, %o: index, %k: f16) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %av = ktdp.construct_memory_view %a, sizes: [4, 13], strides: [13, 1] {coordinate_set = #set, memory_space = #ktdp.memory_space<global>} : memref<4x13xf16>
  %bv = ktdp.construct_memory_view %b, sizes: [4], strides: [1] {coordinate_set = #col, memory_space = #ktdp.memory_space<global>} : memref<4xf16>
  %ov = ktdp.construct_memory_view %o, sizes: [4, 13], strides: [13, 1] {coordinate_set = #set, memory_space = #ktdp.memory_space<global>} : memref<4x13xf16>
  %at = ktdp.construct_access_tile %av[%c0, %c0] {access_tile_set = #set, access_tile_order = #id} : memref<4x13xf16> -> !ktdp.access_tile<4x13xindex>
  %bt = ktdp.construct_access_tile %bv[%c0] {access_tile_set = #col, access_tile_order = #id1} : memref<4xf16> -> !ktdp.access_tile<4xindex>
  %ot = ktdp.construct_access_tile %ov[%c0, %c0] {access_tile_set = #set, access_tile_order = #id} : memref<4x13xf16> -> !ktdp.access_tile<4x13xindex>
  %x = ktdp.load %at : <4x13xindex> -> tensor<4x13xf16>
  %y = ktdp.load %bt : <4xindex> -> tensor<4xf16>
  %e = tensor.empty() : tensor<4x13xf16>
  %p = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x13xf16>) outs(%e : tensor<4x13xf16>) {
  ^bb0(%in: f16, %out: f16):
    %m = arith.mulf %in, %k : f16
    linalg.yield %m : f16
  } -> tensor<4x13xf16>
  %q = linalg.generic {indexing_maps = [#id, affine_map<(d0, d1) -> (d0)>, #id], iterator_types = ["parallel", "parallel"]} ins(%p, %y : tensor<4x13xf16>, tensor<4xf16>) outs(%e : tensor<4x13xf16>) {
  ^bb0(%in: f16, %in2: f16, %out: f16):
    %m = arith.addf %in, %in2 : f16
    linalg.yield %m : f16
  } -> tensor<4x13xf16>
  ktdp.store %q, %ot : tensor<4x13xf16>, <4x13xindex>
  return
}
// becomes
#set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 12 >= 0)>
#col = affine_set<(d0) : (d0 >= 0, -d0 + 3 >= 0)>
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @program(%a: index, %b: index, %o: index, %k: f16) attributes {grid = [1]} {
  %av = ktdp.construct_memory_view %a, sizes: [4, 13], strides: [13, 1] {coordinate_set = #set, memory_space = #ktdp.memory_space<global>} : memref<4x13xf16>
  %bv = ktdp.construct_memory_view %b, sizes: [4], strides: [1] {coordinate_set = #col, memory_space = #ktdp.memory_space<global>} : memref<4xf16>
  %ov = ktdp.construct_memory_view %o, sizes: [4, 13], strides: [13, 1] {coordinate_set = #set, memory_space = #ktdp.memory_space<global>} : memref<4x13xf16>
  %ac = memref.memory_space_cast %av : memref<4x13xf16> to memref<4x13xf16, "MAIN">
  %am = memref.reinterpret_cast %ac to offset: [0], sizes: [4, 13], strides: [13, 1] : memref<4x13xf16, "MAIN"> to memref<4x13xf16, strided<[13, 1]>, "MAIN">
  %bc = memref.memory_space_cast %bv : memref<4xf16> to memref<4xf16, "MAIN">
  %bm = memref.reinterpret_cast %bc to offset: [0], sizes: [4], strides: [1] : memref<4xf16, "MAIN"> to memref<4xf16, strided<[1]>, "MAIN">
  %oc = memref.memory_space_cast %ov : memref<4x13xf16> to memref<4x13xf16, "MAIN">
  %om = memref.reinterpret_cast %oc to offset: [0], sizes: [4, 13], strides: [13, 1] : memref<4x13xf16, "MAIN"> to memref<4x13xf16, strided<[13, 1]>, "MAIN">
  %c4 = arith.constant 4 : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c13 = arith.constant 13 : index
  %c0_1 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c4 step %c1 {
    scf.for %j = %c0_1 to %c13 step %c8 {
      %n = affine.min affine_map<(d0) -> (8, -d0 + 13)>(%j)
      ktdf.pipeline {
        %r:6 = ktdf.private -> (!ktdf.fifo.slot<"MAIN" -> "VPU", 8xf16>, !ktdf.fifo.slot<"MAIN" -> "VPU", 1xf16>, !ktdf.fifo.slot<"VPU" -> "MAIN", 8xf16>, !ktdf.token, !ktdf.token, !ktdf.token) {
          %s0 = ktdf.fifo.allocate() {kt.operand = 0 : i64} -> !ktdf.fifo.slot<"MAIN" -> "VPU", 8xf16>
          %s1 = ktdf.fifo.allocate() {kt.operand = 1 : i64} -> !ktdf.fifo.slot<"MAIN" -> "VPU", 1xf16>
          %s2 = ktdf.fifo.allocate() {kt.operand = 2 : i64} -> !ktdf.fifo.slot<"VPU" -> "MAIN", 8xf16>
          %t0 = ktdf.create_token : !ktdf.token
          %t1 = ktdf.create_token : !ktdf.token
          %t2 = ktdf.create_token : !ktdf.token
          ktdf.private_yield %s0, %s1, %s2, %t0, %t1, %t2 : !ktdf.fifo.slot<"MAIN" -> "VPU", 8xf16>, !ktdf.fifo.slot<"MAIN" -> "VPU", 1xf16>, !ktdf.fifo.slot<"VPU" -> "MAIN", 8xf16>, !ktdf.token, !ktdf.token, !ktdf.token
        }
        ktdf.stage depends_in(none) depends_out(%r#3) {
          ktdf.data_transfer from %am[%i, %j] size [1, %n] to %r#0 size [1, 8] {transfer_mode = "pad"} : memref<4x13xf16, strided<[13, 1]>, "MAIN">, !ktdf.fifo.slot<"MAIN" -> "VPU", 8xf16>
          ktdf.data_transfer from %bm[%i] size [1] to %r#1 size [1] : memref<4xf16, strided<[1]>, "MAIN">, !ktdf.fifo.slot<"MAIN" -> "VPU", 1xf16>
        }
        ktdf.stage depends_in(%r#3) depends_out(%r#4) {
          %x = ktdf.read_from_fifo %r#0 : <"MAIN" -> "VPU", 8xf16> -> tensor<1x8xf16>
          %y = ktdf.read_from_fifo %r#1 : <"MAIN" -> "VPU", 1xf16> -> tensor<1xf16>
          %e = tensor.empty() : tensor<1x8xf16>
          %z = linalg.generic {indexing_maps = [#id, affine_map<(d0, d1) -> (d0)>, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %y : tensor<1x8xf16>, tensor<1xf16>) outs(%e : tensor<1x8xf16>) {
          ^bb0(%in: f16, %in2: f16, %out: f16):
            %m = arith.mulf %in, %k : f16
            %p = arith.addf %m, %in2 : f16
            linalg.yield %p : f16
          } -> tensor<1x8xf16>
          ktdf.write_to_fifo %z, %r#2 : tensor<1x8xf16>, <"VPU" -> "MAIN", 8xf16>
        } {applicable_units = ["VPU"]}
        ktdf.stage depends_in(%r#4) depends_out(%r#5) {
          ktdf.data_transfer from %r#2 size [1, 8] to %om[%i, %j] size [1, %n] {transfer_mode = "pad"} : !ktdf.fifo.slot<"VPU" -> "MAIN", 8xf16>, memref<4x13xf16, strided<[13, 1]>, "MAIN">
        }
      }
    } {kt.dim = 1 : i64, loop_type = #ktdf.loop_type<parallel_loop>}
  } {kt.dim = 0 : i64, loop_type = #ktdf.loop_type<parallel_loop>}
  return
}
