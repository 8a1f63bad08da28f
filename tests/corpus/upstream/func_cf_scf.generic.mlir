"builtin.module"() ({
  "func.func"() <{arg_attrs = [{foo.x}, {}], function_type = (i32, i32) -> i32, res_attrs = [{foo.y}], sym_name = "callee", sym_visibility = "private"}> ({
  }) : () -> ()
  "func.func"() <{function_type = (i32) -> i32, sym_name = "cc", sym_visibility = "private"}> ({
  }) {a.b} : () -> ()
  "func.func"() <{function_type = (index, index, f32, i1, tensor<4x8xf32>, i32) -> f32, no_inline, sym_name = "f"}> ({
  ^bb0(%arg0: index, %arg1: index, %arg2: f32, %arg3: i1, %arg4: tensor<4x8xf32>, %arg5: i32):
    "scf.parallel"(%arg0, %arg0, %arg1, %arg1, %arg0, %arg1) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
    ^bb0(%arg25: index, %arg26: index):
      "scf.reduce"() : () -> ()
    }) : (index, index, index, index, index, index) -> ()
    "scf.parallel"(%arg0, %arg1, %arg0) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
    ^bb0(%arg24: index):
      %17 = "arith.addf"(%arg2, %arg2) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "scf.reduce"() : () -> ()
    }) : (index, index, index) -> ()
    %0:2 = "scf.parallel"(%arg0, %arg1, %arg0, %arg2, %arg2) <{operandSegmentSizes = array<i32: 1, 1, 1, 2>}> ({
    ^bb0(%arg19: index):
      "scf.reduce"(%arg2, %arg2) ({
      ^bb0(%arg22: f32, %arg23: f32):
        %16 = "arith.addf"(%arg22, %arg23) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
        "scf.reduce.return"(%16) : (f32) -> ()
      }, {
      ^bb0(%arg20: f32, %arg21: f32):
        "scf.reduce.return"(%arg20) : (f32) -> ()
      }) : (f32, f32) -> ()
    }) : (index, index, index, f32, f32) -> (f32, f32)
    %1:2 = "scf.while"(%arg2, %arg0) ({
    ^bb0(%arg17: f32, %arg18: index):
      "scf.condition"(%arg3, %arg2, %arg5) : (i1, f32, i32) -> ()
    }, {
    ^bb0(%arg15: f32, %arg16: i32):
      "scf.yield"(%arg15, %arg0) : (f32, index) -> ()
    }) : (f32, index) -> (f32, i32)
    "scf.while"() ({
      "scf.condition"(%arg3) : (i1) -> ()
    }, {
      "scf.yield"() : () -> ()
    }) {a.b = 1 : i64} : () -> ()
    %2 = "scf.execute_region"() ({
      "cf.br"()[^bb1] : () -> ()
    ^bb1:  // pred: ^bb0
      "scf.yield"(%arg2) : (f32) -> ()
    }) : () -> f32
    "scf.execute_region"() <{no_inline}> ({
      "scf.yield"() : () -> ()
    }) : () -> ()
    %3 = "scf.index_switch"(%arg0) <{cases = array<i64: 2, 5>}> ({
      "scf.yield"(%arg2) : (f32) -> ()
    }, {
      "scf.yield"(%arg2) : (f32) -> ()
    }, {
      "scf.yield"(%arg2) : (f32) -> ()
    }) : (index) -> f32
    "scf.index_switch"(%arg0) <{cases = array<i64>}> ({
      "scf.yield"() : () -> ()
    }) {a.b} : (index) -> ()
    "scf.index_switch"(%arg0) <{cases = array<i64: 1>}> ({
      "scf.yield"() : () -> ()
    }, {
      "scf.yield"() : () -> ()
    }) : (index) -> ()
    %4 = "scf.forall"(%arg1, %arg4) <{operandSegmentSizes = array<i32: 0, 1, 0, 1>, staticLowerBound = array<i64: 0, 0>, staticStep = array<i64: 1, 1>, staticUpperBound = array<i64: 4, -9223372036854775808>}> ({
    ^bb0(%arg12: index, %arg13: index, %arg14: tensor<4x8xf32>):
      %15 = "tensor.extract_slice"(%arg14, %arg12) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>, static_offsets = array<i64: -9223372036854775808, 0>, static_sizes = array<i64: 1, 8>, static_strides = array<i64: 1, 1>}> : (tensor<4x8xf32>, index) -> tensor<1x8xf32>
      "scf.forall.in_parallel"() ({
        "tensor.parallel_insert_slice"(%15, %arg14, %arg12) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>, static_offsets = array<i64: -9223372036854775808, 0>, static_sizes = array<i64: 1, 8>, static_strides = array<i64: 1, 1>}> : (tensor<1x8xf32>, tensor<4x8xf32>, index) -> ()
      }) : () -> ()
    }) : (index, tensor<4x8xf32>) -> tensor<4x8xf32>
    "scf.forall"(%arg0, %arg1) <{mapping = [], operandSegmentSizes = array<i32: 1, 1, 0, 0>, staticLowerBound = array<i64: -9223372036854775808>, staticStep = array<i64: 2>, staticUpperBound = array<i64: -9223372036854775808>}> ({
    ^bb0(%arg11: index):
      "scf.forall.in_parallel"() ({
      ^bb0:
      }) : () -> ()
    }) {a.b} : (index, index) -> ()
    "scf.forall"(%arg1) <{operandSegmentSizes = array<i32: 0, 1, 0, 0>, staticLowerBound = array<i64: 0>, staticStep = array<i64: 1>, staticUpperBound = array<i64: -9223372036854775808>}> ({
    ^bb0(%arg10: index):
      "scf.forall.in_parallel"() ({
      ^bb0:
      }) : () -> ()
    }) : (index) -> ()
    "scf.for"(%arg0, %arg1, %arg0) ({
    ^bb0(%arg9: index):
      "scf.yield"() : () -> ()
    }) {a.b} : (index, index, index) -> ()
    "scf.for"(%arg0, %arg1, %arg0) <{unsignedCmp}> ({
    ^bb0(%arg8: index):
      "scf.yield"() : () -> ()
    }) : (index, index, index) -> ()
    %5 = "scf.for"(%arg5, %arg5, %arg5, %arg2) ({
    ^bb0(%arg6: i32, %arg7: f32):
      "scf.yield"(%arg7) : (f32) -> ()
    }) : (i32, i32, i32, f32) -> f32
    "scf.if"(%arg3) ({
      "scf.yield"() : () -> ()
    }, {
      "scf.yield"() : () -> ()
    }) : (i1) -> ()
    "scf.if"(%arg3) ({
      "scf.yield"() : () -> ()
    }, {
      %14 = "arith.constant"() <{value = 1 : i32}> : () -> i32
      "scf.yield"() : () -> ()
    }) {a.b} : (i1) -> ()
    %6:2 = "scf.if"(%arg3) ({
      "scf.yield"(%arg2, %arg5) : (f32, i32) -> ()
    }, {
      "scf.yield"(%arg2, %arg5) : (f32, i32) -> ()
    }) : (i1) -> (f32, i32)
    "cf.cond_br"(%arg3, %arg2)[^bb1, ^bb2] <{branch_weights = array<i32: 1, 2>, operandSegmentSizes = array<i32: 1, 1, 0>}> : (i1, f32) -> ()
  ^bb1(%7: f32):  // 2 preds: ^bb0, ^bb1
    "cf.switch"(%arg5, %7)[^bb2, ^bb1, ^bb2] <{case_operand_segments = array<i32: 1, 0>, case_values = dense<[42, -3]> : vector<2xi32>, operandSegmentSizes = array<i32: 1, 0, 1>}> {a.b} : (i32, f32) -> ()
  ^bb2:  // 3 preds: ^bb0, ^bb1, ^bb1
    "cf.assert"(%arg3) <{msg = "hey"}> : (i1) -> ()
    %8 = "func.constant"() <{value = @cc}> : () -> ((i32) -> i32)
    %9 = "func.call_indirect"(%8, %arg5) : ((i32) -> i32, i32) -> i32
    %10 = "func.call"(%arg5, %arg5) <{callee = @callee}> : (i32, i32) -> i32
    %11 = "arith.select"(%arg3, %arg2, %arg2) {a.b} : (i1, f32, f32) -> f32
    %12 = "tensor.from_elements"(%arg2, %arg2) {a.b} : (f32, f32) -> tensor<2xf32>
    %13 = "tensor.from_elements"() : () -> tensor<0xf32>
    "func.return"(%arg2) : (f32) -> ()
  }) {foo.bar = 1 : i32} : () -> ()
}) : () -> ()
