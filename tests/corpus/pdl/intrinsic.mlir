ktdf_arch.device @demo {
  %vreg = memory {kind = "VREG", size = 256}
  %vpu = exec_unit {kind = "VPU", ktdf_arch.features = {ktdf_arch.feature.compute}}

  patterns ["pre_scheduling"] {
    pdl.pattern : benefit(1) {
      // ---- match: spyreop.gelu on one f16 scalar
      %f16 = type : f16
      %x = operand : %f16
      %root = operation "spyreop.gelu" (%x : !pdl.value) -> (%f16 : !pdl.type)
      rewrite %root {
        // ---- constants and types of the replacement
        %index = type : index
        %box = type : tensor<1xf16>
        %zero = attribute = 0 : index
        %name = attribute = "GELU16"
        %steps = attribute = ["SQUARE", "POLY3", "TANH_TAB", "MAC", "MUL"]
        %unit = attribute = "VPU"
        %seg = attribute = array<i32: 1, 1>
        // ---- replacement sequence
        %c0op = operation "arith.constant" {"value" = %zero} -> (%index : !pdl.type)
        %c0 = result 0 of %c0op
        %packop = operation "tensor.from_elements" (%x : !pdl.value) -> (%box : !pdl.type)
        %pack = result 0 of %packop
        %initop = operation "tensor.empty" -> (%box : !pdl.type)
        %init = result 0 of %initop
        %call = operation "ktdf.opaque" (%pack, %init : !pdl.value, !pdl.value)
          {"template_name" = %name, "steps" = %steps, "operandSegmentSizes" = %seg} -> (%box : !pdl.type)
        %out = result 0 of %call
        %get = operation "tensor.extract" (%out, %c0 : !pdl.value, !pdl.value) -> (%f16 : !pdl.type)
        // ---- bind the template to the unit that runs it
        apply_native_rewrite "ktdf_arch.map_to" (%call, %unit : !pdl.operation, !pdl.attribute)
        replace %root with %get
      }
    }
  }
}

#id = affine_map<(d0) -> (d0)>

func.func @act(%slot: !ktdf.fifo.slot<"MAIN" -> "VPU", 8xf16>) -> tensor<8xf16> {
  %in = ktdf.read_from_fifo %slot : <"MAIN" -> "VPU", 8xf16> -> tensor<8xf16>
  %init = tensor.empty() : tensor<8xf16>
  %res = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%in : tensor<8xf16>) outs(%init : tensor<8xf16>) {
  ^bb0(%a: f16, %o: f16):
    %g = spyreop.gelu %a : f16
    %s = spyreop.sigmoid %g : f16
    linalg.yield %s : f16
  } -> tensor<8xf16>
  return %res : tensor<8xf16>
}
