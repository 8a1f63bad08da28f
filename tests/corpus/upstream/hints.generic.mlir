#map = affine_map<(d0) -> (d0 * 2, d0 + 3)>
"builtin.module"() ({
  "func.func"() <{function_type = (memref<4x8xf32>, index) -> f32, sym_name = "f"}> ({
  ^bb0(%arg0: memref<4x8xf32>, %arg1: index):
    "memref.prefetch"(%arg0, %arg1, %arg1) <{isDataCache = true, isWrite = false, localityHint = 3 : i32}> : (memref<4x8xf32>, index, index) -> ()
    "memref.prefetch"(%arg0, %arg1, %arg1) <{isDataCache = false, isWrite = true, localityHint = 0 : i32}> : (memref<4x8xf32>, index, index) -> ()
    "affine.prefetch"(%arg0, %arg1) <{isDataCache = true, isWrite = true, localityHint = 1 : i32, map = #map}> : (memref<4x8xf32>, index) -> ()
    "memref.alloca_scope"() ({
      %2 = "memref.alloca"() <{operandSegmentSizes = array<i32: 0, 0>}> : () -> memref<4xf32>
      "memref.alloca_scope.return"() : () -> ()
    }) : () -> ()
    %0 = "arith.constant"() <{value = 1.000000e+00 : f32}> : () -> f32
    %1 = "memref.alloca_scope"() ({
      "memref.alloca_scope.return"(%0) : (f32) -> ()
    }) : () -> f32
    "func.return"(%1) : (f32) -> ()
  }) : () -> ()
}) : () -> ()
