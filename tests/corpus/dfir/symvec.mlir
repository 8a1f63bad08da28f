func.func @symvec(%i: index, %j: index, %s: index) {
  %mem = dataflow.get_unit {name = "gmem", type = "gmem"} : index
  %c0 = arith.constant 0 : index
  %v = dataflow.get_logical_memory_view %mem, %c0 {layout_map = affine_map<(d0) -> (d0)>} : index, index, memref<2048xf16>
  %x = agen.symbolic_vector_load %v[indices:(%i, %j), strides:(%s, %s)] {load_order = affine_map<(d0) -> (d0)>, load_set = affine_set<(d0) : (d0 >= 0, -d0 + 31 >= 0)>} : memref<2048xf16>, vector<32xf16>
  agen.symbolic_vector_store %x, %v[indices:(%i), strides:(%s)] {store_order = affine_map<(d0) -> (d0)>, store_set = affine_set<(d0) : (d0 >= 0, -d0 + 31 >= 0)>} : memref<2048xf16>, vector<32xf16>
  return
}
