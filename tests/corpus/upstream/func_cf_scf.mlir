module {
  func.func private @callee(i32 {foo.x}, i32) -> (i32 {foo.y})
  func.func private @cc(i32) -> i32 attributes {a.b}
  func.func @f(%arg0: index, %arg1: index, %arg2: f32, %arg3: i1, %arg4: tensor<4x8xf32>, %arg5: i32) -> f32 attributes {foo.bar = 1 : i32, no_inline} {
    scf.parallel (%arg6, %arg7) = (%arg0, %arg0) to (%arg1, %arg1) step (%arg0, %arg1) {
      scf.reduce 
    }
    scf.parallel (%arg6) = (%arg0) to (%arg1) step (%arg0) {
      %11 = arith.addf %arg2, %arg2 : f32
      scf.reduce 
    }
    %0:2 = scf.parallel (%arg6) = (%arg0) to (%arg1) step (%arg0) init (%arg2, %arg2) -> (f32, f32) {
      scf.reduce(%arg2, %arg2 : f32, f32) {
      ^bb0(%arg7: f32, %arg8: f32):
        %11 = arith.addf %arg7, %arg8 : f32
        scf.reduce.return %11 : f32
      }, {
      ^bb0(%arg7: f32, %arg8: f32):
        scf.reduce.return %arg7 : f32
      }
    }
    %1:2 = scf.while (%arg6 = %arg2, %arg7 = %arg0) : (f32, index) -> (f32, i32) {
      scf.condition(%arg3) %arg2, %arg5 : f32, i32
    } do {
    ^bb0(%arg6: f32, %arg7: i32):
      scf.yield %arg6, %arg0 : f32, index
    }
    scf.while : () -> () {
      scf.condition(%arg3)
    } do {
      scf.yield
    } attributes {a.b = 1 : i64}
    %2 = scf.execute_region -> f32 {
      cf.br ^bb1
    ^bb1:  // pred: ^bb0
      scf.yield %arg2 : f32
    }
    scf.execute_region no_inline {
      scf.yield
    }
    %3 = scf.index_switch %arg0 -> f32 
    case 2 {
      scf.yield %arg2 : f32
    }
    case 5 {
      scf.yield %arg2 : f32
    }
    default {
      scf.yield %arg2 : f32
    }
    scf.index_switch %arg0 {a.b} 
    default {
    }
    scf.index_switch %arg0 
    case 1 {
      scf.yield
    }
    default {
    }
    %4 = scf.forall (%arg6, %arg7) in (4, %arg1) shared_outs(%arg8 = %arg4) -> (tensor<4x8xf32>) {
      %extracted_slice = tensor.extract_slice %arg8[%arg6, 0] [1, 8] [1, 1] : tensor<4x8xf32> to tensor<1x8xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %extracted_slice into %arg8[%arg6, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<4x8xf32>
      }
    }
    scf.forall (%arg6) = (%arg0) to (%arg1) step (2) {
    } {a.b, mapping = []}
    scf.forall (%arg6) in (%arg1) {
    }
    scf.for %arg6 = %arg0 to %arg1 step %arg0 {
    } {a.b}
    scf.for unsigned %arg6 = %arg0 to %arg1 step %arg0 {
    }
    %5 = scf.for %arg6 = %arg5 to %arg5 step %arg5 iter_args(%arg7 = %arg2) -> (f32)  : i32 {
      scf.yield %arg7 : f32
    }
    scf.if %arg3 {
    } else {
    }
    scf.if %arg3 {
    } else {
      %c1_i32 = arith.constant 1 : i32
    } {a.b}
    %6:2 = scf.if %arg3 -> (f32, i32) {
      scf.yield %arg2, %arg5 : f32, i32
    } else {
      scf.yield %arg2, %arg5 : f32, i32
    }
    cf.cond_br %arg3 weights([1, 2]), ^bb1(%arg2 : f32), ^bb2
  ^bb1(%7: f32):  // 2 preds: ^bb0, ^bb1
    cf.switch %arg5 : i32, [
      default: ^bb2,
      42: ^bb1(%7 : f32),
      4294967293: ^bb2
    ] {a.b}
  ^bb2:  // 3 preds: ^bb0, ^bb1, ^bb1
    cf.assert %arg3, "hey"
    %f = constant @cc : (i32) -> i32
    %8 = call_indirect %f(%arg5) : (i32) -> i32
    %9 = call @callee(%arg5, %arg5) : (i32, i32) -> i32
    %10 = arith.select %arg3, %arg2, %arg2 {a.b} : f32
    %from_elements = tensor.from_elements %arg2, %arg2 {a.b} : tensor<2xf32>
    %from_elements_0 = tensor.from_elements  : tensor<0xf32>
    return %arg2 : f32
  }
}
