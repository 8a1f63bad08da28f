func.func @mask(%z: index) {
  %k = agen.set_transfer_mask_state mask_value(%z) {num_slices = 4 : i32, slice_mask_map = "(0)(A)(A|B)(1)", maskA = "(unmasked = 6 : i32, masked = 2 : i32)", maskB = "(unmasked = 1 : i32, masked = 3 : i32)"} : index, vector<32xf16>
  return
}
