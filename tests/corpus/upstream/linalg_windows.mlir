module {
  func.func @conv_1d(%arg0: tensor<5xf32>, %arg1: tensor<2xf32>, %arg2: tensor<4xf32>) -> tensor<4xf32> {
    %0 = linalg.conv_1d ins(%arg0, %arg1 : tensor<5xf32>, tensor<2xf32>) outs(%arg2 : tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
  func.func @conv_2d(%arg0: tensor<5x5xf16>, %arg1: tensor<3x2xf16>, %arg2: tensor<3x4xf32>) -> tensor<3x4xf32> {
    %0 = linalg.conv_2d ins(%arg0, %arg1 : tensor<5x5xf16>, tensor<3x2xf16>) outs(%arg2 : tensor<3x4xf32>) -> tensor<3x4xf32>
    return %0 : tensor<3x4xf32>
  }
  func.func @conv_3d(%arg0: tensor<3x5x5xf16>, %arg1: tensor<2x3x2xf16>, %arg2: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
    %0 = linalg.conv_3d ins(%arg0, %arg1 : tensor<3x5x5xf16>, tensor<2x3x2xf16>) outs(%arg2 : tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
    return %0 : tensor<2x3x4xf32>
  }
  func.func @conv_1d_nwc_wcf(%arg0: tensor<2x9x3xf16>, %arg1: tensor<2x3x5xf16>, %arg2: tensor<2x4x5xf32>) -> tensor<2x4x5xf32> {
    %0 = linalg.conv_1d_nwc_wcf {dilations = dense<2> : tensor<1xi64>, strides = dense<2> : tensor<1xi64>} ins(%arg0, %arg1 : tensor<2x9x3xf16>, tensor<2x3x5xf16>) outs(%arg2 : tensor<2x4x5xf32>) -> tensor<2x4x5xf32>
    return %0 : tensor<2x4x5xf32>
  }
  func.func @conv_1d_ncw_fcw(%arg0: tensor<2x3x5xf32>, %arg1: tensor<5x3x2xf32>, %arg2: tensor<2x5x4xf32>) -> tensor<2x5x4xf32> {
    %0 = linalg.conv_1d_ncw_fcw ins(%arg0, %arg1 : tensor<2x3x5xf32>, tensor<5x3x2xf32>) outs(%arg2 : tensor<2x5x4xf32>) -> tensor<2x5x4xf32>
    return %0 : tensor<2x5x4xf32>
  }
  func.func @conv_2d_nhwc_hwcf(%arg0: tensor<2x7x11x3xf16>, %arg1: tensor<3x2x3x5xf16>, %arg2: tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32> {
    %0 = linalg.conv_2d_nhwc_hwcf {strides = dense<[2, 3]> : tensor<2xi64>} ins(%arg0, %arg1 : tensor<2x7x11x3xf16>, tensor<3x2x3x5xf16>) outs(%arg2 : tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
    return %0 : tensor<2x3x4x5xf32>
  }
  func.func @conv_2d_nhwc_hwcf_q(%arg0: tensor<2x7x6x3xi8>, %arg1: tensor<3x2x3x5xi8>, %arg2: i32, %arg3: i32, %arg4: tensor<2x3x4x5xi32>) -> tensor<2x3x4x5xi32> {
    %0 = linalg.conv_2d_nhwc_hwcf_q {dilations = dense<2> : tensor<2xi64>} ins(%arg0, %arg1, %arg2, %arg3 : tensor<2x7x6x3xi8>, tensor<3x2x3x5xi8>, i32, i32) outs(%arg4 : tensor<2x3x4x5xi32>) -> tensor<2x3x4x5xi32>
    return %0 : tensor<2x3x4x5xi32>
  }
  func.func @conv_2d_nhwc_fhwc(%arg0: tensor<2x7x11x3xf16>, %arg1: tensor<5x3x2x3xf16>, %arg2: tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32> {
    %0 = linalg.conv_2d_nhwc_fhwc {strides = dense<[2, 3]> : tensor<2xi64>} ins(%arg0, %arg1 : tensor<2x7x11x3xf16>, tensor<5x3x2x3xf16>) outs(%arg2 : tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
    return %0 : tensor<2x3x4x5xf32>
  }
  func.func @conv_2d_nhwc_fhwc_q(%arg0: tensor<2x5x5x3xi8>, %arg1: tensor<5x3x2x3xi8>, %arg2: i32, %arg3: i32, %arg4: tensor<2x3x4x5xi32>) -> tensor<2x3x4x5xi32> {
    %0 = linalg.conv_2d_nhwc_fhwc_q ins(%arg0, %arg1, %arg2, %arg3 : tensor<2x5x5x3xi8>, tensor<5x3x2x3xi8>, i32, i32) outs(%arg4 : tensor<2x3x4x5xi32>) -> tensor<2x3x4x5xi32>
    return %0 : tensor<2x3x4x5xi32>
  }
  func.func @conv_2d_nchw_fchw(%arg0: tensor<2x3x9x12xf16>, %arg1: tensor<5x3x3x2xf16>, %arg2: tensor<2x5x3x4xf32>) -> tensor<2x5x3x4xf32> {
    %0 = linalg.conv_2d_nchw_fchw {dilations = dense<2> : tensor<2xi64>, strides = dense<[2, 3]> : tensor<2xi64>} ins(%arg0, %arg1 : tensor<2x3x9x12xf16>, tensor<5x3x3x2xf16>) outs(%arg2 : tensor<2x5x3x4xf32>) -> tensor<2x5x3x4xf32>
    return %0 : tensor<2x5x3x4xf32>
  }
  func.func @conv_2d_nchw_fchw_q(%arg0: tensor<2x3x5x5xi8>, %arg1: tensor<5x3x3x2xi8>, %arg2: i32, %arg3: i32, %arg4: tensor<2x5x3x4xi32>) -> tensor<2x5x3x4xi32> {
    %0 = linalg.conv_2d_nchw_fchw_q ins(%arg0, %arg1, %arg2, %arg3 : tensor<2x3x5x5xi8>, tensor<5x3x3x2xi8>, i32, i32) outs(%arg4 : tensor<2x5x3x4xi32>) -> tensor<2x5x3x4xi32>
    return %0 : tensor<2x5x3x4xi32>
  }
  func.func @conv_2d_ngchw_fgchw(%arg0: tensor<2x2x3x7x11xf16>, %arg1: tensor<5x2x3x3x2xf16>, %arg2: tensor<2x2x5x3x4xf32>) -> tensor<2x2x5x3x4xf32> {
    %0 = linalg.conv_2d_ngchw_fgchw {strides = dense<[2, 3]> : tensor<2xi64>} ins(%arg0, %arg1 : tensor<2x2x3x7x11xf16>, tensor<5x2x3x3x2xf16>) outs(%arg2 : tensor<2x2x5x3x4xf32>) -> tensor<2x2x5x3x4xf32>
    return %0 : tensor<2x2x5x3x4xf32>
  }
  func.func @conv_2d_ngchw_gfchw(%arg0: tensor<2x2x3x7x6xf32>, %arg1: tensor<2x5x3x3x2xf32>, %arg2: tensor<2x2x5x3x4xf32>) -> tensor<2x2x5x3x4xf32> {
    %0 = linalg.conv_2d_ngchw_gfchw {dilations = dense<2> : tensor<2xi64>} ins(%arg0, %arg1 : tensor<2x2x3x7x6xf32>, tensor<2x5x3x3x2xf32>) outs(%arg2 : tensor<2x2x5x3x4xf32>) -> tensor<2x2x5x3x4xf32>
    return %0 : tensor<2x2x5x3x4xf32>
  }
  func.func @conv_2d_ngchw_gfchw_q(%arg0: tensor<2x2x3x7x11xi8>, %arg1: tensor<2x5x3x3x2xi8>, %arg2: i32, %arg3: i32, %arg4: tensor<2x2x5x3x4xi32>) -> tensor<2x2x5x3x4xi32> {
    %0 = linalg.conv_2d_ngchw_gfchw_q {strides = dense<[2, 3]> : tensor<2xi64>} ins(%arg0, %arg1, %arg2, %arg3 : tensor<2x2x3x7x11xi8>, tensor<2x5x3x3x2xi8>, i32, i32) outs(%arg4 : tensor<2x2x5x3x4xi32>) -> tensor<2x2x5x3x4xi32>
    return %0 : tensor<2x2x5x3x4xi32>
  }
  func.func @conv_2d_nhwgc_gfhwc(%arg0: tensor<2x5x5x2x3xf16>, %arg1: tensor<2x5x3x2x3xf16>, %arg2: tensor<2x3x4x2x5xf32>) -> tensor<2x3x4x2x5xf32> {
    %0 = linalg.conv_2d_nhwgc_gfhwc ins(%arg0, %arg1 : tensor<2x5x5x2x3xf16>, tensor<2x5x3x2x3xf16>) outs(%arg2 : tensor<2x3x4x2x5xf32>) -> tensor<2x3x4x2x5xf32>
    return %0 : tensor<2x3x4x2x5xf32>
  }
  func.func @conv_2d_nhwgc_gfhwc_q(%arg0: tensor<2x9x12x2x3xi8>, %arg1: tensor<2x5x3x2x3xi8>, %arg2: i32, %arg3: i32, %arg4: tensor<2x3x4x2x5xi32>) -> tensor<2x3x4x2x5xi32> {
    %0 = linalg.conv_2d_nhwgc_gfhwc_q {dilations = dense<2> : tensor<2xi64>, strides = dense<[2, 3]> : tensor<2xi64>} ins(%arg0, %arg1, %arg2, %arg3 : tensor<2x9x12x2x3xi8>, tensor<2x5x3x2x3xi8>, i32, i32) outs(%arg4 : tensor<2x3x4x2x5xi32>) -> tensor<2x3x4x2x5xi32>
    return %0 : tensor<2x3x4x2x5xi32>
  }
  func.func @conv_3d_ndhwc_dhwcf(%arg0: tensor<2x3x5x5x3xf32>, %arg1: tensor<2x3x2x3x5xf32>, %arg2: tensor<2x2x3x4x5xf32>) -> tensor<2x2x3x4x5xf32> {
    %0 = linalg.conv_3d_ndhwc_dhwcf ins(%arg0, %arg1 : tensor<2x3x5x5x3xf32>, tensor<2x3x2x3x5xf32>) outs(%arg2 : tensor<2x2x3x4x5xf32>) -> tensor<2x2x3x4x5xf32>
    return %0 : tensor<2x2x3x4x5xf32>
  }
  func.func @conv_3d_ndhwc_dhwcf_q(%arg0: tensor<2x4x9x14x3xi8>, %arg1: tensor<2x3x2x3x5xi8>, %arg2: i32, %arg3: i32, %arg4: tensor<2x2x3x4x5xi32>) -> tensor<2x2x3x4x5xi32> {
    %0 = linalg.conv_3d_ndhwc_dhwcf_q {strides = dense<[2, 3, 4]> : tensor<3xi64>} ins(%arg0, %arg1, %arg2, %arg3 : tensor<2x4x9x14x3xi8>, tensor<2x3x2x3x5xi8>, i32, i32) outs(%arg4 : tensor<2x2x3x4x5xi32>) -> tensor<2x2x3x4x5xi32>
    return %0 : tensor<2x2x3x4x5xi32>
  }
  func.func @conv_3d_ncdhw_fcdhw(%arg0: tensor<2x3x4x7x6xf16>, %arg1: tensor<5x3x2x3x2xf16>, %arg2: tensor<2x5x2x3x4xf32>) -> tensor<2x5x2x3x4xf32> {
    %0 = linalg.conv_3d_ncdhw_fcdhw {dilations = dense<2> : tensor<3xi64>} ins(%arg0, %arg1 : tensor<2x3x4x7x6xf16>, tensor<5x3x2x3x2xf16>) outs(%arg2 : tensor<2x5x2x3x4xf32>) -> tensor<2x5x2x3x4xf32>
    return %0 : tensor<2x5x2x3x4xf32>
  }
  func.func @depthwise_conv_1d_nwc_wc(%arg0: tensor<2x8x3xf16>, %arg1: tensor<2x3xf16>, %arg2: tensor<2x4x3xf32>) -> tensor<2x4x3xf32> {
    %0 = linalg.depthwise_conv_1d_nwc_wc {strides = dense<2> : tensor<1xi64>} ins(%arg0, %arg1 : tensor<2x8x3xf16>, tensor<2x3xf16>) outs(%arg2 : tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
    return %0 : tensor<2x4x3xf32>
  }
  func.func @depthwise_conv_1d_ncw_cw(%arg0: tensor<2x3x5xf32>, %arg1: tensor<3x2xf32>, %arg2: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
    %0 = linalg.depthwise_conv_1d_ncw_cw ins(%arg0, %arg1 : tensor<2x3x5xf32>, tensor<3x2xf32>) outs(%arg2 : tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
    return %0 : tensor<2x3x4xf32>
  }
  func.func @depthwise_conv_1d_nwc_wcm(%arg0: tensor<2x9x3xf16>, %arg1: tensor<2x3x2xf16>, %arg2: tensor<2x4x3x2xf32>) -> tensor<2x4x3x2xf32> {
    %0 = linalg.depthwise_conv_1d_nwc_wcm {dilations = dense<2> : tensor<1xi64>, strides = dense<2> : tensor<1xi64>} ins(%arg0, %arg1 : tensor<2x9x3xf16>, tensor<2x3x2xf16>) outs(%arg2 : tensor<2x4x3x2xf32>) -> tensor<2x4x3x2xf32>
    return %0 : tensor<2x4x3x2xf32>
  }
  func.func @depthwise_conv_2d_nhwc_hwc(%arg0: tensor<2x5x5x3xf16>, %arg1: tensor<3x2x3xf16>, %arg2: tensor<2x3x4x3xf32>) -> tensor<2x3x4x3xf32> {
    %0 = linalg.depthwise_conv_2d_nhwc_hwc ins(%arg0, %arg1 : tensor<2x5x5x3xf16>, tensor<3x2x3xf16>) outs(%arg2 : tensor<2x3x4x3xf32>) -> tensor<2x3x4x3xf32>
    return %0 : tensor<2x3x4x3xf32>
  }
  func.func @depthwise_conv_2d_nhwc_hwc_q(%arg0: tensor<2x7x11x3xi8>, %arg1: tensor<3x2x3xi8>, %arg2: i32, %arg3: i32, %arg4: tensor<2x3x4x3xi32>) -> tensor<2x3x4x3xi32> {
    %0 = linalg.depthwise_conv_2d_nhwc_hwc_q {strides = dense<[2, 3]> : tensor<2xi64>} ins(%arg0, %arg1, %arg2, %arg3 : tensor<2x7x11x3xi8>, tensor<3x2x3xi8>, i32, i32) outs(%arg4 : tensor<2x3x4x3xi32>) -> tensor<2x3x4x3xi32>
    return %0 : tensor<2x3x4x3xi32>
  }
  func.func @depthwise_conv_2d_nchw_chw(%arg0: tensor<2x3x7x6xf32>, %arg1: tensor<3x3x2xf32>, %arg2: tensor<2x3x3x4xf32>) -> tensor<2x3x3x4xf32> {
    %0 = linalg.depthwise_conv_2d_nchw_chw {dilations = dense<2> : tensor<2xi64>} ins(%arg0, %arg1 : tensor<2x3x7x6xf32>, tensor<3x3x2xf32>) outs(%arg2 : tensor<2x3x3x4xf32>) -> tensor<2x3x3x4xf32>
    return %0 : tensor<2x3x3x4xf32>
  }
  func.func @depthwise_conv_2d_nhwc_hwcm(%arg0: tensor<2x7x11x3xf16>, %arg1: tensor<3x2x3x2xf16>, %arg2: tensor<2x3x4x3x2xf32>) -> tensor<2x3x4x3x2xf32> {
    %0 = linalg.depthwise_conv_2d_nhwc_hwcm {strides = dense<[2, 3]> : tensor<2xi64>} ins(%arg0, %arg1 : tensor<2x7x11x3xf16>, tensor<3x2x3x2xf16>) outs(%arg2 : tensor<2x3x4x3x2xf32>) -> tensor<2x3x4x3x2xf32>
    return %0 : tensor<2x3x4x3x2xf32>
  }
  func.func @depthwise_conv_2d_nhwc_hwcm_q(%arg0: tensor<2x5x5x3xi8>, %arg1: tensor<3x2x3x2xi8>, %arg2: i32, %arg3: i32, %arg4: tensor<2x3x4x3x2xi32>) -> tensor<2x3x4x3x2xi32> {
    %0 = linalg.depthwise_conv_2d_nhwc_hwcm_q ins(%arg0, %arg1, %arg2, %arg3 : tensor<2x5x5x3xi8>, tensor<3x2x3x2xi8>, i32, i32) outs(%arg4 : tensor<2x3x4x3x2xi32>) -> tensor<2x3x4x3x2xi32>
    return %0 : tensor<2x3x4x3x2xi32>
  }
  func.func @depthwise_conv_3d_ndhwc_dhwc(%arg0: tensor<2x5x11x15x3xf16>, %arg1: tensor<2x3x2x3xf16>, %arg2: tensor<2x2x3x4x3xf32>) -> tensor<2x2x3x4x3xf32> {
    %0 = linalg.depthwise_conv_3d_ndhwc_dhwc {dilations = dense<2> : tensor<3xi64>, strides = dense<[2, 3, 4]> : tensor<3xi64>} ins(%arg0, %arg1 : tensor<2x5x11x15x3xf16>, tensor<2x3x2x3xf16>) outs(%arg2 : tensor<2x2x3x4x3xf32>) -> tensor<2x2x3x4x3xf32>
    return %0 : tensor<2x2x3x4x3xf32>
  }
  func.func @depthwise_conv_3d_ncdhw_cdhw(%arg0: tensor<2x3x3x5x5xf32>, %arg1: tensor<3x2x3x2xf32>, %arg2: tensor<2x3x2x3x4xf32>) -> tensor<2x3x2x3x4xf32> {
    %0 = linalg.depthwise_conv_3d_ncdhw_cdhw ins(%arg0, %arg1 : tensor<2x3x3x5x5xf32>, tensor<3x2x3x2xf32>) outs(%arg2 : tensor<2x3x2x3x4xf32>) -> tensor<2x3x2x3x4xf32>
    return %0 : tensor<2x3x2x3x4xf32>
  }
  func.func @depthwise_conv_3d_ndhwc_dhwcm(%arg0: tensor<2x4x9x14x3xf16>, %arg1: tensor<2x3x2x3x2xf16>, %arg2: tensor<2x2x3x4x3x2xf32>) -> tensor<2x2x3x4x3x2xf32> {
    %0 = linalg.depthwise_conv_3d_ndhwc_dhwcm {strides = dense<[2, 3, 4]> : tensor<3xi64>} ins(%arg0, %arg1 : tensor<2x4x9x14x3xf16>, tensor<2x3x2x3x2xf16>) outs(%arg2 : tensor<2x2x3x4x3x2xf32>) -> tensor<2x2x3x4x3x2xf32>
    return %0 : tensor<2x2x3x4x3x2xf32>
  }
  func.func @pooling_nhwc_sum(%arg0: tensor<2x7x6x3xf16>, %arg1: tensor<3x2xf16>, %arg2: tensor<2x3x4x3xf32>) -> tensor<2x3x4x3xf32> {
    %0 = linalg.pooling_nhwc_sum {dilations = dense<2> : tensor<2xi64>} ins(%arg0, %arg1 : tensor<2x7x6x3xf16>, tensor<3x2xf16>) outs(%arg2 : tensor<2x3x4x3xf32>) -> tensor<2x3x4x3xf32>
    return %0 : tensor<2x3x4x3xf32>
  }
  func.func @pooling_nhwc_max(%arg0: tensor<2x7x11x3xf16>, %arg1: tensor<3x2xf16>, %arg2: tensor<2x3x4x3xf32>) -> tensor<2x3x4x3xf32> {
    %0 = linalg.pooling_nhwc_max {strides = dense<[2, 3]> : tensor<2xi64>} ins(%arg0, %arg1 : tensor<2x7x11x3xf16>, tensor<3x2xf16>) outs(%arg2 : tensor<2x3x4x3xf32>) -> tensor<2x3x4x3xf32>
    return %0 : tensor<2x3x4x3xf32>
  }
  func.func @pooling_nhwc_max_unsigned(%arg0: tensor<2x5x5x3xi8>, %arg1: tensor<3x2xi8>, %arg2: tensor<2x3x4x3xi32>) -> tensor<2x3x4x3xi32> {
    %0 = linalg.pooling_nhwc_max_unsigned ins(%arg0, %arg1 : tensor<2x5x5x3xi8>, tensor<3x2xi8>) outs(%arg2 : tensor<2x3x4x3xi32>) -> tensor<2x3x4x3xi32>
    return %0 : tensor<2x3x4x3xi32>
  }
  func.func @pooling_nhwc_min(%arg0: tensor<2x9x12x3xf16>, %arg1: tensor<3x2xf16>, %arg2: tensor<2x3x4x3xf32>) -> tensor<2x3x4x3xf32> {
    %0 = linalg.pooling_nhwc_min {dilations = dense<2> : tensor<2xi64>, strides = dense<[2, 3]> : tensor<2xi64>} ins(%arg0, %arg1 : tensor<2x9x12x3xf16>, tensor<3x2xf16>) outs(%arg2 : tensor<2x3x4x3xf32>) -> tensor<2x3x4x3xf32>
    return %0 : tensor<2x3x4x3xf32>
  }
  func.func @pooling_nhwc_min_unsigned(%arg0: tensor<2x5x5x3xi8>, %arg1: tensor<3x2xi8>, %arg2: tensor<2x3x4x3xi32>) -> tensor<2x3x4x3xi32> {
    %0 = linalg.pooling_nhwc_min_unsigned ins(%arg0, %arg1 : tensor<2x5x5x3xi8>, tensor<3x2xi8>) outs(%arg2 : tensor<2x3x4x3xi32>) -> tensor<2x3x4x3xi32>
    return %0 : tensor<2x3x4x3xi32>
  }
  func.func @pooling_nchw_sum(%arg0: tensor<2x3x7x11xf16>, %arg1: tensor<3x2xf16>, %arg2: tensor<2x3x3x4xf32>) -> tensor<2x3x3x4xf32> {
    %0 = linalg.pooling_nchw_sum {strides = dense<[2, 3]> : tensor<2xi64>} ins(%arg0, %arg1 : tensor<2x3x7x11xf16>, tensor<3x2xf16>) outs(%arg2 : tensor<2x3x3x4xf32>) -> tensor<2x3x3x4xf32>
    return %0 : tensor<2x3x3x4xf32>
  }
  func.func @pooling_nchw_max(%arg0: tensor<2x3x7x6xf32>, %arg1: tensor<3x2xf32>, %arg2: tensor<2x3x3x4xf32>) -> tensor<2x3x3x4xf32> {
    %0 = linalg.pooling_nchw_max {dilations = dense<2> : tensor<2xi64>} ins(%arg0, %arg1 : tensor<2x3x7x6xf32>, tensor<3x2xf32>) outs(%arg2 : tensor<2x3x3x4xf32>) -> tensor<2x3x3x4xf32>
    return %0 : tensor<2x3x3x4xf32>
  }
  func.func @pooling_nwc_sum(%arg0: tensor<2x8x3xf16>, %arg1: tensor<2xf16>, %arg2: tensor<2x4x3xf32>) -> tensor<2x4x3xf32> {
    %0 = linalg.pooling_nwc_sum {strides = dense<2> : tensor<1xi64>} ins(%arg0, %arg1 : tensor<2x8x3xf16>, tensor<2xf16>) outs(%arg2 : tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
    return %0 : tensor<2x4x3xf32>
  }
  func.func @pooling_nwc_max(%arg0: tensor<2x5x3xf16>, %arg1: tensor<2xf16>, %arg2: tensor<2x4x3xf32>) -> tensor<2x4x3xf32> {
    %0 = linalg.pooling_nwc_max ins(%arg0, %arg1 : tensor<2x5x3xf16>, tensor<2xf16>) outs(%arg2 : tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
    return %0 : tensor<2x4x3xf32>
  }
  func.func @pooling_nwc_max_unsigned(%arg0: tensor<2x9x3xi8>, %arg1: tensor<2xi8>, %arg2: tensor<2x4x3xi32>) -> tensor<2x4x3xi32> {
    %0 = linalg.pooling_nwc_max_unsigned {dilations = dense<2> : tensor<1xi64>, strides = dense<2> : tensor<1xi64>} ins(%arg0, %arg1 : tensor<2x9x3xi8>, tensor<2xi8>) outs(%arg2 : tensor<2x4x3xi32>) -> tensor<2x4x3xi32>
    return %0 : tensor<2x4x3xi32>
  }
  func.func @pooling_nwc_min(%arg0: tensor<2x5x3xf32>, %arg1: tensor<2xf32>, %arg2: tensor<2x4x3xf32>) -> tensor<2x4x3xf32> {
    %0 = linalg.pooling_nwc_min ins(%arg0, %arg1 : tensor<2x5x3xf32>, tensor<2xf32>) outs(%arg2 : tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
    return %0 : tensor<2x4x3xf32>
  }
  func.func @pooling_nwc_min_unsigned(%arg0: tensor<2x8x3xi8>, %arg1: tensor<2xi8>, %arg2: tensor<2x4x3xi32>) -> tensor<2x4x3xi32> {
    %0 = linalg.pooling_nwc_min_unsigned {strides = dense<2> : tensor<1xi64>} ins(%arg0, %arg1 : tensor<2x8x3xi8>, tensor<2xi8>) outs(%arg2 : tensor<2x4x3xi32>) -> tensor<2x4x3xi32>
    return %0 : tensor<2x4x3xi32>
  }
  func.func @pooling_ncw_sum(%arg0: tensor<2x3x6xf16>, %arg1: tensor<2xf16>, %arg2: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
    %0 = linalg.pooling_ncw_sum {dilations = dense<2> : tensor<1xi64>} ins(%arg0, %arg1 : tensor<2x3x6xf16>, tensor<2xf16>) outs(%arg2 : tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
    return %0 : tensor<2x3x4xf32>
  }
  func.func @pooling_ncw_max(%arg0: tensor<2x3x8xf16>, %arg1: tensor<2xf16>, %arg2: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
    %0 = linalg.pooling_ncw_max {strides = dense<2> : tensor<1xi64>} ins(%arg0, %arg1 : tensor<2x3x8xf16>, tensor<2xf16>) outs(%arg2 : tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
    return %0 : tensor<2x3x4xf32>
  }
  func.func @pooling_ndhwc_sum(%arg0: tensor<2x3x5x5x3xf32>, %arg1: tensor<2x3x2xf32>, %arg2: tensor<2x2x3x4x3xf32>) -> tensor<2x2x3x4x3xf32> {
    %0 = linalg.pooling_ndhwc_sum ins(%arg0, %arg1 : tensor<2x3x5x5x3xf32>, tensor<2x3x2xf32>) outs(%arg2 : tensor<2x2x3x4x3xf32>) -> tensor<2x2x3x4x3xf32>
    return %0 : tensor<2x2x3x4x3xf32>
  }
  func.func @pooling_ndhwc_max(%arg0: tensor<2x5x11x15x3xf16>, %arg1: tensor<2x3x2xf16>, %arg2: tensor<2x2x3x4x3xf32>) -> tensor<2x2x3x4x3xf32> {
    %0 = linalg.pooling_ndhwc_max {dilations = dense<2> : tensor<3xi64>, strides = dense<[2, 3, 4]> : tensor<3xi64>} ins(%arg0, %arg1 : tensor<2x5x11x15x3xf16>, tensor<2x3x2xf16>) outs(%arg2 : tensor<2x2x3x4x3xf32>) -> tensor<2x2x3x4x3xf32>
    return %0 : tensor<2x2x3x4x3xf32>
  }
  func.func @pooling_ndhwc_min(%arg0: tensor<2x3x5x5x3xf16>, %arg1: tensor<2x3x2xf16>, %arg2: tensor<2x2x3x4x3xf32>) -> tensor<2x2x3x4x3xf32> {
    %0 = linalg.pooling_ndhwc_min ins(%arg0, %arg1 : tensor<2x3x5x5x3xf16>, tensor<2x3x2xf16>) outs(%arg2 : tensor<2x2x3x4x3xf32>) -> tensor<2x2x3x4x3xf32>
    return %0 : tensor<2x2x3x4x3xf32>
  }
  func.func @mmt4d(%arg0: tensor<2x3x4x5xf32>, %arg1: tensor<7x3x6x5xf32>, %arg2: tensor<2x7x4x6xf32>) -> tensor<2x7x4x6xf32> {
    %0 = linalg.mmt4d ins(%arg0, %arg1 : tensor<2x3x4x5xf32>, tensor<7x3x6x5xf32>) outs(%arg2 : tensor<2x7x4x6xf32>) -> tensor<2x7x4x6xf32>
    return %0 : tensor<2x7x4x6xf32>
  }
  func.func @batch_mmt4d(%arg0: tensor<8x2x3x4x5xf32>, %arg1: tensor<8x7x3x6x5xf32>, %arg2: tensor<8x2x7x4x6xf32>) -> tensor<8x2x7x4x6xf32> {
    %0 = linalg.batch_mmt4d ins(%arg0, %arg1 : tensor<8x2x3x4x5xf32>, tensor<8x7x3x6x5xf32>) outs(%arg2 : tensor<8x2x7x4x6xf32>) -> tensor<8x2x7x4x6xf32>
    return %0 : tensor<8x2x7x4x6xf32>
  }
  func.func @quantized_matmul(%arg0: tensor<4x16xi8>, %arg1: tensor<16x5xi8>, %arg2: i32, %arg3: i32, %arg4: tensor<4x5xi32>) -> tensor<4x5xi32> {
    %0 = linalg.quantized_matmul ins(%arg0, %arg1, %arg2, %arg3 : tensor<4x16xi8>, tensor<16x5xi8>, i32, i32) outs(%arg4 : tensor<4x5xi32>) -> tensor<4x5xi32>
    return %0 : tensor<4x5xi32>
  }
  func.func @quantized_batch_matmul(%arg0: tensor<2x4x16xi8>, %arg1: tensor<2x16x5xi8>, %arg2: i32, %arg3: i32, %arg4: tensor<2x4x5xi32>) -> tensor<2x4x5xi32> {
    %0 = linalg.quantized_batch_matmul ins(%arg0, %arg1, %arg2, %arg3 : tensor<2x4x16xi8>, tensor<2x16x5xi8>, i32, i32) outs(%arg4 : tensor<2x4x5xi32>) -> tensor<2x4x5xi32>
    return %0 : tensor<2x4x5xi32>
  }
}
