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
