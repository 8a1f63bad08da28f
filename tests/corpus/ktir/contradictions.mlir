// number of subscripts (2) must match base rank (3)
func.func @c8(%a: memref<4x4x4xf16>, %i: index) {
  %t = ktdp.construct_access_tile %a[%i, %i] {access_tile_set = affine_set<(i, j) : (i >= 0)>, access_tile_order = affine_map<(i, j) -> (i, i)>} : memref<4x4x4xf16> -> !ktdp.access_tile<7x9xindex>
  return }
// -----
// index memref #0 must have integer elements, but has 'f16'
func.func @g10(%a: memref<8x8xf16>, %x: memref<8xf16>) {
  %t = ktdp.construct_indirect_access_tile intermediate_variables(%i, %j) %a[ind(%x[%i]), (%j)] {variables_space_set = affine_set<(i, j) : (i >= 0)>, variables_space_order = affine_map<(i, j) -> (j, j)>} : memref<8x8xf16>, memref<8xf16> -> !ktdp.access_tile<3x3xindex>
  return }
// -----
// size #1 is 4 but extent #1 of the result memref is 99
func.func @v3(%p: index, %n: index) {
  %v = ktdp.construct_memory_view %p, sizes: [7, 4], strides: [4, 1] {coordinate_set = affine_set<(i) : (i >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<?x99xf16>
  return }
