// mesh.mlir -- a tiled chip without a ring: tiles in a grid, memories in three levels.
//
// Invented for kt, so that nothing in the compiler can lean on the shape of the other two devices.
// What is different here:
//
//   * 32 tiles in 4 rows and 8 columns; neighbours are joined in x and y, there is no way around
//     the edge;
//   * two scratchpad levels: the four tiles of a column share an SRAM (two ports), every tile has a
//     pad of its own below it. What one tile may use of the SRAM is a quarter;
//   * the vector engine is fed by two load units on queues of their own. Either operand may come
//     through either, but only LDA can repeat a scalar over all lanes;
//   * the engine has no e^x: kernels that need it get a series of additions and multiplications.
//
//        DRAM (1 GiB, shared by all tiles)
//          |  ^
//     FETCH|  |FLUSH              (64-byte granules)
//          v  |
//        SRAM (512 KiB, shared by the 4 tiles of a column, 2 ports)
//          |  ^                                           north
//      LIFT|  |SINK                                         |
//          v  |                                      west--HUB--east
//        TPAD (256 KiB, one per tile) <---> HUB             |
//         | |  ^                                          south
//      LDA| |LDB |PUT             (32- and 64-byte accesses, single numbers)
//     FIFO| |FIFO|FIFO
//         v v  |
//          VEC -- VRF (4 KiB of registers)
//
// One vector is 64 bytes: 32 x f16 or 16 x f32. Tile (row r, column c) is core r * 8 + c.
//
// How to use it: `--device mesh`, or one line next to the kernel:
//
//   ktdf_arch.device @mesh import("kt:mesh")
//
// The columns and tiles are textual copies (the dialect has no replication construct) that a script
// wrote: only names and numbers differ. Attributes that start with "kt." are read by kt only.

// ---------------------------------------------------------------- memories ---
#DRAM = {
  kind = "DRAM",
  size = 1073741824, // 1 GiB
  kt.bandwidth = 128, // bytes per cycle, all tiles together
  kt.latency = 40
}
#SRAM = {
  kind = "SRAM",
  size = 524288, // 512 KiB per column
  kt.bandwidth = 128,
  kt.ports = 2 // accesses at a time; further ones wait
}
#TPAD = {
  kind = "TPAD",
  size = 262144 // 256 KiB per tile
}
#VRF = {
  kind = "VRF",
  size = 4096 // 64 vectors
}

// ------------------------------------------------------------------- units ---
// Movers between the levels. Both sides count 64-byte words; transfers may begin and end at any
// multiple of 2 bytes (kt.partial), which costs the granules that they touch.
#FETCH = {
  kind = "FETCH",
  ktdf_arch.features = {
    ktdf_arch.feature.load = {
      word_size = #ktdf_arch.map<"DRAM" = 64, "SRAM" = 64>,
      access_granularity = #ktdf_arch.map<
        "DRAM" = [{size_in_words = 1, align_in_words = 1}],
        "SRAM" = [{size_in_words = 1, align_in_words = 1}]
      >
    }
  },
  kt.partial = 2,
  kt.issue = 6,
  kt.sync = 3
}
#FLUSH = {
  kind = "FLUSH",
  ktdf_arch.features = {
    ktdf_arch.feature.store = {
      word_size = #ktdf_arch.map<"DRAM" = 64, "SRAM" = 64>,
      access_granularity = #ktdf_arch.map<
        "DRAM" = [{size_in_words = 1, align_in_words = 1}],
        "SRAM" = [{size_in_words = 1, align_in_words = 1}]
      >
    }
  },
  kt.partial = 2,
  kt.issue = 6,
  kt.sync = 3
}
#LIFT = {
  kind = "LIFT",
  ktdf_arch.features = {
    ktdf_arch.feature.load = {
      word_size = #ktdf_arch.map<"SRAM" = 64, "TPAD" = 64>,
      access_granularity = #ktdf_arch.map<
        "SRAM" = [{size_in_words = 1, align_in_words = 1}],
        "TPAD" = [{size_in_words = 1, align_in_words = 1}]
      >
    }
  },
  kt.partial = 2,
  kt.issue = 2,
  kt.sync = 2
}
#SINK = {
  kind = "SINK",
  ktdf_arch.features = {
    ktdf_arch.feature.store = {
      word_size = #ktdf_arch.map<"SRAM" = 64, "TPAD" = 64>,
      access_granularity = #ktdf_arch.map<
        "SRAM" = [{size_in_words = 1, align_in_words = 1}],
        "TPAD" = [{size_in_words = 1, align_in_words = 1}]
      >
    }
  },
  kt.partial = 2,
  kt.issue = 2,
  kt.sync = 2
}
// The tile's stop in the mesh: between its pad and the four neighbours.
#HUB = {
  kind = "HUB",
  ktdf_arch.features = {
    ktdf_arch.feature.load = {
      word_size = #ktdf_arch.map<"TPAD" = 64>,
      access_granularity = #ktdf_arch.map<"TPAD" = [{size_in_words = 1, align_in_words = 1}]>
    },
    ktdf_arch.feature.store = {
      word_size = #ktdf_arch.map<"TPAD" = 64>,
      access_granularity = #ktdf_arch.map<"TPAD" = [{size_in_words = 1, align_in_words = 1}]>
    }
  },
  kt.partial = 2,
  kt.issue = 4,
  kt.sync = 3
}
// The two load units of the engine: byte addressed, a vector of halves (64 bytes), as many halves as
// an engine of f32 takes (32 bytes), or a single number.
#LDA = {
  kind = "LDA",
  ktdf_arch.features = {
    ktdf_arch.feature.load = {
      access_granularity = #ktdf_arch.map<
        "TPAD" = [
          {size_in_words = 64, align_in_words = 64},
          {size_in_words = 32, align_in_words = 32},
          {size_in_words = 4, align_in_words = 4},
          {size_in_words = 2, align_in_words = 2}
        ]
      >
    },
    ktdf_arch.feature.simd = {splat, zero_pad}
  },
  kt.sync = 2
}
// (no splat: scalars that are repeated come through LDA)
#LDB = {
  kind = "LDB",
  ktdf_arch.features = {
    ktdf_arch.feature.load = {
      access_granularity = #ktdf_arch.map<
        "TPAD" = [
          {size_in_words = 64, align_in_words = 64},
          {size_in_words = 32, align_in_words = 32},
          {size_in_words = 4, align_in_words = 4},
          {size_in_words = 2, align_in_words = 2}
        ]
      >
    },
    ktdf_arch.feature.simd = {zero_pad}
  },
  kt.sync = 2
}
#PUT = {
  kind = "PUT",
  ktdf_arch.features = {
    ktdf_arch.feature.store = {
      access_granularity = #ktdf_arch.map<
        "TPAD" = [
          {size_in_words = 64, align_in_words = 64},
          {size_in_words = 32, align_in_words = 32},
          {size_in_words = 4, align_in_words = 4},
          {size_in_words = 2, align_in_words = 2}
        ]
      >
    }
  },
  kt.sync = 2
}
#VEC = {
  kind = "VEC",
  ktdf_arch.features = {
    ktdf_arch.feature.compute,
    ktdf_arch.feature.simd = {
      lanes = #ktdf_arch.map<
        f16 = 32, bf16 = 32, !spyreop.df16 = 32, f32 = 16, !spyreop.fp16_fused = 16, !spyreop.df16_fused = 16,
        !spyreop.fp32_fused = 8, i64 = 8, i32 = 16, i16 = 32, i8 = 64
      >
    }
  },
  // Cycles per vector; every op that is not listed takes one.
  kt.slice_lanes = 16, // lanes of one slice, for reductions within and across slices
  kt.cost = #ktdf_arch.map<
    "arith.divf" = 6, "math.erfc" = 8, "math.log" = 6, "math.log1p" = 6, "math.tanh" = 8,
    "math.sqrt" = 6, "math.rsqrt" = 6
  >
}

// ------------------------------------------------------------------- links ---
#dram_port = {ktdf_arch.bandwidth = 64, ktdf_arch.transfer_granularity = array<i64: 64>, kt.latency = 12}
#sram_port = {ktdf_arch.bandwidth = 64, ktdf_arch.transfer_granularity = array<i64: 64>, kt.latency = 4}
#pad_port = {ktdf_arch.bandwidth = 64, ktdf_arch.transfer_granularity = array<i64: 64>, kt.latency = 2}
#feed_port = {ktdf_arch.bandwidth = 64, ktdf_arch.transfer_granularity = array<i64: 64, 32, 4, 2>, kt.latency = 2}
// Queues between load and store units and the engine: 8 vectors, in order.
#fifo = {
  ktdf_arch.bandwidth = 64,
  ktdf_arch.transfer_granularity = array<i64: 64, 32, 4, 2>,
  ktdf_arch.features = {ktdf_arch.feature.queue = {depth = 8, ordered}},
  kt.latency = 1
}
// From tile to tile.
#hop = {
  ktdf_arch.bandwidth = 32,
  ktdf_arch.transfer_granularity = array<i64: 64>,
  ktdf_arch.features = {ktdf_arch.feature.queue = {depth = 4, ordered}},
  kt.latency = 3
}

