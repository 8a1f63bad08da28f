// The numbers of the worked example (search_space §4.6), one core of two: 64 bytes per cycle of device
// memory for this core, 8 cycles to issue a transfer, 20 per rendezvous of a stage and tile, two slices
// whose FIFOs move a vector of 64 f16 per cycle.
//
// A stage signals twice per neighbour slice and tile (room taken, data given), so a rendezvous of 20
// cycles is 10 per signal in the slices, and 5 for the two units that serve both slices.
#DDR = { kind = "DDR", size = 16777216, kt.bandwidth = 64 }
#L1 = { kind = "L1", size = 1048576 }
#GL = { kind = "GL", ktdf_arch.features = { ktdf_arch.feature.load }, kt.issue = 8, kt.sync = 5 }
#GS = { kind = "GS", ktdf_arch.features = { ktdf_arch.feature.store }, kt.issue = 8, kt.sync = 5 }
#LU = { kind = "LU", ktdf_arch.features = { ktdf_arch.feature.load }, kt.issue = 1, kt.sync = 10 }
#SU = { kind = "SU", ktdf_arch.features = { ktdf_arch.feature.store }, kt.issue = 1, kt.sync = 10 }
#SF = { kind = "SF", ktdf_arch.features = { ktdf_arch.feature.compute, ktdf_arch.feature.simd = { lanes = #ktdf_arch.map<f16 = 64> } } }
#wide = { kt.latency = 0 }
#vector = { ktdf_arch.bandwidth = 128, kt.latency = 0 }

ktdf_arch.device @worked {
  %ddr = memory #DDR
  group { kind = "core0", kt.role = "core", kt.core = 0 : i64 } share(%ddr) {
    %l1 = memory #L1
    %gl = exec_unit #GL
    %gs = exec_unit #GS
    datapath #wide %ddr to %gl : memory, exec_unit
    datapath #wide %gl to %l1 : exec_unit, memory
    datapath #wide %l1 to %gs : memory, exec_unit
    datapath #wide %gs to %ddr : exec_unit, memory
    group { kind = "slice", kt.role = "slice" } share(%l1) {
      %lu = exec_unit #LU
      %sf = exec_unit #SF
      %su = exec_unit #SU
      datapath #vector %l1 to %lu : memory, exec_unit
      datapath #vector %lu to %sf : exec_unit, exec_unit
      datapath #vector %sf to %su : exec_unit, exec_unit
      datapath #vector %su to %l1 : exec_unit, memory
    }
    group { kind = "slice", kt.role = "slice" } share(%l1) {
      %lu = exec_unit #LU
      %sf = exec_unit #SF
      %su = exec_unit #SU
      datapath #vector %l1 to %lu : memory, exec_unit
      datapath #vector %lu to %sf : exec_unit, exec_unit
      datapath #vector %sf to %su : exec_unit, exec_unit
      datapath #vector %su to %l1 : exec_unit, memory
    }
  }
}
