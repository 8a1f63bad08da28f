func.func @copy(%s: memref<5x64xf16>, %d: memref<64xf16>, %i: index) {
  agen.composite_load_and_store src:%s[%i, 0] dst:%d[0]
   time_symbols(), load_iv(%x:vector<32xf16>)
   {load_order = affine_map<(d0, d1) -> (d0, d1)>, load_set = affine_set<(d0, d1) : (d0 == 0, d1 >= 0, -d1 + 31 >= 0)>, load_time_addr_map = affine_map<(d0) -> (0, d0 * 32)>, store_order = affine_map<(d0) -> (d0)>, store_set = affine_set<(d0) : (d0 >= 0, -d0 + 31 >= 0)>, store_time_addr_map = affine_map<(d0) -> (d0 * 32)>, time_order = affine_map<(d0) -> (d0)>, time_set = affine_set<(d0) : (d0 >= 0, -d0 + 1 >= 0)>}
  {
    agen.yield
  } : memref<5x64xf16>, memref<64xf16>
  return
}
