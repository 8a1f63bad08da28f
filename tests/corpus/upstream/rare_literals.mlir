module {
  func.func @f() {
    %cst = arith.constant 1.500000e+00 : f80
    %cst_0 = arith.constant -0.100000000000000005551115123125782702 : f128
    %cst_1 = arith.constant 1.500000e+00 : f80
    %cst_2 = arith.constant 1.500000e+00 : f4E2M1FN
    %cst_3 = arith.constant 3.000000e+00 : f6E2M3FN
    %cst_4 = arith.constant 3.000000e+00 : f6E3M2FN
    %cst_5 = arith.constant 4.000000e+00 : f8E8M0FNU
    %cst_6 = arith.constant 1.000000e+00 : f8E4M3B11FNUZ
    %cst_7 = arith.constant 1.000000e+00 : f8E3M4
    %cst_8 = arith.constant 1.000000e+00 : tf32
    %cst_9 = arith.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf80>
    %cst_10 = arith.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf4E2M1FN>
    %cst_11 = arith.constant dense<[1.000000e+00, 3.000000e+00]> : tensor<2xf6E3M2FN>
    %cst_12 = arith.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf8E8M0FNU>
    %cst_13 = arith.constant dense<0.100000000000000005551115123125782702> : vector<4xf128>
    %cst_14 = arith.constant 0x7FFF8000000000000000 : f80
    %cst_15 = arith.constant 0x7FFF8000000000000000 : f80
    %cst_16 = arith.constant 0x7FFF0000000000000000000000000000 : f128
    %cst_17 = arith.constant dense<(1.000000e+00,2.000000e+00)> : tensor<2xcomplex<f32>>
    %cst_18 = arith.constant dense<[(1,2), (3,4)]> : tensor<2xcomplex<i32>>
    %cst_19 = arith.constant dense<[123456789012345678901234567890, -5]> : tensor<2xi128>
    %cst_20 = arith.constant dense<[1, 2, 3, -4]> : vector<4xi3>
    %cst_21 = arith.constant dense<[67305985, 134678021]> : tensor<2xi32>
    %cst_22 = arith.constant 0.333299999999999985167 : f80
    %cst_23 = arith.constant 1.00000000000000001988E+30 : f80
    %cst_24 = arith.constant 0x406293E5939A08CEA000000000000000 : f128
    %cst_25 = arith.constant 123456789.125 : f80
    %cst_26 = arith.constant 123456789.125 : f128
    %cst_27 = arith.constant 9.99999999999999954748E-8 : f80
    %cst_28 = arith.constant 9.99999999999999954748111825886258685E-8 : f128
    %cst_29 = arith.constant 0.00100000000000000002082 : f80
    %cst_30 = arith.constant 0.00100000000000000002081668171172168513 : f128
    %cst_31 = arith.constant 0x403EAB54A98CEB1F0800 : f80
    %cst_32 = arith.constant 0x403E56A95319D63E1000000000000000 : f128
    %cst_33 = arith.constant 3.00000000000000015751E+300 : f80
    %cst_34 = arith.constant 3.00000000000000015751428076561326075E+300 : f128
    %cst_35 = arith.constant 1.23456780000000005543E-4 : f80
    %cst_36 = arith.constant 1.23456780000000005542704073491222516E-4 : f128
    %cst_37 = arith.constant 1.000000e+22 : f80
    %cst_38 = arith.constant 1.000000e+22 : f128
    return
  }
}
