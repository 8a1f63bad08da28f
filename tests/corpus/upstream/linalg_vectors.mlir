module {
  func.func @f(%arg0: tensor<2x4x4xf16>, %arg1: tensor<2x4xf16>, %arg2: tensor<4x4xf16>, %arg3: tensor<4xf16>, %arg4: tensor<f32>) {
    %0 = linalg.batch_matvec ins(%arg0, %arg1 : tensor<2x4x4xf16>, tensor<2x4xf16>) outs(%arg1 : tensor<2x4xf16>) -> tensor<2x4xf16>
    %1 = linalg.batch_vecmat ins(%arg1, %arg0 : tensor<2x4xf16>, tensor<2x4x4xf16>) outs(%arg1 : tensor<2x4xf16>) -> tensor<2x4xf16>
    %2 = linalg.dot ins(%arg3, %arg3 : tensor<4xf16>, tensor<4xf16>) outs(%arg4 : tensor<f32>) -> tensor<f32>
    %3 = linalg.matvec ins(%arg2, %arg3 : tensor<4x4xf16>, tensor<4xf16>) outs(%arg3 : tensor<4xf16>) -> tensor<4xf16>
    %4 = linalg.vecmat ins(%arg3, %arg2 : tensor<4xf16>, tensor<4x4xf16>) outs(%arg3 : tensor<4xf16>) -> tensor<4xf16>
    return
  }
}
