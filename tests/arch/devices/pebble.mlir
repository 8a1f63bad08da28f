// One core without registers (walkthrough of the specification).
#HBM = { kind = "HBM", size = 4194304 }
#PAD = { kind = "PAD", size = 65536 }
#GLD = {
  kind = "GLD",
  ktdf_arch.features = {
    ktdf_arch.feature.load = {
      word_size = #ktdf_arch.map<"HBM" = 32>,
      access_granularity = #ktdf_arch.map<"HBM" = [{size_in_words = 1, align_in_words = 1}]>
    }
  }
}
#GST = {
  kind = "GST",
  ktdf_arch.features = {
    ktdf_arch.feature.store = {
      word_size = #ktdf_arch.map<"HBM" = 32>,
      access_granularity = #ktdf_arch.map<"HBM" = [{size_in_words = 1, align_in_words = 1}]>
    }
  }
}
#PLD = {
  kind = "PLD",
  ktdf_arch.features = {
    ktdf_arch.feature.load = {
      access_granularity = #ktdf_arch.map<"PAD" = [{size_in_words = 64, align_in_words = 64}]>
    }
  }
}
#PST = {
  kind = "PST",
  ktdf_arch.features = {
    ktdf_arch.feature.store = {
      access_granularity = #ktdf_arch.map<"PAD" = [{size_in_words = 64, align_in_words = 64}]>
    }
  }
}
#VPU = {
  kind = "VPU",
  ktdf_arch.features = {
    ktdf_arch.feature.compute,
    ktdf_arch.feature.simd = { lanes = #ktdf_arch.map<f16 = 32> }
  }
}
#WIDE = { ktdf_arch.transfer_granularity = array<i64: 32> }
#FIFO = {
  ktdf_arch.transfer_granularity = array<i64: 64>,
  ktdf_arch.features = { ktdf_arch.feature.queue = { depth = 8, ordered } }
}
ktdf_arch.device @pebble attributes {mem_space_mapping = #ktdf_arch.map<
    #ktdp.memory_space<global> = "HBM", #ktdp.memory_space<ct_local> = "PAD">} {
  %hbm = memory #HBM
  group { kind = "tile" } share(%hbm) {
    %pad = memory #PAD
    %gld = exec_unit #GLD
    %gst = exec_unit #GST
    datapath #WIDE %hbm to %gld : memory, exec_unit
    datapath #WIDE %gld to %pad : exec_unit, memory
    datapath #WIDE %pad to %gst : memory, exec_unit
    datapath #WIDE %gst to %hbm : exec_unit, memory
    %vpu = exec_unit #VPU
    %pld = exec_unit #PLD
    %pst = exec_unit #PST
    datapath #WIDE %pad to %pld : memory, exec_unit
    datapath #FIFO %pld to %vpu : exec_unit, exec_unit
    datapath #FIFO %vpu to %pst : exec_unit, exec_unit
    datapath #WIDE %pst to %pad : exec_unit, memory
  }
}
