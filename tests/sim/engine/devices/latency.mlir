// Latencies, bandwidths and ports: MEM serves 4 bytes per cycle to all users, TWO has two ports.
#MEM = { kind = "MEM", size = 65536, kt.bandwidth = 4 }
#PAD = { kind = "PAD", size = 65536 }
#TWO = { kind = "TWO", size = 65536, kt.ports = 2 }
#P = { kind = "P", ktdf_arch.features = { ktdf_arch.feature.load, ktdf_arch.feature.store }, kt.issue = 2, kt.sync = 1 }
#Q = { kind = "Q", ktdf_arch.features = { ktdf_arch.feature.load, ktdf_arch.feature.store }, kt.issue = 2, kt.sync = 1 }
#R = { kind = "R", ktdf_arch.features = { ktdf_arch.feature.load, ktdf_arch.feature.store }, kt.issue = 2, kt.sync = 1 }
#V = { kind = "V", ktdf_arch.features = { ktdf_arch.feature.compute, ktdf_arch.feature.simd = { lanes = #ktdf_arch.map<f16 = 8, f32 = 4, i8 = 8> } }, kt.sync = 1 }
#far = { ktdf_arch.bandwidth = 4, kt.latency = 30 }
#near = { ktdf_arch.bandwidth = 4, kt.latency = 5 }
#fifo = { ktdf_arch.bandwidth = 8, kt.latency = 1 }

ktdf_arch.device @latency {
  %m = memory #MEM
  group { kind = "core0", kt.role = "core", kt.core = 0 : i64 } share(%m) {
    %s = memory #PAD
    %t = memory #TWO
    %p = exec_unit #P
    %q = exec_unit #Q
    %r = exec_unit #R
    %v = exec_unit #V
    datapath #far %m to %p : memory, exec_unit
    datapath #far %m to %q : memory, exec_unit
    datapath #near %p to %s : exec_unit, memory
    datapath #near %s to %p : memory, exec_unit
    datapath #near %q to %s : exec_unit, memory
    datapath #near %t to %p : memory, exec_unit
    datapath #near %t to %q : memory, exec_unit
    datapath #near %t to %r : memory, exec_unit
    datapath #fifo %p to %v : exec_unit, exec_unit
  }
}
