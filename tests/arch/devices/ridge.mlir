// Two tiles of one kind, one of them without compute; slices; a re-exported unit.
ktdf_arch.device @ridge attributes {mem_space_mapping = #ktdf_arch.map<
    #ktdp.memory_space<global> = "DRAM", "nowhere" = "XX",
    #ktdp.memory_space<ct_local> = "SPM", "SPM2" = "SPM">} {
  %d = memory { kind = "DRAM", size = 65536 }
  %n = memory { kind = "NVM" }
  %u0 = group { kind = "tile" } share(%d) {
    %s = memory { kind = "SPM", size = 4096 }
    %in = exec_unit { kind = "IN", ktdf_arch.features = { ktdf_arch.feature.load = {} } }
    datapath %d to %in : memory, exec_unit
    datapath %in to %s : exec_unit, memory
    group { kind = "slice" } share(%s) {
      %r = memory { kind = "REG", size = 256 }
      %l = exec_unit { kind = "LD", ktdf_arch.features = { ktdf_arch.feature.load = {} } }
      %c = exec_unit { kind = "ALU", ktdf_arch.features = { ktdf_arch.feature.compute } }
      datapath %s to %l : memory, exec_unit
      datapath %l to %r : exec_unit, memory
      datapath %r to %c : memory, exec_unit
      datapath %c to %r : exec_unit, memory
    }
    group { kind = "slice" } share(%s) {
      %r = memory { kind = "REG", size = 256 }
      %l = exec_unit { kind = "LD", ktdf_arch.features = { ktdf_arch.feature.load = {} } }
      %c = exec_unit { kind = "ALU", ktdf_arch.features = { ktdf_arch.feature.compute } }
      datapath %s to %l : memory, exec_unit
      datapath %l to %r : exec_unit, memory
      datapath %r to %c : memory, exec_unit
      datapath %c to %r : exec_unit, memory
    }
    yield %in
  } -> exec_unit
  %u1 = group { kind = "tile" } share(%d) {
    %s = memory { kind = "SPM", size = 4096 }
    %in = exec_unit { kind = "IN", ktdf_arch.features = { ktdf_arch.feature.load = {} } }
    datapath %d to %in : memory, exec_unit
    datapath %in to %s : exec_unit, memory
    yield %in
  } -> exec_unit
  datapath %u0 to %u1 : exec_unit, exec_unit
  datapath %n to %u1 : memory, exec_unit
}
