// Two cores; words of 32 bytes towards the global memory; two slices of 32 f16 lanes per core.
#GMEM = { kind = "GMEM", size = 536870912 }
#SPAD = { kind = "SPAD", size = 262144 }
#VREG = { kind = "VREG", size = 1024 }
#GLU = { kind = "GLU", ktdf_arch.features = { ktdf_arch.feature.load = { word_size = #ktdf_arch.map<"GMEM" = 32, "SPAD" = 32>, access_granularity = #ktdf_arch.map<"GMEM" = [{size_in_words = 1, align_in_words = 1}], "SPAD" = [{size_in_words = 1, align_in_words = 1}]> } }, dataflow_scheduler.double_buffer_last }
#GSU = { kind = "GSU", ktdf_arch.features = { ktdf_arch.feature.store = { word_size = #ktdf_arch.map<"GMEM" = 32, "SPAD" = 32>, access_granularity = #ktdf_arch.map<"GMEM" = [{size_in_words = 1, align_in_words = 1}], "SPAD" = [{size_in_words = 1, align_in_words = 1}]> } }, dataflow_scheduler.double_buffer_last }
#VPU = { kind = "VPU", ktdf_arch.features = { ktdf_arch.feature.compute, ktdf_arch.feature.simd = { lanes = #ktdf_arch.map<f16 = 32, f32 = 16> } } }
#SLU = { kind = "SLU", ktdf_arch.features = { ktdf_arch.feature.load = { access_granularity = #ktdf_arch.map<"SPAD" = [{size_in_words = 32, align_in_words = 32}]> }, ktdf_arch.feature.simd = { splat, zero_pad } } }
#SSU = { kind = "SSU", ktdf_arch.features = { ktdf_arch.feature.store = { access_granularity = #ktdf_arch.map<"SPAD" = [{size_in_words = 32, align_in_words = 32}]> } } }
#Q = { ktdf_arch.features = { ktdf_arch.feature.queue = { depth = 8, ordered } } }
#G = { ktdf_arch.transfer_granularity = array<i64: 32> }
ktdf_arch.device @mini {
  %g = memory #GMEM
  group { kind = "core0", kt.role = "core", kt.core = 0 : i64 } share(%g) {
    %s = memory #SPAD
    %glu = exec_unit #GLU
    %gsu = exec_unit #GSU
    datapath #G %g to %glu : memory, exec_unit
    datapath #G %glu to %s : exec_unit, memory
    datapath #G %s to %gsu : memory, exec_unit
    datapath #G %gsu to %g : exec_unit, memory
    group share(%s) {
      %vpu = group { kind = "VPU_Block" } share() {
        %r = memory #VREG
        %v = exec_unit #VPU
        yield %v
      } -> exec_unit
      %slu = exec_unit #SLU
      %ssu = exec_unit #SSU
      datapath #Q %s to %slu : memory, exec_unit
      datapath #Q %slu to %vpu : exec_unit, exec_unit
      datapath #Q %vpu to %ssu : exec_unit, exec_unit
      datapath #Q %ssu to %s : exec_unit, memory
    }
    group share(%s) {
      %vpu = group { kind = "VPU_Block" } share() {
        %r = memory #VREG
        %v = exec_unit #VPU
        yield %v
      } -> exec_unit
      %slu = exec_unit #SLU
      %ssu = exec_unit #SSU
      datapath #Q %s to %slu : memory, exec_unit
      datapath #Q %slu to %vpu : exec_unit, exec_unit
      datapath #Q %vpu to %ssu : exec_unit, exec_unit
      datapath #Q %ssu to %s : exec_unit, memory
    }
  }
  group { kind = "core1", kt.role = "core", kt.core = 1 : i64 } share(%g) {
    %s = memory #SPAD
    %glu = exec_unit #GLU
    %gsu = exec_unit #GSU
    datapath #G %g to %glu : memory, exec_unit
    datapath #G %glu to %s : exec_unit, memory
    datapath #G %s to %gsu : memory, exec_unit
    datapath #G %gsu to %g : exec_unit, memory
    group share(%s) {
      %vpu = group { kind = "VPU_Block" } share() {
        %r = memory #VREG
        %v = exec_unit #VPU
        yield %v
      } -> exec_unit
      %slu = exec_unit #SLU
      %ssu = exec_unit #SSU
      datapath #Q %s to %slu : memory, exec_unit
      datapath #Q %slu to %vpu : exec_unit, exec_unit
      datapath #Q %vpu to %ssu : exec_unit, exec_unit
      datapath #Q %ssu to %s : exec_unit, memory
    }
    group share(%s) {
      %vpu = group { kind = "VPU_Block" } share() {
        %r = memory #VREG
        %v = exec_unit #VPU
        yield %v
      } -> exec_unit
      %slu = exec_unit #SLU
      %ssu = exec_unit #SSU
      datapath #Q %s to %slu : memory, exec_unit
      datapath #Q %slu to %vpu : exec_unit, exec_unit
      datapath #Q %vpu to %ssu : exec_unit, exec_unit
      datapath #Q %ssu to %s : exec_unit, memory
    }
  }
}
