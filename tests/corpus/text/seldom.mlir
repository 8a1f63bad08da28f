// Operations that stand nowhere else in the corpus.
func.func @composite(%ix: memref<12xindex>, %m: memref<40x16xf16>, %d: memref<40x16xf16>, %i: index) {
  %v = agen.vector_load %m[%i, 0] {load_order = affine_map<(d0, d1) -> (d0, d1)>, load_set = affine_set<(d0, d1) : (d0 == 0, d1 >= 0, -d1 + 15 >= 0)>} : memref<40x16xf16>, vector<16xf16>
  agen.indirect_vector_store %v indirect:%ix[%i] direct:%m[0, 0] {store_order = affine_map<(d0, d1) -> (d0, d1)>, store_set = affine_set<(d0, d1) : (d0 == 0, d1 >= 0, -d1 + 15 >= 0)>} : vector<16xf16>, memref<12xindex>, memref<40x16xf16>
  agen.composite_load %m[%i, 0] time_symbols()(%x:vector<16xf16>) {load_order = affine_map<(d0, d1) -> (d0, d1)>, load_set = affine_set<(d0, d1) : (d0 == 0, d1 >= 0, -d1 + 15 >= 0)>, time_addr_map = affine_map<(d0) -> (d0, 0)>, time_order = affine_map<(d0) -> (d0)>, time_set = affine_set<(d0) : (d0 >= 0, -d0 + 11 >= 0)>} {
    agen.yield
  } : memref<40x16xf16>
  agen.composite_store %d[%i, 0] time_symbols() {store_order = affine_map<(d0, d1) -> (d0, d1)>, store_set = affine_set<(d0, d1) : (d0 == 0, d1 >= 0, -d1 + 15 >= 0)>, time_addr_map = affine_map<(d0) -> (d0, 0)>, time_order = affine_map<(d0) -> (d0)>, time_set = affine_set<(d0) : (d0 >= 0, -d0 + 11 >= 0)>} {
    agen.yield %v : vector<16xf16>
  } : memref<40x16xf16>
  agen.composite_indirect_store indirect:%ix[0] direct:%d[0, 0] time_symbols() {store_order = affine_map<(d0, d1) -> (d0, d1)>, store_set = affine_set<(d0, d1) : (d0 == 0, d1 >= 0, -d1 + 15 >= 0)>, time_addr_map = affine_map<(d0) -> (d0)>, time_order = affine_map<(d0) -> (d0)>, time_set = affine_set<(d0) : (d0 >= 0, -d0 + 11 >= 0)>} {
    agen.yield %v : vector<16xf16>
  } : memref<12xindex>, memref<40x16xf16>
  agen.composite_indirect_load_and_store indirect_src:%ix[0] direct_src:%m[0, 0] direct_dst:%d[%i, 0] time_symbols(), load_iv(%y:vector<16xf16>) {load_direct_time_addr_map = affine_map<(d0) -> (d0, 0)>, load_indirect_time_addr_map = affine_map<(d0) -> (d0)>, load_order = affine_map<(d0, d1) -> (d0, d1)>, load_set = affine_set<(d0, d1) : (d0 == 0, d1 >= 0, -d1 + 15 >= 0)>, store_direct_time_addr_map = affine_map<(d0) -> (d0, 0)>, store_order = affine_map<(d0, d1) -> (d0, d1)>, store_set = affine_set<(d0, d1) : (d0 == 0, d1 >= 0, -d1 + 15 >= 0)>, time_order = affine_map<(d0) -> (d0)>, time_set = affine_set<(d0) : (d0 >= 0, -d0 + 11 >= 0)>} {
    agen.yield
  } : memref<12xindex>, memref<40x16xf16>, memref<40x16xf16>
  agen.composite_memory_interleave {granularity = 4 : i32} {
  }
  return
}
func.func @pairs(%x: f16, %t: tensor<64xf16>) {
  %e = spyreop.exx2_fused %x : f16 -> !spyreop.fp16_fused
  %z = spyreop.exx2_zeromean_fused %x : f16 -> !spyreop.fp16_fused
  %f = spyreop.layernormscale_fused %e : !spyreop.fp16_fused -> f16
  return
}
func.func @named(%a: tensor<4xf32>, %b: tensor<4xf32>) {
  %0 = linalg.abs ins(%a : tensor<4xf32>) outs(%b : tensor<4xf32>) -> tensor<4xf32>
  %1 = linalg.ceil ins(%a : tensor<4xf32>) outs(%b : tensor<4xf32>) -> tensor<4xf32>
  %2 = linalg.floor ins(%a : tensor<4xf32>) outs(%b : tensor<4xf32>) -> tensor<4xf32>
  %3 = linalg.negf ins(%a : tensor<4xf32>) outs(%b : tensor<4xf32>) -> tensor<4xf32>
  %4 = linalg.round ins(%a : tensor<4xf32>) outs(%b : tensor<4xf32>) -> tensor<4xf32>
  %5 = linalg.sqrt ins(%a : tensor<4xf32>) outs(%b : tensor<4xf32>) -> tensor<4xf32>
  %6 = linalg.rsqrt ins(%a : tensor<4xf32>) outs(%b : tensor<4xf32>) -> tensor<4xf32>
  %7 = linalg.tanh ins(%a : tensor<4xf32>) outs(%b : tensor<4xf32>) -> tensor<4xf32>
  %8 = linalg.erf ins(%a : tensor<4xf32>) outs(%b : tensor<4xf32>) -> tensor<4xf32>
  %9 = linalg.log ins(%a : tensor<4xf32>) outs(%b : tensor<4xf32>) -> tensor<4xf32>
  %10 = linalg.min ins(%a, %a : tensor<4xf32>, tensor<4xf32>) outs(%b : tensor<4xf32>) -> tensor<4xf32>
  return
}
pdl.pattern @erases : benefit(1) {
  %values = operands
  %types = pdl.types
  %root = operation "t.root"(%values : !pdl.range<value>) -> (%types : !pdl.range<type>)
  rewrite %root {
    %results = pdl.results of %root
    %all = pdl.range %values, %results : !pdl.range<value>, !pdl.range<value>
    pdl.erase %root
  }
}
