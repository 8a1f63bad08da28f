#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> ()>
#map2 = affine_map<(d0, d1) -> (d0)>
#map3 = affine_map<(d0) -> (d0)>
#map4 = affine_map<(d0, d1) -> (d1, d0)>
#map5 = affine_map<(d0, d1, d2, d3) -> (d0, d3, d1)>
#map6 = affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>
#map7 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
module {
  func.func @f(%arg0: index, %arg1: index, %arg2: f32, %arg3: tensor<4x8xf32>, %arg4: tensor<?x?xf32>, %arg5: tensor<*xf32>, %arg6: tensor<3x1xindex>, %arg7: tensor<3x1x8xf32>, %arg8: memref<4x8xf32>, %arg9: memref<?x?xf32>, %arg10: tensor<4x8xf16>, %arg11: tensor<4xf32>, %arg12: memref<4xf32>, %arg13: tensor<4xi32>, %arg14: tensor<4xf16>, %arg15: tensor<8x4xf32>, %arg16: tensor<2x4x4xf32>, %arg17: tensor<4x4xf32>) -> tensor<4x8xf32> {
    %0 = tensor.bitcast %arg3 {x.y} : tensor<4x8xf32> to tensor<4x8xi32>
    %cast = tensor.cast %arg3 : tensor<4x8xf32> to tensor<?x8xf32>
    %cast_0 = tensor.cast %arg5 : tensor<*xf32> to tensor<?x?xf32>
    %concat = tensor.concat dim(0) %arg3, %arg3 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
    %dim = tensor.dim %arg4, %arg0 : tensor<?x?xf32>
    %dim_1 = tensor.dim {x.y} %arg4, %arg0 : tensor<?x?xf32>
    %rank = tensor.rank %arg5 : tensor<*xf32>
    %1 = tensor.empty() : tensor<f32>
    %2 = tensor.empty(%arg0, %arg1) {x.y} : tensor<?x3x?xf32>
    %extracted = tensor.extract %arg3[%arg0, %arg1] {x.y} : tensor<4x8xf32>
    %extracted_2 = tensor.extract %1[] : tensor<f32>
    %inserted = tensor.insert %arg2 into %arg3[%arg0, %arg1] {x.y} : tensor<4x8xf32>
    %extracted_slice = tensor.extract_slice %arg4[%arg0, 0] [%arg1, 4] [1, %arg0] {x.y} : tensor<?x?xf32> to tensor<?x4xf32>
    %extracted_slice_3 = tensor.extract_slice %arg3[0, 0] [1, 8] [1, 1] : tensor<4x8xf32> to tensor<8xf32>
    %inserted_slice = tensor.insert_slice %extracted_slice_3 into %arg3[0, 0] [1, 8] [1, 1] {x.y} : tensor<8xf32> into tensor<4x8xf32>
    %from_elements = tensor.from_elements %arg2 : tensor<f32>
    %gather = tensor.gather %arg3[%arg6] gather_dims([0]) : (tensor<4x8xf32>, tensor<3x1xindex>) -> tensor<3x1x8xf32>
    %gather_4 = tensor.gather %arg3[%arg6] gather_dims([0]) unique {x.y} : (tensor<4x8xf32>, tensor<3x1xindex>) -> tensor<3x1x8xf32>
    %scatter = tensor.scatter %arg7 into %arg3[%arg6] scatter_dims([0]) unique : (tensor<3x1x8xf32>, tensor<4x8xf32>, tensor<3x1xindex>) -> tensor<4x8xf32>
    %generated = tensor.generate %arg0, %arg1 {
    ^bb0(%arg18: index, %arg19: index):
      tensor.yield %arg2 : f32
    } {x.y} : tensor<?x?xf32>
    %padded = tensor.pad %arg3 low[1, %arg0] high[0, 2] {
    ^bb0(%arg18: index, %arg19: index):
      tensor.yield %arg2 : f32
    } : tensor<4x8xf32> to tensor<5x?xf32>
    %padded_5 = tensor.pad %arg3 nofold low[1, 0] high[0, 0] {
    ^bb0(%arg18: index, %arg19: index):
      tensor.yield %arg2 : f32
    } {x.y} : tensor<4x8xf32> to tensor<5x8xf32>
    %splat = tensor.splat %arg2[%arg0] : tensor<?x4xf32>
    %splat_6 = tensor.splat %arg2 {x.y} : tensor<4xf32>
    %collapsed = tensor.collapse_shape %arg4 [[0, 1]] {x.y} : tensor<?x?xf32> into tensor<?xf32>
    %expanded = tensor.expand_shape %collapsed [[0, 1]] output_shape [%arg0, 4] {x.y} : tensor<?xf32> into tensor<?x4xf32>
    %expanded_7 = tensor.expand_shape %1 [] output_shape [1, 1] : tensor<f32> into tensor<1x1xf32>
    linalg.generic {doc = "bar", indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "reduction"], library_call = "foo"} ins(%arg8, %arg2 : memref<4x8xf32>, f32) outs(%arg12 : memref<4xf32>) {
    ^bb0(%in: f32, %in_8: f32, %out: f32):
      %9 = arith.addf %in, %out : f32
      linalg.yield %9 : f32
    }
    linalg.generic {indexing_maps = [#map3], iterator_types = ["parallel"]} outs(%arg12 : memref<4xf32>) attrs =  {x.z = 1 : i32} {
    ^bb0(%out: f32):
      linalg.yield %arg2 : f32
    }
    %3:2 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel"]} outs(%arg11, %arg13 : tensor<4xf32>, tensor<4xi32>) {
    ^bb0(%out: f32, %out_8: i32):
      %9 = linalg.index 0 : index
      %10 = arith.index_cast %9 : index to i32
      linalg.yield %arg2, %10 {x.y} : f32, i32
    } -> (tensor<4xf32>, tensor<4xi32>)
    linalg.add ins(%arg8, %arg8 : memref<4x8xf32>, memref<4x8xf32>) outs(%arg8 : memref<4x8xf32>)
    linalg.matmul ins(%arg9, %arg9 : memref<?x?xf32>, memref<?x?xf32>) outs(%arg9 : memref<?x?xf32>)
    %reduced:2 = linalg.reduce ins(%arg3, %arg10 : tensor<4x8xf32>, tensor<4x8xf16>) outs(%arg11, %arg14 : tensor<4xf32>, tensor<4xf16>) dimensions = [1] 
      (%in: f32, %in_8: f16, %init: f32, %init_9: f16) {
        linalg.yield %in, %in_8 : f32, f16
      }
    linalg.reduce { arith.maximumf } ins(%arg8 : memref<4x8xf32>) outs(%arg12 : memref<4xf32>) dimensions = [1] 
    linalg.broadcast ins(%arg12 : memref<4xf32>) outs(%arg8 : memref<4x8xf32>) dimensions = [1] 
    linalg.map outs(%arg12 : memref<4xf32>)
      (%init: f32) {
        linalg.yield %arg2 : f32
      }
    %4 = linalg.elementwise kind=#linalg.elementwise_kind<exp> indexing_maps = [#map4, #map] ins(%arg3 : tensor<4x8xf32>) outs(%arg15 : tensor<8x4xf32>) -> tensor<8x4xf32>
    %5 = linalg.batch_reduce_matmul ins(%arg16, %arg16 : tensor<2x4x4xf32>, tensor<2x4x4xf32>) outs(%arg17 : tensor<4x4xf32>) -> tensor<4x4xf32>
    %6 = linalg.copy {cast = #linalg.type_fn<cast_unsigned>} ins(%arg10 : tensor<4x8xf16>) outs(%arg3 : tensor<4x8xf32>) -> tensor<4x8xf32>
    %7 = linalg.div_unsigned ins(%arg13, %arg13 : tensor<4xi32>, tensor<4xi32>) outs(%arg13 : tensor<4xi32>) -> tensor<4xi32>
    %8 = linalg.batch_matmul indexing_maps = [#map5, #map6, #map7] ins(%arg16, %arg16 : tensor<2x4x4xf32>, tensor<2x4x4xf32>) outs(%arg16 : tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
    return %arg3 : tensor<4x8xf32>
  }
}
