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

// -----

ktdf_arch.device @demo {
  %pad = memory {kind = "PAD", size = 8192}

  patterns ["post_scheduling"] {
    pdl.pattern : benefit(4) {
      // ---- match: [parallel, reduction] generic, one input, one accumulator
      %maps = attribute = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>]
      %kinds = attribute = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>]
      %sum = attribute = "sum"
      %tin = type
      %tacc = type
      %in = operand : %tin
      %acc = operand : %tacc
      %root = operation "linalg.generic" (%in, %acc : !pdl.value, !pdl.value)
        {"indexing_maps" = %maps, "iterator_types" = %kinds, "kt.combiner" = %sum} -> (%tacc : !pdl.type)
      // the op must demand SIMD lanes, and must not be bound to a unit yet
      %simd = attribute = "ktdf_arch.feature.simd"
      %lanes = apply_native_constraint "ktdf_arch.has_feature" (%root, %simd : !pdl.operation, !pdl.attribute) : !pdl.attribute
      %bound = apply_native_constraint "ktdf_arch.mapped_to" (%root : !pdl.operation) : !pdl.attribute {isNegated = true}
      rewrite %root {
        %name = attribute = "LANE_REDUCE"
        %op = attribute = "sum"
        %seg = attribute = array<i32: 1, 1>
        %unit = attribute = "VPU"
        %new = operation "ktdf.opaque" (%in, %acc : !pdl.value, !pdl.value)
          {"template_name" = %name, "combiner" = %op, "operandSegmentSizes" = %seg} -> (%tacc : !pdl.type)
        apply_native_rewrite "ktdf_arch.map_to" (%new, %unit : !pdl.operation, !pdl.attribute)
        apply_native_rewrite "ktdf_arch.set_feature" (%new, %simd, %lanes : !pdl.operation, !pdl.attribute, !pdl.attribute)
        replace %root with %new
      }
    }
  }
}

#row = affine_map<(d0, d1) -> (d0, d1)>
#one = affine_map<(d0, d1) -> (d0)>

// (this declaration only makes the tool load the ktdf dialect)
func.func private @token_user(!ktdf.token)

func.func @rowsum(%x: tensor<4x8xf16>, %s: tensor<4xf16>) -> (tensor<4xf16>, tensor<4xf16>) {
  %r = linalg.generic {indexing_maps = [#row, #one], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x8xf16>) outs(%s : tensor<4xf16>)
      attrs = {kt.combiner = "sum", ktdf_arch.features = {ktdf_arch.feature.simd = {lanes = #ktdf_arch.map<f16 = 8>}}} {
  ^bb0(%a: f16, %b: f16):
    %t = arith.addf %a, %b : f16
    linalg.yield %t : f16
  } -> tensor<4xf16>
  %q = linalg.generic {indexing_maps = [#row, #one], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x8xf16>) outs(%s : tensor<4xf16>) attrs = {kt.combiner = "max"} {
  ^bb0(%a: f16, %b: f16):
    %t = arith.maximumf %a, %b : f16
    linalg.yield %t : f16
  } -> tensor<4xf16>
  return %r, %q : tensor<4xf16>, tensor<4xf16>
}

// -----

ktdf_arch.device @demo {
  %pad = memory {kind = "PAD", size = 8192}

  patterns {
    // a * b + c  ->  fma(a, b, c)
    pdl.pattern : benefit(2) {
      %ty = type
      %a = operand : %ty
      %b = operand : %ty
      %c = operand : %ty
      %mul = operation "arith.mulf" (%a, %b : !pdl.value, !pdl.value) -> (%ty : !pdl.type)
      %prod = result 0 of %mul
      %add = operation "arith.addf" (%prod, %c : !pdl.value, !pdl.value) -> (%ty : !pdl.type)
      // leave products alone that somebody has bound to a unit
      %pin = apply_native_constraint "ktdf_arch.mapped_to" (%mul : !pdl.operation) : !pdl.attribute {isNegated = true}
      rewrite %add {
        %fma = operation "math.fma" (%a, %b, %c : !pdl.value, !pdl.value, !pdl.value) -> (%ty : !pdl.type)
        replace %add with %fma
      }
    }
    // x * 1.0  ->  x
    pdl.pattern : benefit(9) {
      %ty = type : f16
      %x = operand : %ty
      %onev = attribute = 1.0 : f16
      %oneop = operation "arith.constant" {"value" = %onev} -> (%ty : !pdl.type)
      %one = result 0 of %oneop
      %mul = operation "arith.mulf" (%x, %one : !pdl.value, !pdl.value) -> (%ty : !pdl.type)
      rewrite %mul {
        replace %mul with (%x : !pdl.value)
      }
    }
  }
}

func.func @poly(%x: f16, %y: f16, %z: f16) -> (f16, f16, f16) {
  %one = arith.constant 1.0 : f16
  %p = arith.mulf %x, %y : f16
  %r = arith.addf %p, %z : f16
  %q = arith.mulf %x, %y {ktdf_arch.maps_to = "VPU"} : f16
  %s = arith.addf %q, %z : f16
  %w = math.absf %z : f16
  %u = arith.mulf %w, %one : f16
  return %r, %s, %u : f16, f16, f16
}

// -----

ktdf_arch.device @ranges {
  %m = memory {kind = "M"}
  patterns ["post_lowering"] {
    pdl.pattern : benefit(3) {
      %slow = attribute = @exp_exact
      %types = types
      %args = operands
      %call = operation "func.call" (%args : !pdl.range<value>) {"callee" = %slow} -> (%types : !pdl.range<type>)
      rewrite %call {
        %fast = attribute = @exp_table
        %new = operation "func.call" (%args : !pdl.range<value>) {"callee" = %fast} -> (%types : !pdl.range<type>)
        replace %call with %new
      }
    }
  }
}

func.func private @exp_exact(f16, i32) -> (f16, i1)
func.func private @exp_table(f16, i32) -> (f16, i1)
func.func @user(%x: f16, %n: i32) -> f16 {
  %y:2 = func.call @exp_exact(%x, %n) : (f16, i32) -> (f16, i1)
  return %y#0 : f16
}
