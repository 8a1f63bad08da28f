// out = alpha * x for n rows of 64 f16, n (even) known at launch only: four tiles take turns with
// blocks of two rows.
// The loop stays on the host side: it launches one program per round, and tiles without a block sit
// the last round out.
//
//   kt run examples/scale_rows.mlir --device toy --arg n=18 --arg alpha=0.5

func.func @scale_rows(%x: index, %out: index, %n: index, %alpha: f16) attributes {grid = [4]} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %tile = ktdp.get_compute_tile_id : index
  %first = arith.muli %tile, %c2 : index
  %xv = ktdp.construct_memory_view %x, sizes: [%n, 64], strides: [64, 1] {
      coordinate_set = affine_set<(i, j)[m] : (i >= 0, -i + m - 1 >= 0, j >= 0, -j + 63 >= 0)>,
      memory_space = #ktdp.memory_space<global>
  } : memref<?x64xf16>
  %ov = ktdp.construct_memory_view %out, sizes: [%n, 64], strides: [64, 1] {
      coordinate_set = affine_set<(i, j)[m] : (i >= 0, -i + m - 1 >= 0, j >= 0, -j + 63 >= 0)>,
      memory_space = #ktdp.memory_space<global>
  } : memref<?x64xf16>
  scf.for %row = %first to %n step %c8 {
    %xt = ktdp.construct_access_tile %xv[%row, %c0] {
        access_tile_set = affine_set<(i, j) : (i >= 0, -i + 1 >= 0, j >= 0, -j + 63 >= 0)>,
        access_tile_order = affine_map<(i, j) -> (i, j)>
    } : memref<?x64xf16> -> !ktdp.access_tile<2x64xindex>
    %ot = ktdp.construct_access_tile %ov[%row, %c0] {
        access_tile_set = affine_set<(i, j) : (i >= 0, -i + 1 >= 0, j >= 0, -j + 63 >= 0)>,
        access_tile_order = affine_map<(i, j) -> (i, j)>
    } : memref<?x64xf16> -> !ktdp.access_tile<2x64xindex>
    %a = ktdp.load %xt : !ktdp.access_tile<2x64xindex> -> tensor<2x64xf16>
    %s = tensor.splat %alpha : tensor<2x64xf16>
    %r = arith.mulf %a, %s : tensor<2x64xf16>
    ktdp.store %r, %ot : tensor<2x64xf16>, !ktdp.access_tile<2x64xindex>
  }
  return
}
