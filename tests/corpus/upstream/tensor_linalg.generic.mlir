#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> ()>
#map2 = affine_map<(d0, d1) -> (d0)>
#map3 = affine_map<(d0) -> (d0)>
#map4 = affine_map<(d0, d1, d2) -> (d0, d2)>
#map5 = affine_map<(d0, d1, d2) -> (d2, d1)>
#map6 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map7 = affine_map<(d0, d1) -> (d1, d0)>
#map8 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
#map9 = affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>
#map10 = affine_map<(d0, d1, d2, d3) -> (d1, d2)>
#map11 = affine_map<(d0, d1, d2, d3) -> (d0, d3, d1)>
#map12 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
"builtin.module"() ({
  "func.func"() <{function_type = (index, index, f32, tensor<4x8xf32>, tensor<?x?xf32>, tensor<*xf32>, tensor<3x1xindex>, tensor<3x1x8xf32>, memref<4x8xf32>, memref<?x?xf32>, tensor<4x8xf16>, tensor<4xf32>, memref<4xf32>, tensor<4xi32>, tensor<4xf16>, tensor<8x4xf32>, tensor<2x4x4xf32>, tensor<4x4xf32>) -> tensor<4x8xf32>, sym_name = "f"}> ({
  ^bb0(%arg0: index, %arg1: index, %arg2: f32, %arg3: tensor<4x8xf32>, %arg4: tensor<?x?xf32>, %arg5: tensor<*xf32>, %arg6: tensor<3x1xindex>, %arg7: tensor<3x1x8xf32>, %arg8: memref<4x8xf32>, %arg9: memref<?x?xf32>, %arg10: tensor<4x8xf16>, %arg11: tensor<4xf32>, %arg12: memref<4xf32>, %arg13: tensor<4xi32>, %arg14: tensor<4xf16>, %arg15: tensor<8x4xf32>, %arg16: tensor<2x4x4xf32>, %arg17: tensor<4x4xf32>):
    %0 = "tensor.bitcast"(%arg3) {x.y} : (tensor<4x8xf32>) -> tensor<4x8xi32>
    %1 = "tensor.cast"(%arg3) : (tensor<4x8xf32>) -> tensor<?x8xf32>
    %2 = "tensor.cast"(%arg5) : (tensor<*xf32>) -> tensor<?x?xf32>
    %3 = "tensor.concat"(%arg3, %arg3) <{dim = 0 : i64}> : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
    %4 = "tensor.dim"(%arg4, %arg0) : (tensor<?x?xf32>, index) -> index
    %5 = "tensor.dim"(%arg4, %arg0) {x.y} : (tensor<?x?xf32>, index) -> index
    %6 = "tensor.rank"(%arg5) : (tensor<*xf32>) -> index
    %7 = "tensor.empty"() : () -> tensor<f32>
    %8 = "tensor.empty"(%arg0, %arg1) {x.y} : (index, index) -> tensor<?x3x?xf32>
    %9 = "tensor.extract"(%arg3, %arg0, %arg1) {x.y} : (tensor<4x8xf32>, index, index) -> f32
    %10 = "tensor.extract"(%7) : (tensor<f32>) -> f32
    %11 = "tensor.insert"(%arg2, %arg3, %arg0, %arg1) {x.y} : (f32, tensor<4x8xf32>, index, index) -> tensor<4x8xf32>
    %12 = "tensor.extract_slice"(%arg4, %arg0, %arg1, %arg0) <{operandSegmentSizes = array<i32: 1, 1, 1, 1>, static_offsets = array<i64: -9223372036854775808, 0>, static_sizes = array<i64: -9223372036854775808, 4>, static_strides = array<i64: 1, -9223372036854775808>}> {x.y} : (tensor<?x?xf32>, index, index, index) -> tensor<?x4xf32>
    %13 = "tensor.extract_slice"(%arg3) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 0, 0>, static_sizes = array<i64: 1, 8>, static_strides = array<i64: 1, 1>}> : (tensor<4x8xf32>) -> tensor<8xf32>
    %14 = "tensor.insert_slice"(%13, %arg3) <{operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>, static_offsets = array<i64: 0, 0>, static_sizes = array<i64: 1, 8>, static_strides = array<i64: 1, 1>}> {x.y} : (tensor<8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    %15 = "tensor.from_elements"(%arg2) : (f32) -> tensor<f32>
    %16 = "tensor.gather"(%arg3, %arg6) <{gather_dims = array<i64: 0>}> : (tensor<4x8xf32>, tensor<3x1xindex>) -> tensor<3x1x8xf32>
    %17 = "tensor.gather"(%arg3, %arg6) <{gather_dims = array<i64: 0>, unique}> {x.y} : (tensor<4x8xf32>, tensor<3x1xindex>) -> tensor<3x1x8xf32>
    %18 = "tensor.scatter"(%arg7, %arg3, %arg6) <{scatter_dims = array<i64: 0>, unique}> : (tensor<3x1x8xf32>, tensor<4x8xf32>, tensor<3x1xindex>) -> tensor<4x8xf32>
    %19 = "tensor.generate"(%arg0, %arg1) ({
    ^bb0(%arg56: index, %arg57: index):
      "tensor.yield"(%arg2) : (f32) -> ()
    }) {x.y} : (index, index) -> tensor<?x?xf32>
    %20 = "tensor.pad"(%arg3, %arg0) <{operandSegmentSizes = array<i32: 1, 1, 0>, static_high = array<i64: 0, 2>, static_low = array<i64: 1, -9223372036854775808>}> ({
    ^bb0(%arg54: index, %arg55: index):
      "tensor.yield"(%arg2) : (f32) -> ()
    }) : (tensor<4x8xf32>, index) -> tensor<5x?xf32>
    %21 = "tensor.pad"(%arg3) <{nofold, operandSegmentSizes = array<i32: 1, 0, 0>, static_high = array<i64: 0, 0>, static_low = array<i64: 1, 0>}> ({
    ^bb0(%arg52: index, %arg53: index):
      "tensor.yield"(%arg2) : (f32) -> ()
    }) {x.y} : (tensor<4x8xf32>) -> tensor<5x8xf32>
    %22 = "tensor.splat"(%arg2, %arg0) : (f32, index) -> tensor<?x4xf32>
    %23 = "tensor.splat"(%arg2) {x.y} : (f32) -> tensor<4xf32>
    %24 = "tensor.collapse_shape"(%arg4) <{reassociation = [[0, 1]]}> {x.y} : (tensor<?x?xf32>) -> tensor<?xf32>
    %25 = "tensor.expand_shape"(%24, %arg0) <{reassociation = [[0, 1]], static_output_shape = array<i64: -9223372036854775808, 4>}> {x.y} : (tensor<?xf32>, index) -> tensor<?x4xf32>
    %26 = "tensor.expand_shape"(%7) <{reassociation = [], static_output_shape = array<i64: 1, 1>}> : (tensor<f32>) -> tensor<1x1xf32>
    "linalg.generic"(%arg8, %arg2, %arg12) <{doc = "bar", indexing_maps = [#map, #map1, #map2], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], library_call = "foo", operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg49: f32, %arg50: f32, %arg51: f32):
      %47 = "arith.addf"(%arg49, %arg51) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%47) : (f32) -> ()
    }) : (memref<4x8xf32>, f32, memref<4xf32>) -> ()
    "linalg.generic"(%arg12) <{indexing_maps = [#map3], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 0, 1>}> ({
    ^bb0(%arg48: f32):
      "linalg.yield"(%arg2) : (f32) -> ()
    }) {x.z = 1 : i32} : (memref<4xf32>) -> ()
    %27:2 = "linalg.generic"(%arg11, %arg13) <{indexing_maps = [#map3, #map3], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 0, 2>}> ({
    ^bb0(%arg46: f32, %arg47: i32):
      %45 = "linalg.index"() <{dim = 0 : i64}> : () -> index
      %46 = "arith.index_cast"(%45) : (index) -> i32
      "linalg.yield"(%arg2, %46) {x.y} : (f32, i32) -> ()
    }) : (tensor<4xf32>, tensor<4xi32>) -> (tensor<4xf32>, tensor<4xi32>)
    "linalg.add"(%arg8, %arg8, %arg8) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg43: f32, %arg44: f32, %arg45: f32):
      %44 = "arith.addf"(%arg43, %arg44) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%44) : (f32) -> ()
    }) : (memref<4x8xf32>, memref<4x8xf32>, memref<4x8xf32>) -> ()
    "linalg.matmul"(%arg9, %arg9, %arg9) <{indexing_maps = [#map4, #map5, #map6], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg40: f32, %arg41: f32, %arg42: f32):
      %42 = "arith.mulf"(%arg40, %arg41) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %43 = "arith.addf"(%arg42, %42) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%43) : (f32) -> ()
    }) : (memref<?x?xf32>, memref<?x?xf32>, memref<?x?xf32>) -> ()
    %28:2 = "linalg.reduce"(%arg3, %arg10, %arg11, %arg14) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg36: f32, %arg37: f16, %arg38: f32, %arg39: f16):
      "linalg.yield"(%arg36, %arg37) : (f32, f16) -> ()
    }) : (tensor<4x8xf32>, tensor<4x8xf16>, tensor<4xf32>, tensor<4xf16>) -> (tensor<4xf32>, tensor<4xf16>)
    "linalg.reduce"(%arg8, %arg12) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg34: f32, %arg35: f32):
      %41 = "arith.maximumf"(%arg35, %arg34) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%41) : (f32) -> ()
    }) : (memref<4x8xf32>, memref<4xf32>) -> ()
    "linalg.broadcast"(%arg12, %arg8) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg32: f32, %arg33: f32):
      "linalg.yield"(%arg32) : (f32) -> ()
    }) : (memref<4xf32>, memref<4x8xf32>) -> ()
    "linalg.map"(%arg12) ({
    ^bb0(%arg31: f32):
      "linalg.yield"(%arg2) : (f32) -> ()
    }) : (memref<4xf32>) -> ()
    %29 = "linalg.elementwise"(%arg3, %arg15) <{indexing_maps = [#map7, #map], kind = #linalg.elementwise_kind<exp>, operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg29: f32, %arg30: f32):
      %40 = "math.exp"(%arg29) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%40) : (f32) -> ()
    }) : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
    %30 = "linalg.batch_reduce_matmul"(%arg16, %arg16, %arg17) <{indexing_maps = [#map8, #map9, #map10], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg26: f32, %arg27: f32, %arg28: f32):
      %38 = "arith.mulf"(%arg26, %arg27) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %39 = "arith.addf"(%arg28, %38) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%39) : (f32) -> ()
    }) : (tensor<2x4x4xf32>, tensor<2x4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %31 = "linalg.copy"(%arg10, %arg3) <{cast = #linalg.type_fn<cast_unsigned>, operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg24: f16, %arg25: f32):
      %37 = "arith.extf"(%arg24) : (f16) -> f32
      "linalg.yield"(%37) : (f32) -> ()
    }) : (tensor<4x8xf16>, tensor<4x8xf32>) -> tensor<4x8xf32>
    %32 = "linalg.div_unsigned"(%arg13, %arg13, %arg13) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg21: i32, %arg22: i32, %arg23: i32):
      %36 = "arith.divui"(%arg21, %arg22) : (i32, i32) -> i32
      "linalg.yield"(%36) : (i32) -> ()
    }) : (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
    %33 = "linalg.batch_matmul"(%arg16, %arg16, %arg16) <{indexing_maps = [#map11, #map9, #map12], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg18: f32, %arg19: f32, %arg20: f32):
      %34 = "arith.mulf"(%arg18, %arg19) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %35 = "arith.addf"(%arg20, %34) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%35) : (f32) -> ()
    }) : (tensor<2x4x4xf32>, tensor<2x4x4xf32>, tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
    "func.return"(%arg3) : (tensor<4x8xf32>) -> ()
  }) : () -> ()
}) : () -> ()
