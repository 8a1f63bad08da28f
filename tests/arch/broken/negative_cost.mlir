#q = {ktdf_arch.transfer_granularity = array<i64: 16, 2>, ktdf_arch.features = {ktdf_arch.feature.queue = {ordered, depth = 4}}}
#p = {ktdf_arch.transfer_granularity = array<i64: 16, 2>}
ktdf_arch.device @chip attributes {mem_space_mapping = #ktdf_arch.map<#ktdp.memory_space<global> = "BIG", #ktdp.memory_space<ct_local> = "PAD">} {
  %big = memory @big {kind = "BIG", size = 65536}
  group @core {kind = "core", kt.role = "core", kt.core = 0} share(%big) {
    %pad = memory @pad {kind = "PAD", size = 4096}
    %in = exec_unit @in {kind = "IN", ktdf_arch.features = {ktdf_arch.feature.load = {word_size = #ktdf_arch.map<"BIG" = 16, "PAD" = 16>}}}
    %out = exec_unit @out {kind = "OUT", ktdf_arch.features = {ktdf_arch.feature.store}}
    %ld = exec_unit @ld {kind = "LD", ktdf_arch.features = {ktdf_arch.feature.load}}
    %st = exec_unit @st {kind = "ST", ktdf_arch.features = {ktdf_arch.feature.store}}
    %alu = exec_unit @alu {kind = "ALU", kt.cost = #ktdf_arch.map<"arith.divf" = -4>, ktdf_arch.features = {ktdf_arch.feature.compute, ktdf_arch.feature.simd = {lanes = #ktdf_arch.map<f16 = 8>}}}
    datapath #p %big to %in : memory, exec_unit
    datapath #p %in to %pad : exec_unit, memory
    datapath #p %pad to %out : memory, exec_unit
    datapath #p %out to %big : exec_unit, memory
    datapath #p %pad to %ld : memory, exec_unit
    datapath #q %ld to %alu : exec_unit, exec_unit
    datapath #q %alu to %st : exec_unit, exec_unit
    datapath #p %st to %pad : exec_unit, memory
  }
}

// expect 11: 'kt.cost' of "arith.divf" must be a number of cycles, but is -4 : i64
