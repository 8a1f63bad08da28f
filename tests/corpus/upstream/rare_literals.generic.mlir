"builtin.module"() ({
  "func.func"() <{function_type = () -> (), sym_name = "f"}> ({
    %0 = "arith.constant"() <{value = 1.500000e+00 : f80}> : () -> f80
    %1 = "arith.constant"() <{value = -0.100000000000000005551115123125782702 : f128}> : () -> f128
    %2 = "arith.constant"() <{value = 1.500000e+00 : f80}> : () -> f80
    %3 = "arith.constant"() <{value = 1.500000e+00 : f4E2M1FN}> : () -> f4E2M1FN
    %4 = "arith.constant"() <{value = 3.000000e+00 : f6E2M3FN}> : () -> f6E2M3FN
    %5 = "arith.constant"() <{value = 3.000000e+00 : f6E3M2FN}> : () -> f6E3M2FN
    %6 = "arith.constant"() <{value = 4.000000e+00 : f8E8M0FNU}> : () -> f8E8M0FNU
    %7 = "arith.constant"() <{value = 1.000000e+00 : f8E4M3B11FNUZ}> : () -> f8E4M3B11FNUZ
    %8 = "arith.constant"() <{value = 1.000000e+00 : f8E3M4}> : () -> f8E3M4
    %9 = "arith.constant"() <{value = 1.000000e+00 : tf32}> : () -> tf32
    %10 = "arith.constant"() <{value = dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf80>}> : () -> tensor<2xf80>
    %11 = "arith.constant"() <{value = dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf4E2M1FN>}> : () -> tensor<2xf4E2M1FN>
    %12 = "arith.constant"() <{value = dense<[1.000000e+00, 3.000000e+00]> : tensor<2xf6E3M2FN>}> : () -> tensor<2xf6E3M2FN>
    %13 = "arith.constant"() <{value = dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf8E8M0FNU>}> : () -> tensor<2xf8E8M0FNU>
    %14 = "arith.constant"() <{value = dense<0.100000000000000005551115123125782702> : vector<4xf128>}> : () -> vector<4xf128>
    %15 = "arith.constant"() <{value = 0x7FFF8000000000000000 : f80}> : () -> f80
    %16 = "arith.constant"() <{value = 0x7FFF8000000000000000 : f80}> : () -> f80
    %17 = "arith.constant"() <{value = 0x7FFF0000000000000000000000000000 : f128}> : () -> f128
    %18 = "arith.constant"() <{value = dense<(1.000000e+00,2.000000e+00)> : tensor<2xcomplex<f32>>}> : () -> tensor<2xcomplex<f32>>
    %19 = "arith.constant"() <{value = dense<[(1,2), (3,4)]> : tensor<2xcomplex<i32>>}> : () -> tensor<2xcomplex<i32>>
    %20 = "arith.constant"() <{value = dense<[123456789012345678901234567890, -5]> : tensor<2xi128>}> : () -> tensor<2xi128>
    %21 = "arith.constant"() <{value = dense<[1, 2, 3, -4]> : vector<4xi3>}> : () -> vector<4xi3>
    %22 = "arith.constant"() <{value = dense<[67305985, 134678021]> : tensor<2xi32>}> : () -> tensor<2xi32>
    %23 = "arith.constant"() <{value = 0.333299999999999985167 : f80}> : () -> f80
    %24 = "arith.constant"() <{value = 1.00000000000000001988E+30 : f80}> : () -> f80
    %25 = "arith.constant"() <{value = 0x406293E5939A08CEA000000000000000 : f128}> : () -> f128
    %26 = "arith.constant"() <{value = 123456789.125 : f80}> : () -> f80
    %27 = "arith.constant"() <{value = 123456789.125 : f128}> : () -> f128
    %28 = "arith.constant"() <{value = 9.99999999999999954748E-8 : f80}> : () -> f80
    %29 = "arith.constant"() <{value = 9.99999999999999954748111825886258685E-8 : f128}> : () -> f128
    %30 = "arith.constant"() <{value = 0.00100000000000000002082 : f80}> : () -> f80
    %31 = "arith.constant"() <{value = 0.00100000000000000002081668171172168513 : f128}> : () -> f128
    %32 = "arith.constant"() <{value = 0x403EAB54A98CEB1F0800 : f80}> : () -> f80
    %33 = "arith.constant"() <{value = 0x403E56A95319D63E1000000000000000 : f128}> : () -> f128
    %34 = "arith.constant"() <{value = 3.00000000000000015751E+300 : f80}> : () -> f80
    %35 = "arith.constant"() <{value = 3.00000000000000015751428076561326075E+300 : f128}> : () -> f128
    %36 = "arith.constant"() <{value = 1.23456780000000005543E-4 : f80}> : () -> f80
    %37 = "arith.constant"() <{value = 1.23456780000000005542704073491222516E-4 : f128}> : () -> f128
    %38 = "arith.constant"() <{value = 1.000000e+22 : f80}> : () -> f80
    %39 = "arith.constant"() <{value = 1.000000e+22 : f128}> : () -> f128
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
