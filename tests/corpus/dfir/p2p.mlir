func.func @p2p() {
  %a = dataflow.get_unit {core = 0 : i32, name = "C0-slu", type = "slu"} : index
  %b = dataflow.get_unit {core = 0 : i32, name = "C0-vpu", type = "vpu"} : index
  dataflow.program_unit iter_arg : %self -> (%a) : {
    %k = arith.constant dense<2.5> : vector<24xf16>
    dataflow.send %b, %k {dbgName = "feed", dir = #dataflow<direction Clockwise>} : vector<24xf16>
    dataflow.sync_send %b {wait_immediately_for_async_transfers = true} : index
  }
  dataflow.program_unit iter_arg : %self -> (%b) : {
    %r = dataflow.receive %a : vector<24xf16>
    dataflow.sync_recv %a : index
  }
  return
}
