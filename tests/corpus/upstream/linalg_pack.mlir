module {
  func.func @f(%arg0: tensor<64x128xf32>, %arg1: tensor<60x128xf32>, %arg2: tensor<16x2x32x8xf32>, %arg3: index, %arg4: tensor<?x?xf32>, %arg5: memref<16xf32>, %arg6: index, %arg7: tensor<?x?x?x8xf32>, %arg8: f32) {
    %pack = linalg.pack %arg0 outer_dims_perm = [1, 0] inner_dims_pos = [0, 1] inner_tiles = [32, 8] into %arg2 {foo} : tensor<64x128xf32> -> tensor<16x2x32x8xf32>
    %pack_0 = linalg.pack %arg1 padding_value(%arg8 : f32) outer_dims_perm = [1, 0] inner_dims_pos = [0, 1] inner_tiles = [32, 8] into %arg2 : tensor<60x128xf32> -> tensor<16x2x32x8xf32>
    %unpack = linalg.unpack %pack outer_dims_perm = [1, 0] inner_dims_pos = [0, 1] inner_tiles = [32, 8] into %arg0 {foo} : tensor<16x2x32x8xf32> -> tensor<64x128xf32>
    %pack_1 = linalg.pack %arg4 padding_value(%arg8 : f32) inner_dims_pos = [0, 1] inner_tiles = [%arg3, 8] into %arg7 : tensor<?x?xf32> -> tensor<?x?x?x8xf32>
    %0 = memref.realloc %arg5 : memref<16xf32> to memref<32xf32>
    %1 = memref.realloc %0(%arg3) {alignment = 8 : i64} : memref<32xf32> to memref<?xf32>
    %2 = memref.generic_atomic_rmw %0[%arg6] : memref<32xf32> {
    ^bb0(%arg9: f32):
      %5 = arith.addf %arg9, %arg9 : f32
      memref.atomic_yield %5 : f32
    }
    %3:2 = memref.distinct_objects %0, %arg5 : memref<32xf32>, memref<16xf32>
    %4 = linalg.softmax dimension(1) ins(%arg0 : tensor<64x128xf32>) outs(%arg0 : tensor<64x128xf32>) -> tensor<64x128xf32>
    return
  }
}