ktdf_arch.device @mesh attributes {mem_space_mapping = #ktdf_arch.map<
    #ktdp.memory_space<global> = "DRAM",
    #ktdp.memory_space<ct_local> = "TPAD">} {
  %dram = memory @dram #DRAM

  // ---- one column: an SRAM and its four tiles; the other seven are alike ----
  %n00, %n10, %n20, %n30 = group @column0 {kind = "column0", kt.role = "column"} share(%dram) {
    %sram = memory @sram0 #SRAM
    %h00 = group @tile00 {kind = "tile00", kt.role = "core", kt.core = 0} share(%sram, %dram) {
      // Down: DRAM -> SRAM -> pad.
      %tpad = memory @tpad00 #TPAD
      %fetch = exec_unit @fetch00 #FETCH
      %lift = exec_unit @lift00 #LIFT
      datapath #dram_port %dram to %fetch : memory, exec_unit
      datapath #sram_port %fetch to %sram : exec_unit, memory
      datapath #sram_port %sram to %lift : memory, exec_unit
      datapath #pad_port %lift to %tpad : exec_unit, memory
      // Up: pad -> SRAM -> DRAM.
      %sink = exec_unit @sink00 #SINK
      %flush = exec_unit @flush00 #FLUSH
      datapath #pad_port %tpad to %sink : memory, exec_unit
      datapath #sram_port %sink to %sram : exec_unit, memory
      datapath #sram_port %sram to %flush : memory, exec_unit
      datapath #dram_port %flush to %dram : exec_unit, memory
      // The engine with its registers, and what feeds it.
      %vec = group {kind = "ENGINE"} share() {
        %vrf = memory @vrf00 #VRF
        %unit = exec_unit @vec00 #VEC
        yield %unit
      } -> exec_unit
      %lda = exec_unit @lda00 #LDA
      %ldb = exec_unit @ldb00 #LDB
      %put = exec_unit @put00 #PUT
      datapath #feed_port %tpad to %lda : memory, exec_unit
      datapath #feed_port %tpad to %ldb : memory, exec_unit
      datapath #fifo %lda to %vec : exec_unit, exec_unit
      datapath #fifo %ldb to %vec : exec_unit, exec_unit
      datapath #fifo %vec to %put : exec_unit, exec_unit
      datapath #feed_port %put to %tpad : exec_unit, memory
      // The stop in the mesh.
      %hub = exec_unit @hub00 #HUB
      datapath #pad_port %tpad to %hub : memory, exec_unit
      datapath #pad_port %hub to %tpad : exec_unit, memory
      yield %hub
    } -> exec_unit
    %h10 = group @tile10 {kind = "tile10", kt.role = "core", kt.core = 8} share(%sram, %dram) {
      %tpad = memory @tpad10 #TPAD
      %fetch = exec_unit @fetch10 #FETCH
      %lift = exec_unit @lift10 #LIFT
      datapath #dram_port %dram to %fetch : memory, exec_unit
      datapath #sram_port %fetch to %sram : exec_unit, memory
      datapath #sram_port %sram to %lift : memory, exec_unit
      datapath #pad_port %lift to %tpad : exec_unit, memory
      %sink = exec_unit @sink10 #SINK
      %flush = exec_unit @flush10 #FLUSH
      datapath #pad_port %tpad to %sink : memory, exec_unit
      datapath #sram_port %sink to %sram : exec_unit, memory
      datapath #sram_port %sram to %flush : memory, exec_unit
      datapath #dram_port %flush to %dram : exec_unit, memory
      %vec = group {kind = "ENGINE"} share() {
        %vrf = memory @vrf10 #VRF
        %unit = exec_unit @vec10 #VEC
        yield %unit
      } -> exec_unit
      %lda = exec_unit @lda10 #LDA
      %ldb = exec_unit @ldb10 #LDB
      %put = exec_unit @put10 #PUT
      datapath #feed_port %tpad to %lda : memory, exec_unit
      datapath #feed_port %tpad to %ldb : memory, exec_unit
      datapath #fifo %lda to %vec : exec_unit, exec_unit
      datapath #fifo %ldb to %vec : exec_unit, exec_unit
      datapath #fifo %vec to %put : exec_unit, exec_unit
      datapath #feed_port %put to %tpad : exec_unit, memory
      %hub = exec_unit @hub10 #HUB
      datapath #pad_port %tpad to %hub : memory, exec_unit
      datapath #pad_port %hub to %tpad : exec_unit, memory
      yield %hub
    } -> exec_unit
    %h20 = group @tile20 {kind = "tile20", kt.role = "core", kt.core = 16} share(%sram, %dram) {
      %tpad = memory @tpad20 #TPAD
      %fetch = exec_unit @fetch20 #FETCH
      %lift = exec_unit @lift20 #LIFT
      datapath #dram_port %dram to %fetch : memory, exec_unit
      datapath #sram_port %fetch to %sram : exec_unit, memory
      datapath #sram_port %sram to %lift : memory, exec_unit
      datapath #pad_port %lift to %tpad : exec_unit, memory
      %sink = exec_unit @sink20 #SINK
      %flush = exec_unit @flush20 #FLUSH
      datapath #pad_port %tpad to %sink : memory, exec_unit
      datapath #sram_port %sink to %sram : exec_unit, memory
      datapath #sram_port %sram to %flush : memory, exec_unit
      datapath #dram_port %flush to %dram : exec_unit, memory
      %vec = group {kind = "ENGINE"} share() {
        %vrf = memory @vrf20 #VRF
        %unit = exec_unit @vec20 #VEC
        yield %unit
      } -> exec_unit
      %lda = exec_unit @lda20 #LDA
      %ldb = exec_unit @ldb20 #LDB
      %put = exec_unit @put20 #PUT
      datapath #feed_port %tpad to %lda : memory, exec_unit
      datapath #feed_port %tpad to %ldb : memory, exec_unit
      datapath #fifo %lda to %vec : exec_unit, exec_unit
      datapath #fifo %ldb to %vec : exec_unit, exec_unit
      datapath #fifo %vec to %put : exec_unit, exec_unit
      datapath #feed_port %put to %tpad : exec_unit, memory
      %hub = exec_unit @hub20 #HUB
      datapath #pad_port %tpad to %hub : memory, exec_unit
      datapath #pad_port %hub to %tpad : exec_unit, memory
      yield %hub
    } -> exec_unit
    %h30 = group @tile30 {kind = "tile30", kt.role = "core", kt.core = 24} share(%sram, %dram) {
      %tpad = memory @tpad30 #TPAD
      %fetch = exec_unit @fetch30 #FETCH
      %lift = exec_unit @lift30 #LIFT
      datapath #dram_port %dram to %fetch : memory, exec_unit
      datapath #sram_port %fetch to %sram : exec_unit, memory
      datapath #sram_port %sram to %lift : memory, exec_unit
      datapath #pad_port %lift to %tpad : exec_unit, memory
      %sink = exec_unit @sink30 #SINK
      %flush = exec_unit @flush30 #FLUSH
      datapath #pad_port %tpad to %sink : memory, exec_unit
      datapath #sram_port %sink to %sram : exec_unit, memory
      datapath #sram_port %sram to %flush : memory, exec_unit
      datapath #dram_port %flush to %dram : exec_unit, memory
      %vec = group {kind = "ENGINE"} share() {
        %vrf = memory @vrf30 #VRF
        %unit = exec_unit @vec30 #VEC
        yield %unit
      } -> exec_unit
      %lda = exec_unit @lda30 #LDA
      %ldb = exec_unit @ldb30 #LDB
      %put = exec_unit @put30 #PUT
      datapath #feed_port %tpad to %lda : memory, exec_unit
      datapath #feed_port %tpad to %ldb : memory, exec_unit
      datapath #fifo %lda to %vec : exec_unit, exec_unit
      datapath #fifo %ldb to %vec : exec_unit, exec_unit
      datapath #fifo %vec to %put : exec_unit, exec_unit
      datapath #feed_port %put to %tpad : exec_unit, memory
      %hub = exec_unit @hub30 #HUB
      datapath #pad_port %tpad to %hub : memory, exec_unit
      datapath #pad_port %hub to %tpad : exec_unit, memory
      yield %hub
    } -> exec_unit
    yield %h00, %h10, %h20, %h30
  } -> exec_unit, exec_unit, exec_unit, exec_unit
  %n01, %n11, %n21, %n31 = group @column1 {kind = "column1", kt.role = "column"} share(%dram) {
    %sram = memory @sram1 #SRAM
    %h01 = group @tile01 {kind = "tile01", kt.role = "core", kt.core = 1} share(%sram, %dram) {
      %tpad = memory @tpad01 #TPAD
      %fetch = exec_unit @fetch01 #FETCH
      %lift = exec_unit @lift01 #LIFT
      datapath #dram_port %dram to %fetch : memory, exec_unit
      datapath #sram_port %fetch to %sram : exec_unit, memory
      datapath #sram_port %sram to %lift : memory, exec_unit
      datapath #pad_port %lift to %tpad : exec_unit, memory
      %sink = exec_unit @sink01 #SINK
      %flush = exec_unit @flush01 #FLUSH
      datapath #pad_port %tpad to %sink : memory, exec_unit
      datapath #sram_port %sink to %sram : exec_unit, memory
      datapath #sram_port %sram to %flush : memory, exec_unit
      datapath #dram_port %flush to %dram : exec_unit, memory
      %vec = group {kind = "ENGINE"} share() {
        %vrf = memory @vrf01 #VRF
        %unit = exec_unit @vec01 #VEC
        yield %unit
      } -> exec_unit
      %lda = exec_unit @lda01 #LDA
      %ldb = exec_unit @ldb01 #LDB
      %put = exec_unit @put01 #PUT
      datapath #feed_port %tpad to %lda : memory, exec_unit
      datapath #feed_port %tpad to %ldb : memory, exec_unit
      datapath #fifo %lda to %vec : exec_unit, exec_unit
      datapath #fifo %ldb to %vec : exec_unit, exec_unit
      datapath #fifo %vec to %put : exec_unit, exec_unit
      datapath #feed_port %put to %tpad : exec_unit, memory
      %hub = exec_unit @hub01 #HUB
      datapath #pad_port %tpad to %hub : memory, exec_unit
      datapath #pad_port %hub to %tpad : exec_unit, memory
      yield %hub
    } -> exec_unit
    %h11 = group @tile11 {kind = "tile11", kt.role = "core", kt.core = 9} share(%sram, %dram) {
      %tpad = memory @tpad11 #TPAD
      %fetch = exec_unit @fetch11 #FETCH
      %lift = exec_unit @lift11 #LIFT
      datapath #dram_port %dram to %fetch : memory, exec_unit
      datapath #sram_port %fetch to %sram : exec_unit, memory
      datapath #sram_port %sram to %lift : memory, exec_unit
      datapath #pad_port %lift to %tpad : exec_unit, memory
      %sink = exec_unit @sink11 #SINK
      %flush = exec_unit @flush11 #FLUSH
      datapath #pad_port %tpad to %sink : memory, exec_unit
      datapath #sram_port %sink to %sram : exec_unit, memory
      datapath #sram_port %sram to %flush : memory, exec_unit
      datapath #dram_port %flush to %dram : exec_unit, memory
      %vec = group {kind = "ENGINE"} share() {
        %vrf = memory @vrf11 #VRF
        %unit = exec_unit @vec11 #VEC
        yield %unit
      } -> exec_unit
      %lda = exec_unit @lda11 #LDA
      %ldb = exec_unit @ldb11 #LDB
      %put = exec_unit @put11 #PUT
      datapath #feed_port %tpad to %lda : memory, exec_unit
      datapath #feed_port %tpad to %ldb : memory, exec_unit
      datapath #fifo %lda to %vec : exec_unit, exec_unit
      datapath #fifo %ldb to %vec : exec_unit, exec_unit
      datapath #fifo %vec to %put : exec_unit, exec_unit
      datapath #feed_port %put to %tpad : exec_unit, memory
      %hub = exec_unit @hub11 #HUB
      datapath #pad_port %tpad to %hub : memory, exec_unit
      datapath #pad_port %hub to %tpad : exec_unit, memory
      yield %hub
    } -> exec_unit
    %h21 = group @tile21 {kind = "tile21", kt.role = "core", kt.core = 17} share(%sram, %dram) {
      %tpad = memory @tpad21 #TPAD
      %fetch = exec_unit @fetch21 #FETCH
      %lift = exec_unit @lift21 #LIFT
      datapath #dram_port %dram to %fetch : memory, exec_unit
      datapath #sram_port %fetch to %sram : exec_unit, memory
      datapath #sram_port %sram to %lift : memory, exec_unit
      datapath #pad_port %lift to %tpad : exec_unit, memory
      %sink = exec_unit @sink21 #SINK
      %flush = exec_unit @flush21 #FLUSH
      datapath #pad_port %tpad to %sink : memory, exec_unit
      datapath #sram_port %sink to %sram : exec_unit, memory
      datapath #sram_port %sram to %flush : memory, exec_unit
      datapath #dram_port %flush to %dram : exec_unit, memory
      %vec = group {kind = "ENGINE"} share() {
        %vrf = memory @vrf21 #VRF
        %unit = exec_unit @vec21 #VEC
        yield %unit
      } -> exec_unit
      %lda = exec_unit @lda21 #LDA
      %ldb = exec_unit @ldb21 #LDB
      %put = exec_unit @put21 #PUT
      datapath #feed_port %tpad to %lda : memory, exec_unit
      datapath #feed_port %tpad to %ldb : memory, exec_unit
      datapath #fifo %lda to %vec : exec_unit, exec_unit
      datapath #fifo %ldb to %vec : exec_unit, exec_unit
      datapath #fifo %vec to %put : exec_unit, exec_unit
      datapath #feed_port %put to %tpad : exec_unit, memory
      %hub = exec_unit @hub21 #HUB
      datapath #pad_port %tpad to %hub : memory, exec_unit
      datapath #pad_port %hub to %tpad : exec_unit, memory
      yield %hub
    } -> exec_unit
    %h31 = group @tile31 {kind = "tile31", kt.role = "core", kt.core = 25} share(%sram, %dram) {
      %tpad = memory @tpad31 #TPAD
      %fetch = exec_unit @fetch31 #FETCH
      %lift = exec_unit @lift31 #LIFT
      datapath #dram_port %dram to %fetch : memory, exec_unit
      datapath #sram_port %fetch to %sram : exec_unit, memory
      datapath #sram_port %sram to %lift : memory, exec_unit
      datapath #pad_port %lift to %tpad : exec_unit, memory
      %sink = exec_unit @sink31 #SINK
      %flush = exec_unit @flush31 #FLUSH
      datapath #pad_port %tpad to %sink : memory, exec_unit
      datapath #sram_port %sink to %sram : exec_unit, memory
      datapath #sram_port %sram to %flush : memory, exec_unit
      datapath #dram_port %flush to %dram : exec_unit, memory
      %vec = group {kind = "ENGINE"} share() {
        %vrf = memory @vrf31 #VRF
        %unit = exec_unit @vec31 #VEC
        yield %unit
      } -> exec_unit
      %lda = exec_unit @lda31 #LDA
      %ldb = exec_unit @ldb31 #LDB
      %put = exec_unit @put31 #PUT
      datapath #feed_port %tpad to %lda : memory, exec_unit
      datapath #feed_port %tpad to %ldb : memory, exec_unit
      datapath #fifo %lda to %vec : exec_unit, exec_unit
      datapath #fifo %ldb to %vec : exec_unit, exec_unit
      datapath #fifo %vec to %put : exec_unit, exec_unit
      datapath #feed_port %put to %tpad : exec_unit, memory
      %hub = exec_unit @hub31 #HUB
      datapath #pad_port %tpad to %hub : memory, exec_unit
      datapath #pad_port %hub to %tpad : exec_unit, memory
      yield %hub
    } -> exec_unit
    yield %h01, %h11, %h21, %h31
  } -> exec_unit, exec_unit, exec_unit, exec_unit
  %n02, %n12, %n22, %n32 = group @column2 {kind = "column2", kt.role = "column"} share(%dram) {
    %sram = memory @sram2 #SRAM
    %h02 = group @tile02 {kind = "tile02", kt.role = "core", kt.core = 2} share(%sram, %dram) {
      %tpad = memory @tpad02 #TPAD
      %fetch = exec_unit @fetch02 #FETCH
      %lift = exec_unit @lift02 #LIFT
      datapath #dram_port %dram to %fetch : memory, exec_unit
      datapath #sram_port %fetch to %sram : exec_unit, memory
      datapath #sram_port %sram to %lift : memory, exec_unit
      datapath #pad_port %lift to %tpad : exec_unit, memory
      %sink = exec_unit @sink02 #SINK
      %flush = exec_unit @flush02 #FLUSH
      datapath #pad_port %tpad to %sink : memory, exec_unit
      datapath #sram_port %sink to %sram : exec_unit, memory
      datapath #sram_port %sram to %flush : memory, exec_unit
      datapath #dram_port %flush to %dram : exec_unit, memory
      %vec = group {kind = "ENGINE"} share() {
        %vrf = memory @vrf02 #VRF
        %unit = exec_unit @vec02 #VEC
        yield %unit
      } -> exec_unit
      %lda = exec_unit @lda02 #LDA
      %ldb = exec_unit @ldb02 #LDB
      %put = exec_unit @put02 #PUT
      datapath #feed_port %tpad to %lda : memory, exec_unit
      datapath #feed_port %tpad to %ldb : memory, exec_unit
      datapath #fifo %lda to %vec : exec_unit, exec_unit
      datapath #fifo %ldb to %vec : exec_unit, exec_unit
      datapath #fifo %vec to %put : exec_unit, exec_unit
      datapath #feed_port %put to %tpad : exec_unit, memory
      %hub = exec_unit @hub02 #HUB
      datapath #pad_port %tpad to %hub : memory, exec_unit
      datapath #pad_port %hub to %tpad : exec_unit, memory
      yield %hub
    } -> exec_unit
    %h12 = group @tile12 {kind = "tile12", kt.role = "core", kt.core = 10} share(%sram, %dram) {
      %tpad = memory @tpad12 #TPAD
      %fetch = exec_unit @fetch12 #FETCH
      %lift = exec_unit @lift12 #LIFT
      datapath #dram_port %dram to %fetch : memory, exec_unit
      datapath #sram_port %fetch to %sram : exec_unit, memory
      datapath #sram_port %sram to %lift : memory, exec_unit
      datapath #pad_port %lift to %tpad : exec_unit, memory
      %sink = exec_unit @sink12 #SINK
      %flush = exec_unit @flush12 #FLUSH
      datapath #pad_port %tpad to %sink : memory, exec_unit
      datapath #sram_port %sink to %sram : exec_unit, memory
      datapath #sram_port %sram to %flush : memory, exec_unit
      datapath #dram_port %flush to %dram : exec_unit, memory
      %vec = group {kind = "ENGINE"} share() {
        %vrf = memory @vrf12 #VRF
        %unit = exec_unit @vec12 #VEC
        yield %unit
      } -> exec_unit
      %lda = exec_unit @lda12 #LDA
      %ldb = exec_unit @ldb12 #LDB
      %put = exec_unit @put12 #PUT
      datapath #feed_port %tpad to %lda : memory, exec_unit
      datapath #feed_port %tpad to %ldb : memory, exec_unit
      datapath #fifo %lda to %vec : exec_unit, exec_unit
      datapath #fifo %ldb to %vec : exec_unit, exec_unit
      datapath #fifo %vec to %put : exec_unit, exec_unit
      datapath #feed_port %put to %tpad : exec_unit, memory
      %hub = exec_unit @hub12 #HUB
      datapath #pad_port %tpad to %hub : memory, exec_unit
      datapath #pad_port %hub to %tpad : exec_unit, memory
      yield %hub
    } -> exec_unit
    %h22 = group @tile22 {kind = "tile22", kt.role = "core", kt.core = 18} share(%sram, %dram) {
      %tpad = memory @tpad22 #TPAD
      %fetch = exec_unit @fetch22 #FETCH
      %lift = exec_unit @lift22 #LIFT
      datapath #dram_port %dram to %fetch : memory, exec_unit
      datapath #sram_port %fetch to %sram : exec_unit, memory
      datapath #sram_port %sram to %lift : memory, exec_unit
      datapath #pad_port %lift to %tpad : exec_unit, memory
      %sink = exec_unit @sink22 #SINK
      %flush = exec_unit @flush22 #FLUSH
      datapath #pad_port %tpad to %sink : memory, exec_unit
      datapath #sram_port %sink to %sram : exec_unit, memory
      datapath #sram_port %sram to %flush : memory, exec_unit
      datapath #dram_port %flush to %dram : exec_unit, memory
      %vec = group {kind = "ENGINE"} share() {
        %vrf = memory @vrf22 #VRF
        %unit = exec_unit @vec22 #VEC
        yield %unit
      } -> exec_unit
      %lda = exec_unit @lda22 #LDA
      %ldb = exec_unit @ldb22 #LDB
      %put = exec_unit @put22 #PUT
      datapath #feed_port %tpad to %lda : memory, exec_unit
      datapath #feed_port %tpad to %ldb : memory, exec_unit
      datapath #fifo %lda to %vec : exec_unit, exec_unit
      datapath #fifo %ldb to %vec : exec_unit, exec_unit
      datapath #fifo %vec to %put : exec_unit, exec_unit
      datapath #feed_port %put to %tpad : exec_unit, memory
      %hub = exec_unit @hub22 #HUB
      datapath #pad_port %tpad to %hub : memory, exec_unit
      datapath #pad_port %hub to %tpad : exec_unit, memory
      yield %hub
    } -> exec_unit
    %h32 = group @tile32 {kind = "tile32", kt.role = "core", kt.core = 26} share(%sram, %dram) {
      %tpad = memory @tpad32 #TPAD
      %fetch = exec_unit @fetch32 #FETCH
      %lift = exec_unit @lift32 #LIFT
      datapath #dram_port %dram to %fetch : memory, exec_unit
      datapath #sram_port %fetch to %sram : exec_unit, memory
      datapath #sram_port %sram to %lift : memory, exec_unit
      datapath #pad_port %lift to %tpad : exec_unit, memory
      %sink = exec_unit @sink32 #SINK
      %flush = exec_unit @flush32 #FLUSH
      datapath #pad_port %tpad to %sink : memory, exec_unit
      datapath #sram_port %sink to %sram : exec_unit, memory
      datapath #sram_port %sram to %flush : memory, exec_unit
      datapath #dram_port %flush to %dram : exec_unit, memory
      %vec = group {kind = "ENGINE"} share() {
        %vrf = memory @vrf32 #VRF
        %unit = exec_unit @vec32 #VEC
        yield %unit
      } -> exec_unit
      %lda = exec_unit @lda32 #LDA
      %ldb = exec_unit @ldb32 #LDB
      %put = exec_unit @put32 #PUT
      datapath #feed_port %tpad to %lda : memory, exec_unit
      datapath #feed_port %tpad to %ldb : memory, exec_unit
      datapath #fifo %lda to %vec : exec_unit, exec_unit
      datapath #fifo %ldb to %vec : exec_unit, exec_unit
      datapath #fifo %vec to %put : exec_unit, exec_unit
      datapath #feed_port %put to %tpad : exec_unit, memory
      %hub = exec_unit @hub32 #HUB
      datapath #pad_port %tpad to %hub : memory, exec_unit
      datapath #pad_port %hub to %tpad : exec_unit, memory
      yield %hub
    } -> exec_unit
    yield %h02, %h12, %h22, %h32
  } -> exec_unit, exec_unit, exec_unit, exec_unit
  %n03, %n13, %n23, %n33 = group @column3 {kind = "column3", kt.role = "column"} share(%dram) {
    %sram = memory @sram3 #SRAM
    %h03 = group @tile03 {kind = "tile03", kt.role = "core", kt.core = 3} share(%sram, %dram) {
      %tpad = memory @tpad03 #TPAD
      %fetch = exec_unit @fetch03 #FETCH
      %lift = exec_unit @lift03 #LIFT
      datapath #dram_port %dram to %fetch : memory, exec_unit
      datapath #sram_port %fetch to %sram : exec_unit, memory
      datapath #sram_port %sram to %lift : memory, exec_unit
      datapath #pad_port %lift to %tpad : exec_unit, memory
      %sink = exec_unit @sink03 #SINK
      %flush = exec_unit @flush03 #FLUSH
      datapath #pad_port %tpad to %sink : memory, exec_unit
      datapath #sram_port %sink to %sram : exec_unit, memory
      datapath #sram_port %sram to %flush : memory, exec_unit
      datapath #dram_port %flush to %dram : exec_unit, memory
      %vec = group {kind = "ENGINE"} share() {
        %vrf = memory @vrf03 #VRF
        %unit = exec_unit @vec03 #VEC
        yield %unit
      } -> exec_unit
      %lda = exec_unit @lda03 #LDA
      %ldb = exec_unit @ldb03 #LDB
      %put = exec_unit @put03 #PUT
      datapath #feed_port %tpad to %lda : memory, exec_unit
      datapath #feed_port %tpad to %ldb : memory, exec_unit
      datapath #fifo %lda to %vec : exec_unit, exec_unit
      datapath #fifo %ldb to %vec : exec_unit, exec_unit
      datapath #fifo %vec to %put : exec_unit, exec_unit
      datapath #feed_port %put to %tpad : exec_unit, memory
      %hub = exec_unit @hub03 #HUB
      datapath #pad_port %tpad to %hub : memory, exec_unit
      datapath #pad_port %hub to %tpad : exec_unit, memory
      yield %hub
    } -> exec_unit
    %h13 = group @tile13 {kind = "tile13", kt.role = "core", kt.core = 11} share(%sram, %dram) {
      %tpad = memory @tpad13 #TPAD
      %fetch = exec_unit @fetch13 #FETCH
      %lift = exec_unit @lift13 #LIFT
      datapath #dram_port %dram to %fetch : memory, exec_unit
      datapath #sram_port %fetch to %sram : exec_unit, memory
      datapath #sram_port %sram to %lift : memory, exec_unit
      datapath #pad_port %lift to %tpad : exec_unit, memory
      %sink = exec_unit @sink13 #SINK
      %flush = exec_unit @flush13 #FLUSH
      datapath #pad_port %tpad to %sink : memory, exec_unit
      datapath #sram_port %sink to %sram : exec_unit, memory
      datapath #sram_port %sram to %flush : memory, exec_unit
      datapath #dram_port %flush to %dram : exec_unit, memory
      %vec = group {kind = "ENGINE"} share() {
        %vrf = memory @vrf13 #VRF
        %unit = exec_unit @vec13 #VEC
        yield %unit
      } -> exec_unit
      %lda = exec_unit @lda13 #LDA
      %ldb = exec_unit @ldb13 #LDB
      %put = exec_unit @put13 #PUT
      datapath #feed_port %tpad to %lda : memory, exec_unit
      datapath #feed_port %tpad to %ldb : memory, exec_unit
      datapath #fifo %lda to %vec : exec_unit, exec_unit
      datapath #fifo %ldb to %vec : exec_unit, exec_unit
      datapath #fifo %vec to %put : exec_unit, exec_unit
      datapath #feed_port %put to %tpad : exec_unit, memory
      %hub = exec_unit @hub13 #HUB
      datapath #pad_port %tpad to %hub : memory, exec_unit
      datapath #pad_port %hub to %tpad : exec_unit, memory
      yield %hub
    } -> exec_unit
    %h23 = group @tile23 {kind = "tile23", kt.role = "core", kt.core = 19} share(%sram, %dram) {
      %tpad = memory @tpad23 #TPAD
      %fetch = exec_unit @fetch23 #FETCH
      %lift = exec_unit @lift23 #LIFT
      datapath #dram_port %dram to %fetch : memory, exec_unit
      datapath #sram_port %fetch to %sram : exec_unit, memory
      datapath #sram_port %sram to %lift : memory, exec_unit
      datapath #pad_port %lift to %tpad : exec_unit, memory
      %sink = exec_unit @sink23 #SINK
      %flush = exec_unit @flush23 #FLUSH
      datapath #pad_port %tpad to %sink : memory, exec_unit
      datapath #sram_port %sink to %sram : exec_unit, memory
      datapath #sram_port %sram to %flush : memory, exec_unit
      datapath #dram_port %flush to %dram : exec_unit, memory
      %vec = group {kind = "ENGINE"} share() {
        %vrf = memory @vrf23 #VRF
        %unit = exec_unit @vec23 #VEC
        yield %unit
      } -> exec_unit
      %lda = exec_unit @lda23 #LDA
      %ldb = exec_unit @ldb23 #LDB
      %put = exec_unit @put23 #PUT
      datapath #feed_port %tpad to %lda : memory, exec_unit
      datapath #feed_port %tpad to %ldb : memory, exec_unit
      datapath #fifo %lda to %vec : exec_unit, exec_unit
      datapath #fifo %ldb to %vec : exec_unit, exec_unit
      datapath #fifo %vec to %put : exec_unit, exec_unit
      datapath #feed_port %put to %tpad : exec_unit, memory
      %hub = exec_unit @hub23 #HUB
      datapath #pad_port %tpad to %hub : memory, exec_unit
      datapath #pad_port %hub to %tpad : exec_unit, memory
      yield %hub
    } -> exec_unit
    %h33 = group @tile33 {kind = "tile33", kt.role = "core", kt.core = 27} share(%sram, %dram) {
      %tpad = memory @tpad33 #TPAD
      %fetch = exec_unit @fetch33 #FETCH
      %lift = exec_unit @lift33 #LIFT
      datapath #dram_port %dram to %fetch : memory, exec_unit
      datapath #sram_port %fetch to %sram : exec_unit, memory
      datapath #sram_port %sram to %lift : memory, exec_unit
      datapath #pad_port %lift to %tpad : exec_unit, memory
      %sink = exec_unit @sink33 #SINK
      %flush = exec_unit @flush33 #FLUSH
      datapath #pad_port %tpad to %sink : memory, exec_unit
      datapath #sram_port %sink to %sram : exec_unit, memory
      datapath #sram_port %sram to %flush : memory, exec_unit
      datapath #dram_port %flush to %dram : exec_unit, memory
      %vec = group {kind = "ENGINE"} share() {
        %vrf = memory @vrf33 #VRF
        %unit = exec_unit @vec33 #VEC
        yield %unit
      } -> exec_unit
      %lda = exec_unit @lda33 #LDA
      %ldb = exec_unit @ldb33 #LDB
      %put = exec_unit @put33 #PUT
      datapath #feed_port %tpad to %lda : memory, exec_unit
      datapath #feed_port %tpad to %ldb : memory, exec_unit
      datapath #fifo %lda to %vec : exec_unit, exec_unit
      datapath #fifo %ldb to %vec : exec_unit, exec_unit
      datapath #fifo %vec to %put : exec_unit, exec_unit
      datapath #feed_port %put to %tpad : exec_unit, memory
      %hub = exec_unit @hub33 #HUB
      datapath #pad_port %tpad to %hub : memory, exec_unit
      datapath #pad_port %hub to %tpad : exec_unit, memory
      yield %hub
    } -> exec_unit
    yield %h03, %h13, %h23, %h33
  } -> exec_unit, exec_unit, exec_unit, exec_unit
  %n04, %n14, %n24, %n34 = group @column4 {kind = "column4", kt.role = "column"} share(%dram) {
    %sram = memory @sram4 #SRAM
    %h04 = group @tile04 {kind = "tile04", kt.role = "core", kt.core = 4} share(%sram, %dram) {
      %tpad = memory @tpad04 #TPAD
      %fetch = exec_unit @fetch04 #FETCH
      %lift = exec_unit @lift04 #LIFT
      datapath #dram_port %dram to %fetch : memory, exec_unit
      datapath #sram_port %fetch to %sram : exec_unit, memory
      datapath #sram_port %sram to %lift : memory, exec_unit
      datapath #pad_port %lift to %tpad : exec_unit, memory
      %sink = exec_unit @sink04 #SINK
      %flush = exec_unit @flush04 #FLUSH
      datapath #pad_port %tpad to %sink : memory, exec_unit
      datapath #sram_port %sink to %sram : exec_unit, memory
      datapath #sram_port %sram to %flush : memory, exec_unit
      datapath #dram_port %flush to %dram : exec_unit, memory
      %vec = group {kind = "ENGINE"} share() {
        %vrf = memory @vrf04 #VRF
        %unit = exec_unit @vec04 #VEC
        yield %unit
      } -> exec_unit
      %lda = exec_unit @lda04 #LDA
      %ldb = exec_unit @ldb04 #LDB
      %put = exec_unit @put04 #PUT
      datapath #feed_port %tpad to %lda : memory, exec_unit
      datapath #feed_port %tpad to %ldb : memory, exec_unit
      datapath #fifo %lda to %vec : exec_unit, exec_unit
      datapath #fifo %ldb to %vec : exec_unit, exec_unit
      datapath #fifo %vec to %put : exec_unit, exec_unit
      datapath #feed_port %put to %tpad : exec_unit, memory
      %hub = exec_unit @hub04 #HUB
      datapath #pad_port %tpad to %hub : memory, exec_unit
      datapath #pad_port %hub to %tpad : exec_unit, memory
      yield %hub
    } -> exec_unit
    %h14 = group @tile14 {kind = "tile14", kt.role = "core", kt.core = 12} share(%sram, %dram) {
      %tpad = memory @tpad14 #TPAD
      %fetch = exec_unit @fetch14 #FETCH
      %lift = exec_unit @lift14 #LIFT
      datapath #dram_port %dram to %fetch : memory, exec_unit
      datapath #sram_port %fetch to %sram : exec_unit, memory
      datapath #sram_port %sram to %lift : memory, exec_unit
      datapath #pad_port %lift to %tpad : exec_unit, memory
      %sink = exec_unit @sink14 #SINK
      %flush = exec_unit @flush14 #FLUSH
      datapath #pad_port %tpad to %sink : memory, exec_unit
      datapath #sram_port %sink to %sram : exec_unit, memory
      datapath #sram_port %sram to %flush : memory, exec_unit
      datapath #dram_port %flush to %dram : exec_unit, memory
      %vec = group {kind = "ENGINE"} share() {
        %vrf = memory @vrf14 #VRF
        %unit = exec_unit @vec14 #VEC
        yield %unit
      } -> exec_unit
      %lda = exec_unit @lda14 #LDA
      %ldb = exec_unit @ldb14 #LDB
      %put = exec_unit @put14 #PUT
      datapath #feed_port %tpad to %lda : memory, exec_unit
      datapath #feed_port %tpad to %ldb : memory, exec_unit
      datapath #fifo %lda to %vec : exec_unit, exec_unit
      datapath #fifo %ldb to %vec : exec_unit, exec_unit
      datapath #fifo %vec to %put : exec_unit, exec_unit
      datapath #feed_port %put to %tpad : exec_unit, memory
      %hub = exec_unit @hub14 #HUB
      datapath #pad_port %tpad to %hub : memory, exec_unit
      datapath #pad_port %hub to %tpad : exec_unit, memory
      yield %hub
    } -> exec_unit
    %h24 = group @tile24 {kind = "tile24", kt.role = "core", kt.core = 20} share(%sram, %dram) {
      %tpad = memory @tpad24 #TPAD
      %fetch = exec_unit @fetch24 #FETCH
      %lift = exec_unit @lift24 #LIFT
      datapath #dram_port %dram to %fetch : memory, exec_unit
      datapath #sram_port %fetch to %sram : exec_unit, memory
      datapath #sram_port %sram to %lift : memory, exec_unit
      datapath #pad_port %lift to %tpad : exec_unit, memory
      %sink = exec_unit @sink24 #SINK
      %flush = exec_unit @flush24 #FLUSH
      datapath #pad_port %tpad to %sink : memory, exec_unit
      datapath #sram_port %sink to %sram : exec_unit, memory
      datapath #sram_port %sram to %flush : memory, exec_unit
      datapath #dram_port %flush to %dram : exec_unit, memory
      %vec = group {kind = "ENGINE"} share() {
        %vrf = memory @vrf24 #VRF
        %unit = exec_unit @vec24 #VEC
        yield %unit
      } -> exec_unit
      %lda = exec_unit @lda24 #LDA
      %ldb = exec_unit @ldb24 #LDB
      %put = exec_unit @put24 #PUT
      datapath #feed_port %tpad to %lda : memory, exec_unit
      datapath #feed_port %tpad to %ldb : memory, exec_unit
      datapath #fifo %lda to %vec : exec_unit, exec_unit
      datapath #fifo %ldb to %vec : exec_unit, exec_unit
      datapath #fifo %vec to %put : exec_unit, exec_unit
      datapath #feed_port %put to %tpad : exec_unit, memory
      %hub = exec_unit @hub24 #HUB
      datapath #pad_port %tpad to %hub : memory, exec_unit
      datapath #pad_port %hub to %tpad : exec_unit, memory
      yield %hub
    } -> exec_unit
    %h34 = group @tile34 {kind = "tile34", kt.role = "core", kt.core = 28} share(%sram, %dram) {
      %tpad = memory @tpad34 #TPAD
      %fetch = exec_unit @fetch34 #FETCH
      %lift = exec_unit @lift34 #LIFT
      datapath #dram_port %dram to %fetch : memory, exec_unit
      datapath #sram_port %fetch to %sram : exec_unit, memory
      datapath #sram_port %sram to %lift : memory, exec_unit
      datapath #pad_port %lift to %tpad : exec_unit, memory
      %sink = exec_unit @sink34 #SINK
      %flush = exec_unit @flush34 #FLUSH
      datapath #pad_port %tpad to %sink : memory, exec_unit
      datapath #sram_port %sink to %sram : exec_unit, memory
      datapath #sram_port %sram to %flush : memory, exec_unit
      datapath #dram_port %flush to %dram : exec_unit, memory
      %vec = group {kind = "ENGINE"} share() {
        %vrf = memory @vrf34 #VRF
        %unit = exec_unit @vec34 #VEC
        yield %unit
      } -> exec_unit
      %lda = exec_unit @lda34 #LDA
      %ldb = exec_unit @ldb34 #LDB
      %put = exec_unit @put34 #PUT
      datapath #feed_port %tpad to %lda : memory, exec_unit
      datapath #feed_port %tpad to %ldb : memory, exec_unit
      datapath #fifo %lda to %vec : exec_unit, exec_unit
      datapath #fifo %ldb to %vec : exec_unit, exec_unit
      datapath #fifo %vec to %put : exec_unit, exec_unit
      datapath #feed_port %put to %tpad : exec_unit, memory
      %hub = exec_unit @hub34 #HUB
      datapath #pad_port %tpad to %hub : memory, exec_unit
      datapath #pad_port %hub to %tpad : exec_unit, memory
      yield %hub
    } -> exec_unit
    yield %h04, %h14, %h24, %h34
  } -> exec_unit, exec_unit, exec_unit, exec_unit
  %n05, %n15, %n25, %n35 = group @column5 {kind = "column5", kt.role = "column"} share(%dram) {
    %sram = memory @sram5 #SRAM
    %h05 = group @tile05 {kind = "tile05", kt.role = "core", kt.core = 5} share(%sram, %dram) {
      %tpad = memory @tpad05 #TPAD
      %fetch = exec_unit @fetch05 #FETCH
      %lift = exec_unit @lift05 #LIFT
      datapath #dram_port %dram to %fetch : memory, exec_unit
      datapath #sram_port %fetch to %sram : exec_unit, memory
      datapath #sram_port %sram to %lift : memory, exec_unit
      datapath #pad_port %lift to %tpad : exec_unit, memory
      %sink = exec_unit @sink05 #SINK
      %flush = exec_unit @flush05 #FLUSH
      datapath #pad_port %tpad to %sink : memory, exec_unit
      datapath #sram_port %sink to %sram : exec_unit, memory
      datapath #sram_port %sram to %flush : memory, exec_unit
      datapath #dram_port %flush to %dram : exec_unit, memory
      %vec = group {kind = "ENGINE"} share() {
        %vrf = memory @vrf05 #VRF
        %unit = exec_unit @vec05 #VEC
        yield %unit
      } -> exec_unit
      %lda = exec_unit @lda05 #LDA
      %ldb = exec_unit @ldb05 #LDB
      %put = exec_unit @put05 #PUT
      datapath #feed_port %tpad to %lda : memory, exec_unit
      datapath #feed_port %tpad to %ldb : memory, exec_unit
      datapath #fifo %lda to %vec : exec_unit, exec_unit
      datapath #fifo %ldb to %vec : exec_unit, exec_unit
      datapath #fifo %vec to %put : exec_unit, exec_unit
      datapath #feed_port %put to %tpad : exec_unit, memory
      %hub = exec_unit @hub05 #HUB
      datapath #pad_port %tpad to %hub : memory, exec_unit
      datapath #pad_port %hub to %tpad : exec_unit, memory
      yield %hub
    } -> exec_unit
    %h15 = group @tile15 {kind = "tile15", kt.role = "core", kt.core = 13} share(%sram, %dram) {
      %tpad = memory @tpad15 #TPAD
      %fetch = exec_unit @fetch15 #FETCH
      %lift = exec_unit @lift15 #LIFT
      datapath #dram_port %dram to %fetch : memory, exec_unit
      datapath #sram_port %fetch to %sram : exec_unit, memory
      datapath #sram_port %sram to %lift : memory, exec_unit
      datapath #pad_port %lift to %tpad : exec_unit, memory
      %sink = exec_unit @sink15 #SINK
      %flush = exec_unit @flush15 #FLUSH
      datapath #pad_port %tpad to %sink : memory, exec_unit
      datapath #sram_port %sink to %sram : exec_unit, memory
      datapath #sram_port %sram to %flush : memory, exec_unit
      datapath #dram_port %flush to %dram : exec_unit, memory
      %vec = group {kind = "ENGINE"} share() {
        %vrf = memory @vrf15 #VRF
        %unit = exec_unit @vec15 #VEC
        yield %unit
      } -> exec_unit
      %lda = exec_unit @lda15 #LDA
      %ldb = exec_unit @ldb15 #LDB
      %put = exec_unit @put15 #PUT
      datapath #feed_port %tpad to %lda : memory, exec_unit
      datapath #feed_port %tpad to %ldb : memory, exec_unit
      datapath #fifo %lda to %vec : exec_unit, exec_unit
      datapath #fifo %ldb to %vec : exec_unit, exec_unit
      datapath #fifo %vec to %put : exec_unit, exec_unit
      datapath #feed_port %put to %tpad : exec_unit, memory
      %hub = exec_unit @hub15 #HUB
      datapath #pad_port %tpad to %hub : memory, exec_unit
      datapath #pad_port %hub to %tpad : exec_unit, memory
      yield %hub
    } -> exec_unit
    %h25 = group @tile25 {kind = "tile25", kt.role = "core", kt.core = 21} share(%sram, %dram) {
      %tpad = memory @tpad25 #TPAD
      %fetch = exec_unit @fetch25 #FETCH
      %lift = exec_unit @lift25 #LIFT
      datapath #dram_port %dram to %fetch : memory, exec_unit
      datapath #sram_port %fetch to %sram : exec_unit, memory
      datapath #sram_port %sram to %lift : memory, exec_unit
      datapath #pad_port %lift to %tpad : exec_unit, memory
      %sink = exec_unit @sink25 #SINK
      %flush = exec_unit @flush25 #FLUSH
      datapath #pad_port %tpad to %sink : memory, exec_unit
      datapath #sram_port %sink to %sram : exec_unit, memory
      datapath #sram_port %sram to %flush : memory, exec_unit
      datapath #dram_port %flush to %dram : exec_unit, memory
      %vec = group {kind = "ENGINE"} share() {
        %vrf = memory @vrf25 #VRF
        %unit = exec_unit @vec25 #VEC
        yield %unit
      } -> exec_unit
      %lda = exec_unit @lda25 #LDA
      %ldb = exec_unit @ldb25 #LDB
      %put = exec_unit @put25 #PUT
      datapath #feed_port %tpad to %lda : memory, exec_unit
      datapath #feed_port %tpad to %ldb : memory, exec_unit
      datapath #fifo %lda to %vec : exec_unit, exec_unit
      datapath #fifo %ldb to %vec : exec_unit, exec_unit
      datapath #fifo %vec to %put : exec_unit, exec_unit
      datapath #feed_port %put to %tpad : exec_unit, memory
      %hub = exec_unit @hub25 #HUB
      datapath #pad_port %tpad to %hub : memory, exec_unit
      datapath #pad_port %hub to %tpad : exec_unit, memory
      yield %hub
    } -> exec_unit
    %h35 = group @tile35 {kind = "tile35", kt.role = "core", kt.core = 29} share(%sram, %dram) {
      %tpad = memory @tpad35 #TPAD
      %fetch = exec_unit @fetch35 #FETCH
      %lift = exec_unit @lift35 #LIFT
      datapath #dram_port %dram to %fetch : memory, exec_unit
      datapath #sram_port %fetch to %sram : exec_unit, memory
      datapath #sram_port %sram to %lift : memory, exec_unit
      datapath #pad_port %lift to %tpad : exec_unit, memory
      %sink = exec_unit @sink35 #SINK
      %flush = exec_unit @flush35 #FLUSH
      datapath #pad_port %tpad to %sink : memory, exec_unit
      datapath #sram_port %sink to %sram : exec_unit, memory
      datapath #sram_port %sram to %flush : memory, exec_unit
      datapath #dram_port %flush to %dram : exec_unit, memory
      %vec = group {kind = "ENGINE"} share() {
        %vrf = memory @vrf35 #VRF
        %unit = exec_unit @vec35 #VEC
        yield %unit
      } -> exec_unit
      %lda = exec_unit @lda35 #LDA
      %ldb = exec_unit @ldb35 #LDB
      %put = exec_unit @put35 #PUT
      datapath #feed_port %tpad to %lda : memory, exec_unit
      datapath #feed_port %tpad to %ldb : memory, exec_unit
      datapath #fifo %lda to %vec : exec_unit, exec_unit
      datapath #fifo %ldb to %vec : exec_unit, exec_unit
      datapath #fifo %vec to %put : exec_unit, exec_unit
      datapath #feed_port %put to %tpad : exec_unit, memory
      %hub = exec_unit @hub35 #HUB
      datapath #pad_port %tpad to %hub : memory, exec_unit
      datapath #pad_port %hub to %tpad : exec_unit, memory
      yield %hub
    } -> exec_unit
    yield %h05, %h15, %h25, %h35
  } -> exec_unit, exec_unit, exec_unit, exec_unit
  %n06, %n16, %n26, %n36 = group @column6 {kind = "column6", kt.role = "column"} share(%dram) {
    %sram = memory @sram6 #SRAM
    %h06 = group @tile06 {kind = "tile06", kt.role = "core", kt.core = 6} share(%sram, %dram) {
      %tpad = memory @tpad06 #TPAD
      %fetch = exec_unit @fetch06 #FETCH
      %lift = exec_unit @lift06 #LIFT
      datapath #dram_port %dram to %fetch : memory, exec_unit
      datapath #sram_port %fetch to %sram : exec_unit, memory
      datapath #sram_port %sram to %lift : memory, exec_unit
      datapath #pad_port %lift to %tpad : exec_unit, memory
      %sink = exec_unit @sink06 #SINK
      %flush = exec_unit @flush06 #FLUSH
      datapath #pad_port %tpad to %sink : memory, exec_unit
      datapath #sram_port %sink to %sram : exec_unit, memory
      datapath #sram_port %sram to %flush : memory, exec_unit
      datapath #dram_port %flush to %dram : exec_unit, memory
      %vec = group {kind = "ENGINE"} share() {
        %vrf = memory @vrf06 #VRF
        %unit = exec_unit @vec06 #VEC
        yield %unit
      } -> exec_unit
      %lda = exec_unit @lda06 #LDA
      %ldb = exec_unit @ldb06 #LDB
      %put = exec_unit @put06 #PUT
      datapath #feed_port %tpad to %lda : memory, exec_unit
      datapath #feed_port %tpad to %ldb : memory, exec_unit
      datapath #fifo %lda to %vec : exec_unit, exec_unit
      datapath #fifo %ldb to %vec : exec_unit, exec_unit
      datapath #fifo %vec to %put : exec_unit, exec_unit
      datapath #feed_port %put to %tpad : exec_unit, memory
      %hub = exec_unit @hub06 #HUB
      datapath #pad_port %tpad to %hub : memory, exec_unit
      datapath #pad_port %hub to %tpad : exec_unit, memory
      yield %hub
    } -> exec_unit
    %h16 = group @tile16 {kind = "tile16", kt.role = "core", kt.core = 14} share(%sram, %dram) {
      %tpad = memory @tpad16 #TPAD
      %fetch = exec_unit @fetch16 #FETCH
      %lift = exec_unit @lift16 #LIFT
      datapath #dram_port %dram to %fetch : memory, exec_unit
      datapath #sram_port %fetch to %sram : exec_unit, memory
      datapath #sram_port %sram to %lift : memory, exec_unit
      datapath #pad_port %lift to %tpad : exec_unit, memory
      %sink = exec_unit @sink16 #SINK
      %flush = exec_unit @flush16 #FLUSH
      datapath #pad_port %tpad to %sink : memory, exec_unit
      datapath #sram_port %sink to %sram : exec_unit, memory
      datapath #sram_port %sram to %flush : memory, exec_unit
      datapath #dram_port %flush to %dram : exec_unit, memory
      %vec = group {kind = "ENGINE"} share() {
        %vrf = memory @vrf16 #VRF
        %unit = exec_unit @vec16 #VEC
        yield %unit
      } -> exec_unit
      %lda = exec_unit @lda16 #LDA
      %ldb = exec_unit @ldb16 #LDB
      %put = exec_unit @put16 #PUT
      datapath #feed_port %tpad to %lda : memory, exec_unit
      datapath #feed_port %tpad to %ldb : memory, exec_unit
      datapath #fifo %lda to %vec : exec_unit, exec_unit
      datapath #fifo %ldb to %vec : exec_unit, exec_unit
      datapath #fifo %vec to %put : exec_unit, exec_unit
      datapath #feed_port %put to %tpad : exec_unit, memory
      %hub = exec_unit @hub16 #HUB
      datapath #pad_port %tpad to %hub : memory, exec_unit
      datapath #pad_port %hub to %tpad : exec_unit, memory
      yield %hub
    } -> exec_unit
    %h26 = group @tile26 {kind = "tile26", kt.role = "core", kt.core = 22} share(%sram, %dram) {
      %tpad = memory @tpad26 #TPAD
      %fetch = exec_unit @fetch26 #FETCH
      %lift = exec_unit @lift26 #LIFT
      datapath #dram_port %dram to %fetch : memory, exec_unit
      datapath #sram_port %fetch to %sram : exec_unit, memory
      datapath #sram_port %sram to %lift : memory, exec_unit
      datapath #pad_port %lift to %tpad : exec_unit, memory
      %sink = exec_unit @sink26 #SINK
      %flush = exec_unit @flush26 #FLUSH
      datapath #pad_port %tpad to %sink : memory, exec_unit
      datapath #sram_port %sink to %sram : exec_unit, memory
      datapath #sram_port %sram to %flush : memory, exec_unit
      datapath #dram_port %flush to %dram : exec_unit, memory
      %vec = group {kind = "ENGINE"} share() {
        %vrf = memory @vrf26 #VRF
        %unit = exec_unit @vec26 #VEC
        yield %unit
      } -> exec_unit
      %lda = exec_unit @lda26 #LDA
      %ldb = exec_unit @ldb26 #LDB
      %put = exec_unit @put26 #PUT
      datapath #feed_port %tpad to %lda : memory, exec_unit
      datapath #feed_port %tpad to %ldb : memory, exec_unit
      datapath #fifo %lda to %vec : exec_unit, exec_unit
      datapath #fifo %ldb to %vec : exec_unit, exec_unit
      datapath #fifo %vec to %put : exec_unit, exec_unit
      datapath #feed_port %put to %tpad : exec_unit, memory
      %hub = exec_unit @hub26 #HUB
      datapath #pad_port %tpad to %hub : memory, exec_unit
      datapath #pad_port %hub to %tpad : exec_unit, memory
      yield %hub
    } -> exec_unit
    %h36 = group @tile36 {kind = "tile36", kt.role = "core", kt.core = 30} share(%sram, %dram) {
      %tpad = memory @tpad36 #TPAD
      %fetch = exec_unit @fetch36 #FETCH
      %lift = exec_unit @lift36 #LIFT
      datapath #dram_port %dram to %fetch : memory, exec_unit
      datapath #sram_port %fetch to %sram : exec_unit, memory
      datapath #sram_port %sram to %lift : memory, exec_unit
      datapath #pad_port %lift to %tpad : exec_unit, memory
      %sink = exec_unit @sink36 #SINK
      %flush = exec_unit @flush36 #FLUSH
      datapath #pad_port %tpad to %sink : memory, exec_unit
      datapath #sram_port %sink to %sram : exec_unit, memory
      datapath #sram_port %sram to %flush : memory, exec_unit
      datapath #dram_port %flush to %dram : exec_unit, memory
      %vec = group {kind = "ENGINE"} share() {
        %vrf = memory @vrf36 #VRF
        %unit = exec_unit @vec36 #VEC
        yield %unit
      } -> exec_unit
      %lda = exec_unit @lda36 #LDA
      %ldb = exec_unit @ldb36 #LDB
      %put = exec_unit @put36 #PUT
      datapath #feed_port %tpad to %lda : memory, exec_unit
      datapath #feed_port %tpad to %ldb : memory, exec_unit
      datapath #fifo %lda to %vec : exec_unit, exec_unit
      datapath #fifo %ldb to %vec : exec_unit, exec_unit
      datapath #fifo %vec to %put : exec_unit, exec_unit
      datapath #feed_port %put to %tpad : exec_unit, memory
      %hub = exec_unit @hub36 #HUB
      datapath #pad_port %tpad to %hub : memory, exec_unit
      datapath #pad_port %hub to %tpad : exec_unit, memory
      yield %hub
    } -> exec_unit
    yield %h06, %h16, %h26, %h36
  } -> exec_unit, exec_unit, exec_unit, exec_unit
  %n07, %n17, %n27, %n37 = group @column7 {kind = "column7", kt.role = "column"} share(%dram) {
    %sram = memory @sram7 #SRAM
    %h07 = group @tile07 {kind = "tile07", kt.role = "core", kt.core = 7} share(%sram, %dram) {
      %tpad = memory @tpad07 #TPAD
      %fetch = exec_unit @fetch07 #FETCH
      %lift = exec_unit @lift07 #LIFT
      datapath #dram_port %dram to %fetch : memory, exec_unit
      datapath #sram_port %fetch to %sram : exec_unit, memory
      datapath #sram_port %sram to %lift : memory, exec_unit
      datapath #pad_port %lift to %tpad : exec_unit, memory
      %sink = exec_unit @sink07 #SINK
      %flush = exec_unit @flush07 #FLUSH
      datapath #pad_port %tpad to %sink : memory, exec_unit
      datapath #sram_port %sink to %sram : exec_unit, memory
      datapath #sram_port %sram to %flush : memory, exec_unit
      datapath #dram_port %flush to %dram : exec_unit, memory
      %vec = group {kind = "ENGINE"} share() {
        %vrf = memory @vrf07 #VRF
        %unit = exec_unit @vec07 #VEC
        yield %unit
      } -> exec_unit
      %lda = exec_unit @lda07 #LDA
      %ldb = exec_unit @ldb07 #LDB
      %put = exec_unit @put07 #PUT
      datapath #feed_port %tpad to %lda : memory, exec_unit
      datapath #feed_port %tpad to %ldb : memory, exec_unit
      datapath #fifo %lda to %vec : exec_unit, exec_unit
      datapath #fifo %ldb to %vec : exec_unit, exec_unit
      datapath #fifo %vec to %put : exec_unit, exec_unit
      datapath #feed_port %put to %tpad : exec_unit, memory
      %hub = exec_unit @hub07 #HUB
      datapath #pad_port %tpad to %hub : memory, exec_unit
      datapath #pad_port %hub to %tpad : exec_unit, memory
      yield %hub
    } -> exec_unit
    %h17 = group @tile17 {kind = "tile17", kt.role = "core", kt.core = 15} share(%sram, %dram) {
      %tpad = memory @tpad17 #TPAD
      %fetch = exec_unit @fetch17 #FETCH
      %lift = exec_unit @lift17 #LIFT
      datapath #dram_port %dram to %fetch : memory, exec_unit
      datapath #sram_port %fetch to %sram : exec_unit, memory
      datapath #sram_port %sram to %lift : memory, exec_unit
      datapath #pad_port %lift to %tpad : exec_unit, memory
      %sink = exec_unit @sink17 #SINK
      %flush = exec_unit @flush17 #FLUSH
      datapath #pad_port %tpad to %sink : memory, exec_unit
      datapath #sram_port %sink to %sram : exec_unit, memory
      datapath #sram_port %sram to %flush : memory, exec_unit
      datapath #dram_port %flush to %dram : exec_unit, memory
      %vec = group {kind = "ENGINE"} share() {
        %vrf = memory @vrf17 #VRF
        %unit = exec_unit @vec17 #VEC
        yield %unit
      } -> exec_unit
      %lda = exec_unit @lda17 #LDA
      %ldb = exec_unit @ldb17 #LDB
      %put = exec_unit @put17 #PUT
      datapath #feed_port %tpad to %lda : memory, exec_unit
      datapath #feed_port %tpad to %ldb : memory, exec_unit
      datapath #fifo %lda to %vec : exec_unit, exec_unit
      datapath #fifo %ldb to %vec : exec_unit, exec_unit
      datapath #fifo %vec to %put : exec_unit, exec_unit
      datapath #feed_port %put to %tpad : exec_unit, memory
      %hub = exec_unit @hub17 #HUB
      datapath #pad_port %tpad to %hub : memory, exec_unit
      datapath #pad_port %hub to %tpad : exec_unit, memory
      yield %hub
    } -> exec_unit
    %h27 = group @tile27 {kind = "tile27", kt.role = "core", kt.core = 23} share(%sram, %dram) {
      %tpad = memory @tpad27 #TPAD
      %fetch = exec_unit @fetch27 #FETCH
      %lift = exec_unit @lift27 #LIFT
      datapath #dram_port %dram to %fetch : memory, exec_unit
      datapath #sram_port %fetch to %sram : exec_unit, memory
      datapath #sram_port %sram to %lift : memory, exec_unit
      datapath #pad_port %lift to %tpad : exec_unit, memory
      %sink = exec_unit @sink27 #SINK
      %flush = exec_unit @flush27 #FLUSH
      datapath #pad_port %tpad to %sink : memory, exec_unit
      datapath #sram_port %sink to %sram : exec_unit, memory
      datapath #sram_port %sram to %flush : memory, exec_unit
      datapath #dram_port %flush to %dram : exec_unit, memory
      %vec = group {kind = "ENGINE"} share() {
        %vrf = memory @vrf27 #VRF
        %unit = exec_unit @vec27 #VEC
        yield %unit
      } -> exec_unit
      %lda = exec_unit @lda27 #LDA
      %ldb = exec_unit @ldb27 #LDB
      %put = exec_unit @put27 #PUT
      datapath #feed_port %tpad to %lda : memory, exec_unit
      datapath #feed_port %tpad to %ldb : memory, exec_unit
      datapath #fifo %lda to %vec : exec_unit, exec_unit
      datapath #fifo %ldb to %vec : exec_unit, exec_unit
      datapath #fifo %vec to %put : exec_unit, exec_unit
      datapath #feed_port %put to %tpad : exec_unit, memory
      %hub = exec_unit @hub27 #HUB
      datapath #pad_port %tpad to %hub : memory, exec_unit
      datapath #pad_port %hub to %tpad : exec_unit, memory
      yield %hub
    } -> exec_unit
    %h37 = group @tile37 {kind = "tile37", kt.role = "core", kt.core = 31} share(%sram, %dram) {
      %tpad = memory @tpad37 #TPAD
      %fetch = exec_unit @fetch37 #FETCH
      %lift = exec_unit @lift37 #LIFT
      datapath #dram_port %dram to %fetch : memory, exec_unit
      datapath #sram_port %fetch to %sram : exec_unit, memory
      datapath #sram_port %sram to %lift : memory, exec_unit
      datapath #pad_port %lift to %tpad : exec_unit, memory
      %sink = exec_unit @sink37 #SINK
      %flush = exec_unit @flush37 #FLUSH
      datapath #pad_port %tpad to %sink : memory, exec_unit
      datapath #sram_port %sink to %sram : exec_unit, memory
      datapath #sram_port %sram to %flush : memory, exec_unit
      datapath #dram_port %flush to %dram : exec_unit, memory
      %vec = group {kind = "ENGINE"} share() {
        %vrf = memory @vrf37 #VRF
        %unit = exec_unit @vec37 #VEC
        yield %unit
      } -> exec_unit
      %lda = exec_unit @lda37 #LDA
      %ldb = exec_unit @ldb37 #LDB
      %put = exec_unit @put37 #PUT
      datapath #feed_port %tpad to %lda : memory, exec_unit
      datapath #feed_port %tpad to %ldb : memory, exec_unit
      datapath #fifo %lda to %vec : exec_unit, exec_unit
      datapath #fifo %ldb to %vec : exec_unit, exec_unit
      datapath #fifo %vec to %put : exec_unit, exec_unit
      datapath #feed_port %put to %tpad : exec_unit, memory
      %hub = exec_unit @hub37 #HUB
      datapath #pad_port %tpad to %hub : memory, exec_unit
      datapath #pad_port %hub to %tpad : exec_unit, memory
      yield %hub
    } -> exec_unit
    yield %h07, %h17, %h27, %h37
  } -> exec_unit, exec_unit, exec_unit, exec_unit

  // -------------------------------------------------------------------- mesh ---
  // East and west within a row, south and north within a column; nothing leads around the edge.
  datapath @east00 #hop %n00 to %n01 : exec_unit, exec_unit
  datapath @west01 #hop %n01 to %n00 : exec_unit, exec_unit
  datapath @east01 #hop %n01 to %n02 : exec_unit, exec_unit
  datapath @west02 #hop %n02 to %n01 : exec_unit, exec_unit
  datapath @east02 #hop %n02 to %n03 : exec_unit, exec_unit
  datapath @west03 #hop %n03 to %n02 : exec_unit, exec_unit
  datapath @east03 #hop %n03 to %n04 : exec_unit, exec_unit
  datapath @west04 #hop %n04 to %n03 : exec_unit, exec_unit
  datapath @east04 #hop %n04 to %n05 : exec_unit, exec_unit
  datapath @west05 #hop %n05 to %n04 : exec_unit, exec_unit
  datapath @east05 #hop %n05 to %n06 : exec_unit, exec_unit
  datapath @west06 #hop %n06 to %n05 : exec_unit, exec_unit
  datapath @east06 #hop %n06 to %n07 : exec_unit, exec_unit
  datapath @west07 #hop %n07 to %n06 : exec_unit, exec_unit
  datapath @east10 #hop %n10 to %n11 : exec_unit, exec_unit
  datapath @west11 #hop %n11 to %n10 : exec_unit, exec_unit
  datapath @east11 #hop %n11 to %n12 : exec_unit, exec_unit
  datapath @west12 #hop %n12 to %n11 : exec_unit, exec_unit
  datapath @east12 #hop %n12 to %n13 : exec_unit, exec_unit
  datapath @west13 #hop %n13 to %n12 : exec_unit, exec_unit
  datapath @east13 #hop %n13 to %n14 : exec_unit, exec_unit
  datapath @west14 #hop %n14 to %n13 : exec_unit, exec_unit
  datapath @east14 #hop %n14 to %n15 : exec_unit, exec_unit
  datapath @west15 #hop %n15 to %n14 : exec_unit, exec_unit
  datapath @east15 #hop %n15 to %n16 : exec_unit, exec_unit
  datapath @west16 #hop %n16 to %n15 : exec_unit, exec_unit
  datapath @east16 #hop %n16 to %n17 : exec_unit, exec_unit
  datapath @west17 #hop %n17 to %n16 : exec_unit, exec_unit
  datapath @east20 #hop %n20 to %n21 : exec_unit, exec_unit
  datapath @west21 #hop %n21 to %n20 : exec_unit, exec_unit
  datapath @east21 #hop %n21 to %n22 : exec_unit, exec_unit
  datapath @west22 #hop %n22 to %n21 : exec_unit, exec_unit
  datapath @east22 #hop %n22 to %n23 : exec_unit, exec_unit
  datapath @west23 #hop %n23 to %n22 : exec_unit, exec_unit
  datapath @east23 #hop %n23 to %n24 : exec_unit, exec_unit
  datapath @west24 #hop %n24 to %n23 : exec_unit, exec_unit
  datapath @east24 #hop %n24 to %n25 : exec_unit, exec_unit
  datapath @west25 #hop %n25 to %n24 : exec_unit, exec_unit
  datapath @east25 #hop %n25 to %n26 : exec_unit, exec_unit
  datapath @west26 #hop %n26 to %n25 : exec_unit, exec_unit
  datapath @east26 #hop %n26 to %n27 : exec_unit, exec_unit
  datapath @west27 #hop %n27 to %n26 : exec_unit, exec_unit
  datapath @east30 #hop %n30 to %n31 : exec_unit, exec_unit
  datapath @west31 #hop %n31 to %n30 : exec_unit, exec_unit
  datapath @east31 #hop %n31 to %n32 : exec_unit, exec_unit
  datapath @west32 #hop %n32 to %n31 : exec_unit, exec_unit
  datapath @east32 #hop %n32 to %n33 : exec_unit, exec_unit
  datapath @west33 #hop %n33 to %n32 : exec_unit, exec_unit
  datapath @east33 #hop %n33 to %n34 : exec_unit, exec_unit
  datapath @west34 #hop %n34 to %n33 : exec_unit, exec_unit
  datapath @east34 #hop %n34 to %n35 : exec_unit, exec_unit
  datapath @west35 #hop %n35 to %n34 : exec_unit, exec_unit
  datapath @east35 #hop %n35 to %n36 : exec_unit, exec_unit
  datapath @west36 #hop %n36 to %n35 : exec_unit, exec_unit
  datapath @east36 #hop %n36 to %n37 : exec_unit, exec_unit
  datapath @west37 #hop %n37 to %n36 : exec_unit, exec_unit
  datapath @south00 #hop %n00 to %n10 : exec_unit, exec_unit
  datapath @north10 #hop %n10 to %n00 : exec_unit, exec_unit
  datapath @south10 #hop %n10 to %n20 : exec_unit, exec_unit
  datapath @north20 #hop %n20 to %n10 : exec_unit, exec_unit
  datapath @south20 #hop %n20 to %n30 : exec_unit, exec_unit
  datapath @north30 #hop %n30 to %n20 : exec_unit, exec_unit
  datapath @south01 #hop %n01 to %n11 : exec_unit, exec_unit
  datapath @north11 #hop %n11 to %n01 : exec_unit, exec_unit
  datapath @south11 #hop %n11 to %n21 : exec_unit, exec_unit
  datapath @north21 #hop %n21 to %n11 : exec_unit, exec_unit
  datapath @south21 #hop %n21 to %n31 : exec_unit, exec_unit
  datapath @north31 #hop %n31 to %n21 : exec_unit, exec_unit
  datapath @south02 #hop %n02 to %n12 : exec_unit, exec_unit
  datapath @north12 #hop %n12 to %n02 : exec_unit, exec_unit
  datapath @south12 #hop %n12 to %n22 : exec_unit, exec_unit
  datapath @north22 #hop %n22 to %n12 : exec_unit, exec_unit
  datapath @south22 #hop %n22 to %n32 : exec_unit, exec_unit
  datapath @north32 #hop %n32 to %n22 : exec_unit, exec_unit
  datapath @south03 #hop %n03 to %n13 : exec_unit, exec_unit
  datapath @north13 #hop %n13 to %n03 : exec_unit, exec_unit
  datapath @south13 #hop %n13 to %n23 : exec_unit, exec_unit
  datapath @north23 #hop %n23 to %n13 : exec_unit, exec_unit
  datapath @south23 #hop %n23 to %n33 : exec_unit, exec_unit
  datapath @north33 #hop %n33 to %n23 : exec_unit, exec_unit
  datapath @south04 #hop %n04 to %n14 : exec_unit, exec_unit
  datapath @north14 #hop %n14 to %n04 : exec_unit, exec_unit
  datapath @south14 #hop %n14 to %n24 : exec_unit, exec_unit
  datapath @north24 #hop %n24 to %n14 : exec_unit, exec_unit
  datapath @south24 #hop %n24 to %n34 : exec_unit, exec_unit
  datapath @north34 #hop %n34 to %n24 : exec_unit, exec_unit
  datapath @south05 #hop %n05 to %n15 : exec_unit, exec_unit
  datapath @north15 #hop %n15 to %n05 : exec_unit, exec_unit
  datapath @south15 #hop %n15 to %n25 : exec_unit, exec_unit
  datapath @north25 #hop %n25 to %n15 : exec_unit, exec_unit
  datapath @south25 #hop %n25 to %n35 : exec_unit, exec_unit
  datapath @north35 #hop %n35 to %n25 : exec_unit, exec_unit
  datapath @south06 #hop %n06 to %n16 : exec_unit, exec_unit
  datapath @north16 #hop %n16 to %n06 : exec_unit, exec_unit
  datapath @south16 #hop %n16 to %n26 : exec_unit, exec_unit
  datapath @north26 #hop %n26 to %n16 : exec_unit, exec_unit
  datapath @south26 #hop %n26 to %n36 : exec_unit, exec_unit
  datapath @north36 #hop %n36 to %n26 : exec_unit, exec_unit
  datapath @south07 #hop %n07 to %n17 : exec_unit, exec_unit
  datapath @north17 #hop %n17 to %n07 : exec_unit, exec_unit
  datapath @south17 #hop %n17 to %n27 : exec_unit, exec_unit
  datapath @north27 #hop %n27 to %n17 : exec_unit, exec_unit
  datapath @south27 #hop %n27 to %n37 : exec_unit, exec_unit
  datapath @north37 #hop %n37 to %n27 : exec_unit, exec_unit

  // ------------------------------------------------------------- patterns ---
  // Roots and reciprocals are instructions of the engine; the templates stand at the end.
  patterns ["pre_mapping"] {
    pdl.pattern : benefit(1) {
      %t = type
      %x = operand : %t
      %op = operation "spyreop.sqrt"(%x : !pdl.value) -> (%t : !pdl.type)
      rewrite %op {
        %name = attribute = "SQRT"
        %y = apply_native_rewrite "kt.template"(%op, %name : !pdl.operation, !pdl.attribute) : !pdl.range<value>
        replace %op with (%y : !pdl.range<value>)
      }
    }
    pdl.pattern : benefit(1) {
      %t = type
      %x = operand : %t
      %op = operation "spyreop.rsqrt"(%x : !pdl.value) -> (%t : !pdl.type)
      rewrite %op {
        %name = attribute = "RSQRT"
        %y = apply_native_rewrite "kt.template"(%op, %name : !pdl.operation, !pdl.attribute) : !pdl.range<value>
        replace %op with (%y : !pdl.range<value>)
      }
    }
    pdl.pattern : benefit(1) {
      %t = type
      %x = operand : %t
      %op = operation "spyreop.reciprocal"(%x : !pdl.value) -> (%t : !pdl.type)
      rewrite %op {
        %name = attribute = "RECIP"
        %y = apply_native_rewrite "kt.template"(%op, %name : !pdl.operation, !pdl.attribute) : !pdl.range<value>
        replace %op with (%y : !pdl.range<value>)
      }
    }
  }
  // All other intrinsics are built from arithmetic, e^x from additions and multiplications. That
  // happens before kernels are cut into vectors, as it computes in f32: 16 lanes instead of 32.
  patterns ["pre_mapping"] attributes {kt.import = "kt:patterns/intrinsics"} {}
  patterns ["pre_mapping"] attributes {kt.import = "kt:patterns/exp"} {}
  // Statistics in pairs are instructions.
  patterns ["pre_scheduling"] attributes {kt.import = "kt:patterns/statistics"} {}
  // The engine multiplies and adds in one instruction.
  patterns ["post_scheduling"] attributes {kt.import = "kt:patterns/fused_multiply_add"} {}
}

