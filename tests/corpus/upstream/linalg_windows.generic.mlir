"builtin.module"() ({
  "func.func"() <{function_type = (tensor<5xf32>, tensor<2xf32>, tensor<4xf32>) -> tensor<4xf32>, sym_name = "conv_1d"}> ({
  ^bb0(%arg340: tensor<5xf32>, %arg341: tensor<2xf32>, %arg342: tensor<4xf32>):
    %217 = "linalg.conv_1d"(%arg340, %arg341, %arg342) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg343: f32, %arg344: f32, %arg345: f32):
      %218 = "arith.mulf"(%arg343, %arg344) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %219 = "arith.addf"(%arg345, %218) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%219) : (f32) -> ()
    }) : (tensor<5xf32>, tensor<2xf32>, tensor<4xf32>) -> tensor<4xf32>
    "func.return"(%217) : (tensor<4xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<5x5xf16>, tensor<3x2xf16>, tensor<3x4xf32>) -> tensor<3x4xf32>, sym_name = "conv_2d"}> ({
  ^bb0(%arg334: tensor<5x5xf16>, %arg335: tensor<3x2xf16>, %arg336: tensor<3x4xf32>):
    %212 = "linalg.conv_2d"(%arg334, %arg335, %arg336) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg337: f16, %arg338: f16, %arg339: f32):
      %213 = "arith.extf"(%arg337) : (f16) -> f32
      %214 = "arith.extf"(%arg338) : (f16) -> f32
      %215 = "arith.mulf"(%213, %214) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %216 = "arith.addf"(%arg339, %215) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%216) : (f32) -> ()
    }) : (tensor<5x5xf16>, tensor<3x2xf16>, tensor<3x4xf32>) -> tensor<3x4xf32>
    "func.return"(%212) : (tensor<3x4xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<3x5x5xf16>, tensor<2x3x2xf16>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>, sym_name = "conv_3d"}> ({
  ^bb0(%arg328: tensor<3x5x5xf16>, %arg329: tensor<2x3x2xf16>, %arg330: tensor<2x3x4xf32>):
    %207 = "linalg.conv_3d"(%arg328, %arg329, %arg330) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg331: f16, %arg332: f16, %arg333: f32):
      %208 = "arith.extf"(%arg331) : (f16) -> f32
      %209 = "arith.extf"(%arg332) : (f16) -> f32
      %210 = "arith.mulf"(%208, %209) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %211 = "arith.addf"(%arg333, %210) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%211) : (f32) -> ()
    }) : (tensor<3x5x5xf16>, tensor<2x3x2xf16>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
    "func.return"(%207) : (tensor<2x3x4xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x9x3xf16>, tensor<2x3x5xf16>, tensor<2x4x5xf32>) -> tensor<2x4x5xf32>, sym_name = "conv_1d_nwc_wcf"}> ({
  ^bb0(%arg322: tensor<2x9x3xf16>, %arg323: tensor<2x3x5xf16>, %arg324: tensor<2x4x5xf32>):
    %202 = "linalg.conv_1d_nwc_wcf"(%arg322, %arg323, %arg324) <{dilations = dense<2> : tensor<1xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<2> : tensor<1xi64>}> ({
    ^bb0(%arg325: f16, %arg326: f16, %arg327: f32):
      %203 = "arith.extf"(%arg325) : (f16) -> f32
      %204 = "arith.extf"(%arg326) : (f16) -> f32
      %205 = "arith.mulf"(%203, %204) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %206 = "arith.addf"(%arg327, %205) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%206) : (f32) -> ()
    }) : (tensor<2x9x3xf16>, tensor<2x3x5xf16>, tensor<2x4x5xf32>) -> tensor<2x4x5xf32>
    "func.return"(%202) : (tensor<2x4x5xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3x5xf32>, tensor<5x3x2xf32>, tensor<2x5x4xf32>) -> tensor<2x5x4xf32>, sym_name = "conv_1d_ncw_fcw"}> ({
  ^bb0(%arg316: tensor<2x3x5xf32>, %arg317: tensor<5x3x2xf32>, %arg318: tensor<2x5x4xf32>):
    %199 = "linalg.conv_1d_ncw_fcw"(%arg316, %arg317, %arg318) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg319: f32, %arg320: f32, %arg321: f32):
      %200 = "arith.mulf"(%arg319, %arg320) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %201 = "arith.addf"(%arg321, %200) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%201) : (f32) -> ()
    }) : (tensor<2x3x5xf32>, tensor<5x3x2xf32>, tensor<2x5x4xf32>) -> tensor<2x5x4xf32>
    "func.return"(%199) : (tensor<2x5x4xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x7x11x3xf16>, tensor<3x2x3x5xf16>, tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>, sym_name = "conv_2d_nhwc_hwcf"}> ({
  ^bb0(%arg310: tensor<2x7x11x3xf16>, %arg311: tensor<3x2x3x5xf16>, %arg312: tensor<2x3x4x5xf32>):
    %194 = "linalg.conv_2d_nhwc_hwcf"(%arg310, %arg311, %arg312) <{operandSegmentSizes = array<i32: 2, 1>, strides = dense<[2, 3]> : tensor<2xi64>}> ({
    ^bb0(%arg313: f16, %arg314: f16, %arg315: f32):
      %195 = "arith.extf"(%arg313) : (f16) -> f32
      %196 = "arith.extf"(%arg314) : (f16) -> f32
      %197 = "arith.mulf"(%195, %196) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %198 = "arith.addf"(%arg315, %197) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%198) : (f32) -> ()
    }) : (tensor<2x7x11x3xf16>, tensor<3x2x3x5xf16>, tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
    "func.return"(%194) : (tensor<2x3x4x5xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x7x6x3xi8>, tensor<3x2x3x5xi8>, i32, i32, tensor<2x3x4x5xi32>) -> tensor<2x3x4x5xi32>, sym_name = "conv_2d_nhwc_hwcf_q"}> ({
  ^bb0(%arg300: tensor<2x7x6x3xi8>, %arg301: tensor<3x2x3x5xi8>, %arg302: i32, %arg303: i32, %arg304: tensor<2x3x4x5xi32>):
    %187 = "linalg.conv_2d_nhwc_hwcf_q"(%arg300, %arg301, %arg302, %arg303, %arg304) <{dilations = dense<2> : tensor<2xi64>, operandSegmentSizes = array<i32: 4, 1>}> ({
    ^bb0(%arg305: i8, %arg306: i8, %arg307: i32, %arg308: i32, %arg309: i32):
      %188 = "arith.extsi"(%arg305) : (i8) -> i32
      %189 = "arith.subi"(%188, %arg307) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      %190 = "arith.extsi"(%arg306) : (i8) -> i32
      %191 = "arith.subi"(%190, %arg308) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      %192 = "arith.muli"(%189, %191) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      %193 = "arith.addi"(%arg309, %192) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      "linalg.yield"(%193) : (i32) -> ()
    }) : (tensor<2x7x6x3xi8>, tensor<3x2x3x5xi8>, i32, i32, tensor<2x3x4x5xi32>) -> tensor<2x3x4x5xi32>
    "func.return"(%187) : (tensor<2x3x4x5xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x7x11x3xf16>, tensor<5x3x2x3xf16>, tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>, sym_name = "conv_2d_nhwc_fhwc"}> ({
  ^bb0(%arg294: tensor<2x7x11x3xf16>, %arg295: tensor<5x3x2x3xf16>, %arg296: tensor<2x3x4x5xf32>):
    %182 = "linalg.conv_2d_nhwc_fhwc"(%arg294, %arg295, %arg296) <{operandSegmentSizes = array<i32: 2, 1>, strides = dense<[2, 3]> : tensor<2xi64>}> ({
    ^bb0(%arg297: f16, %arg298: f16, %arg299: f32):
      %183 = "arith.extf"(%arg297) : (f16) -> f32
      %184 = "arith.extf"(%arg298) : (f16) -> f32
      %185 = "arith.mulf"(%183, %184) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %186 = "arith.addf"(%arg299, %185) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%186) : (f32) -> ()
    }) : (tensor<2x7x11x3xf16>, tensor<5x3x2x3xf16>, tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
    "func.return"(%182) : (tensor<2x3x4x5xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x5x5x3xi8>, tensor<5x3x2x3xi8>, i32, i32, tensor<2x3x4x5xi32>) -> tensor<2x3x4x5xi32>, sym_name = "conv_2d_nhwc_fhwc_q"}> ({
  ^bb0(%arg284: tensor<2x5x5x3xi8>, %arg285: tensor<5x3x2x3xi8>, %arg286: i32, %arg287: i32, %arg288: tensor<2x3x4x5xi32>):
    %175 = "linalg.conv_2d_nhwc_fhwc_q"(%arg284, %arg285, %arg286, %arg287, %arg288) <{operandSegmentSizes = array<i32: 4, 1>}> ({
    ^bb0(%arg289: i8, %arg290: i8, %arg291: i32, %arg292: i32, %arg293: i32):
      %176 = "arith.extsi"(%arg289) : (i8) -> i32
      %177 = "arith.subi"(%176, %arg291) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      %178 = "arith.extsi"(%arg290) : (i8) -> i32
      %179 = "arith.subi"(%178, %arg292) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      %180 = "arith.muli"(%177, %179) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      %181 = "arith.addi"(%arg293, %180) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      "linalg.yield"(%181) : (i32) -> ()
    }) : (tensor<2x5x5x3xi8>, tensor<5x3x2x3xi8>, i32, i32, tensor<2x3x4x5xi32>) -> tensor<2x3x4x5xi32>
    "func.return"(%175) : (tensor<2x3x4x5xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3x9x12xf16>, tensor<5x3x3x2xf16>, tensor<2x5x3x4xf32>) -> tensor<2x5x3x4xf32>, sym_name = "conv_2d_nchw_fchw"}> ({
  ^bb0(%arg278: tensor<2x3x9x12xf16>, %arg279: tensor<5x3x3x2xf16>, %arg280: tensor<2x5x3x4xf32>):
    %170 = "linalg.conv_2d_nchw_fchw"(%arg278, %arg279, %arg280) <{dilations = dense<2> : tensor<2xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<[2, 3]> : tensor<2xi64>}> ({
    ^bb0(%arg281: f16, %arg282: f16, %arg283: f32):
      %171 = "arith.extf"(%arg281) : (f16) -> f32
      %172 = "arith.extf"(%arg282) : (f16) -> f32
      %173 = "arith.mulf"(%171, %172) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %174 = "arith.addf"(%arg283, %173) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%174) : (f32) -> ()
    }) : (tensor<2x3x9x12xf16>, tensor<5x3x3x2xf16>, tensor<2x5x3x4xf32>) -> tensor<2x5x3x4xf32>
    "func.return"(%170) : (tensor<2x5x3x4xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3x5x5xi8>, tensor<5x3x3x2xi8>, i32, i32, tensor<2x5x3x4xi32>) -> tensor<2x5x3x4xi32>, sym_name = "conv_2d_nchw_fchw_q"}> ({
  ^bb0(%arg268: tensor<2x3x5x5xi8>, %arg269: tensor<5x3x3x2xi8>, %arg270: i32, %arg271: i32, %arg272: tensor<2x5x3x4xi32>):
    %163 = "linalg.conv_2d_nchw_fchw_q"(%arg268, %arg269, %arg270, %arg271, %arg272) <{operandSegmentSizes = array<i32: 4, 1>}> ({
    ^bb0(%arg273: i8, %arg274: i8, %arg275: i32, %arg276: i32, %arg277: i32):
      %164 = "arith.extsi"(%arg273) : (i8) -> i32
      %165 = "arith.subi"(%164, %arg275) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      %166 = "arith.extsi"(%arg274) : (i8) -> i32
      %167 = "arith.subi"(%166, %arg276) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      %168 = "arith.muli"(%165, %167) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      %169 = "arith.addi"(%arg277, %168) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      "linalg.yield"(%169) : (i32) -> ()
    }) : (tensor<2x3x5x5xi8>, tensor<5x3x3x2xi8>, i32, i32, tensor<2x5x3x4xi32>) -> tensor<2x5x3x4xi32>
    "func.return"(%163) : (tensor<2x5x3x4xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x2x3x7x11xf16>, tensor<5x2x3x3x2xf16>, tensor<2x2x5x3x4xf32>) -> tensor<2x2x5x3x4xf32>, sym_name = "conv_2d_ngchw_fgchw"}> ({
  ^bb0(%arg262: tensor<2x2x3x7x11xf16>, %arg263: tensor<5x2x3x3x2xf16>, %arg264: tensor<2x2x5x3x4xf32>):
    %158 = "linalg.conv_2d_ngchw_fgchw"(%arg262, %arg263, %arg264) <{operandSegmentSizes = array<i32: 2, 1>, strides = dense<[2, 3]> : tensor<2xi64>}> ({
    ^bb0(%arg265: f16, %arg266: f16, %arg267: f32):
      %159 = "arith.extf"(%arg265) : (f16) -> f32
      %160 = "arith.extf"(%arg266) : (f16) -> f32
      %161 = "arith.mulf"(%159, %160) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %162 = "arith.addf"(%arg267, %161) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%162) : (f32) -> ()
    }) : (tensor<2x2x3x7x11xf16>, tensor<5x2x3x3x2xf16>, tensor<2x2x5x3x4xf32>) -> tensor<2x2x5x3x4xf32>
    "func.return"(%158) : (tensor<2x2x5x3x4xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x2x3x7x6xf32>, tensor<2x5x3x3x2xf32>, tensor<2x2x5x3x4xf32>) -> tensor<2x2x5x3x4xf32>, sym_name = "conv_2d_ngchw_gfchw"}> ({
  ^bb0(%arg256: tensor<2x2x3x7x6xf32>, %arg257: tensor<2x5x3x3x2xf32>, %arg258: tensor<2x2x5x3x4xf32>):
    %155 = "linalg.conv_2d_ngchw_gfchw"(%arg256, %arg257, %arg258) <{dilations = dense<2> : tensor<2xi64>, operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg259: f32, %arg260: f32, %arg261: f32):
      %156 = "arith.mulf"(%arg259, %arg260) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %157 = "arith.addf"(%arg261, %156) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%157) : (f32) -> ()
    }) : (tensor<2x2x3x7x6xf32>, tensor<2x5x3x3x2xf32>, tensor<2x2x5x3x4xf32>) -> tensor<2x2x5x3x4xf32>
    "func.return"(%155) : (tensor<2x2x5x3x4xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x2x3x7x11xi8>, tensor<2x5x3x3x2xi8>, i32, i32, tensor<2x2x5x3x4xi32>) -> tensor<2x2x5x3x4xi32>, sym_name = "conv_2d_ngchw_gfchw_q"}> ({
  ^bb0(%arg246: tensor<2x2x3x7x11xi8>, %arg247: tensor<2x5x3x3x2xi8>, %arg248: i32, %arg249: i32, %arg250: tensor<2x2x5x3x4xi32>):
    %148 = "linalg.conv_2d_ngchw_gfchw_q"(%arg246, %arg247, %arg248, %arg249, %arg250) <{operandSegmentSizes = array<i32: 4, 1>, strides = dense<[2, 3]> : tensor<2xi64>}> ({
    ^bb0(%arg251: i8, %arg252: i8, %arg253: i32, %arg254: i32, %arg255: i32):
      %149 = "arith.extsi"(%arg251) : (i8) -> i32
      %150 = "arith.subi"(%149, %arg253) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      %151 = "arith.extsi"(%arg252) : (i8) -> i32
      %152 = "arith.subi"(%151, %arg254) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      %153 = "arith.muli"(%150, %152) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      %154 = "arith.addi"(%arg255, %153) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      "linalg.yield"(%154) : (i32) -> ()
    }) : (tensor<2x2x3x7x11xi8>, tensor<2x5x3x3x2xi8>, i32, i32, tensor<2x2x5x3x4xi32>) -> tensor<2x2x5x3x4xi32>
    "func.return"(%148) : (tensor<2x2x5x3x4xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x5x5x2x3xf16>, tensor<2x5x3x2x3xf16>, tensor<2x3x4x2x5xf32>) -> tensor<2x3x4x2x5xf32>, sym_name = "conv_2d_nhwgc_gfhwc"}> ({
  ^bb0(%arg240: tensor<2x5x5x2x3xf16>, %arg241: tensor<2x5x3x2x3xf16>, %arg242: tensor<2x3x4x2x5xf32>):
    %143 = "linalg.conv_2d_nhwgc_gfhwc"(%arg240, %arg241, %arg242) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg243: f16, %arg244: f16, %arg245: f32):
      %144 = "arith.extf"(%arg243) : (f16) -> f32
      %145 = "arith.extf"(%arg244) : (f16) -> f32
      %146 = "arith.mulf"(%144, %145) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %147 = "arith.addf"(%arg245, %146) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%147) : (f32) -> ()
    }) : (tensor<2x5x5x2x3xf16>, tensor<2x5x3x2x3xf16>, tensor<2x3x4x2x5xf32>) -> tensor<2x3x4x2x5xf32>
    "func.return"(%143) : (tensor<2x3x4x2x5xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x9x12x2x3xi8>, tensor<2x5x3x2x3xi8>, i32, i32, tensor<2x3x4x2x5xi32>) -> tensor<2x3x4x2x5xi32>, sym_name = "conv_2d_nhwgc_gfhwc_q"}> ({
  ^bb0(%arg230: tensor<2x9x12x2x3xi8>, %arg231: tensor<2x5x3x2x3xi8>, %arg232: i32, %arg233: i32, %arg234: tensor<2x3x4x2x5xi32>):
    %136 = "linalg.conv_2d_nhwgc_gfhwc_q"(%arg230, %arg231, %arg232, %arg233, %arg234) <{dilations = dense<2> : tensor<2xi64>, operandSegmentSizes = array<i32: 4, 1>, strides = dense<[2, 3]> : tensor<2xi64>}> ({
    ^bb0(%arg235: i8, %arg236: i8, %arg237: i32, %arg238: i32, %arg239: i32):
      %137 = "arith.extsi"(%arg235) : (i8) -> i32
      %138 = "arith.subi"(%137, %arg237) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      %139 = "arith.extsi"(%arg236) : (i8) -> i32
      %140 = "arith.subi"(%139, %arg238) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      %141 = "arith.muli"(%138, %140) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      %142 = "arith.addi"(%arg239, %141) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      "linalg.yield"(%142) : (i32) -> ()
    }) : (tensor<2x9x12x2x3xi8>, tensor<2x5x3x2x3xi8>, i32, i32, tensor<2x3x4x2x5xi32>) -> tensor<2x3x4x2x5xi32>
    "func.return"(%136) : (tensor<2x3x4x2x5xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3x5x5x3xf32>, tensor<2x3x2x3x5xf32>, tensor<2x2x3x4x5xf32>) -> tensor<2x2x3x4x5xf32>, sym_name = "conv_3d_ndhwc_dhwcf"}> ({
  ^bb0(%arg224: tensor<2x3x5x5x3xf32>, %arg225: tensor<2x3x2x3x5xf32>, %arg226: tensor<2x2x3x4x5xf32>):
    %133 = "linalg.conv_3d_ndhwc_dhwcf"(%arg224, %arg225, %arg226) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg227: f32, %arg228: f32, %arg229: f32):
      %134 = "arith.mulf"(%arg227, %arg228) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %135 = "arith.addf"(%arg229, %134) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%135) : (f32) -> ()
    }) : (tensor<2x3x5x5x3xf32>, tensor<2x3x2x3x5xf32>, tensor<2x2x3x4x5xf32>) -> tensor<2x2x3x4x5xf32>
    "func.return"(%133) : (tensor<2x2x3x4x5xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x4x9x14x3xi8>, tensor<2x3x2x3x5xi8>, i32, i32, tensor<2x2x3x4x5xi32>) -> tensor<2x2x3x4x5xi32>, sym_name = "conv_3d_ndhwc_dhwcf_q"}> ({
  ^bb0(%arg214: tensor<2x4x9x14x3xi8>, %arg215: tensor<2x3x2x3x5xi8>, %arg216: i32, %arg217: i32, %arg218: tensor<2x2x3x4x5xi32>):
    %126 = "linalg.conv_3d_ndhwc_dhwcf_q"(%arg214, %arg215, %arg216, %arg217, %arg218) <{operandSegmentSizes = array<i32: 4, 1>, strides = dense<[2, 3, 4]> : tensor<3xi64>}> ({
    ^bb0(%arg219: i8, %arg220: i8, %arg221: i32, %arg222: i32, %arg223: i32):
      %127 = "arith.extsi"(%arg219) : (i8) -> i32
      %128 = "arith.subi"(%127, %arg221) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      %129 = "arith.extsi"(%arg220) : (i8) -> i32
      %130 = "arith.subi"(%129, %arg222) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      %131 = "arith.muli"(%128, %130) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      %132 = "arith.addi"(%arg223, %131) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      "linalg.yield"(%132) : (i32) -> ()
    }) : (tensor<2x4x9x14x3xi8>, tensor<2x3x2x3x5xi8>, i32, i32, tensor<2x2x3x4x5xi32>) -> tensor<2x2x3x4x5xi32>
    "func.return"(%126) : (tensor<2x2x3x4x5xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3x4x7x6xf16>, tensor<5x3x2x3x2xf16>, tensor<2x5x2x3x4xf32>) -> tensor<2x5x2x3x4xf32>, sym_name = "conv_3d_ncdhw_fcdhw"}> ({
  ^bb0(%arg208: tensor<2x3x4x7x6xf16>, %arg209: tensor<5x3x2x3x2xf16>, %arg210: tensor<2x5x2x3x4xf32>):
    %121 = "linalg.conv_3d_ncdhw_fcdhw"(%arg208, %arg209, %arg210) <{dilations = dense<2> : tensor<3xi64>, operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg211: f16, %arg212: f16, %arg213: f32):
      %122 = "arith.extf"(%arg211) : (f16) -> f32
      %123 = "arith.extf"(%arg212) : (f16) -> f32
      %124 = "arith.mulf"(%122, %123) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %125 = "arith.addf"(%arg213, %124) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%125) : (f32) -> ()
    }) : (tensor<2x3x4x7x6xf16>, tensor<5x3x2x3x2xf16>, tensor<2x5x2x3x4xf32>) -> tensor<2x5x2x3x4xf32>
    "func.return"(%121) : (tensor<2x5x2x3x4xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x8x3xf16>, tensor<2x3xf16>, tensor<2x4x3xf32>) -> tensor<2x4x3xf32>, sym_name = "depthwise_conv_1d_nwc_wc"}> ({
  ^bb0(%arg202: tensor<2x8x3xf16>, %arg203: tensor<2x3xf16>, %arg204: tensor<2x4x3xf32>):
    %116 = "linalg.depthwise_conv_1d_nwc_wc"(%arg202, %arg203, %arg204) <{operandSegmentSizes = array<i32: 2, 1>, strides = dense<2> : tensor<1xi64>}> ({
    ^bb0(%arg205: f16, %arg206: f16, %arg207: f32):
      %117 = "arith.extf"(%arg205) : (f16) -> f32
      %118 = "arith.extf"(%arg206) : (f16) -> f32
      %119 = "arith.mulf"(%117, %118) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %120 = "arith.addf"(%arg207, %119) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%120) : (f32) -> ()
    }) : (tensor<2x8x3xf16>, tensor<2x3xf16>, tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
    "func.return"(%116) : (tensor<2x4x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3x5xf32>, tensor<3x2xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>, sym_name = "depthwise_conv_1d_ncw_cw"}> ({
  ^bb0(%arg196: tensor<2x3x5xf32>, %arg197: tensor<3x2xf32>, %arg198: tensor<2x3x4xf32>):
    %113 = "linalg.depthwise_conv_1d_ncw_cw"(%arg196, %arg197, %arg198) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg199: f32, %arg200: f32, %arg201: f32):
      %114 = "arith.mulf"(%arg199, %arg200) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %115 = "arith.addf"(%arg201, %114) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%115) : (f32) -> ()
    }) : (tensor<2x3x5xf32>, tensor<3x2xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
    "func.return"(%113) : (tensor<2x3x4xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x9x3xf16>, tensor<2x3x2xf16>, tensor<2x4x3x2xf32>) -> tensor<2x4x3x2xf32>, sym_name = "depthwise_conv_1d_nwc_wcm"}> ({
  ^bb0(%arg190: tensor<2x9x3xf16>, %arg191: tensor<2x3x2xf16>, %arg192: tensor<2x4x3x2xf32>):
    %108 = "linalg.depthwise_conv_1d_nwc_wcm"(%arg190, %arg191, %arg192) <{dilations = dense<2> : tensor<1xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<2> : tensor<1xi64>}> ({
    ^bb0(%arg193: f16, %arg194: f16, %arg195: f32):
      %109 = "arith.extf"(%arg193) : (f16) -> f32
      %110 = "arith.extf"(%arg194) : (f16) -> f32
      %111 = "arith.mulf"(%109, %110) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %112 = "arith.addf"(%arg195, %111) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%112) : (f32) -> ()
    }) : (tensor<2x9x3xf16>, tensor<2x3x2xf16>, tensor<2x4x3x2xf32>) -> tensor<2x4x3x2xf32>
    "func.return"(%108) : (tensor<2x4x3x2xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x5x5x3xf16>, tensor<3x2x3xf16>, tensor<2x3x4x3xf32>) -> tensor<2x3x4x3xf32>, sym_name = "depthwise_conv_2d_nhwc_hwc"}> ({
  ^bb0(%arg184: tensor<2x5x5x3xf16>, %arg185: tensor<3x2x3xf16>, %arg186: tensor<2x3x4x3xf32>):
    %103 = "linalg.depthwise_conv_2d_nhwc_hwc"(%arg184, %arg185, %arg186) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg187: f16, %arg188: f16, %arg189: f32):
      %104 = "arith.extf"(%arg187) : (f16) -> f32
      %105 = "arith.extf"(%arg188) : (f16) -> f32
      %106 = "arith.mulf"(%104, %105) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %107 = "arith.addf"(%arg189, %106) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%107) : (f32) -> ()
    }) : (tensor<2x5x5x3xf16>, tensor<3x2x3xf16>, tensor<2x3x4x3xf32>) -> tensor<2x3x4x3xf32>
    "func.return"(%103) : (tensor<2x3x4x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x7x11x3xi8>, tensor<3x2x3xi8>, i32, i32, tensor<2x3x4x3xi32>) -> tensor<2x3x4x3xi32>, sym_name = "depthwise_conv_2d_nhwc_hwc_q"}> ({
  ^bb0(%arg174: tensor<2x7x11x3xi8>, %arg175: tensor<3x2x3xi8>, %arg176: i32, %arg177: i32, %arg178: tensor<2x3x4x3xi32>):
    %96 = "linalg.depthwise_conv_2d_nhwc_hwc_q"(%arg174, %arg175, %arg176, %arg177, %arg178) <{operandSegmentSizes = array<i32: 4, 1>, strides = dense<[2, 3]> : tensor<2xi64>}> ({
    ^bb0(%arg179: i8, %arg180: i8, %arg181: i32, %arg182: i32, %arg183: i32):
      %97 = "arith.extsi"(%arg179) : (i8) -> i32
      %98 = "arith.subi"(%97, %arg181) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      %99 = "arith.extsi"(%arg180) : (i8) -> i32
      %100 = "arith.subi"(%99, %arg182) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      %101 = "arith.muli"(%98, %100) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      %102 = "arith.addi"(%arg183, %101) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      "linalg.yield"(%102) : (i32) -> ()
    }) : (tensor<2x7x11x3xi8>, tensor<3x2x3xi8>, i32, i32, tensor<2x3x4x3xi32>) -> tensor<2x3x4x3xi32>
    "func.return"(%96) : (tensor<2x3x4x3xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3x7x6xf32>, tensor<3x3x2xf32>, tensor<2x3x3x4xf32>) -> tensor<2x3x3x4xf32>, sym_name = "depthwise_conv_2d_nchw_chw"}> ({
  ^bb0(%arg168: tensor<2x3x7x6xf32>, %arg169: tensor<3x3x2xf32>, %arg170: tensor<2x3x3x4xf32>):
    %93 = "linalg.depthwise_conv_2d_nchw_chw"(%arg168, %arg169, %arg170) <{dilations = dense<2> : tensor<2xi64>, operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg171: f32, %arg172: f32, %arg173: f32):
      %94 = "arith.mulf"(%arg171, %arg172) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %95 = "arith.addf"(%arg173, %94) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%95) : (f32) -> ()
    }) : (tensor<2x3x7x6xf32>, tensor<3x3x2xf32>, tensor<2x3x3x4xf32>) -> tensor<2x3x3x4xf32>
    "func.return"(%93) : (tensor<2x3x3x4xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x7x11x3xf16>, tensor<3x2x3x2xf16>, tensor<2x3x4x3x2xf32>) -> tensor<2x3x4x3x2xf32>, sym_name = "depthwise_conv_2d_nhwc_hwcm"}> ({
  ^bb0(%arg162: tensor<2x7x11x3xf16>, %arg163: tensor<3x2x3x2xf16>, %arg164: tensor<2x3x4x3x2xf32>):
    %88 = "linalg.depthwise_conv_2d_nhwc_hwcm"(%arg162, %arg163, %arg164) <{operandSegmentSizes = array<i32: 2, 1>, strides = dense<[2, 3]> : tensor<2xi64>}> ({
    ^bb0(%arg165: f16, %arg166: f16, %arg167: f32):
      %89 = "arith.extf"(%arg165) : (f16) -> f32
      %90 = "arith.extf"(%arg166) : (f16) -> f32
      %91 = "arith.mulf"(%89, %90) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %92 = "arith.addf"(%arg167, %91) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%92) : (f32) -> ()
    }) : (tensor<2x7x11x3xf16>, tensor<3x2x3x2xf16>, tensor<2x3x4x3x2xf32>) -> tensor<2x3x4x3x2xf32>
    "func.return"(%88) : (tensor<2x3x4x3x2xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x5x5x3xi8>, tensor<3x2x3x2xi8>, i32, i32, tensor<2x3x4x3x2xi32>) -> tensor<2x3x4x3x2xi32>, sym_name = "depthwise_conv_2d_nhwc_hwcm_q"}> ({
  ^bb0(%arg152: tensor<2x5x5x3xi8>, %arg153: tensor<3x2x3x2xi8>, %arg154: i32, %arg155: i32, %arg156: tensor<2x3x4x3x2xi32>):
    %81 = "linalg.depthwise_conv_2d_nhwc_hwcm_q"(%arg152, %arg153, %arg154, %arg155, %arg156) <{operandSegmentSizes = array<i32: 4, 1>}> ({
    ^bb0(%arg157: i8, %arg158: i8, %arg159: i32, %arg160: i32, %arg161: i32):
      %82 = "arith.extsi"(%arg157) : (i8) -> i32
      %83 = "arith.subi"(%82, %arg159) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      %84 = "arith.extsi"(%arg158) : (i8) -> i32
      %85 = "arith.subi"(%84, %arg160) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      %86 = "arith.muli"(%83, %85) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      %87 = "arith.addi"(%arg161, %86) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      "linalg.yield"(%87) : (i32) -> ()
    }) : (tensor<2x5x5x3xi8>, tensor<3x2x3x2xi8>, i32, i32, tensor<2x3x4x3x2xi32>) -> tensor<2x3x4x3x2xi32>
    "func.return"(%81) : (tensor<2x3x4x3x2xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x5x11x15x3xf16>, tensor<2x3x2x3xf16>, tensor<2x2x3x4x3xf32>) -> tensor<2x2x3x4x3xf32>, sym_name = "depthwise_conv_3d_ndhwc_dhwc"}> ({
  ^bb0(%arg146: tensor<2x5x11x15x3xf16>, %arg147: tensor<2x3x2x3xf16>, %arg148: tensor<2x2x3x4x3xf32>):
    %76 = "linalg.depthwise_conv_3d_ndhwc_dhwc"(%arg146, %arg147, %arg148) <{dilations = dense<2> : tensor<3xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<[2, 3, 4]> : tensor<3xi64>}> ({
    ^bb0(%arg149: f16, %arg150: f16, %arg151: f32):
      %77 = "arith.extf"(%arg149) : (f16) -> f32
      %78 = "arith.extf"(%arg150) : (f16) -> f32
      %79 = "arith.mulf"(%77, %78) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %80 = "arith.addf"(%arg151, %79) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%80) : (f32) -> ()
    }) : (tensor<2x5x11x15x3xf16>, tensor<2x3x2x3xf16>, tensor<2x2x3x4x3xf32>) -> tensor<2x2x3x4x3xf32>
    "func.return"(%76) : (tensor<2x2x3x4x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3x3x5x5xf32>, tensor<3x2x3x2xf32>, tensor<2x3x2x3x4xf32>) -> tensor<2x3x2x3x4xf32>, sym_name = "depthwise_conv_3d_ncdhw_cdhw"}> ({
  ^bb0(%arg140: tensor<2x3x3x5x5xf32>, %arg141: tensor<3x2x3x2xf32>, %arg142: tensor<2x3x2x3x4xf32>):
    %73 = "linalg.depthwise_conv_3d_ncdhw_cdhw"(%arg140, %arg141, %arg142) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg143: f32, %arg144: f32, %arg145: f32):
      %74 = "arith.mulf"(%arg143, %arg144) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %75 = "arith.addf"(%arg145, %74) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%75) : (f32) -> ()
    }) : (tensor<2x3x3x5x5xf32>, tensor<3x2x3x2xf32>, tensor<2x3x2x3x4xf32>) -> tensor<2x3x2x3x4xf32>
    "func.return"(%73) : (tensor<2x3x2x3x4xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x4x9x14x3xf16>, tensor<2x3x2x3x2xf16>, tensor<2x2x3x4x3x2xf32>) -> tensor<2x2x3x4x3x2xf32>, sym_name = "depthwise_conv_3d_ndhwc_dhwcm"}> ({
  ^bb0(%arg134: tensor<2x4x9x14x3xf16>, %arg135: tensor<2x3x2x3x2xf16>, %arg136: tensor<2x2x3x4x3x2xf32>):
    %68 = "linalg.depthwise_conv_3d_ndhwc_dhwcm"(%arg134, %arg135, %arg136) <{operandSegmentSizes = array<i32: 2, 1>, strides = dense<[2, 3, 4]> : tensor<3xi64>}> ({
    ^bb0(%arg137: f16, %arg138: f16, %arg139: f32):
      %69 = "arith.extf"(%arg137) : (f16) -> f32
      %70 = "arith.extf"(%arg138) : (f16) -> f32
      %71 = "arith.mulf"(%69, %70) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %72 = "arith.addf"(%arg139, %71) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%72) : (f32) -> ()
    }) : (tensor<2x4x9x14x3xf16>, tensor<2x3x2x3x2xf16>, tensor<2x2x3x4x3x2xf32>) -> tensor<2x2x3x4x3x2xf32>
    "func.return"(%68) : (tensor<2x2x3x4x3x2xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x7x6x3xf16>, tensor<3x2xf16>, tensor<2x3x4x3xf32>) -> tensor<2x3x4x3xf32>, sym_name = "pooling_nhwc_sum"}> ({
  ^bb0(%arg128: tensor<2x7x6x3xf16>, %arg129: tensor<3x2xf16>, %arg130: tensor<2x3x4x3xf32>):
    %65 = "linalg.pooling_nhwc_sum"(%arg128, %arg129, %arg130) <{dilations = dense<2> : tensor<2xi64>, operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg131: f16, %arg132: f16, %arg133: f32):
      %66 = "arith.extf"(%arg131) : (f16) -> f32
      %67 = "arith.addf"(%arg133, %66) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%67) : (f32) -> ()
    }) : (tensor<2x7x6x3xf16>, tensor<3x2xf16>, tensor<2x3x4x3xf32>) -> tensor<2x3x4x3xf32>
    "func.return"(%65) : (tensor<2x3x4x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x7x11x3xf16>, tensor<3x2xf16>, tensor<2x3x4x3xf32>) -> tensor<2x3x4x3xf32>, sym_name = "pooling_nhwc_max"}> ({
  ^bb0(%arg122: tensor<2x7x11x3xf16>, %arg123: tensor<3x2xf16>, %arg124: tensor<2x3x4x3xf32>):
    %62 = "linalg.pooling_nhwc_max"(%arg122, %arg123, %arg124) <{operandSegmentSizes = array<i32: 2, 1>, strides = dense<[2, 3]> : tensor<2xi64>}> ({
    ^bb0(%arg125: f16, %arg126: f16, %arg127: f32):
      %63 = "arith.extf"(%arg125) : (f16) -> f32
      %64 = "arith.maximumf"(%arg127, %63) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%64) : (f32) -> ()
    }) : (tensor<2x7x11x3xf16>, tensor<3x2xf16>, tensor<2x3x4x3xf32>) -> tensor<2x3x4x3xf32>
    "func.return"(%62) : (tensor<2x3x4x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x5x5x3xi8>, tensor<3x2xi8>, tensor<2x3x4x3xi32>) -> tensor<2x3x4x3xi32>, sym_name = "pooling_nhwc_max_unsigned"}> ({
  ^bb0(%arg116: tensor<2x5x5x3xi8>, %arg117: tensor<3x2xi8>, %arg118: tensor<2x3x4x3xi32>):
    %59 = "linalg.pooling_nhwc_max_unsigned"(%arg116, %arg117, %arg118) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg119: i8, %arg120: i8, %arg121: i32):
      %60 = "arith.extui"(%arg119) : (i8) -> i32
      %61 = "arith.maxui"(%arg121, %60) : (i32, i32) -> i32
      "linalg.yield"(%61) : (i32) -> ()
    }) : (tensor<2x5x5x3xi8>, tensor<3x2xi8>, tensor<2x3x4x3xi32>) -> tensor<2x3x4x3xi32>
    "func.return"(%59) : (tensor<2x3x4x3xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x9x12x3xf16>, tensor<3x2xf16>, tensor<2x3x4x3xf32>) -> tensor<2x3x4x3xf32>, sym_name = "pooling_nhwc_min"}> ({
  ^bb0(%arg110: tensor<2x9x12x3xf16>, %arg111: tensor<3x2xf16>, %arg112: tensor<2x3x4x3xf32>):
    %56 = "linalg.pooling_nhwc_min"(%arg110, %arg111, %arg112) <{dilations = dense<2> : tensor<2xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<[2, 3]> : tensor<2xi64>}> ({
    ^bb0(%arg113: f16, %arg114: f16, %arg115: f32):
      %57 = "arith.extf"(%arg113) : (f16) -> f32
      %58 = "arith.minimumf"(%arg115, %57) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%58) : (f32) -> ()
    }) : (tensor<2x9x12x3xf16>, tensor<3x2xf16>, tensor<2x3x4x3xf32>) -> tensor<2x3x4x3xf32>
    "func.return"(%56) : (tensor<2x3x4x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x5x5x3xi8>, tensor<3x2xi8>, tensor<2x3x4x3xi32>) -> tensor<2x3x4x3xi32>, sym_name = "pooling_nhwc_min_unsigned"}> ({
  ^bb0(%arg104: tensor<2x5x5x3xi8>, %arg105: tensor<3x2xi8>, %arg106: tensor<2x3x4x3xi32>):
    %53 = "linalg.pooling_nhwc_min_unsigned"(%arg104, %arg105, %arg106) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg107: i8, %arg108: i8, %arg109: i32):
      %54 = "arith.extui"(%arg107) : (i8) -> i32
      %55 = "arith.minui"(%arg109, %54) : (i32, i32) -> i32
      "linalg.yield"(%55) : (i32) -> ()
    }) : (tensor<2x5x5x3xi8>, tensor<3x2xi8>, tensor<2x3x4x3xi32>) -> tensor<2x3x4x3xi32>
    "func.return"(%53) : (tensor<2x3x4x3xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3x7x11xf16>, tensor<3x2xf16>, tensor<2x3x3x4xf32>) -> tensor<2x3x3x4xf32>, sym_name = "pooling_nchw_sum"}> ({
  ^bb0(%arg98: tensor<2x3x7x11xf16>, %arg99: tensor<3x2xf16>, %arg100: tensor<2x3x3x4xf32>):
    %50 = "linalg.pooling_nchw_sum"(%arg98, %arg99, %arg100) <{operandSegmentSizes = array<i32: 2, 1>, strides = dense<[2, 3]> : tensor<2xi64>}> ({
    ^bb0(%arg101: f16, %arg102: f16, %arg103: f32):
      %51 = "arith.extf"(%arg101) : (f16) -> f32
      %52 = "arith.addf"(%arg103, %51) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%52) : (f32) -> ()
    }) : (tensor<2x3x7x11xf16>, tensor<3x2xf16>, tensor<2x3x3x4xf32>) -> tensor<2x3x3x4xf32>
    "func.return"(%50) : (tensor<2x3x3x4xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3x7x6xf32>, tensor<3x2xf32>, tensor<2x3x3x4xf32>) -> tensor<2x3x3x4xf32>, sym_name = "pooling_nchw_max"}> ({
  ^bb0(%arg92: tensor<2x3x7x6xf32>, %arg93: tensor<3x2xf32>, %arg94: tensor<2x3x3x4xf32>):
    %48 = "linalg.pooling_nchw_max"(%arg92, %arg93, %arg94) <{dilations = dense<2> : tensor<2xi64>, operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg95: f32, %arg96: f32, %arg97: f32):
      %49 = "arith.maximumf"(%arg97, %arg95) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%49) : (f32) -> ()
    }) : (tensor<2x3x7x6xf32>, tensor<3x2xf32>, tensor<2x3x3x4xf32>) -> tensor<2x3x3x4xf32>
    "func.return"(%48) : (tensor<2x3x3x4xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x8x3xf16>, tensor<2xf16>, tensor<2x4x3xf32>) -> tensor<2x4x3xf32>, sym_name = "pooling_nwc_sum"}> ({
  ^bb0(%arg86: tensor<2x8x3xf16>, %arg87: tensor<2xf16>, %arg88: tensor<2x4x3xf32>):
    %45 = "linalg.pooling_nwc_sum"(%arg86, %arg87, %arg88) <{operandSegmentSizes = array<i32: 2, 1>, strides = dense<2> : tensor<1xi64>}> ({
    ^bb0(%arg89: f16, %arg90: f16, %arg91: f32):
      %46 = "arith.extf"(%arg89) : (f16) -> f32
      %47 = "arith.addf"(%arg91, %46) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%47) : (f32) -> ()
    }) : (tensor<2x8x3xf16>, tensor<2xf16>, tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
    "func.return"(%45) : (tensor<2x4x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x5x3xf16>, tensor<2xf16>, tensor<2x4x3xf32>) -> tensor<2x4x3xf32>, sym_name = "pooling_nwc_max"}> ({
  ^bb0(%arg80: tensor<2x5x3xf16>, %arg81: tensor<2xf16>, %arg82: tensor<2x4x3xf32>):
    %42 = "linalg.pooling_nwc_max"(%arg80, %arg81, %arg82) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg83: f16, %arg84: f16, %arg85: f32):
      %43 = "arith.extf"(%arg83) : (f16) -> f32
      %44 = "arith.maximumf"(%arg85, %43) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%44) : (f32) -> ()
    }) : (tensor<2x5x3xf16>, tensor<2xf16>, tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
    "func.return"(%42) : (tensor<2x4x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x9x3xi8>, tensor<2xi8>, tensor<2x4x3xi32>) -> tensor<2x4x3xi32>, sym_name = "pooling_nwc_max_unsigned"}> ({
  ^bb0(%arg74: tensor<2x9x3xi8>, %arg75: tensor<2xi8>, %arg76: tensor<2x4x3xi32>):
    %39 = "linalg.pooling_nwc_max_unsigned"(%arg74, %arg75, %arg76) <{dilations = dense<2> : tensor<1xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<2> : tensor<1xi64>}> ({
    ^bb0(%arg77: i8, %arg78: i8, %arg79: i32):
      %40 = "arith.extui"(%arg77) : (i8) -> i32
      %41 = "arith.maxui"(%arg79, %40) : (i32, i32) -> i32
      "linalg.yield"(%41) : (i32) -> ()
    }) : (tensor<2x9x3xi8>, tensor<2xi8>, tensor<2x4x3xi32>) -> tensor<2x4x3xi32>
    "func.return"(%39) : (tensor<2x4x3xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x5x3xf32>, tensor<2xf32>, tensor<2x4x3xf32>) -> tensor<2x4x3xf32>, sym_name = "pooling_nwc_min"}> ({
  ^bb0(%arg68: tensor<2x5x3xf32>, %arg69: tensor<2xf32>, %arg70: tensor<2x4x3xf32>):
    %37 = "linalg.pooling_nwc_min"(%arg68, %arg69, %arg70) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg71: f32, %arg72: f32, %arg73: f32):
      %38 = "arith.minimumf"(%arg73, %arg71) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%38) : (f32) -> ()
    }) : (tensor<2x5x3xf32>, tensor<2xf32>, tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
    "func.return"(%37) : (tensor<2x4x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x8x3xi8>, tensor<2xi8>, tensor<2x4x3xi32>) -> tensor<2x4x3xi32>, sym_name = "pooling_nwc_min_unsigned"}> ({
  ^bb0(%arg62: tensor<2x8x3xi8>, %arg63: tensor<2xi8>, %arg64: tensor<2x4x3xi32>):
    %34 = "linalg.pooling_nwc_min_unsigned"(%arg62, %arg63, %arg64) <{operandSegmentSizes = array<i32: 2, 1>, strides = dense<2> : tensor<1xi64>}> ({
    ^bb0(%arg65: i8, %arg66: i8, %arg67: i32):
      %35 = "arith.extui"(%arg65) : (i8) -> i32
      %36 = "arith.minui"(%arg67, %35) : (i32, i32) -> i32
      "linalg.yield"(%36) : (i32) -> ()
    }) : (tensor<2x8x3xi8>, tensor<2xi8>, tensor<2x4x3xi32>) -> tensor<2x4x3xi32>
    "func.return"(%34) : (tensor<2x4x3xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3x6xf16>, tensor<2xf16>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>, sym_name = "pooling_ncw_sum"}> ({
  ^bb0(%arg56: tensor<2x3x6xf16>, %arg57: tensor<2xf16>, %arg58: tensor<2x3x4xf32>):
    %31 = "linalg.pooling_ncw_sum"(%arg56, %arg57, %arg58) <{dilations = dense<2> : tensor<1xi64>, operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg59: f16, %arg60: f16, %arg61: f32):
      %32 = "arith.extf"(%arg59) : (f16) -> f32
      %33 = "arith.addf"(%arg61, %32) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%33) : (f32) -> ()
    }) : (tensor<2x3x6xf16>, tensor<2xf16>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
    "func.return"(%31) : (tensor<2x3x4xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3x8xf16>, tensor<2xf16>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>, sym_name = "pooling_ncw_max"}> ({
  ^bb0(%arg50: tensor<2x3x8xf16>, %arg51: tensor<2xf16>, %arg52: tensor<2x3x4xf32>):
    %28 = "linalg.pooling_ncw_max"(%arg50, %arg51, %arg52) <{operandSegmentSizes = array<i32: 2, 1>, strides = dense<2> : tensor<1xi64>}> ({
    ^bb0(%arg53: f16, %arg54: f16, %arg55: f32):
      %29 = "arith.extf"(%arg53) : (f16) -> f32
      %30 = "arith.maximumf"(%arg55, %29) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%30) : (f32) -> ()
    }) : (tensor<2x3x8xf16>, tensor<2xf16>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
    "func.return"(%28) : (tensor<2x3x4xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3x5x5x3xf32>, tensor<2x3x2xf32>, tensor<2x2x3x4x3xf32>) -> tensor<2x2x3x4x3xf32>, sym_name = "pooling_ndhwc_sum"}> ({
  ^bb0(%arg44: tensor<2x3x5x5x3xf32>, %arg45: tensor<2x3x2xf32>, %arg46: tensor<2x2x3x4x3xf32>):
    %26 = "linalg.pooling_ndhwc_sum"(%arg44, %arg45, %arg46) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg47: f32, %arg48: f32, %arg49: f32):
      %27 = "arith.addf"(%arg49, %arg47) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%27) : (f32) -> ()
    }) : (tensor<2x3x5x5x3xf32>, tensor<2x3x2xf32>, tensor<2x2x3x4x3xf32>) -> tensor<2x2x3x4x3xf32>
    "func.return"(%26) : (tensor<2x2x3x4x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x5x11x15x3xf16>, tensor<2x3x2xf16>, tensor<2x2x3x4x3xf32>) -> tensor<2x2x3x4x3xf32>, sym_name = "pooling_ndhwc_max"}> ({
  ^bb0(%arg38: tensor<2x5x11x15x3xf16>, %arg39: tensor<2x3x2xf16>, %arg40: tensor<2x2x3x4x3xf32>):
    %23 = "linalg.pooling_ndhwc_max"(%arg38, %arg39, %arg40) <{dilations = dense<2> : tensor<3xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<[2, 3, 4]> : tensor<3xi64>}> ({
    ^bb0(%arg41: f16, %arg42: f16, %arg43: f32):
      %24 = "arith.extf"(%arg41) : (f16) -> f32
      %25 = "arith.maximumf"(%arg43, %24) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%25) : (f32) -> ()
    }) : (tensor<2x5x11x15x3xf16>, tensor<2x3x2xf16>, tensor<2x2x3x4x3xf32>) -> tensor<2x2x3x4x3xf32>
    "func.return"(%23) : (tensor<2x2x3x4x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3x5x5x3xf16>, tensor<2x3x2xf16>, tensor<2x2x3x4x3xf32>) -> tensor<2x2x3x4x3xf32>, sym_name = "pooling_ndhwc_min"}> ({
  ^bb0(%arg32: tensor<2x3x5x5x3xf16>, %arg33: tensor<2x3x2xf16>, %arg34: tensor<2x2x3x4x3xf32>):
    %20 = "linalg.pooling_ndhwc_min"(%arg32, %arg33, %arg34) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg35: f16, %arg36: f16, %arg37: f32):
      %21 = "arith.extf"(%arg35) : (f16) -> f32
      %22 = "arith.minimumf"(%arg37, %21) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%22) : (f32) -> ()
    }) : (tensor<2x3x5x5x3xf16>, tensor<2x3x2xf16>, tensor<2x2x3x4x3xf32>) -> tensor<2x2x3x4x3xf32>
    "func.return"(%20) : (tensor<2x2x3x4x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3x4x5xf32>, tensor<7x3x6x5xf32>, tensor<2x7x4x6xf32>) -> tensor<2x7x4x6xf32>, sym_name = "mmt4d"}> ({
  ^bb0(%arg26: tensor<2x3x4x5xf32>, %arg27: tensor<7x3x6x5xf32>, %arg28: tensor<2x7x4x6xf32>):
    %17 = "linalg.mmt4d"(%arg26, %arg27, %arg28) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg29: f32, %arg30: f32, %arg31: f32):
      %18 = "arith.mulf"(%arg29, %arg30) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %19 = "arith.addf"(%arg31, %18) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%19) : (f32) -> ()
    }) : (tensor<2x3x4x5xf32>, tensor<7x3x6x5xf32>, tensor<2x7x4x6xf32>) -> tensor<2x7x4x6xf32>
    "func.return"(%17) : (tensor<2x7x4x6xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<8x2x3x4x5xf32>, tensor<8x7x3x6x5xf32>, tensor<8x2x7x4x6xf32>) -> tensor<8x2x7x4x6xf32>, sym_name = "batch_mmt4d"}> ({
  ^bb0(%arg20: tensor<8x2x3x4x5xf32>, %arg21: tensor<8x7x3x6x5xf32>, %arg22: tensor<8x2x7x4x6xf32>):
    %14 = "linalg.batch_mmt4d"(%arg20, %arg21, %arg22) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg23: f32, %arg24: f32, %arg25: f32):
      %15 = "arith.mulf"(%arg23, %arg24) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %16 = "arith.addf"(%arg25, %15) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%16) : (f32) -> ()
    }) : (tensor<8x2x3x4x5xf32>, tensor<8x7x3x6x5xf32>, tensor<8x2x7x4x6xf32>) -> tensor<8x2x7x4x6xf32>
    "func.return"(%14) : (tensor<8x2x7x4x6xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x16xi8>, tensor<16x5xi8>, i32, i32, tensor<4x5xi32>) -> tensor<4x5xi32>, sym_name = "quantized_matmul"}> ({
  ^bb0(%arg10: tensor<4x16xi8>, %arg11: tensor<16x5xi8>, %arg12: i32, %arg13: i32, %arg14: tensor<4x5xi32>):
    %7 = "linalg.quantized_matmul"(%arg10, %arg11, %arg12, %arg13, %arg14) <{operandSegmentSizes = array<i32: 4, 1>}> ({
    ^bb0(%arg15: i8, %arg16: i8, %arg17: i32, %arg18: i32, %arg19: i32):
      %8 = "arith.extsi"(%arg15) : (i8) -> i32
      %9 = "arith.subi"(%8, %arg17) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      %10 = "arith.extsi"(%arg16) : (i8) -> i32
      %11 = "arith.subi"(%10, %arg18) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      %12 = "arith.muli"(%9, %11) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      %13 = "arith.addi"(%arg19, %12) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      "linalg.yield"(%13) : (i32) -> ()
    }) : (tensor<4x16xi8>, tensor<16x5xi8>, i32, i32, tensor<4x5xi32>) -> tensor<4x5xi32>
    "func.return"(%7) : (tensor<4x5xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x4x16xi8>, tensor<2x16x5xi8>, i32, i32, tensor<2x4x5xi32>) -> tensor<2x4x5xi32>, sym_name = "quantized_batch_matmul"}> ({
  ^bb0(%arg0: tensor<2x4x16xi8>, %arg1: tensor<2x16x5xi8>, %arg2: i32, %arg3: i32, %arg4: tensor<2x4x5xi32>):
    %0 = "linalg.quantized_batch_matmul"(%arg0, %arg1, %arg2, %arg3, %arg4) <{operandSegmentSizes = array<i32: 4, 1>}> ({
    ^bb0(%arg5: i8, %arg6: i8, %arg7: i32, %arg8: i32, %arg9: i32):
      %1 = "arith.extsi"(%arg5) : (i8) -> i32
      %2 = "arith.subi"(%1, %arg7) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      %3 = "arith.extsi"(%arg6) : (i8) -> i32
      %4 = "arith.subi"(%3, %arg8) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      %5 = "arith.muli"(%2, %4) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      %6 = "arith.addi"(%arg9, %5) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      "linalg.yield"(%6) : (i32) -> ()
    }) : (tensor<2x4x16xi8>, tensor<2x16x5xi8>, i32, i32, tensor<2x4x5xi32>) -> tensor<2x4x5xi32>
    "func.return"(%0) : (tensor<2x4x5xi32>) -> ()
  }) : () -> ()
}) : () -> ()
