// Fewer hops are slower here: the short way from FAR to NEAR is one byte per cycle wide, the long one
// over MID 64. Then two equally long ways to the engine, of which the later one in the file is wider.
#q = { ktdf_arch.bandwidth = 32, ktdf_arch.features = { ktdf_arch.feature.queue = { ordered, depth = 2 } } }
#wide = { ktdf_arch.bandwidth = 64 }
#narrow = { ktdf_arch.bandwidth = 1 }
#LOAD = { kt.partial = 2, ktdf_arch.features = { ktdf_arch.feature.load } }
ktdf_arch.device @detour attributes {mem_space_mapping = #ktdf_arch.map<
    #ktdp.memory_space<global> = "FAR", #ktdp.memory_space<ct_local> = "NEAR">} {
  %far = memory { kind = "FAR", size = 65536 }
  group { kind = "core", kt.role = "core", kt.core = 0 } share(%far) {
    %mid = memory { kind = "MID", size = 8192 }
    %near = memory { kind = "NEAR", size = 4096 }
    %short = exec_unit { kind = "SHORT", ktdf_arch.features = { ktdf_arch.feature.load } }
    %long1 = exec_unit { kind = "LONG1", ktdf_arch.features = { ktdf_arch.feature.load } }
    %long2 = exec_unit { kind = "LONG2", ktdf_arch.features = { ktdf_arch.feature.load } }
    %slow = exec_unit { kind = "SLOW", ktdf_arch.features = { ktdf_arch.feature.load } }
    %fast = exec_unit { kind = "FAST", ktdf_arch.features = { ktdf_arch.feature.load } }
    %store = exec_unit { kind = "STORE", ktdf_arch.features = { ktdf_arch.feature.store } }
    %back = exec_unit { kind = "BACK", ktdf_arch.features = { ktdf_arch.feature.store } }
    %alu = exec_unit { kind = "ALU", ktdf_arch.features = {
      ktdf_arch.feature.compute, ktdf_arch.feature.simd = { lanes = #ktdf_arch.map<f16 = 8> } } }
    datapath #narrow %far to %short : memory, exec_unit
    datapath #narrow %short to %near : exec_unit, memory
    datapath #wide %far to %long1 : memory, exec_unit
    datapath #wide %long1 to %mid : exec_unit, memory
    datapath #wide %mid to %long2 : memory, exec_unit
    datapath #wide %long2 to %near : exec_unit, memory
    datapath #narrow %near to %slow : memory, exec_unit
    datapath #wide %near to %fast : memory, exec_unit
    datapath #q %slow to %alu : exec_unit, exec_unit
    datapath #q %fast to %alu : exec_unit, exec_unit
    datapath #q %alu to %store : exec_unit, exec_unit
    datapath #wide %store to %near : exec_unit, memory
    datapath #wide %near to %back : memory, exec_unit
    datapath #wide %back to %far : exec_unit, memory
  }
}
