"builtin.module"() ({
  "func.func"() <{function_type = (i32, i64, f32, f16, f64, index, i1, tensor<4x?xf32>, tensor<4x?xi1>, tensor<4x?xi32>, vector<4xf32>, vector<4xi32>, f8E8M0FNU, f4E2M1FN) -> (), sym_name = "f"}> ({
  ^bb0(%arg0: i32, %arg1: i64, %arg2: f32, %arg3: f16, %arg4: f64, %arg5: index, %arg6: i1, %arg7: tensor<4x?xf32>, %arg8: tensor<4x?xi1>, %arg9: tensor<4x?xi32>, %arg10: vector<4xf32>, %arg11: vector<4xi32>, %arg12: f8E8M0FNU, %arg13: f4E2M1FN):
    %0 = "arith.addi"(%arg0, %arg0) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
    %1 = "arith.addi"(%arg5, %arg5) <{overflowFlags = #arith.overflow<none>}> {x.y} : (index, index) -> index
    %2 = "arith.addi"(%arg9, %arg9) <{overflowFlags = #arith.overflow<none>}> : (tensor<4x?xi32>, tensor<4x?xi32>) -> tensor<4x?xi32>
    %3 = "arith.addi"(%arg0, %arg0) <{overflowFlags = #arith.overflow<nuw>}> {x.y = 1.000000e+00 : f32} : (i32, i32) -> i32
    %4 = "arith.subi"(%arg0, %arg0) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
    %5 = "arith.subi"(%arg5, %arg5) <{overflowFlags = #arith.overflow<none>}> {x.y} : (index, index) -> index
    %6 = "arith.subi"(%arg9, %arg9) <{overflowFlags = #arith.overflow<none>}> : (tensor<4x?xi32>, tensor<4x?xi32>) -> tensor<4x?xi32>
    %7 = "arith.subi"(%arg0, %arg0) <{overflowFlags = #arith.overflow<nuw>}> {x.y = 1.000000e+00 : f32} : (i32, i32) -> i32
    %8 = "arith.muli"(%arg0, %arg0) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
    %9 = "arith.muli"(%arg5, %arg5) <{overflowFlags = #arith.overflow<none>}> {x.y} : (index, index) -> index
    %10 = "arith.muli"(%arg9, %arg9) <{overflowFlags = #arith.overflow<none>}> : (tensor<4x?xi32>, tensor<4x?xi32>) -> tensor<4x?xi32>
    %11 = "arith.muli"(%arg0, %arg0) <{overflowFlags = #arith.overflow<nuw>}> {x.y = 1.000000e+00 : f32} : (i32, i32) -> i32
    %12 = "arith.shli"(%arg0, %arg0) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
    %13 = "arith.shli"(%arg5, %arg5) <{overflowFlags = #arith.overflow<none>}> {x.y} : (index, index) -> index
    %14 = "arith.shli"(%arg9, %arg9) <{overflowFlags = #arith.overflow<none>}> : (tensor<4x?xi32>, tensor<4x?xi32>) -> tensor<4x?xi32>
    %15 = "arith.shli"(%arg0, %arg0) <{overflowFlags = #arith.overflow<nuw>}> {x.y = 1.000000e+00 : f32} : (i32, i32) -> i32
    %16 = "arith.divui"(%arg0, %arg0) : (i32, i32) -> i32
    %17 = "arith.divui"(%arg5, %arg5) {x.y} : (index, index) -> index
    %18 = "arith.divui"(%arg9, %arg9) : (tensor<4x?xi32>, tensor<4x?xi32>) -> tensor<4x?xi32>
    %19 = "arith.divui"(%arg0, %arg0) <{isExact}> : (i32, i32) -> i32
    %20 = "arith.divsi"(%arg0, %arg0) : (i32, i32) -> i32
    %21 = "arith.divsi"(%arg5, %arg5) {x.y} : (index, index) -> index
    %22 = "arith.divsi"(%arg9, %arg9) : (tensor<4x?xi32>, tensor<4x?xi32>) -> tensor<4x?xi32>
    %23 = "arith.divsi"(%arg0, %arg0) <{isExact}> : (i32, i32) -> i32
    %24 = "arith.ceildivui"(%arg0, %arg0) : (i32, i32) -> i32
    %25 = "arith.ceildivui"(%arg5, %arg5) {x.y} : (index, index) -> index
    %26 = "arith.ceildivui"(%arg9, %arg9) : (tensor<4x?xi32>, tensor<4x?xi32>) -> tensor<4x?xi32>
    %27 = "arith.ceildivsi"(%arg0, %arg0) : (i32, i32) -> i32
    %28 = "arith.ceildivsi"(%arg5, %arg5) {x.y} : (index, index) -> index
    %29 = "arith.ceildivsi"(%arg9, %arg9) : (tensor<4x?xi32>, tensor<4x?xi32>) -> tensor<4x?xi32>
    %30 = "arith.floordivsi"(%arg0, %arg0) : (i32, i32) -> i32
    %31 = "arith.floordivsi"(%arg5, %arg5) {x.y} : (index, index) -> index
    %32 = "arith.floordivsi"(%arg9, %arg9) : (tensor<4x?xi32>, tensor<4x?xi32>) -> tensor<4x?xi32>
    %33 = "arith.remui"(%arg0, %arg0) : (i32, i32) -> i32
    %34 = "arith.remui"(%arg5, %arg5) {x.y} : (index, index) -> index
    %35 = "arith.remui"(%arg9, %arg9) : (tensor<4x?xi32>, tensor<4x?xi32>) -> tensor<4x?xi32>
    %36 = "arith.remsi"(%arg0, %arg0) : (i32, i32) -> i32
    %37 = "arith.remsi"(%arg5, %arg5) {x.y} : (index, index) -> index
    %38 = "arith.remsi"(%arg9, %arg9) : (tensor<4x?xi32>, tensor<4x?xi32>) -> tensor<4x?xi32>
    %39 = "arith.andi"(%arg0, %arg0) : (i32, i32) -> i32
    %40 = "arith.andi"(%arg5, %arg5) {x.y} : (index, index) -> index
    %41 = "arith.andi"(%arg9, %arg9) : (tensor<4x?xi32>, tensor<4x?xi32>) -> tensor<4x?xi32>
    %42 = "arith.ori"(%arg0, %arg0) : (i32, i32) -> i32
    %43 = "arith.ori"(%arg5, %arg5) {x.y} : (index, index) -> index
    %44 = "arith.ori"(%arg9, %arg9) : (tensor<4x?xi32>, tensor<4x?xi32>) -> tensor<4x?xi32>
    %45 = "arith.xori"(%arg0, %arg0) : (i32, i32) -> i32
    %46 = "arith.xori"(%arg5, %arg5) {x.y} : (index, index) -> index
    %47 = "arith.xori"(%arg9, %arg9) : (tensor<4x?xi32>, tensor<4x?xi32>) -> tensor<4x?xi32>
    %48 = "arith.shrui"(%arg0, %arg0) : (i32, i32) -> i32
    %49 = "arith.shrui"(%arg5, %arg5) {x.y} : (index, index) -> index
    %50 = "arith.shrui"(%arg9, %arg9) : (tensor<4x?xi32>, tensor<4x?xi32>) -> tensor<4x?xi32>
    %51 = "arith.shrui"(%arg0, %arg0) <{isExact}> : (i32, i32) -> i32
    %52 = "arith.shrsi"(%arg0, %arg0) : (i32, i32) -> i32
    %53 = "arith.shrsi"(%arg5, %arg5) {x.y} : (index, index) -> index
    %54 = "arith.shrsi"(%arg9, %arg9) : (tensor<4x?xi32>, tensor<4x?xi32>) -> tensor<4x?xi32>
    %55 = "arith.shrsi"(%arg0, %arg0) <{isExact}> : (i32, i32) -> i32
    %56 = "arith.maxsi"(%arg0, %arg0) : (i32, i32) -> i32
    %57 = "arith.maxsi"(%arg5, %arg5) {x.y} : (index, index) -> index
    %58 = "arith.maxsi"(%arg9, %arg9) : (tensor<4x?xi32>, tensor<4x?xi32>) -> tensor<4x?xi32>
    %59 = "arith.maxui"(%arg0, %arg0) : (i32, i32) -> i32
    %60 = "arith.maxui"(%arg5, %arg5) {x.y} : (index, index) -> index
    %61 = "arith.maxui"(%arg9, %arg9) : (tensor<4x?xi32>, tensor<4x?xi32>) -> tensor<4x?xi32>
    %62 = "arith.minsi"(%arg0, %arg0) : (i32, i32) -> i32
    %63 = "arith.minsi"(%arg5, %arg5) {x.y} : (index, index) -> index
    %64 = "arith.minsi"(%arg9, %arg9) : (tensor<4x?xi32>, tensor<4x?xi32>) -> tensor<4x?xi32>
    %65 = "arith.minui"(%arg0, %arg0) : (i32, i32) -> i32
    %66 = "arith.minui"(%arg5, %arg5) {x.y} : (index, index) -> index
    %67 = "arith.minui"(%arg9, %arg9) : (tensor<4x?xi32>, tensor<4x?xi32>) -> tensor<4x?xi32>
    %68 = "arith.negf"(%arg2) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
    %69 = "arith.negf"(%arg10) <{fastmath = #arith.fastmath<fast>}> {x.y} : (vector<4xf32>) -> vector<4xf32>
    %70 = "arith.addf"(%arg2, %arg2) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
    %71 = "arith.addf"(%arg7, %arg7) <{fastmath = #arith.fastmath<reassoc,nnan>}> {x.y} : (tensor<4x?xf32>, tensor<4x?xf32>) -> tensor<4x?xf32>
    %72 = "arith.subf"(%arg2, %arg2) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
    %73 = "arith.subf"(%arg7, %arg7) <{fastmath = #arith.fastmath<reassoc,nnan>}> {x.y} : (tensor<4x?xf32>, tensor<4x?xf32>) -> tensor<4x?xf32>
    %74 = "arith.mulf"(%arg2, %arg2) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
    %75 = "arith.mulf"(%arg7, %arg7) <{fastmath = #arith.fastmath<reassoc,nnan>}> {x.y} : (tensor<4x?xf32>, tensor<4x?xf32>) -> tensor<4x?xf32>
    %76 = "arith.divf"(%arg2, %arg2) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
    %77 = "arith.divf"(%arg7, %arg7) <{fastmath = #arith.fastmath<reassoc,nnan>}> {x.y} : (tensor<4x?xf32>, tensor<4x?xf32>) -> tensor<4x?xf32>
    %78 = "arith.remf"(%arg2, %arg2) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
    %79 = "arith.remf"(%arg7, %arg7) <{fastmath = #arith.fastmath<reassoc,nnan>}> {x.y} : (tensor<4x?xf32>, tensor<4x?xf32>) -> tensor<4x?xf32>
    %80 = "arith.maximumf"(%arg2, %arg2) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
    %81 = "arith.maximumf"(%arg7, %arg7) <{fastmath = #arith.fastmath<reassoc,nnan>}> {x.y} : (tensor<4x?xf32>, tensor<4x?xf32>) -> tensor<4x?xf32>
    %82 = "arith.maxnumf"(%arg2, %arg2) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
    %83 = "arith.maxnumf"(%arg7, %arg7) <{fastmath = #arith.fastmath<reassoc,nnan>}> {x.y} : (tensor<4x?xf32>, tensor<4x?xf32>) -> tensor<4x?xf32>
    %84 = "arith.minimumf"(%arg2, %arg2) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
    %85 = "arith.minimumf"(%arg7, %arg7) <{fastmath = #arith.fastmath<reassoc,nnan>}> {x.y} : (tensor<4x?xf32>, tensor<4x?xf32>) -> tensor<4x?xf32>
    %86 = "arith.minnumf"(%arg2, %arg2) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
    %87 = "arith.minnumf"(%arg7, %arg7) <{fastmath = #arith.fastmath<reassoc,nnan>}> {x.y} : (tensor<4x?xf32>, tensor<4x?xf32>) -> tensor<4x?xf32>
    %88 = "math.absf"(%arg2) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
    %89 = "math.absf"(%arg10) <{fastmath = #arith.fastmath<fast>}> {x.y} : (vector<4xf32>) -> vector<4xf32>
    %90 = "math.absi"(%arg11) {x.y} : (vector<4xi32>) -> vector<4xi32>
    %91 = "math.acos"(%arg2) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
    %92 = "math.acos"(%arg10) <{fastmath = #arith.fastmath<fast>}> {x.y} : (vector<4xf32>) -> vector<4xf32>
    %93 = "math.acosh"(%arg2) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
    %94 = "math.acosh"(%arg10) <{fastmath = #arith.fastmath<fast>}> {x.y} : (vector<4xf32>) -> vector<4xf32>
    %95 = "math.asin"(%arg2) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
    %96 = "math.asin"(%arg10) <{fastmath = #arith.fastmath<fast>}> {x.y} : (vector<4xf32>) -> vector<4xf32>
    %97 = "math.asinh"(%arg2) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
    %98 = "math.asinh"(%arg10) <{fastmath = #arith.fastmath<fast>}> {x.y} : (vector<4xf32>) -> vector<4xf32>
    %99 = "math.atan"(%arg2) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
    %100 = "math.atan"(%arg10) <{fastmath = #arith.fastmath<fast>}> {x.y} : (vector<4xf32>) -> vector<4xf32>
    %101 = "math.atan2"(%arg2, %arg2) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
    %102 = "math.atan2"(%arg7, %arg7) <{fastmath = #arith.fastmath<reassoc,nnan>}> {x.y} : (tensor<4x?xf32>, tensor<4x?xf32>) -> tensor<4x?xf32>
    %103 = "math.atanh"(%arg2) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
    %104 = "math.atanh"(%arg10) <{fastmath = #arith.fastmath<fast>}> {x.y} : (vector<4xf32>) -> vector<4xf32>
    %105 = "math.cbrt"(%arg2) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
    %106 = "math.cbrt"(%arg10) <{fastmath = #arith.fastmath<fast>}> {x.y} : (vector<4xf32>) -> vector<4xf32>
    %107 = "math.ceil"(%arg2) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
    %108 = "math.ceil"(%arg10) <{fastmath = #arith.fastmath<fast>}> {x.y} : (vector<4xf32>) -> vector<4xf32>
    %109 = "math.copysign"(%arg2, %arg2) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
    %110 = "math.copysign"(%arg7, %arg7) <{fastmath = #arith.fastmath<reassoc,nnan>}> {x.y} : (tensor<4x?xf32>, tensor<4x?xf32>) -> tensor<4x?xf32>
    %111 = "math.cos"(%arg2) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
    %112 = "math.cos"(%arg10) <{fastmath = #arith.fastmath<fast>}> {x.y} : (vector<4xf32>) -> vector<4xf32>
    %113 = "math.cosh"(%arg2) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
    %114 = "math.cosh"(%arg10) <{fastmath = #arith.fastmath<fast>}> {x.y} : (vector<4xf32>) -> vector<4xf32>
    %115 = "math.ctlz"(%arg11) {x.y} : (vector<4xi32>) -> vector<4xi32>
    %116 = "math.ctpop"(%arg11) {x.y} : (vector<4xi32>) -> vector<4xi32>
    %117 = "math.cttz"(%arg11) {x.y} : (vector<4xi32>) -> vector<4xi32>
    %118 = "math.erf"(%arg2) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
    %119 = "math.erf"(%arg10) <{fastmath = #arith.fastmath<fast>}> {x.y} : (vector<4xf32>) -> vector<4xf32>
    %120 = "math.erfc"(%arg2) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
    %121 = "math.erfc"(%arg10) <{fastmath = #arith.fastmath<fast>}> {x.y} : (vector<4xf32>) -> vector<4xf32>
    %122 = "math.exp"(%arg2) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
    %123 = "math.exp"(%arg10) <{fastmath = #arith.fastmath<fast>}> {x.y} : (vector<4xf32>) -> vector<4xf32>
    %124 = "math.exp2"(%arg2) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
    %125 = "math.exp2"(%arg10) <{fastmath = #arith.fastmath<fast>}> {x.y} : (vector<4xf32>) -> vector<4xf32>
    %126 = "math.expm1"(%arg2) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
    %127 = "math.expm1"(%arg10) <{fastmath = #arith.fastmath<fast>}> {x.y} : (vector<4xf32>) -> vector<4xf32>
    %128 = "math.floor"(%arg2) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
    %129 = "math.floor"(%arg10) <{fastmath = #arith.fastmath<fast>}> {x.y} : (vector<4xf32>) -> vector<4xf32>
    %130 = "math.ipowi"(%arg0, %arg0) : (i32, i32) -> i32
    %131 = "math.ipowi"(%arg5, %arg5) {x.y} : (index, index) -> index
    %132 = "math.ipowi"(%arg9, %arg9) : (tensor<4x?xi32>, tensor<4x?xi32>) -> tensor<4x?xi32>
    %133 = "math.log"(%arg2) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
    %134 = "math.log"(%arg10) <{fastmath = #arith.fastmath<fast>}> {x.y} : (vector<4xf32>) -> vector<4xf32>
    %135 = "math.log10"(%arg2) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
    %136 = "math.log10"(%arg10) <{fastmath = #arith.fastmath<fast>}> {x.y} : (vector<4xf32>) -> vector<4xf32>
    %137 = "math.log1p"(%arg2) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
    %138 = "math.log1p"(%arg10) <{fastmath = #arith.fastmath<fast>}> {x.y} : (vector<4xf32>) -> vector<4xf32>
    %139 = "math.log2"(%arg2) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
    %140 = "math.log2"(%arg10) <{fastmath = #arith.fastmath<fast>}> {x.y} : (vector<4xf32>) -> vector<4xf32>
    %141 = "math.powf"(%arg2, %arg2) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
    %142 = "math.powf"(%arg7, %arg7) <{fastmath = #arith.fastmath<reassoc,nnan>}> {x.y} : (tensor<4x?xf32>, tensor<4x?xf32>) -> tensor<4x?xf32>
    %143 = "math.round"(%arg2) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
    %144 = "math.round"(%arg10) <{fastmath = #arith.fastmath<fast>}> {x.y} : (vector<4xf32>) -> vector<4xf32>
    %145 = "math.roundeven"(%arg2) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
    %146 = "math.roundeven"(%arg10) <{fastmath = #arith.fastmath<fast>}> {x.y} : (vector<4xf32>) -> vector<4xf32>
    %147 = "math.rsqrt"(%arg2) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
    %148 = "math.rsqrt"(%arg10) <{fastmath = #arith.fastmath<fast>}> {x.y} : (vector<4xf32>) -> vector<4xf32>
    %149 = "math.sin"(%arg2) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
    %150 = "math.sin"(%arg10) <{fastmath = #arith.fastmath<fast>}> {x.y} : (vector<4xf32>) -> vector<4xf32>
    %151 = "math.sinh"(%arg2) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
    %152 = "math.sinh"(%arg10) <{fastmath = #arith.fastmath<fast>}> {x.y} : (vector<4xf32>) -> vector<4xf32>
    %153 = "math.sqrt"(%arg2) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
    %154 = "math.sqrt"(%arg10) <{fastmath = #arith.fastmath<fast>}> {x.y} : (vector<4xf32>) -> vector<4xf32>
    %155 = "math.tan"(%arg2) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
    %156 = "math.tan"(%arg10) <{fastmath = #arith.fastmath<fast>}> {x.y} : (vector<4xf32>) -> vector<4xf32>
    %157 = "math.tanh"(%arg2) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
    %158 = "math.tanh"(%arg10) <{fastmath = #arith.fastmath<fast>}> {x.y} : (vector<4xf32>) -> vector<4xf32>
    %159 = "math.trunc"(%arg2) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
    %160 = "math.trunc"(%arg10) <{fastmath = #arith.fastmath<fast>}> {x.y} : (vector<4xf32>) -> vector<4xf32>
    %161 = "math.isfinite"(%arg7) <{fastmath = #arith.fastmath<none>}> {x.y} : (tensor<4x?xf32>) -> tensor<4x?xi1>
    %162 = "math.isinf"(%arg7) <{fastmath = #arith.fastmath<none>}> {x.y} : (tensor<4x?xf32>) -> tensor<4x?xi1>
    %163 = "math.isnan"(%arg7) <{fastmath = #arith.fastmath<none>}> {x.y} : (tensor<4x?xf32>) -> tensor<4x?xi1>
    %164 = "math.isnormal"(%arg7) <{fastmath = #arith.fastmath<none>}> {x.y} : (tensor<4x?xf32>) -> tensor<4x?xi1>
    %165 = "arith.cmpi"(%arg5, %arg5) <{predicate = 0 : i64}> : (index, index) -> i1
    %166 = "arith.cmpi"(%arg5, %arg5) <{predicate = 1 : i64}> : (index, index) -> i1
    %167 = "arith.cmpi"(%arg5, %arg5) <{predicate = 2 : i64}> : (index, index) -> i1
    %168 = "arith.cmpi"(%arg5, %arg5) <{predicate = 3 : i64}> : (index, index) -> i1
    %169 = "arith.cmpi"(%arg5, %arg5) <{predicate = 4 : i64}> : (index, index) -> i1
    %170 = "arith.cmpi"(%arg5, %arg5) <{predicate = 5 : i64}> : (index, index) -> i1
    %171 = "arith.cmpi"(%arg5, %arg5) <{predicate = 6 : i64}> : (index, index) -> i1
    %172 = "arith.cmpi"(%arg5, %arg5) <{predicate = 7 : i64}> : (index, index) -> i1
    %173 = "arith.cmpi"(%arg5, %arg5) <{predicate = 8 : i64}> : (index, index) -> i1
    %174 = "arith.cmpi"(%arg5, %arg5) <{predicate = 9 : i64}> : (index, index) -> i1
    %175 = "arith.cmpf"(%arg7, %arg7) <{fastmath = #arith.fastmath<none>, predicate = 0 : i64}> : (tensor<4x?xf32>, tensor<4x?xf32>) -> tensor<4x?xi1>
    %176 = "arith.cmpf"(%arg7, %arg7) <{fastmath = #arith.fastmath<none>, predicate = 1 : i64}> : (tensor<4x?xf32>, tensor<4x?xf32>) -> tensor<4x?xi1>
    %177 = "arith.cmpf"(%arg7, %arg7) <{fastmath = #arith.fastmath<none>, predicate = 2 : i64}> : (tensor<4x?xf32>, tensor<4x?xf32>) -> tensor<4x?xi1>
    %178 = "arith.cmpf"(%arg7, %arg7) <{fastmath = #arith.fastmath<none>, predicate = 3 : i64}> : (tensor<4x?xf32>, tensor<4x?xf32>) -> tensor<4x?xi1>
    %179 = "arith.cmpf"(%arg7, %arg7) <{fastmath = #arith.fastmath<none>, predicate = 4 : i64}> : (tensor<4x?xf32>, tensor<4x?xf32>) -> tensor<4x?xi1>
    %180 = "arith.cmpf"(%arg7, %arg7) <{fastmath = #arith.fastmath<none>, predicate = 5 : i64}> : (tensor<4x?xf32>, tensor<4x?xf32>) -> tensor<4x?xi1>
    %181 = "arith.cmpf"(%arg7, %arg7) <{fastmath = #arith.fastmath<none>, predicate = 6 : i64}> : (tensor<4x?xf32>, tensor<4x?xf32>) -> tensor<4x?xi1>
    %182 = "arith.cmpf"(%arg7, %arg7) <{fastmath = #arith.fastmath<none>, predicate = 7 : i64}> : (tensor<4x?xf32>, tensor<4x?xf32>) -> tensor<4x?xi1>
    %183 = "arith.cmpf"(%arg7, %arg7) <{fastmath = #arith.fastmath<none>, predicate = 8 : i64}> : (tensor<4x?xf32>, tensor<4x?xf32>) -> tensor<4x?xi1>
    %184 = "arith.cmpf"(%arg7, %arg7) <{fastmath = #arith.fastmath<none>, predicate = 9 : i64}> : (tensor<4x?xf32>, tensor<4x?xf32>) -> tensor<4x?xi1>
    %185 = "arith.cmpf"(%arg7, %arg7) <{fastmath = #arith.fastmath<none>, predicate = 10 : i64}> : (tensor<4x?xf32>, tensor<4x?xf32>) -> tensor<4x?xi1>
    %186 = "arith.cmpf"(%arg7, %arg7) <{fastmath = #arith.fastmath<none>, predicate = 11 : i64}> : (tensor<4x?xf32>, tensor<4x?xf32>) -> tensor<4x?xi1>
    %187 = "arith.cmpf"(%arg7, %arg7) <{fastmath = #arith.fastmath<none>, predicate = 12 : i64}> : (tensor<4x?xf32>, tensor<4x?xf32>) -> tensor<4x?xi1>
    %188 = "arith.cmpf"(%arg7, %arg7) <{fastmath = #arith.fastmath<none>, predicate = 13 : i64}> : (tensor<4x?xf32>, tensor<4x?xf32>) -> tensor<4x?xi1>
    %189 = "arith.cmpf"(%arg7, %arg7) <{fastmath = #arith.fastmath<none>, predicate = 14 : i64}> : (tensor<4x?xf32>, tensor<4x?xf32>) -> tensor<4x?xi1>
    %190 = "arith.cmpf"(%arg7, %arg7) <{fastmath = #arith.fastmath<none>, predicate = 15 : i64}> : (tensor<4x?xf32>, tensor<4x?xf32>) -> tensor<4x?xi1>
    %191 = "arith.cmpf"(%arg2, %arg2) <{fastmath = #arith.fastmath<nnan>, predicate = 4 : i64}> {x.y} : (f32, f32) -> i1
    %192 = "arith.extf"(%arg3) : (f16) -> f32
    %193 = "arith.extf"(%arg3) <{fastmath = #arith.fastmath<ninf>}> : (f16) -> f64
    %194 = "arith.truncf"(%arg4) : (f64) -> f32
    %195 = "arith.truncf"(%arg4) <{roundingmode = 0 : i32}> : (f64) -> f32
    %196 = "arith.truncf"(%arg4) <{fastmath = #arith.fastmath<fast>, roundingmode = 3 : i32}> {x.y} : (f64) -> bf16
    %197 = "arith.extui"(%arg0) : (i32) -> i64
    %198 = "arith.extsi"(%arg0) : (i32) -> i64
    %199 = "arith.trunci"(%arg1) <{overflowFlags = #arith.overflow<none>}> : (i64) -> i8
    %200 = "arith.trunci"(%arg1) <{overflowFlags = #arith.overflow<nsw, nuw>}> : (i64) -> i8
    %201 = "arith.uitofp"(%arg0) : (i32) -> f16
    %202 = "arith.sitofp"(%arg6) : (i1) -> f16
    %203 = "arith.fptoui"(%arg2) : (f32) -> i8
    %204 = "arith.fptosi"(%arg7) : (tensor<4x?xf32>) -> tensor<4x?xi64>
    %205 = "arith.index_cast"(%arg5) : (index) -> i32
    %206 = "arith.index_castui"(%arg0) {x.y} : (i32) -> index
    %207 = "arith.bitcast"(%arg2) : (f32) -> i32
    %208 = "arith.select"(%arg6, %arg7, %arg7) : (i1, tensor<4x?xf32>, tensor<4x?xf32>) -> tensor<4x?xf32>
    %209 = "arith.select"(%arg8, %arg7, %arg7) {x.y} : (tensor<4x?xi1>, tensor<4x?xf32>, tensor<4x?xf32>) -> tensor<4x?xf32>
    %210 = "math.fma"(%arg2, %arg2, %arg2) <{fastmath = #arith.fastmath<none>}> : (f32, f32, f32) -> f32
    %211 = "math.fma"(%arg2, %arg2, %arg2) <{fastmath = #arith.fastmath<contract>}> : (f32, f32, f32) -> f32
    %212 = "math.clampf"(%arg2, %arg2, %arg2) <{fastmath = #arith.fastmath<none>}> : (f32, f32, f32) -> f32
    %213 = "math.clampf"(%arg2, %arg2, %arg2) <{fastmath = #arith.fastmath<nnan>}> {x.y} : (f32, f32, f32) -> f32
    %214 = "math.fpowi"(%arg2, %arg0) <{fastmath = #arith.fastmath<none>}> : (f32, i32) -> f32
    %215 = "math.fpowi"(%arg2, %arg0) <{fastmath = #arith.fastmath<nsz>}> : (f32, i32) -> f32
    %216 = "arith.scaling_extf"(%arg13, %arg12) : (f4E2M1FN, f8E8M0FNU) -> f32
    %217 = "arith.scaling_truncf"(%arg2, %arg12) : (f32, f8E8M0FNU) -> f4E2M1FN
    %218 = "arith.scaling_truncf"(%arg2, %arg12) <{fastmath = #arith.fastmath<fast>, roundingmode = 0 : i32}> : (f32, f8E8M0FNU) -> f4E2M1FN
    %219 = "arith.constant"() <{value = true}> : () -> i1
    %220 = "arith.constant"() <{value = false}> : () -> i1
    %221 = "arith.constant"() <{value = -5 : index}> : () -> index
    %222 = "arith.constant"() <{value = 7 : i8}> {x.y} : () -> i8
    %223 = "arith.constant"() <{value = 9.994500e-04 : bf16}> : () -> bf16
    %224 = "arith.constant"() <{value = dense<[[1, 2], [3, 4]]> : vector<2x2xi32>}> : () -> vector<2x2xi32>
    %225 = "arith.constant"() <{value = dense<true> : tensor<3xi1>}> : () -> tensor<3xi1>
    %226 = "arith.constant"() <{value = 0x7FC00000 : f32}> : () -> f32
    %227:2 = "arith.addui_extended"(%arg0, %arg0) : (i32, i32) -> (i32, i1)
    %228:2 = "arith.mulsi_extended"(%arg0, %arg0) {x.y} : (i32, i32) -> (i32, i32)
    %229:2 = "arith.mului_extended"(%arg9, %arg9) : (tensor<4x?xi32>, tensor<4x?xi32>) -> (tensor<4x?xi32>, tensor<4x?xi32>)
    %230:2 = "math.sincos"(%arg2) <{fastmath = #arith.fastmath<none>}> : (f32) -> (f32, f32)
    %231:2 = "math.sincos"(%arg2) <{fastmath = #arith.fastmath<fast>}> {x.y} : (f32) -> (f32, f32)
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
