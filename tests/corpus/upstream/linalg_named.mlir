#map = affine_map<(d0, d1, d2) -> (d2, d0)>
#map1 = affine_map<(d0, d1, d2) -> (d2, d1)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map3 = affine_map<(d0, d1) -> (d0, d1)>
module {
  func.func @structured(%arg0: tensor<4x4xf32>, %arg1: tensor<4x4xf32>, %arg2: memref<4x4xf32>, %arg3: index, %arg4: tensor<4xf32>) -> tensor<4x4xf32> {
    %mapped = linalg.map { arith.addf } ins(%arg0, %arg1 : tensor<4x4xf32>, tensor<4x4xf32>) outs(%arg0 : tensor<4x4xf32>)
    %mapped_0 = linalg.map ins(%arg0, %arg1 : tensor<4x4xf32>, tensor<4x4xf32>) outs(%arg0 : tensor<4x4xf32>)
      (%in: f32, %in_1: f32, %init: f32) {
        %9 = math.exp %in : f32
        linalg.yield %9 : f32
      }
    %0 = memref.load %arg2[%arg3, %arg3] : memref<4x4xf32>
    %1 = linalg.copy ins(%arg0 : tensor<4x4xf32>) outs(%arg1 : tensor<4x4xf32>) -> tensor<4x4xf32>
    %2 = linalg.matmul indexing_maps = [#map, #map1, #map2] ins(%arg0, %arg1 : tensor<4x4xf32>, tensor<4x4xf32>) outs(%arg0 : tensor<4x4xf32>) -> tensor<4x4xf32>
    %3 = linalg.matmul {cast = #linalg.type_fn<cast_unsigned>} ins(%arg0, %arg1 : tensor<4x4xf32>, tensor<4x4xf32>) outs(%arg0 : tensor<4x4xf32>) -> tensor<4x4xf32>
    %4 = linalg.exp {a.b = 1 : i32} ins(%arg0 : tensor<4x4xf32>) outs(%arg0 : tensor<4x4xf32>) -> tensor<4x4xf32>
    %5 = linalg.elementwise kind=#linalg.elementwise_kind<add> ins(%arg0, %arg1 : tensor<4x4xf32>, tensor<4x4xf32>) outs(%arg0 : tensor<4x4xf32>) -> tensor<4x4xf32>
    %6 = linalg.reciprocal ins(%arg0 : tensor<4x4xf32>) outs(%arg0 : tensor<4x4xf32>) -> tensor<4x4xf32>
    %7 = linalg.contract indexing_maps = [#map, #map1, #map2] ins(%arg0, %arg1 : tensor<4x4xf32>, tensor<4x4xf32>) outs(%arg0 : tensor<4x4xf32>) -> tensor<4x4xf32>
    %broadcasted = linalg.broadcast ins(%arg4 : tensor<4xf32>) outs(%arg0 : tensor<4x4xf32>) dimensions = [0]  {a.b}
    %transposed = linalg.transpose ins(%arg0 : tensor<4x4xf32>) outs(%arg0 : tensor<4x4xf32>) permutation = [1, 0]  {a.b}
    %reduced = linalg.reduce { arith.mulf {fastmath = #arith.fastmath<fast>} } ins(%arg0 : tensor<4x4xf32>) outs(%arg4 : tensor<4xf32>) dimensions = [1]  {a.b}
    %8 = linalg.generic {doc = "x", indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<4x4xf32>) outs(%arg1 : tensor<4x4xf32>) attrs =  {foo.bar = 1 : i64} {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x4xf32>
    return %mapped : tensor<4x4xf32>
  }
  func.func @named(%arg0: tensor<4x4xf16>, %arg1: tensor<4x4xf32>, %arg2: tensor<2x4x4xf16>, %arg3: tensor<2x4xf16>, %arg4: tensor<4xf16>, %arg5: tensor<f32>, %arg6: tensor<4x4xi32>, %arg7: tensor<4x4xi1>, %arg8: tensor<4x4xi8>, %arg9: f32, %arg10: tensor<4x4xbf16>, %arg11: memref<4x4xf32>) {
    %0 = linalg.max ins(%arg6, %arg6 : tensor<4x4xi32>, tensor<4x4xi32>) outs(%arg6 : tensor<4x4xi32>) -> tensor<4x4xi32>
    %1 = linalg.select ins(%arg7, %arg6, %arg6 : tensor<4x4xi1>, tensor<4x4xi32>, tensor<4x4xi32>) outs(%arg6 : tensor<4x4xi32>) -> tensor<4x4xi32>
    %2 = linalg.matmul ins(%arg8, %arg8 : tensor<4x4xi8>, tensor<4x4xi8>) outs(%arg6 : tensor<4x4xi32>) -> tensor<4x4xi32>
    %3 = linalg.matmul ins(%arg8, %arg8 : tensor<4x4xi8>, tensor<4x4xi8>) outs(%arg1 : tensor<4x4xf32>) -> tensor<4x4xf32>
    %4 = linalg.matmul ins(%arg7, %arg7 : tensor<4x4xi1>, tensor<4x4xi1>) outs(%arg7 : tensor<4x4xi1>) -> tensor<4x4xi1>
    %5 = linalg.matmul ins(%arg7, %arg7 : tensor<4x4xi1>, tensor<4x4xi1>) outs(%arg6 : tensor<4x4xi32>) -> tensor<4x4xi32>
    %6 = linalg.powf ins(%arg1, %arg1 : tensor<4x4xf32>, tensor<4x4xf32>) outs(%arg1 : tensor<4x4xf32>) -> tensor<4x4xf32>
    %7 = linalg.square ins(%arg1 : tensor<4x4xf32>) outs(%arg1 : tensor<4x4xf32>) -> tensor<4x4xf32>
    linalg.fill ins(%arg9 : f32) outs(%arg11 : memref<4x4xf32>)
    return
  }
}
