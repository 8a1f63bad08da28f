func.func @gather(%ix: memref<12xindex>, %m: memref<40x16xf16>, %i: index) {
  %v = agen.indirect_vector_load indirect:%ix[%i] direct:%m[0, 0]
    {load_order = affine_map<(d0, d1) -> (d0, d1)>, load_set = affine_set<(d0, d1) : (d0 == 0, d1 >= 0, -d1 + 15 >= 0)>}
    : memref<12xindex>, memref<40x16xf16>, vector<16xf16>
  agen.composite_indirect_load indirect:%ix[0] direct:%m[0, 0] time_symbols(), load_iv(%x:vector<16xf16>)
    {load_order = affine_map<(d0, d1) -> (d0, d1)>, load_set = affine_set<(d0, d1) : (d0 == 0, d1 >= 0, -d1 + 15 >= 0)>, time_addr_map = affine_map<(d0) -> (d0)>, time_order = affine_map<(d0) -> (d0)>, time_set = affine_set<(d0) : (d0 >= 0, -d0 + 11 >= 0)>}
  {
    agen.yield
  } : memref<12xindex>, memref<40x16xf16>
  return
}
