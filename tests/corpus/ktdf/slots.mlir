func.func private @slots(!ktdf.fifo.slot<"FEED" -> "VPU", 8xf16>,
                         !ktdf.fifo.slot<"VPU" -> "DRAIN", ?xf32>,
                         !ktdf.fifo.slot<3 -> f16, 1xi8>)
