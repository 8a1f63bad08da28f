ktdf_arch.device @lab {
  %ram = memory {kind = "RAM"}
}
func.func @needs(%a: tensor<8xf16>) -> tensor<8xf16> attributes {ktdf_arch.maps_to = @lab} {
  %r = arith.addf %a, %a {
    ktdf_arch.maps_to = "VPU",
    ktdf_arch.features = {ktdf_arch.feature.simd = {lanes = #ktdf_arch.map<f16 = 8>}}
  } : tensor<8xf16>
  return %r : tensor<8xf16>
}
