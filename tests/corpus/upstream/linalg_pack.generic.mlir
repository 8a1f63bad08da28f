"builtin.module"() ({
  "func.func"() <{function_type = (tensor<64x128xf32>, tensor<60x128xf32>, tensor<16x2x32x8xf32>, index, tensor<?x?xf32>, memref<16xf32>, index, tensor<?x?x?x8xf32>, f32) -> (), sym_name = "f"}> ({
  ^bb0(%arg0: tensor<64x128xf32>, %arg1: tensor<60x128xf32>, %arg2: tensor<16x2x32x8xf32>, %arg3: index, %arg4: tensor<?x?xf32>, %arg5: memref<16xf32>, %arg6: index, %arg7: tensor<?x?x?x8xf32>, %arg8: f32):
    %0 = "linalg.pack"(%arg0, %arg2) <{inner_dims_pos = array<i64: 0, 1>, operandSegmentSizes = array<i32: 1, 1, 0, 0>, outer_dims_perm = array<i64: 1, 0>, static_inner_tiles = array<i64: 32, 8>}> {foo} : (tensor<64x128xf32>, tensor<16x2x32x8xf32>) -> tensor<16x2x32x8xf32>
    %1 = "linalg.pack"(%arg1, %arg2, %arg8) <{inner_dims_pos = array<i64: 0, 1>, operandSegmentSizes = array<i32: 1, 1, 1, 0>, outer_dims_perm = array<i64: 1, 0>, static_inner_tiles = array<i64: 32, 8>}> : (tensor<60x128xf32>, tensor<16x2x32x8xf32>, f32) -> tensor<16x2x32x8xf32>
    %2 = "linalg.unpack"(%0, %arg0) <{inner_dims_pos = array<i64: 0, 1>, outer_dims_perm = array<i64: 1, 0>, static_inner_tiles = array<i64: 32, 8>}> {foo} : (tensor<16x2x32x8xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
    %3 = "linalg.pack"(%arg4, %arg7, %arg8, %arg3) <{inner_dims_pos = array<i64: 0, 1>, operandSegmentSizes = array<i32: 1, 1, 1, 1>, static_inner_tiles = array<i64: -9223372036854775808, 8>}> : (tensor<?x?xf32>, tensor<?x?x?x8xf32>, f32, index) -> tensor<?x?x?x8xf32>
    %4 = "memref.realloc"(%arg5) : (memref<16xf32>) -> memref<32xf32>
    %5 = "memref.realloc"(%4, %arg3) <{alignment = 8 : i64}> : (memref<32xf32>, index) -> memref<?xf32>
    %6 = "memref.generic_atomic_rmw"(%4, %arg6) ({
    ^bb0(%arg9: f32):
      %9 = "arith.addf"(%arg9, %arg9) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "memref.atomic_yield"(%9) : (f32) -> ()
    }) : (memref<32xf32>, index) -> f32
    %7:2 = "memref.distinct_objects"(%4, %arg5) : (memref<32xf32>, memref<16xf32>) -> (memref<32xf32>, memref<16xf32>)
    %8 = "linalg.softmax"(%arg0, %arg0) <{dimension = 1 : i64}> : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
