func.func @g12(%a: memref<8x8xf16>) {
  %t = ktdp.construct_indirect_access_tile intermediate_variables(%i, %j) %a[(%i), (%j)] {variables_space_set = affine_set<(i, j) : (i >= 0)>, variables_space_order = affine_map<(i, j) -> (i, j)>} : memref<8x8xf16> -> !ktdp.access_tile<8x8xindex>
  return }
// -----
func.func @v1(%p: index) {
  %v = ktdp.construct_memory_view %p, sizes : [ 9 ,4 ], strides:[4,1] {coordinate_set = affine_set<(i, j) : (i >= 0, i <= 8, 0 <= j, 3 >= j)>, memory_space = #ktdp.memory_space<global>} : memref<9x4xf16>
  return }
// -----
func.func @v2(%p: index, %n: index) {
  %v = ktdp.construct_memory_view %p, sizes: [%n, 4], strides: [4, 1] {coordinate_set = affine_set<(i, j) : (i >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<9x4xf16>
  return }
// -----
func.func @v4(%a: memref<9x4xf16>, %i: index) {
  %t = ktdp.construct_access_tile %a[%i, 0] symbols() {access_tile_set = affine_set<(i, j) : (i >= 0)>, access_tile_order = affine_map<(i, j) -> (i, j)>} : memref<9x4xf16> -> !ktdp.access_tile<9x4xindex>
  return }
// -----
func.func @v6(%t: !ktdp.access_tile<9 x 4 x index>, %u: !ktdp.access_tile<?x?xindex>, %w: !ktdp.access_tile<index>) {
  %x = ktdp.load %t {note = 3 : i32} : <9x4xindex> -> tensor<9x4xf16>
  %y = ktdp.load %w : <index> -> tensor<f16>
  return }
// -----
func.func @v7() { %a, %b = ktdp.get_compute_tile_id {x} : index, index  %c:3 = ktdp.get_compute_tile_id : index, index, index return }
// -----
func.func @v8(%a: memref<9x4xf16>) { %t = ktdp.construct_distributed_memory_view() : memref<9x4xf16> return }
// -----
func.func @v9(%a: memref<9x4xf16>, %m: memref<3xi32, #ktdp.memory_space<ct_local, ct_id = 2>>) { return }
// -----
func.func @grid1() attributes {grid = [2 : index, 3 : index], foo} { return }
// -----
func.func @grid2() attributes {grid = array<i64: 2, 3>} { return }
// -----
func.func @isz(%a: i16, %b: si8, %c: ui32, %d: bf16, %e: f8E4M3FN, %g: memref<4xsi32>, %h: tensor<4xi1>) { return }
// -----
func.func @flt() { %a = arith.constant 0x7E00 : f16 %b = arith.constant 1.0e+05 : f16 %c = arith.constant -0.0 : f32 %d = arith.constant 3.4028234e38 : f32 %e = arith.constant 0.1 : f16 %f = arith.constant 0.1 : f64 %g = arith.constant 0x7FC0 : bf16 %h = arith.constant 65504.0 : f16 %i = arith.constant 1.0e-8 : f16 %j = arith.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32> %k = arith.constant dense<"0x003C00C0"> : tensor<2xf16> %l = arith.constant dense<[1.5, 0x7C00]> : tensor<2xf16> return }
