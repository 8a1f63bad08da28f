module {
  func.func @f(%a: i32) {
    %0 = arith.addi %a %a : i32
    %1 = arith.addi %0, %a : i32
    %2 = arith.adddi %a, %a : i32
    foo.bar %a
    scf.for %i = %a %a step %a {
      %3 = arith.addi %a, %a : i32
    }
    %q = arith.constant 5 : f32
    return %a : 
  }
  func.func @g(%a: tensor<4xx8xf32>) {
    return
  }
  func.func @h(%a: i32) {
    %x = arith.constant dense<[1,2]> : tensor<3xi32>
    return
  }
}
