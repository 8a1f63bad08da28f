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
