#map = affine_map<(d0)[s0] -> (d0, s0 + 1)>
#map1 = affine_map<(d0) -> (d0 mod 4, 0)>
#map2 = affine_map<() -> (0)>
#map3 = affine_map<() -> (10)>
#map4 = affine_map<(d0)[s0] -> (d0, s0)>
#map5 = affine_map<(d0)[s0] -> (d0, s0 + 4)>
#map6 = affine_map<()[s0] -> (s0)>
#map7 = affine_map<(d0) -> (d0 + 4)>
#map8 = affine_map<(d0) -> (0, d0)>
#map9 = affine_map<(d0) -> (10, d0, 20)>
#map10 = affine_map<() -> (0, 0)>
#map11 = affine_map<() -> (10, 20)>
#map12 = affine_map<(d0, d1) -> (d0, d1)>
#map13 = affine_map<(d0)[s0] -> (d0 + s0)>
#map14 = affine_map<(d0, d1) -> (d1, d0)>
#map15 = affine_map<() -> (4)>
#set = affine_set<(d0)[s0] : (d0 - s0 >= 0)>
"builtin.module"() ({
  "memref.global"() <{constant, initial_value = dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>, sym_name = "g", sym_visibility = "private", type = memref<2xf32>}> : () -> ()
  "memref.global"() <{initial_value, sym_name = "h", type = memref<2xf32>}> : () -> ()
  "memref.global"() <{sym_name = "k", type = memref<2xf32>}> : () -> ()
  "func.func"() <{function_type = (memref<4x4xf32>, index, index, memref<*xf32>, memref<64xi8>, vector<4xf32>, f32) -> index, sym_name = "f"}> ({
  ^bb0(%arg0: memref<4x4xf32>, %arg1: index, %arg2: index, %arg3: memref<*xf32>, %arg4: memref<64xi8>, %arg5: vector<4xf32>, %arg6: f32):
    %0 = "affine.linearize_index"(%arg1, %arg2) <{disjoint, operandSegmentSizes = array<i32: 2, 0>, static_basis = array<i64: 4, 5>}> : (index, index) -> index
    %1:2 = "affine.delinearize_index"(%arg1) <{static_basis = array<i64: 4, 5>}> : (index) -> (index, index)
    %2:2 = "affine.delinearize_index"(%arg1, %arg2) <{static_basis = array<i64: -9223372036854775808>}> : (index, index) -> (index, index)
    %3 = "affine.linearize_index"(%arg1, %arg2, %arg2) <{disjoint = false, operandSegmentSizes = array<i32: 2, 1>, static_basis = array<i64: -9223372036854775808, 5>}> : (index, index, index) -> index
    "affine.for"() <{lowerBoundMap = #map2, operandSegmentSizes = array<i32: 0, 0, 0>, step = 1 : index, upperBoundMap = #map3}> ({
    ^bb0(%arg14: index):
      %31 = "affine.load"(%arg0, %arg14, %arg2) <{map = #map}> : (memref<4x4xf32>, index, index) -> f32
      "affine.store"(%31, %arg0, %arg14) <{map = #map1}> : (f32, memref<4x4xf32>, index) -> ()
      "affine.yield"() : () -> ()
    }) : () -> ()
    %4 = "affine.for"(%arg1, %arg2, %arg1, %arg2, %arg6) <{lowerBoundMap = #map4, operandSegmentSizes = array<i32: 2, 2, 1>, step = 2 : index, upperBoundMap = #map5}> ({
    ^bb0(%arg12: index, %arg13: f32):
      "affine.yield"(%arg13) : (f32) -> ()
    }) : (index, index, index, index, f32) -> f32
    "affine.for"(%arg1, %arg1) <{lowerBoundMap = #map6, operandSegmentSizes = array<i32: 1, 1, 0>, step = 1 : index, upperBoundMap = #map7}> ({
    ^bb0(%arg11: index):
      "affine.yield"() : () -> ()
    }) : (index, index) -> ()
    "affine.if"(%arg1, %arg2) <{condition = #set}> ({
      "affine.yield"() : () -> ()
    }, {
      "affine.yield"() : () -> ()
    }) : (index, index) -> ()
    %5 = "affine.if"(%arg1, %arg2) <{condition = #set}> ({
      "affine.yield"(%arg6) : (f32) -> ()
    }, {
      "affine.yield"(%arg6) : (f32) -> ()
    }) : (index, index) -> f32
    "affine.parallel"(%arg1, %arg2) <{lowerBoundsGroups = dense<1> : tensor<2xi32>, lowerBoundsMap = #map8, reductions = [], steps = [2, 1], upperBoundsGroups = dense<[1, 2]> : tensor<2xi32>, upperBoundsMap = #map9}> ({
    ^bb0(%arg9: index, %arg10: index):
      "affine.yield"() : () -> ()
    }) : (index, index) -> ()
    %6:2 = "affine.parallel"() <{lowerBoundsGroups = dense<1> : tensor<2xi32>, lowerBoundsMap = #map10, reductions = [0, 4], steps = [1, 1], upperBoundsGroups = dense<1> : tensor<2xi32>, upperBoundsMap = #map11}> ({
    ^bb0(%arg7: index, %arg8: index):
      "affine.yield"(%arg6, %arg6) : (f32, f32) -> ()
    }) : () -> (f32, f32)
    %7 = "affine.vector_load"(%arg0, %arg1, %arg2) <{map = #map12}> : (memref<4x4xf32>, index, index) -> vector<4xf32>
    "affine.vector_store"(%arg5, %arg0, %arg1, %arg2) <{map = #map12}> : (vector<4xf32>, memref<4x4xf32>, index, index) -> ()
    %8 = "affine.min"(%arg1, %arg2) <{map = #map4}> : (index, index) -> index
    %9 = "affine.max"(%arg1, %arg2) <{map = #map4}> : (index, index) -> index
    %10 = "memref.alloc"() <{alignment = 64 : i64, operandSegmentSizes = array<i32: 0, 0>}> : () -> memref<4xf32>
    %11 = "memref.alloca"(%arg2, %arg1) <{operandSegmentSizes = array<i32: 1, 1>}> : (index, index) -> memref<?xf32, #map13>
    %12 = "memref.assume_alignment"(%arg0) <{alignment = 16 : i32}> : (memref<4x4xf32>) -> memref<4x4xf32>
    %13 = "memref.cast"(%arg0) : (memref<4x4xf32>) -> memref<?x4xf32>
    %14 = "memref.dim"(%arg0, %arg1) : (memref<4x4xf32>, index) -> index
    %15 = "memref.rank"(%arg0) : (memref<4x4xf32>) -> index
    %16 = "memref.view"(%arg4, %arg1, %arg2) : (memref<64xi8>, index, index) -> memref<?xf32>
    %17 = "memref.subview"(%arg0, %arg1, %arg2) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>, static_offsets = array<i64: -9223372036854775808, 0>, static_sizes = array<i64: 2, -9223372036854775808>, static_strides = array<i64: 1, 1>}> : (memref<4x4xf32>, index, index) -> memref<2x?xf32, strided<[4, 1], offset: ?>>
    %18 = "memref.reinterpret_cast"(%arg0, %arg1, %arg2) <{operandSegmentSizes = array<i32: 1, 1, 0, 1>, static_offsets = array<i64: -9223372036854775808>, static_sizes = array<i64: 2, 2>, static_strides = array<i64: -9223372036854775808, 1>}> : (memref<4x4xf32>, index, index) -> memref<2x2xf32, strided<[?, 1], offset: ?>>
    %19 = "memref.memory_space_cast"(%arg0) : (memref<4x4xf32>) -> memref<4x4xf32, 1>
    %20 = "memref.alloc"() <{operandSegmentSizes = array<i32: 0, 0>}> : () -> memref<1xindex>
    %21 = "memref.reshape"(%arg0, %20) : (memref<4x4xf32>, memref<1xindex>) -> memref<?xf32>
    %22 = "memref.collapse_shape"(%arg0) <{reassociation = [[0, 1]]}> : (memref<4x4xf32>) -> memref<16xf32>
    %23 = "memref.expand_shape"(%22) <{reassociation = [[0, 1]], static_output_shape = array<i64: 2, 8>}> : (memref<16xf32>) -> memref<2x8xf32>
    %24:6 = "memref.extract_strided_metadata"(%arg0) : (memref<4x4xf32>) -> (memref<f32>, index, index, index, index, index)
    %25 = "memref.extract_aligned_pointer_as_index"(%arg0) : (memref<4x4xf32>) -> index
    %26 = "memref.transpose"(%arg0) <{permutation = #map14}> : (memref<4x4xf32>) -> memref<4x4xf32, strided<[1, 4]>>
    %27 = "memref.get_global"() <{name = @g}> : () -> memref<2xf32>
    %28 = "memref.atomic_rmw"(%arg6, %arg0, %arg1, %arg2) <{kind = 0 : i64}> : (f32, memref<4x4xf32>, index, index) -> f32
    "memref.copy"(%arg0, %arg0) : (memref<4x4xf32>, memref<4x4xf32>) -> ()
    %29 = "memref.load"(%arg0, %arg1, %arg2) <{nontemporal = true}> : (memref<4x4xf32>, index, index) -> f32
    "memref.dealloc"(%20) : (memref<1xindex>) -> ()
    %30 = "affine.apply"() <{map = #map15}> : () -> index
    "func.return"(%0) : (index) -> ()
  }) : () -> ()
}) : () -> ()
