func.func @vec(%m: memref<7x36xf16>, %i: index, %mc: index) {
  %v = agen.vector_load %m[%i, 0] multicast_info = %mc {load_order = affine_map<(d0, d1) -> (d0, d1)>, load_set = affine_set<(d0, d1) : (d0 == 0, d1 >= 0, -d1 + 35 >= 0)>} : memref<7x36xf16>, vector<36xf16>
  %w = agen.vector_load %m[0, %i + 1] {load_order = affine_map<(d0, d1) -> (d1, d0)>, load_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 6 >= 0, d1 == 0)>} : memref<7x36xf16>, vector<7xf16>
  agen.vector_store %v, %m[%i + 1, 0] {store_order = affine_map<(d0, d1) -> (d0, d1)>, store_set = affine_set<(d0, d1) : (d0 == 0, d1 >= 0, -d1 + 35 >= 0)>} : memref<7x36xf16>, vector<36xf16>
  return
}
