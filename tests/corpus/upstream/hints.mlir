module {
  func.func @f(%arg0: memref<4x8xf32>, %arg1: index) -> f32 {
    memref.prefetch %arg0[%arg1, %arg1], read, locality<3>, data : memref<4x8xf32>
    memref.prefetch %arg0[%arg1, %arg1], write, locality<0>, instr : memref<4x8xf32>
    affine.prefetch %arg0[%arg1 * 2, %arg1 + 3], write, locality<1>, data : memref<4x8xf32>
    memref.alloca_scope  {
      %alloca = memref.alloca() : memref<4xf32>
    }
    %cst = arith.constant 1.000000e+00 : f32
    %0 = memref.alloca_scope  -> (f32) {
      memref.alloca_scope.return %cst : f32
    }
    return %0 : f32
  }
}
