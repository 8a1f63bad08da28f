func.func @views() {
  %mem = dataflow.get_unit {core = 0 : i32, name = "C0-spad", type = "spad"} : index
  %c0 = arith.constant 0 : index
  %c640 = arith.constant 640 : index
  %c4096 = arith.constant 4096 : index
  %v = dataflow.get_logical_memory_view %mem, %c640 {layout_map = affine_map<(d0, d1) -> (d0 * 40 + d1)>} : index, index, memref<9x40xf16>
  %p = dataflow.get_paged_logical_memory_view %mem, %c0 {layout_map = affine_map<(d0) -> (d0)>}
    {segments =
      page0: (idx_set = affine_set<(d0) : (d0 >= 0, -d0 + 127 >= 0)>, start_addr = %c0),
      page1: (idx_set = affine_set<(d0) : (d0 - 128 >= 0, -d0 + 255 >= 0)>, start_addr = %c4096)} : index, index, memref<256xf16>
  return
}
