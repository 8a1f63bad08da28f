// Four cores in a ring: one link per direction, one byte per cycle, six cycles from end to end.
#MEM = { kind = "MEM", size = 65536 }
#PAD = { kind = "PAD", size = 65536 }
#X = { kind = "X", ktdf_arch.features = { ktdf_arch.feature.load, ktdf_arch.feature.store }, kt.issue = 1, kt.sync = 1 }
#V = { kind = "V", ktdf_arch.features = { ktdf_arch.feature.compute, ktdf_arch.feature.simd = { lanes = #ktdf_arch.map<f16 = 8> } } }
#ring = { ktdf_arch.bandwidth = 1, kt.latency = 6 }
#pad = { ktdf_arch.bandwidth = 8, kt.latency = 2 }

ktdf_arch.device @ring {
  %m = memory #MEM
  %x0 = group { kind = "core0", kt.role = "core", kt.core = 0 : i64 } share(%m) {
    %s = memory #PAD
    %x = exec_unit #X
    %v = exec_unit #V
    datapath #pad %s to %x : memory, exec_unit
    datapath #pad %x to %s : exec_unit, memory
    datapath #pad %m to %x : memory, exec_unit
    datapath #pad %x to %m : exec_unit, memory
    yield %x
  } -> exec_unit
  %x1 = group { kind = "core1", kt.role = "core", kt.core = 1 : i64 } share(%m) {
    %s = memory #PAD
    %x = exec_unit #X
    %v = exec_unit #V
    datapath #pad %s to %x : memory, exec_unit
    datapath #pad %x to %s : exec_unit, memory
    datapath #pad %m to %x : memory, exec_unit
    datapath #pad %x to %m : exec_unit, memory
    yield %x
  } -> exec_unit
  %x2 = group { kind = "core2", kt.role = "core", kt.core = 2 : i64 } share(%m) {
    %s = memory #PAD
    %x = exec_unit #X
    %v = exec_unit #V
    datapath #pad %s to %x : memory, exec_unit
    datapath #pad %x to %s : exec_unit, memory
    datapath #pad %m to %x : memory, exec_unit
    datapath #pad %x to %m : exec_unit, memory
    yield %x
  } -> exec_unit
  %x3 = group { kind = "core3", kt.role = "core", kt.core = 3 : i64 } share(%m) {
    %s = memory #PAD
    %x = exec_unit #X
    %v = exec_unit #V
    datapath #pad %s to %x : memory, exec_unit
    datapath #pad %x to %s : exec_unit, memory
    datapath #pad %m to %x : memory, exec_unit
    datapath #pad %x to %m : exec_unit, memory
    yield %x
  } -> exec_unit
  datapath #ring %x0 to %x1 : exec_unit, exec_unit
  datapath #ring %x1 to %x0 : exec_unit, exec_unit
  datapath #ring %x1 to %x2 : exec_unit, exec_unit
  datapath #ring %x2 to %x1 : exec_unit, exec_unit
  datapath #ring %x2 to %x3 : exec_unit, exec_unit
  datapath #ring %x3 to %x2 : exec_unit, exec_unit
  datapath #ring %x3 to %x0 : exec_unit, exec_unit
  datapath #ring %x0 to %x3 : exec_unit, exec_unit
}
