// Memories shared by the tiles of a column; one compute unit fed by two loaders; cores not in order.
#SRAM = { kind = "SRAM", size = 524288 }
#SPM = { kind = "SPM", size = 65536 }
#LOAD = { kind = "FILL", ktdf_arch.features = { ktdf_arch.feature.load } }
#LDA = { kind = "LDA", ktdf_arch.features = { ktdf_arch.feature.load } }
#LDB = { kind = "LDB", ktdf_arch.features = { ktdf_arch.feature.load } }
#STO = { kind = "STO", ktdf_arch.features = { ktdf_arch.feature.store } }
#ALU = { kind = "ALU", ktdf_arch.features = {
  ktdf_arch.feature.compute, ktdf_arch.feature.simd = { lanes = #ktdf_arch.map<f16 = 32> } } }
#q = { ktdf_arch.features = { ktdf_arch.feature.queue = { ordered, depth = 2 } } }
#slow = { ktdf_arch.bandwidth = 16, kt.latency = 3 }
#fast = { ktdf_arch.bandwidth = 64, kt.latency = 3 }
ktdf_arch.device @columns attributes {mem_space_mapping = #ktdf_arch.map<
    #ktdp.memory_space<global> = "DRAM", #ktdp.memory_space<ct_local> = "SPM">} {
  %dram = memory { kind = "DRAM", size = 1048576, kt.bandwidth = 64 }
  group @col0 { kind = "column" } share(%dram) {
    %sram = memory @sram0 #SRAM
    %fill = exec_unit @fill0 #LOAD
    datapath %dram to %fill : memory, exec_unit
    datapath %fill to %sram : exec_unit, memory
    group @t1 { kind = "t1", kt.role = "core", kt.core = 1 } share(%sram) {
      %spm = memory @spm1 #SPM
      %in = exec_unit @in1 { kind = "MOVE", ktdf_arch.features = { ktdf_arch.feature.load } }
      %out = exec_unit @out1 { kind = "BACK", ktdf_arch.features = { ktdf_arch.feature.store } }
      datapath %sram to %in : memory, exec_unit
      datapath %in to %spm : exec_unit, memory
      datapath %spm to %out : memory, exec_unit
      datapath %out to %sram : exec_unit, memory
      %lda = exec_unit @lda1 #LDA
      %ldb = exec_unit @ldb1 #LDB
      %sto = exec_unit @sto1 #STO
      %alu = group { kind = "BLOCK" } share() {
        %vrf = memory @vrf1 { kind = "VRF", size = 4096 }
        %unit = exec_unit @alu1 #ALU
        yield %unit
      } -> exec_unit
      datapath #slow %spm to %lda : memory, exec_unit
      datapath #fast %spm to %ldb : memory, exec_unit
      datapath #q %lda to %alu : exec_unit, exec_unit
      datapath #q %ldb to %alu : exec_unit, exec_unit
      datapath #q %alu to %sto : exec_unit, exec_unit
      datapath %sto to %spm : exec_unit, memory
    }
    group @t0 { kind = "t0", kt.role = "core", kt.core = 0 } share(%sram) {
      %spm = memory @spm0 #SPM
      %in = exec_unit @in0 { kind = "MOVE", ktdf_arch.features = { ktdf_arch.feature.load } }
      %out = exec_unit @out0 { kind = "BACK", ktdf_arch.features = { ktdf_arch.feature.store } }
      datapath %sram to %in : memory, exec_unit
      datapath %in to %spm : exec_unit, memory
      datapath %spm to %out : memory, exec_unit
      datapath %out to %sram : exec_unit, memory
      %lda = exec_unit @lda0 #LDA
      %ldb = exec_unit @ldb0 #LDB
      %sto = exec_unit @sto0 #STO
      %alu = group { kind = "BLOCK" } share() {
        %vrf = memory @vrf0 { kind = "VRF", size = 4096 }
        %unit = exec_unit @alu0 #ALU
        yield %unit
      } -> exec_unit
      datapath #slow %spm to %lda : memory, exec_unit
      datapath #fast %spm to %ldb : memory, exec_unit
      datapath #q %lda to %alu : exec_unit, exec_unit
      datapath #q %ldb to %alu : exec_unit, exec_unit
      datapath #q %alu to %sto : exec_unit, exec_unit
      datapath %sto to %spm : exec_unit, memory
    }
    %drain = exec_unit @drain0 { kind = "DRAIN", ktdf_arch.features = { ktdf_arch.feature.store } }
    datapath %sram to %drain : memory, exec_unit
    datapath %drain to %dram : exec_unit, memory
  }
  group @col1 { kind = "column" } share(%dram) {
    %sram = memory @sram1 #SRAM
    %fill = exec_unit @fill1 #LOAD
    datapath %dram to %fill : memory, exec_unit
    datapath %fill to %sram : exec_unit, memory
    group @t2 { kind = "t2", kt.role = "core", kt.core = 2 } share(%sram) {
      %spm = memory @spm2 #SPM
      %in = exec_unit @in2 { kind = "MOVE", ktdf_arch.features = { ktdf_arch.feature.load } }
      %out = exec_unit @out2 { kind = "BACK", ktdf_arch.features = { ktdf_arch.feature.store } }
      datapath %sram to %in : memory, exec_unit
      datapath %in to %spm : exec_unit, memory
      datapath %spm to %out : memory, exec_unit
      datapath %out to %sram : exec_unit, memory
      %lda = exec_unit @lda2 #LDA
      %ldb = exec_unit @ldb2 #LDB
      %sto = exec_unit @sto2 #STO
      %alu = group { kind = "BLOCK" } share() {
        %vrf = memory @vrf2 { kind = "VRF", size = 4096 }
        %unit = exec_unit @alu2 #ALU
        yield %unit
      } -> exec_unit
      datapath #slow %spm to %lda : memory, exec_unit
      datapath #fast %spm to %ldb : memory, exec_unit
      datapath #q %lda to %alu : exec_unit, exec_unit
      datapath #q %ldb to %alu : exec_unit, exec_unit
      datapath #q %alu to %sto : exec_unit, exec_unit
      datapath %sto to %spm : exec_unit, memory
    }
    %drain = exec_unit @drain1 { kind = "DRAIN", ktdf_arch.features = { ktdf_arch.feature.store } }
    datapath %sram to %drain : memory, exec_unit
    datapath %drain to %dram : exec_unit, memory
  }
}
