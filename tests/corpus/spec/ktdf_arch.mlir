func.func private @maps() attributes {
  lanes = #ktdf_arch.map<f16 = 8, f32 = 4>,
  words = #ktdf_arch.map<"MAIN" = 16, "PAD" = 16>,
  odd = #ktdf_arch.map<{x} = [1, 2], 7 = #ktdf_arch.map<>>
}

// -----

ktdf_arch.device @bench attributes {version = 1, vendor = "kt"} {
  %ram = memory {kind = "RAM", size = 4096}
  %cpu = exec_unit {kind = "CPU"}
  datapath %ram to %cpu : memory, exec_unit
  datapath %cpu to %ram : exec_unit, memory
}
ktdf_arch.device @elsewhere attributes {note = "overridable"} import("boards/elsewhere.mlir")

// -----

ktdf_arch.device @two_cells {
  %bus = memory {kind = "BUS", size = 1024}
  %a = group @left {kind = "cell"} share(%bus) {
    %u = exec_unit {kind = "MOVER"}
    datapath %bus to %u : memory, exec_unit
    yield %u
  } -> exec_unit
  %b = group @right {kind = "cell"} share(%bus) {
    %u = exec_unit {kind = "MOVER"}
    datapath %bus to %u : memory, exec_unit
    yield %u
  } -> exec_unit
  %sw:2 = switch [2] {id = "xbar", connectivity = dense<[[false, true], [true, false]]> : tensor<2x2xi1>}
  datapath %a to %sw#0 : exec_unit, port
  datapath %sw#1 to %b : port, exec_unit
  datapath @direct {kind = "wire", ktdf_arch.bandwidth = 4} %b to %a : exec_unit, exec_unit
}

// -----

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