// ------------------------------------------------------------- templates ---
// The engine's own instructions work in double length, and round once.

func.func private @SQRT_f32(%x: f32) -> f32 attributes {kt.template, kt.ulp = 1} {
  %w = arith.extf %x : f32 to f64
  %s = math.sqrt %w : f64
  %y = arith.truncf %s : f64 to f32
  return %y : f32
}
func.func private @RSQRT_f32(%x: f32) -> f32 attributes {kt.template, kt.ulp = 1} {
  %w = arith.extf %x : f32 to f64
  %s = math.rsqrt %w : f64
  %y = arith.truncf %s : f64 to f32
  return %y : f32
}
func.func private @RECIP_f32(%x: f32) -> f32 attributes {kt.template, kt.ulp = 1} {
  %one = arith.constant 1.0 : f64
  %w = arith.extf %x : f32 to f64
  %s = arith.divf %one, %w : f64
  %y = arith.truncf %s : f64 to f32
  return %y : f32
}

// The same instructions on halves.
func.func private @SQRT_f16(%x: f16) -> f16 attributes {kt.template, kt.ulp = 1} {
  %x_w = arith.extf %x : f16 to f32
  %y = func.call @SQRT_f32(%x_w) : (f32) -> f32
  %n0 = arith.truncf %y : f32 to f16
  return %n0 : f16
}
func.func private @SQRT_df16(%x: !spyreop.df16) -> !spyreop.df16 attributes {kt.template, kt.ulp = 1} {
  %x_w = arith.extf %x : !spyreop.df16 to f32
  %y = func.call @SQRT_f32(%x_w) : (f32) -> f32
  %n0 = arith.truncf %y : f32 to !spyreop.df16
  return %n0 : !spyreop.df16
}
func.func private @RSQRT_f16(%x: f16) -> f16 attributes {kt.template, kt.ulp = 1} {
  %x_w = arith.extf %x : f16 to f32
  %y = func.call @RSQRT_f32(%x_w) : (f32) -> f32
  %n0 = arith.truncf %y : f32 to f16
  return %n0 : f16
}
func.func private @RSQRT_df16(%x: !spyreop.df16) -> !spyreop.df16 attributes {kt.template, kt.ulp = 1} {
  %x_w = arith.extf %x : !spyreop.df16 to f32
  %y = func.call @RSQRT_f32(%x_w) : (f32) -> f32
  %n0 = arith.truncf %y : f32 to !spyreop.df16
  return %n0 : !spyreop.df16
}
func.func private @RECIP_f16(%x: f16) -> f16 attributes {kt.template, kt.ulp = 1} {
  %x_w = arith.extf %x : f16 to f32
  %y = func.call @RECIP_f32(%x_w) : (f32) -> f32
  %n0 = arith.truncf %y : f32 to f16
  return %n0 : f16
}
func.func private @RECIP_df16(%x: !spyreop.df16) -> !spyreop.df16 attributes {kt.template, kt.ulp = 1} {
  %x_w = arith.extf %x : !spyreop.df16 to f32
  %y = func.call @RECIP_f32(%x_w) : (f32) -> f32
  %n0 = arith.truncf %y : f32 to !spyreop.df16
  return %n0 : !spyreop.df16
}
