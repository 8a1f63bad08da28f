// passes: ktir-legality-check
// device: toy
// error: grid [3, 4] needs 12 compute tiles, but device @toy has 8 cores
func.func @f(%t: tensor<4xf16>) attributes {grid = [3, 4]} {
  return
}
