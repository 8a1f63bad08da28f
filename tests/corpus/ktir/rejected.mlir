// 'ktdp.get_compute_tile_id' op must return at least one index (num tile-grid dims >= 1)
func.func @a1() { "ktdp.get_compute_tile_id"() : () -> () return }
// -----
// 'ktdp.get_compute_tile_id' op result #0 must be variadic of index, but got 'i32'
func.func @a2() { %0 = "ktdp.get_compute_tile_id"() : () -> i32 return }
// -----
// 'ktdp.construct_memory_view' op static_sizes and static_strides must have equal length
func.func @a3(%p: index) {
  %v = "ktdp.construct_memory_view"(%p) <{coordinate_set = affine_set<(i) : (i >= 0)>, memory_space = #ktdp.memory_space<global>, operandSegmentSizes = array<i32: 1, 0, 0>, static_sizes = array<i64: 9, 3>, static_strides = array<i64: 1>}> : (index) -> memref<9xf16>
  return }
// -----
// 'ktdp.construct_memory_view' op number of dynamic size operands does not match kDynamic entries in static_sizes
func.func @a4(%p: index) {
  %v = "ktdp.construct_memory_view"(%p, %p) <{coordinate_set = affine_set<(i) : (i >= 0)>, memory_space = #ktdp.memory_space<global>, operandSegmentSizes = array<i32: 1, 1, 0>, static_sizes = array<i64: 9>, static_strides = array<i64: 1>}> : (index, index) -> memref<9xf16>
  return }
// -----
// 'ktdp.construct_memory_view' op number of dynamic stride operands does not match kDynamic entries in static_strides
func.func @a4b(%p: index) {
  %v = "ktdp.construct_memory_view"(%p, %p) <{coordinate_set = affine_set<(i) : (i >= 0)>, memory_space = #ktdp.memory_space<global>, operandSegmentSizes = array<i32: 1, 0, 1>, static_sizes = array<i64: 9>, static_strides = array<i64: 1>}> : (index, index) -> memref<9xf16>
  return }
// -----
// 'ktdp.construct_memory_view' op result memref rank does not match sizes/strides length
func.func @a5(%p: index) {
  %v = ktdp.construct_memory_view %p, sizes: [9], strides: [1] {coordinate_set = affine_set<(i) : (i >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<3x3xf16>
  return }
// -----
// invalid kind of type specified: expected builtin.memref, but found 'tensor<9xf16>'
func.func @a5b(%p: index) {
  %v = ktdp.construct_memory_view %p, sizes: [9], strides: [1] {coordinate_set = affine_set<(i) : (i >= 0)>, memory_space = #ktdp.memory_space<global>} : tensor<9xf16>
  return }
// -----
// 'ktdp.construct_memory_view' op requires attribute 'coordinate_set'
func.func @a6(%p: index) {
  %v = ktdp.construct_memory_view %p, sizes: [9], strides: [1] {memory_space = #ktdp.memory_space<global>} : memref<9xf16>
  return }
// -----
// 'ktdp.construct_memory_view' op requires attribute 'memory_space'
func.func @a6b(%p: index) {
  %v = ktdp.construct_memory_view %p, sizes: [9], strides: [1] {coordinate_set = affine_set<(i) : (i >= 0)>} : memref<9xf16>
  return }
// -----
// ct_id is only valid for ct_local memory spaces, but got memory space 'global' with ct_id = 2
func.func @a7(%p: index) {
  %v = ktdp.construct_memory_view %p, sizes: [9], strides: [1] {coordinate_set = affine_set<(i) : (i >= 0)>, memory_space = #ktdp.memory_space<global, ct_id = 2>} : memref<9xf16>
  return }
// -----
// ct_id must be non-negative, but got: -4
func.func @a7b(%p: index) {
  %v = ktdp.construct_memory_view %p, sizes: [9], strides: [1] {coordinate_set = affine_set<(i) : (i >= 0)>, memory_space = #ktdp.memory_space<ct_local, ct_id = -4>} : memref<9xf16>
  return }
// -----
// expected one of [global, ct_local] for KTDP memory-space enum, got: HBM
func.func @a7c(%p: index) {
  %v = ktdp.construct_memory_view %p, sizes: [9], strides: [1] {coordinate_set = affine_set<(i) : (i >= 0)>, memory_space = #ktdp.memory_space<HBM>} : memref<9xf16>
  return }
// -----
// 'ktdp.construct_distributed_memory_view' op all input memrefs must have the same element type as the result
func.func @b1(%a: memref<4x4xf16>, %b: memref<4x4xf32>) {
  %d = ktdp.construct_distributed_memory_view (%a, %b : memref<4x4xf16>, memref<4x4xf32>) : memref<8x4xf16>
  return }
// -----
// 'ktdp.construct_distributed_memory_view' op all input memrefs must have the same rank as the result
func.func @b2(%a: memref<4x4xf16>, %b: memref<4xf16>) {
  %d = ktdp.construct_distributed_memory_view (%a, %b : memref<4x4xf16>, memref<4xf16>) : memref<8x4xf16>
  return }
// -----
// 'ktdp.construct_distributed_memory_view' op all input memrefs must have the same rank as the result
func.func @b3(%a: memref<4x4xf16>) {
  %d = ktdp.construct_distributed_memory_view (%a : memref<4x4xf16>) : memref<4x4x1xf16>
  return }
// -----
// Access tile set is missing in the operation
func.func @c1(%a: memref<4x4xf16>, %i: index) {
  %t = ktdp.construct_access_tile %a[%i, %i] {access_tile_order = affine_map<(i, j) -> (i, j)>} : memref<4x4xf16> -> !ktdp.access_tile<4x4xindex>
  return }
// -----
// Access tile order is missing in the operation
func.func @c2(%a: memref<4x4xf16>, %i: index) {
  %t = ktdp.construct_access_tile %a[%i, %i] {access_tile_set = affine_set<(i, j) : (i >= 0)>} : memref<4x4xf16> -> !ktdp.access_tile<4x4xindex>
  return }
// -----
// Access tile set and Base input dimensions should match
func.func @c3(%a: memref<4x4xf16>, %i: index) {
  %t = ktdp.construct_access_tile %a[%i] {access_tile_set = affine_set<(i, j) : (i >= 0)>, access_tile_order = affine_map<(i, j) -> (i, j)>} : memref<4x4xf16> -> !ktdp.access_tile<4x4xindex>
  return }
// -----
// access_tile_set has 1 symbols but got 0 symbol operands
func.func @c4(%a: memref<4x4xf16>, %i: index) {
  %t = ktdp.construct_access_tile %a[%i, %i] {access_tile_set = affine_set<(i, j)[s] : (i >= 0)>, access_tile_order = affine_map<(i, j) -> (i, j)>} : memref<4x4xf16> -> !ktdp.access_tile<4x4xindex>
  return }
// -----
// Number of input dimensions and output dimensions in the access tile order should match
func.func @c5(%a: memref<4x4xf16>, %i: index) {
  %t = ktdp.construct_access_tile %a[%i, %i] {access_tile_set = affine_set<(i, j) : (i >= 0)>, access_tile_order = affine_map<(i, j) -> (i)>} : memref<4x4xf16> -> !ktdp.access_tile<4x4xindex>
  return }
// -----
// Number of dimensions in the access tile order and access tile set must match!
func.func @c6(%a: memref<4x4xf16>, %i: index) {
  %t = ktdp.construct_access_tile %a[%i, %i] {access_tile_set = affine_set<(i, j) : (i >= 0)>, access_tile_order = affine_map<(i) -> (i)>} : memref<4x4xf16> -> !ktdp.access_tile<4x4xindex>
  return }
// -----
// 'ktdp.construct_access_tile' op result type rank (1) must match access_tile_set dimensions (2)
func.func @c7(%a: memref<4x4xf16>, %i: index) {
  %t = ktdp.construct_access_tile %a[%i, %i] {access_tile_set = affine_set<(i, j) : (i >= 0)>, access_tile_order = affine_map<(i, j) -> (i, j)>} : memref<4x4xf16> -> !ktdp.access_tile<4xindex>
  return }
// -----
// use of value '%i' expects different type than prior uses: 'index' vs 'i32'
func.func @c9(%a: memref<4x4xf16>, %i: i32) {
  %t = ktdp.construct_access_tile %a[%i, %i] {access_tile_set = affine_set<(i, j) : (i >= 0)>, access_tile_order = affine_map<(i, j) -> (i, j)>} : memref<4x4xf16> -> !ktdp.access_tile<4x4xindex>
  return }
// -----
// 'ktdp.load' op access tile shape must match result tensor shape
func.func @d1(%t: !ktdp.access_tile<4x4xindex>) { %x = ktdp.load %t : <4x4xindex> -> tensor<4x5xf16> return }
// -----
// 'ktdp.load' op result must be a ranked tensor
func.func @d2(%t: !ktdp.access_tile<4x4xindex>) { %x = ktdp.load %t : <4x4xindex> -> tensor<*xf16> return }
// -----
// 'ktdp.store' op data tile shape must match access tile shape
func.func @d3(%t: !ktdp.access_tile<4x4xindex>, %v: tensor<16xf16>) { ktdp.store %v, %t : tensor<16xf16>, <4x4xindex> return }
// -----
// 'ktdp.load' op access tile shape must match result tensor shape
func.func @d4(%t: !ktdp.access_tile<?x4xindex>) { %x = ktdp.load %t : <?x4xindex> -> tensor<8x4xf16> return }
// -----
// tile element type must be 'index', but got: 'f16'
func.func @e1(%t: !ktdp.access_tile<4x4xf16>) { return }
// -----
// expected
func.func @e2(%t: !ktdp.access_tile<4x-1xindex>) { return }
// -----
// runtime_arg underlying type must be a builtin type (index, integer, or float), but got: 'tensor<4xf16>'
func.func @f1(%x: !ktdp.runtime_arg<tensor<4xf16>>) { return }
// -----
// runtime_arg granularity must be positive, but got: 0
func.func @f2(%x: !ktdp.runtime_arg<index, granularity=0>) { return }
// -----
// runtime_arg upperbound must be positive, but got: -3
func.func @f3(%x: !ktdp.runtime_arg<index, upperbound=-3>) { return }
// -----
// duplicate 'upperbound' keyword
func.func @f4(%x: !ktdp.runtime_arg<index, upperbound=3, upperbound=4>) { return }
// -----
// expected 'granularity' or 'upperbound' keyword
func.func @f5(%x: !ktdp.runtime_arg<index, limit=3>) { return }
// -----
// 'ktdp.runtime_arg_extract' op cannot extract granularity from runtime_arg that doesn't have one
func.func @f6(%x: !ktdp.runtime_arg<i32>) { %0 = ktdp.runtime_arg_extract granularity from %x : <i32> -> index return }
// -----
// 'ktdp.runtime_arg_extract' op result type ('index') must match runtime_arg underlying type ('i32') when extracting value
func.func @f7(%x: !ktdp.runtime_arg<i32>) { %0 = ktdp.runtime_arg_extract value from %x : <i32> -> index return }
// -----
// 'ktdp.runtime_arg_extract' op result type must be index when extracting upperbound, but got 'i32'
func.func @f8(%x: !ktdp.runtime_arg<i32, upperbound=9>) { %0 = ktdp.runtime_arg_extract upperbound from %x : <i32, upperbound=9> -> i32 return }
// -----
// 'ktdp.construct_indirect_access_tile' op variables_space_set dimensions (1) must match variables_space_order inputs (2)
func.func @g1(%a: memref<8x8xf16>, %x: memref<8xi32>) {
  %t = ktdp.construct_indirect_access_tile intermediate_variables(%i, %j) %a[ind(%x[%i]), (%j)] {variables_space_set = affine_set<(i) : (i >= 0)>, variables_space_order = affine_map<(i, j) -> (i, j)>} : memref<8x8xf16>, memref<8xi32> -> !ktdp.access_tile<8x8xindex>
  return }
// -----
// 'ktdp.construct_indirect_access_tile' op indirect subscript map for dimension 0 produces 2 results, but indirect memref has rank 1
func.func @g2(%a: memref<8x8xf16>, %x: memref<8xi32>) {
  %t = ktdp.construct_indirect_access_tile intermediate_variables(%i, %j) %a[ind(%x[%i, %j]), (%j)] {variables_space_set = affine_set<(i, j) : (i >= 0)>, variables_space_order = affine_map<(i, j) -> (i, j)>} : memref<8x8xf16>, memref<8xi32> -> !ktdp.access_tile<8x8xindex>
  return }
// -----
// 'ktdp.construct_indirect_access_tile' op number of subscripts (1) must match base rank (2)
func.func @g3(%a: memref<8x8xf16>, %x: memref<8xi32>) {
  %t = ktdp.construct_indirect_access_tile intermediate_variables(%i, %j) %a[ind(%x[%i])] {variables_space_set = affine_set<(i, j) : (i >= 0)>, variables_space_order = affine_map<(i, j) -> (i, j)>} : memref<8x8xf16>, memref<8xi32> -> !ktdp.access_tile<8x8xindex>
  return }
// -----
// expected 2 types (base + 1 indirect memrefs), but got 1
func.func @g4(%a: memref<8x8xf16>, %x: memref<8xi32>) {
  %t = ktdp.construct_indirect_access_tile intermediate_variables(%i, %j) %a[ind(%x[%i]), (%j)] {variables_space_set = affine_set<(i, j) : (i >= 0)>, variables_space_order = affine_map<(i, j) -> (i, j)>} : memref<8x8xf16> -> !ktdp.access_tile<8x8xindex>
  return }
// -----
// expected
func.func @g5(%a: memref<8x8xf16>, %x: memref<8xi32>) {
  %t = ktdp.construct_indirect_access_tile intermediate_variables(%i, %j) %a[ind(%x[%i]), %j] {variables_space_set = affine_set<(i, j) : (i >= 0)>, variables_space_order = affine_map<(i, j) -> (i, j)>} : memref<8x8xf16>, memref<8xi32> -> !ktdp.access_tile<8x8xindex>
  return }
// -----
// expected
func.func @g6(%a: memref<8x8xf16>, %x: memref<8xi32>) {
  %t = ktdp.construct_indirect_access_tile intermediate_variables(%i, %j) %a[ind(%x[%i]) (%j)] {variables_space_set = affine_set<(i, j) : (i >= 0)>, variables_space_order = affine_map<(i, j) -> (i, j)>} : memref<8x8xf16>, memref<8xi32> -> !ktdp.access_tile<8x8xindex>
  return }
// -----
// 'ktdp.construct_indirect_access_tile' op result type rank (1) must match variables_space_set dimensions (2)
func.func @g7(%a: memref<8x8xf16>, %x: memref<8xi32>) {
  %t = ktdp.construct_indirect_access_tile intermediate_variables(%i, %j) %a[ind(%x[%i]), (%j)] {variables_space_set = affine_set<(i, j) : (i >= 0)>, variables_space_order = affine_map<(i, j) -> (i, j)>} : memref<8x8xf16>, memref<8xi32> -> !ktdp.access_tile<64xindex>
  return }
// -----
// 'ktdp.construct_indirect_access_tile' op direct subscript map for dimension 1 must produce exactly 1 result, but produces 2
func.func @g8(%a: memref<8x8xf16>, %x: memref<8xi32>, %k: index) {
  %t = ktdp.construct_indirect_access_tile intermediate_variables(%i, %j) %a[ind(%x[%i]), (%j, %k)] {variables_space_set = affine_set<(i, j) : (i >= 0)>, variables_space_order = affine_map<(i, j) -> (i, j)>} : memref<8x8xf16>, memref<8xi32> -> !ktdp.access_tile<8x8xindex>
  return }
// -----
// non-affine expression: at least one of the multiply operands has to be either a constant or symbolic
func.func @g9(%a: memref<8x8xf16>, %x: memref<8xi32>, %k: index) {
  %t = ktdp.construct_indirect_access_tile intermediate_variables(%i, %j) %a[ind(%x[%i * %k]), (%j)] {variables_space_set = affine_set<(i, j) : (i >= 0)>, variables_space_order = affine_map<(i, j) -> (i, j)>} : memref<8x8xf16>, memref<8xi32> -> !ktdp.access_tile<8x8xindex>
  return }
// -----
// expected
func.func @g11(%a: memref<8x8xf16>, %x: memref<8xi32>) {
  %t = ktdp.construct_indirect_access_tile intermediate_variables %a[ind(%x[0]), (0)] {variables_space_set = affine_set<() : (0 == 0)>, variables_space_order = affine_map<() -> ()>} : memref<8x8xf16>, memref<8xi32> -> !ktdp.access_tile<index>
  return }
// -----
// expected a type
func.func @v5(%a: memref<9x4xf16>, %i: index) {
  %t = ktdp.construct_access_tile %a[%i floordiv 2, %i mod 4] {access_tile_set = affine_set<(i, j)[s] : (i * s >= 0, i mod 2 == 0, j floordiv 2 >= 0, 3 - j >= 0)>, access_tile_order = affine_map<(i, j) -> (j, i)>, my.tag = "x"} : memref<9x4xf16> -> <9x4xindex>
  return }
// -----
// expected
func.func @w1(%f: !ktdp.tile_future<tensor<4xf16>, groups = affine_set<(g) : (g == 0)>>) { return }
// -----
// expected
func.func @w2(%f: !ktdp.tile_future<(tensor<4xf16>), affine_set<(g) : (g == 0)>>) { return }
// -----
// tile_future must carry at least one partial type
func.func @w3(%f: !ktdp.tile_future<(), groups = affine_set<(g) : (g == 0)>>) { return }
// -----
// tile_future `groups` must have exactly one dimension (g)
func.func @w4(%f: !ktdp.tile_future<(tensor<4xf16>), groups = affine_set<(g, h) : (g == 0)>>) { return }
// -----
// tile_future `groups` must have no symbols
func.func @w5(%f: !ktdp.tile_future<(tensor<4xf16>), groups = affine_set<(g)[s] : (g == 0)>>) { return }
// -----
// 'ktdp.inter_tile_produce' op producer_tiles_per_group for groups 0 and 1 are not disjoint
func.func @w6(%x: tensor<4xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = affine_set<(t)[g] : (t - g >= 0, -t + g + 1 >= 0)> -> <(tensor<4xf16>), groups = affine_set<(g) : (g >= 0, -g + 1 >= 0)>> {
  ^bb0(%g: index):
    ktdp.yield_partial %x : tensor<4xf16>
  }
  return }
// -----
// 'ktdp.inter_tile_produce' op producer region must take a single `index` group-id argument
func.func @w7(%x: tensor<4xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = affine_set<(t)[g] : (t - g == 0)> -> <(tensor<4xf16>), groups = affine_set<(g) : (g >= 0, -g + 1 >= 0)>> {
    ktdp.yield_partial %x : tensor<4xf16>
  }
  return }
// -----
// 'ktdp.inter_tile_produce' op yield_partial yields 2 values but the future carries 1 partial type(s)
func.func @w8(%x: tensor<4xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = affine_set<(t)[g] : (t - g == 0)> -> <(tensor<4xf16>), groups = affine_set<(g) : (g >= 0, -g + 1 >= 0)>> {
  ^bb0(%g: index):
    ktdp.yield_partial %x, %x : tensor<4xf16>, tensor<4xf16>
  }
  return }
// -----
// 'ktdp.inter_tile_produce' op `producer_tiles_per_group` must have exactly one symbol (the group index g)
func.func @w9(%x: tensor<4xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = affine_set<(t) : (t == 0)> -> <(tensor<4xf16>), groups = affine_set<(g) : (g >= 0, -g + 1 >= 0)>> {
  ^bb0(%g: index):
    ktdp.yield_partial %x : tensor<4xf16>
  }
  return }
