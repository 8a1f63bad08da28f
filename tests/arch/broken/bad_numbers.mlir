#r = {kt.latency = -1, ktdf_arch.features = {ktdf_arch.feature.queue = {ordered, depth = 4}}}
#q = {ktdf_arch.transfer_granularity = array<i64: 16, 2>, ktdf_arch.features = {ktdf_arch.feature.queue = {ordered, depth = 4}}}
#p = {ktdf_arch.transfer_granularity = array<i64: 16, 2>}
ktdf_arch.device @chip attributes {mem_space_mapping = #ktdf_arch.map<#ktdp.memory_space<global> = "BIG", #ktdp.memory_space<ct_local> = "PAD">} {
  %big = memory @big {kind = "BIG", kt.ports = 0, size = 65536}
  group @core {kind = "core", kt.role = "core", kt.core = 0} share(%big) {
    %pad = memory @pad {kind = "PAD", kt.latency = -2, size = 4096}
    %in = exec_unit @in {kind = "IN", kt.partial = 0, ktdf_arch.features = {ktdf_arch.feature.load = {word_size = #ktdf_arch.map<"BIG" = 16, "PAD" = 16>}}}
    %out = exec_unit @out {kind = "OUT", kt.issue = -1, ktdf_arch.features = {ktdf_arch.feature.store}}
    %ld = exec_unit @ld {kind = "LD", kt.sync = -1, ktdf_arch.features = {ktdf_arch.feature.load}}
    %st = exec_unit @st {kind = "ST", kt.sync = true, ktdf_arch.features = {ktdf_arch.feature.store}}
    %alu = exec_unit @alu {kind = "ALU", kt.slice_lanes = 0, ktdf_arch.features = {ktdf_arch.feature.compute, ktdf_arch.feature.simd = {lanes = #ktdf_arch.map<f16 = 8>}}}
    datapath #p %big to %in : memory, exec_unit
    datapath #p %in to %pad : exec_unit, memory
    datapath #p %pad to %out : memory, exec_unit
    datapath #p %out to %big : exec_unit, memory
    datapath #p %pad to %ld : memory, exec_unit
    datapath #q %ld to %alu : exec_unit, exec_unit
    datapath #r %alu to %st : exec_unit, exec_unit
    datapath #p %st to %pad : exec_unit, memory
  }
}

// expect 5: attribute 'kt.ports' must be an integer of at least 1, but is 0 : i64
// expect 7: attribute 'kt.latency' must be an integer of at least 0, but is -2 : i64
// expect 8: attribute 'kt.partial' must be an integer of at least 1, but is 0 : i64
// expect 9: attribute 'kt.issue' must be an integer of at least 0, but is -1 : i64
// expect 10: attribute 'kt.sync' must be an integer of at least 0, but is -1 : i64
// expect 11: attribute 'kt.sync' must be an integer of at least 0, but is true
// expect 12: attribute 'kt.slice_lanes' must be an integer of at least 1, but is 0 : i64
// expect 19: attribute 'kt.latency' must be an integer of at least 0, but is -1 : i64
