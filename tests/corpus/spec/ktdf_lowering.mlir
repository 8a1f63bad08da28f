ktdf_arch.device @toy import("devices/toy.mlir")

func.func @copy(%src: memref<4x8xf16, "MAIN">, %dst: memref<4x8xf16, "MAIN">) attributes {grid = [2]} {
  // units of both cores, then one query per kind
  %dmai0 = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-dmai", type = "dmai"} : index
  %dmai1 = dataflow.get_unit {core = 1 : i32, corelet = 0 : i32, name = "C1-dmai", type = "dmai"} : index
  %dmao0 = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-dmao", type = "dmao"} : index
  %dmao1 = dataflow.get_unit {core = 1 : i32, corelet = 0 : i32, name = "C1-dmao", type = "dmao"} : index
  %tile = ktdp.get_compute_tile_id : index
  %k0 = arith.constant 0 : index
  %k1 = arith.constant 1 : index
  %min = uniform.def_immutable_mapping([%k0 -> %dmai0], [%k1 -> %dmai1]):index
  %in = uniform.query_map(map:%min, key:%tile) : index
  %mout = uniform.def_immutable_mapping([%k0 -> %dmao0], [%k1 -> %dmao1]):index
  %out = uniform.query_map(map:%mout, key:%tile) : index

  %c4 = arith.constant 4 : index
  scf.for %r = %k0 to %c4 step %k1 {
    ktdf_lowering.execute_on %in, %out {
      // former ktdf.private
      %buf = memref.alloc() : memref<1x8xf16, "PAD">
      %t = ktdf.create_token : !ktdf.token
      // former stage 1
      ktdf_lowering.execute_on %in {
        ktdf.data_transfer from %src[%r, 0] size [1, 8] to %buf[0, 0] size [1, 8]
          : memref<4x8xf16, "MAIN">, memref<1x8xf16, "PAD">
      }
      // DMAI writes PAD, DMAO reads PAD: they must meet
      ktdf_lowering.signal %in, %out
      // former stage 2
      ktdf_lowering.execute_on %out {
        ktdf.data_transfer from %buf[0, 0] size [1, 8] to %dst[%r, 0] size [1, 8]
          : memref<1x8xf16, "PAD">, memref<4x8xf16, "MAIN">
      }
    }
  }
  return
}

// -----

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
