// Four stages in a row that work on one scratchpad. A link moves one byte per cycle and nothing else
// costs anything, so that a transfer of n bytes takes n cycles: stage times are transfer sizes.
#MEM = { kind = "MEM", size = 65536 }
#PAD = { kind = "PAD", size = 65536 }
#P = { kind = "P", ktdf_arch.features = { ktdf_arch.feature.load, ktdf_arch.feature.store }, kt.issue = 0, kt.sync = 0 }
#Q = { kind = "Q", ktdf_arch.features = { ktdf_arch.feature.load, ktdf_arch.feature.store }, kt.issue = 0, kt.sync = 0 }
#R = { kind = "R", ktdf_arch.features = { ktdf_arch.feature.load, ktdf_arch.feature.store }, kt.issue = 0, kt.sync = 0 }
#V = { kind = "V", ktdf_arch.features = { ktdf_arch.feature.compute, ktdf_arch.feature.simd = { lanes = #ktdf_arch.map<f16 = 8, f32 = 4, i32 = 4, i8 = 16> } }, kt.issue = 0, kt.sync = 0 }
#slow = { ktdf_arch.bandwidth = 1, kt.latency = 0 }
#short = { ktdf_arch.features = { ktdf_arch.feature.queue = { depth = 1, ordered } }, kt.latency = 0 }
#bytes = { ktdf_arch.features = { ktdf_arch.feature.queue = { size = 32, ordered } }, ktdf_arch.bandwidth = 4, kt.latency = 3 }

ktdf_arch.device @chain {
  %m = memory #MEM
  group { kind = "core0", kt.role = "core", kt.core = 0 : i64 } share(%m) {
    %s = memory #PAD
    %p = exec_unit #P
    %q = exec_unit #Q
    %r = exec_unit #R
    datapath #slow %m to %p : memory, exec_unit
    datapath #slow %p to %m : exec_unit, memory
    datapath #slow %s to %p : memory, exec_unit
    datapath #slow %p to %s : exec_unit, memory
    datapath #slow %s to %q : memory, exec_unit
    datapath #slow %q to %s : exec_unit, memory
    datapath #slow %s to %r : memory, exec_unit
    datapath #slow %r to %s : exec_unit, memory
    datapath #short %p to %q : exec_unit, exec_unit
    datapath #short %q to %p : exec_unit, exec_unit
    datapath #bytes %q to %r : exec_unit, exec_unit
    %v = exec_unit #V
    datapath #short %r to %v : exec_unit, exec_unit
    datapath #short %v to %r : exec_unit, exec_unit
  }
}
