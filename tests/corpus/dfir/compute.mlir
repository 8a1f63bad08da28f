func.func @compute(%a: vector<48xf16>, %b: vector<48xf16>, %m: vector<48xi1>, %h: vector<24xf16>, %p: index) {
  %0 = vectorchain.binary %a, %b[%m : vector<48xi1>] {binary_op = #vectorchain<binary_operator sub>, op_specific_map = affine_map<(d0) -> (d0)>} : vector<48xf16>, vector<48xf16>, vector<48xf16>
  %1 = vectorchain.multiply %a, %b {reduction_map = affine_map<(d0) -> (d0 floordiv 6)>} : vector<48xf16>, vector<48xf16>, vector<8xf16>
  %2 = vectorchain.element_wise_compare %a, %b {compare_op = #vectorchain<element_wise_compare_operator compare_ge>} : vector<48xf16>, vector<48xf16>, vector<48xi1>
  %3 = vectorchain.element_wise_selection %2 ? %a : %b : vector<48xi1>, vector<48xf16>, vector<48xf16>, vector<48xf16>
  %4 = vectorchain.constant_bitstream {value = [0x3c00]} : vector<1xf16>
  %5 = vectorchain.shuffle input(%4) {indices = [0 : i32], repetition = 48 : i32} : vector<1xf16>, vector<48xf16>
  %6 = vectorchain.multiply_and_accumulate %a, %5, %3 {reduction_map = affine_map<(d0) -> (d0)>} : vector<48xf16>, vector<48xf16>, vector<48xf16>, vector<48xf16>
  %7 = vectorchain.merge %h, %h {access_function_A = affine_map<(d0) -> (d0)>, access_function_B = affine_map<(d0) -> (d0)>, access_function_CA = affine_map<(d0) -> (d0 * 2)>, access_function_CB = affine_map<(d0) -> (d0 * 2 + 1)>, iteration_space_CA = affine_set<(d0) : (d0 >= 0, -d0 + 23 >= 0)>, iteration_space_CB = affine_set<(d0) : (d0 >= 0, -d0 + 23 >= 0)>} : vector<24xf16>, vector<24xf16>, vector<48xf16>
  %8 = vectorchain.rotate %7, %p {right_shift = false} : vector<48xf16>, index, vector<48xf16>
  %9 = vectorchain.scan_with_gap %8 {eval_order = #vectorchain<eval_order left_to_right>, gap = 3 : index, reduction_op = #vectorchain<binary_operator add>} : vector<48xf16>, vector<48xf16>
  %10 = vectorchain.cast %9 : vector<48xf16>, vector<48xf32>
  %11 = vectorchain.create_affine_mask %p {mask_set = affine_set<(d0)[s0] : (s0 - d0 - 1 >= 0)>} : vector<48xi1>
  return
}
