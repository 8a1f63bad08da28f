#map = affine_map<(d0, d1, d2) -> (d2, d0)>
#map1 = affine_map<(d0, d1, d2) -> (d2, d1)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map3 = affine_map<(d0, d1, d2) -> (d0, d2)>
#map4 = affine_map<(d0, d1) -> (d0, d1)>
"builtin.module"() ({
  "func.func"() <{function_type = (tensor<4x4xf32>, tensor<4x4xf32>, memref<4x4xf32>, index, tensor<4xf32>) -> tensor<4x4xf32>, sym_name = "structured"}> ({
  ^bb0(%arg38: tensor<4x4xf32>, %arg39: tensor<4x4xf32>, %arg40: memref<4x4xf32>, %arg41: index, %arg42: tensor<4xf32>):
    %26 = "linalg.map"(%arg38, %arg39, %arg38) ({
    ^bb0(%arg72: f32, %arg73: f32, %arg74: f32):
      %52 = "arith.addf"(%arg72, %arg73) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%52) : (f32) -> ()
    }) : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %27 = "linalg.map"(%arg38, %arg39, %arg38) ({
    ^bb0(%arg69: f32, %arg70: f32, %arg71: f32):
      %51 = "math.exp"(%arg69) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%51) : (f32) -> ()
    }) : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %28 = "memref.load"(%arg40, %arg41, %arg41) : (memref<4x4xf32>, index, index) -> f32
    %29 = "linalg.copy"(%arg38, %arg39) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg67: f32, %arg68: f32):
      "linalg.yield"(%arg67) : (f32) -> ()
    }) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %30 = "linalg.matmul"(%arg38, %arg39, %arg38) <{indexing_maps = [#map, #map1, #map2], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg64: f32, %arg65: f32, %arg66: f32):
      %49 = "arith.mulf"(%arg64, %arg65) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %50 = "arith.addf"(%arg66, %49) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%50) : (f32) -> ()
    }) : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %31 = "linalg.matmul"(%arg38, %arg39, %arg38) <{cast = #linalg.type_fn<cast_unsigned>, indexing_maps = [#map3, #map1, #map2], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg61: f32, %arg62: f32, %arg63: f32):
      %47 = "arith.mulf"(%arg61, %arg62) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %48 = "arith.addf"(%arg63, %47) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%48) : (f32) -> ()
    }) : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %32 = "linalg.exp"(%arg38, %arg38) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg59: f32, %arg60: f32):
      %46 = "math.exp"(%arg59) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%46) : (f32) -> ()
    }) {a.b = 1 : i32} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %33 = "linalg.elementwise"(%arg38, %arg39, %arg38) <{indexing_maps = [#map4, #map4, #map4], kind = #linalg.elementwise_kind<add>, operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg56: f32, %arg57: f32, %arg58: f32):
      %45 = "arith.addf"(%arg56, %arg57) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%45) : (f32) -> ()
    }) : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %34 = "linalg.reciprocal"(%arg38, %arg38) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg54: f32, %arg55: f32):
      %43 = "arith.constant"() <{value = 1.000000e+00 : f32}> : () -> f32
      %44 = "arith.divf"(%43, %arg54) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%44) : (f32) -> ()
    }) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %35 = "linalg.contract"(%arg38, %arg39, %arg38) <{indexing_maps = [#map, #map1, #map2], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg51: f32, %arg52: f32, %arg53: f32):
      %41 = "arith.mulf"(%arg51, %arg52) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %42 = "arith.addf"(%arg53, %41) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%42) : (f32) -> ()
    }) : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %36 = "linalg.broadcast"(%arg42, %arg38) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg49: f32, %arg50: f32):
      "linalg.yield"(%arg49) : (f32) -> ()
    }) {a.b} : (tensor<4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %37 = "linalg.transpose"(%arg38, %arg38) <{permutation = array<i64: 1, 0>}> ({
    ^bb0(%arg47: f32, %arg48: f32):
      "linalg.yield"(%arg47) : (f32) -> ()
    }) {a.b} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %38 = "linalg.reduce"(%arg38, %arg42) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg45: f32, %arg46: f32):
      %40 = "arith.mulf"(%arg46, %arg45) <{fastmath = #arith.fastmath<fast>}> : (f32, f32) -> f32
      "linalg.yield"(%40) : (f32) -> ()
    }) {a.b} : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %39 = "linalg.generic"(%arg38, %arg39) <{doc = "x", indexing_maps = [#map4, #map4], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg43: f32, %arg44: f32):
      "linalg.yield"(%arg43) : (f32) -> ()
    }) {foo.bar = 1 : i64} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    "func.return"(%26) : (tensor<4x4xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x4xf16>, tensor<4x4xf32>, tensor<2x4x4xf16>, tensor<2x4xf16>, tensor<4xf16>, tensor<f32>, tensor<4x4xi32>, tensor<4x4xi1>, tensor<4x4xi8>, f32, tensor<4x4xbf16>, memref<4x4xf32>) -> (), sym_name = "named"}> ({
  ^bb0(%arg0: tensor<4x4xf16>, %arg1: tensor<4x4xf32>, %arg2: tensor<2x4x4xf16>, %arg3: tensor<2x4xf16>, %arg4: tensor<4xf16>, %arg5: tensor<f32>, %arg6: tensor<4x4xi32>, %arg7: tensor<4x4xi1>, %arg8: tensor<4x4xi8>, %arg9: f32, %arg10: tensor<4x4xbf16>, %arg11: memref<4x4xf32>):
    %0 = "linalg.max"(%arg6, %arg6, %arg6) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg35: i32, %arg36: i32, %arg37: i32):
      %25 = "arith.maxsi"(%arg35, %arg36) : (i32, i32) -> i32
      "linalg.yield"(%25) : (i32) -> ()
    }) : (tensor<4x4xi32>, tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<4x4xi32>
    %1 = "linalg.select"(%arg7, %arg6, %arg6, %arg6) <{operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg31: i1, %arg32: i32, %arg33: i32, %arg34: i32):
      %24 = "arith.select"(%arg31, %arg32, %arg33) : (i1, i32, i32) -> i32
      "linalg.yield"(%24) : (i32) -> ()
    }) : (tensor<4x4xi1>, tensor<4x4xi32>, tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<4x4xi32>
    %2 = "linalg.matmul"(%arg8, %arg8, %arg6) <{indexing_maps = [#map3, #map1, #map2], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg28: i8, %arg29: i8, %arg30: i32):
      %20 = "arith.extsi"(%arg28) : (i8) -> i32
      %21 = "arith.extsi"(%arg29) : (i8) -> i32
      %22 = "arith.muli"(%20, %21) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      %23 = "arith.addi"(%arg30, %22) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      "linalg.yield"(%23) : (i32) -> ()
    }) : (tensor<4x4xi8>, tensor<4x4xi8>, tensor<4x4xi32>) -> tensor<4x4xi32>
    %3 = "linalg.matmul"(%arg8, %arg8, %arg1) <{indexing_maps = [#map3, #map1, #map2], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg25: i8, %arg26: i8, %arg27: f32):
      %16 = "arith.sitofp"(%arg25) : (i8) -> f32
      %17 = "arith.sitofp"(%arg26) : (i8) -> f32
      %18 = "arith.mulf"(%16, %17) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %19 = "arith.addf"(%arg27, %18) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%19) : (f32) -> ()
    }) : (tensor<4x4xi8>, tensor<4x4xi8>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %4 = "linalg.matmul"(%arg7, %arg7, %arg7) <{indexing_maps = [#map3, #map1, #map2], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg22: i1, %arg23: i1, %arg24: i1):
      %14 = "arith.andi"(%arg22, %arg23) : (i1, i1) -> i1
      %15 = "arith.ori"(%arg24, %14) : (i1, i1) -> i1
      "linalg.yield"(%15) : (i1) -> ()
    }) : (tensor<4x4xi1>, tensor<4x4xi1>, tensor<4x4xi1>) -> tensor<4x4xi1>
    %5 = "linalg.matmul"(%arg7, %arg7, %arg6) <{indexing_maps = [#map3, #map1, #map2], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg19: i1, %arg20: i1, %arg21: i32):
      %10 = "arith.extsi"(%arg19) : (i1) -> i32
      %11 = "arith.extsi"(%arg20) : (i1) -> i32
      %12 = "arith.muli"(%10, %11) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      %13 = "arith.addi"(%arg21, %12) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      "linalg.yield"(%13) : (i32) -> ()
    }) : (tensor<4x4xi1>, tensor<4x4xi1>, tensor<4x4xi32>) -> tensor<4x4xi32>
    %6 = "linalg.powf"(%arg1, %arg1, %arg1) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg16: f32, %arg17: f32, %arg18: f32):
      %9 = "math.powf"(%arg16, %arg17) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%9) : (f32) -> ()
    }) : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %7 = "linalg.square"(%arg1, %arg1) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg14: f32, %arg15: f32):
      %8 = "arith.mulf"(%arg14, %arg14) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%8) : (f32) -> ()
    }) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    "linalg.fill"(%arg9, %arg11) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg12: f32, %arg13: f32):
      "linalg.yield"(%arg12) : (f32) -> ()
    }) : (f32, memref<4x4xf32>) -> ()
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
