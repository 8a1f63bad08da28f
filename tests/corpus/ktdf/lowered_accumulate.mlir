func.func @accumulate(%acc: memref<1x8xf16, "PAD">, %feed: index, %vpu: index, %drain: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %n = %c0 to %c4 step %c1 {
    ktdf_lowering.execute_on %feed, %vpu, %drain {
      %to = ktdf.fifo.allocate() -> !ktdf.fifo.slot<"FEED" -> "VPU", 8xf16>
      %from = ktdf.fifo.allocate() -> !ktdf.fifo.slot<"VPU" -> "DRAIN", 8xf16>
      ktdf_lowering.execute_on %feed {
        %later = arith.cmpi ne, %n, %c0 : index
        scf.if %later {
          ktdf_lowering.signal %drain, %feed
        }
        ktdf.data_transfer from %acc[0, 0] size [1, 8] to %to size [8]
          : memref<1x8xf16, "PAD">, !ktdf.fifo.slot<"FEED" -> "VPU", 8xf16>
      }
      ktdf_lowering.execute_on %vpu {
        %v = ktdf.read_from_fifo %to : <"FEED" -> "VPU", 8xf16> -> tensor<1x8xf16>
        ktdf.write_to_fifo %v, %from : tensor<1x8xf16>, <"VPU" -> "DRAIN", 8xf16>
      }
      ktdf_lowering.execute_on %drain {
        ktdf.data_transfer from %from size [8] to %acc[0, 0] size [1, 8]
          : !ktdf.fifo.slot<"VPU" -> "DRAIN", 8xf16>, memref<1x8xf16, "PAD">
        %end = arith.subi %c4, %c1 : index
        %more = arith.cmpi ne, %n, %end : index
        scf.if %more {
          ktdf_lowering.signal %drain, %feed
        }
      }
    }
  }
  return
}
