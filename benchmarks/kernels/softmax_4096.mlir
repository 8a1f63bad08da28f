// Numerically safe softmax along each row of a 4096x1024 f16 matrix.
// A grid of 32 tiles, 128 rows each; everything between load and store is computed in f32.
// Exercises: max reduction, sub, exp, sum reduction, division, both type conversions,
// two rank-1 results broadcast back to the tile.

#box_4096x1024 = affine_set<(i, j) : (i >= 0, -i + 4095 >= 0, j >= 0, -j + 1023 >= 0)>
#box_128x1024 = affine_set<(i, j) : (i >= 0, -i + 127 >= 0, j >= 0, -j + 1023 >= 0)>
#order2 = affine_map<(i, j) -> (i, j)>

module {
  func.func @softmax_4096(%x: index, %y: index) attributes {grid = [32]} {
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %tid = ktdp.get_compute_tile_id : index
    %row = arith.muli %tid, %c128 : index
    %xv = ktdp.construct_memory_view %x, sizes: [4096, 1024], strides: [1024, 1] {
        coordinate_set = #box_4096x1024,
        memory_space = #ktdp.memory_space<global>
    } : memref<4096x1024xf16>
    %yv = ktdp.construct_memory_view %y, sizes: [4096, 1024], strides: [1024, 1] {
        coordinate_set = #box_4096x1024,
        memory_space = #ktdp.memory_space<global>
    } : memref<4096x1024xf16>
    %h_t = ktdp.construct_access_tile %xv[%row, %c0] {
        access_tile_set = #box_128x1024,
        access_tile_order = #order2
    } : memref<4096x1024xf16> -> !ktdp.access_tile<128x1024xindex>
    %h = ktdp.load %h_t : !ktdp.access_tile<128x1024xindex> -> tensor<128x1024xf16>
    %a = arith.extf %h : tensor<128x1024xf16> to tensor<128x1024xf32>
    %ninf = arith.constant dense<0xFF800000> : tensor<128xf32>
    %zero = arith.constant dense<0.0> : tensor<128xf32>
    %m = linalg.reduce { arith.maximumf } ins(%a : tensor<128x1024xf32>) outs(%ninf : tensor<128xf32>) dimensions = [1]
    %mb_e = tensor.empty() : tensor<128x1024xf32>
    %mb = linalg.broadcast ins(%m : tensor<128xf32>) outs(%mb_e : tensor<128x1024xf32>) dimensions = [1]
    %d = arith.subf %a, %mb : tensor<128x1024xf32>
    %p = math.exp %d : tensor<128x1024xf32>
    %s = linalg.reduce { arith.addf } ins(%p : tensor<128x1024xf32>) outs(%zero : tensor<128xf32>) dimensions = [1]
    %sb_e = tensor.empty() : tensor<128x1024xf32>
    %sb = linalg.broadcast ins(%s : tensor<128xf32>) outs(%sb_e : tensor<128x1024xf32>) dimensions = [1]
    %n = arith.divf %p, %sb : tensor<128x1024xf32>
    %o = arith.truncf %n : tensor<128x1024xf32> to tensor<128x1024xf16>
    %o_dst = ktdp.construct_access_tile %yv[%row, %c0] {
        access_tile_set = #box_128x1024,
        access_tile_order = #order2
    } : memref<4096x1024xf16> -> !ktdp.access_tile<128x1024xindex>
    ktdp.store %o, %o_dst : tensor<128x1024xf16>, !ktdp.access_tile<128x1024xindex>
    return
  }
}
