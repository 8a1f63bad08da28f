func.func private @maps() attributes {
  lanes = #ktdf_arch.map<f16 = 8, f32 = 4>,
  words = #ktdf_arch.map<"MAIN" = 16, "PAD" = 16>,
  odd = #ktdf_arch.map<{x} = [1, 2], 7 = #ktdf_arch.map<>>
}
