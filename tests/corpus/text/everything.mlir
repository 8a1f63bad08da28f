#loc = loc("y.mlir":1:2)
#map = affine_map<(d0) -> (d0 * 2)>
#map1 = affine_map<(d0, d1)[s0] -> (d0 * 3 + s0 floordiv 2, -(d1 - 3), d0 mod 4, d1 ceildiv 8)>
#set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 8 >= 0, d1 >= 0, -d1 + 3 >= 0)>
#loc1 = loc("x"(#loc))
module @top attributes {test.a = 5 : i8, test.b = -7 : index, test.c = -1 : i8, test.d = true, test.e, test.f = @a::@"b c"::@d, test.g = [1, 2.000000e+00, "x", [], {}], test.h = {a = 1 : i32, b}, test.i = array<i32: 1, -2>, test.j = array<i1: true, false>, test.k = array<f32: 1.500000e+00, 2.000000e+00>, test.l = array<i64>, test.m = #set, test.n = tensor<4x?xf32>, test.o = i32, test.p = (i32, tensor<4x?xf32>) -> f32, test.q = dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>, test.r = dense<1.000000e+00> : vector<4xf16>, test.s = "x" : i32, test.t = 1.000000e-03 : f64, test.u = #loc1, test.v = strided<[1, ?], offset: 3>, test.w = "hello\0Aworld \22 \\ \C3\A9", test.x = () -> (), test.y = (i32) -> ((i32) -> f32)} {
  "test.types"() {a = memref<4x?x8xf16, strided<[8, 1, ?], offset: ?>>, b = memref<2xf32, #map, 3 : i32>, c = memref<*xf32, 1>, d = vector<[4]x8xf32>, e = complex<f32>, f = tuple<i32, tuple<>>, g = tensor<*xi8>, h = tensor<4x4xf32, "enc">, i = none, j = si32, k = ui7, l = f8E4M3FN, m = !foo.bar<"x" -> 3, [1, 2]>, n = !llvm.ptr, o = memref<4xf32, "space">, p = memref<f32>, q = tensor<0x4xf32>, r = bf16, s = memref<4xf32, 2>, t = memref<4xf32>, u = vector<f32>} : () -> ()
  "test.dense"() {a = dense<true> : tensor<4xi1>, b = dense<[true, false, true]> : tensor<3xi1>, c = dense<[1, 2]> : tensor<2xi32>, d = dense<> : tensor<0xf32>, e = dense<-1> : tensor<2xi8>, f = dense<[0x7FC00000, 1.000000e+00]> : tensor<2xf32>, g = dense<5> : tensor<index>, h = dense<[[[1.000000e+00], [2.000000e+00]]]> : tensor<1x2x1xbf16>, i = dense<[true, false, true, false, false, false, false, false]> : tensor<8xi1>, j = dense_resource<blob1> : tensor<4xf32>, k = dense<1> : tensor<1xui64>} : () -> ()
  func.func private @decl(i32, tensor<4xf32> {test.x}) -> (i32 {test.y = 3 : i64}, f32) attributes {test.z}
  func.func @"quoted name"(%arg0: i32 {test.w = 1 : i32}, %arg1: index) -> i32 {
    %2:2 = "test.two"(%arg0) ({
      %7 = "test.inner"() : () -> i1
      "test.yield"(%7, %arg0) : (i1, i32) -> ()
    }, {
    ^bb0(%arg2: i32, %arg3: f32):
      "tst.br"()[^bb1, ^bb2] : () -> ()
    ^bb1:  // pred: ^bb0
      "tst.br"()[^bb2] : () -> ()
    ^bb2:  // 2 preds: ^bb0, ^bb1
      "test.end"() : () -> ()
    }) {k = #map1} : (i32) -> (i32, i32)
    %3:3 = "test.three"(%2#0, %2#1) <{p = 1 : i64}> : (i32, i32) -> (i32, i32, f32)
    %cst = arith.constant dense<[1, 2]> : tensor<2xi32>
    %true = arith.constant true
    %false = arith.constant false
    %c-5_i8 = arith.constant -5 : i8
    %cst_0 = arith.constant 0x7FC00000 : f32
    cf.cond_br %true, ^bb1(%3#0 : i32), ^bb2
  ^bb1(%4: i32):  // 2 preds: ^bb0, ^bb1
    %5 = call @decl2(%4) : (i32) -> i32
    cf.br ^bb1(%5 : i32)
  ^bb2:  // pred: ^bb0
    %6 = scf.execute_region -> i32 {
      %7 = func.call @decl2(%arg0) {x} : (i32) -> i32
      scf.yield %7 : i32
    }
    return %6 : i32
  }
  func.func private @decl2(i32) -> i32
  module {
  }
  module @inner attributes {q.a} {
    func.func nested @f() {
      return
    }
  }
  "test.empty"() ({
  }) : () -> ()
  "test.empty2"() ({
  ^bb0:
  }, {
  }) : () -> ()
  %0 = unrealized_conversion_cast to i32
  %1:2 = unrealized_conversion_cast %0 : i32 to f32, f32
}

