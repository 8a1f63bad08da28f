#map = affine_map<(d0)[s0] -> (d0, s0)>
#map1 = affine_map<(d0)[s0] -> (d0, s0 + 4)>
#map2 = affine_map<(d0) -> (d0 + 4)>
#map3 = affine_map<(d0)[s0] -> (d0 + s0)>
#map4 = affine_map<() -> (4)>
#set = affine_set<(d0)[s0] : (d0 - s0 >= 0)>
module {
  memref.global "private" constant @g : memref<2xf32> = dense<[1.000000e+00, 2.000000e+00]>
  memref.global @h : memref<2xf32> = uninitialized
  memref.global @k : memref<2xf32>
  func.func @f(%arg0: memref<4x4xf32>, %arg1: index, %arg2: index, %arg3: memref<*xf32>, %arg4: memref<64xi8>, %arg5: vector<4xf32>, %arg6: f32) -> index {
    %0 = affine.linearize_index disjoint [%arg1, %arg2] by (4, 5) : index
    %1:2 = affine.delinearize_index %arg1 into (4, 5) : index, index
    %2:2 = affine.delinearize_index %arg1 into (%arg2) : index, index
    %3 = affine.linearize_index [%arg1, %arg2] by (%arg2, 5) : index
    affine.for %arg7 = 0 to 10 {
      %15 = affine.load %arg0[%arg7, symbol(%arg2) + 1] : memref<4x4xf32>
      affine.store %15, %arg0[%arg7 mod 4, 0] : memref<4x4xf32>
    }
    %4 = affine.for %arg7 = max #map(%arg1)[%arg2] to min #map1(%arg1)[%arg2] step 2 iter_args(%arg8 = %arg6) -> (f32) {
      affine.yield %arg8 : f32
    }
    affine.for %arg7 = %arg1 to #map2(%arg1) {
    }
    affine.if #set(%arg1)[%arg2] {
    } else {
    }
    %5 = affine.if #set(%arg1)[%arg2] -> f32 {
      affine.yield %arg6 : f32
    } else {
      affine.yield %arg6 : f32
    }
    affine.parallel (%arg7, %arg8) = (0, %arg1) to (10, min(%arg2, 20)) step (2, 1) {
    }
    %6:2 = affine.parallel (%arg7, %arg8) = (0, 0) to (10, 20) reduce ("addf", "maximumf") -> (f32, f32) {
      affine.yield %arg6, %arg6 : f32, f32
    }
    %7 = affine.vector_load %arg0[%arg1, %arg2] : memref<4x4xf32>, vector<4xf32>
    affine.vector_store %arg5, %arg0[%arg1, %arg2] : memref<4x4xf32>, vector<4xf32>
    %8 = affine.min #map(%arg1)[%arg2]
    %9 = affine.max #map(%arg1)[%arg2]
    %alloc = memref.alloc() {alignment = 64 : i64} : memref<4xf32>
    %alloca = memref.alloca(%arg2)[%arg1] : memref<?xf32, #map3>
    %assume_align = memref.assume_alignment %arg0, 16 : memref<4x4xf32>
    %cast = memref.cast %arg0 : memref<4x4xf32> to memref<?x4xf32>
    %dim = memref.dim %arg0, %arg1 : memref<4x4xf32>
    %10 = memref.rank %arg0 : memref<4x4xf32>
    %view = memref.view %arg4[%arg1][%arg2] : memref<64xi8> to memref<?xf32>
    %subview = memref.subview %arg0[%arg1, 0] [2, %arg2] [1, 1] : memref<4x4xf32> to memref<2x?xf32, strided<[4, 1], offset: ?>>
    %reinterpret_cast = memref.reinterpret_cast %arg0 to offset: [%arg1], sizes: [2, 2], strides: [%arg2, 1] : memref<4x4xf32> to memref<2x2xf32, strided<[?, 1], offset: ?>>
    %memspacecast = memref.memory_space_cast %arg0 : memref<4x4xf32> to memref<4x4xf32, 1>
    %alloc_0 = memref.alloc() : memref<1xindex>
    %reshape = memref.reshape %arg0(%alloc_0) : (memref<4x4xf32>, memref<1xindex>) -> memref<?xf32>
    %collapse_shape = memref.collapse_shape %arg0 [[0, 1]] : memref<4x4xf32> into memref<16xf32>
    %expand_shape = memref.expand_shape %collapse_shape [[0, 1]] output_shape [2, 8] : memref<16xf32> into memref<2x8xf32>
    %base_buffer, %offset, %sizes:2, %strides:2 = memref.extract_strided_metadata %arg0 : memref<4x4xf32> -> memref<f32>, index, index, index, index, index
    %intptr = memref.extract_aligned_pointer_as_index %arg0 : memref<4x4xf32> -> index
    %transpose = memref.transpose %arg0 (d0, d1) -> (d1, d0) : memref<4x4xf32> to memref<4x4xf32, strided<[1, 4]>>
    %11 = memref.get_global @g : memref<2xf32>
    %12 = memref.atomic_rmw addf %arg6, %arg0[%arg1, %arg2] : (f32, memref<4x4xf32>) -> f32
    memref.copy %arg0, %arg0 : memref<4x4xf32> to memref<4x4xf32>
    %13 = memref.load %arg0[%arg1, %arg2] {nontemporal = true} : memref<4x4xf32>
    memref.dealloc %alloc_0 : memref<1xindex>
    %14 = affine.apply #map4()
    return %0 : index
  }
}
