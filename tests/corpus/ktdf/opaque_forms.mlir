func.func @opaque_forms(%a: tensor<8xf16>, %m: memref<8xf16, "PAD">, %s: f16) -> tensor<8xf16> {
  %init = tensor.empty() : tensor<8xf16>
  %r = ktdf.opaque "FMA8" {rounding = "rne"} -> tensor<8xf16>
         ins(%a, %s : tensor<8xf16>, f16) outs(%init : tensor<8xf16>)
  ktdf.opaque "FILL" ins(%s : f16) outs(%m : memref<8xf16, "PAD">)
  ktdf.opaque "FENCE" ins() outs()
  return %r : tensor<8xf16>
}
