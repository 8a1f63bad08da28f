ktdf_arch.device @bench attributes {version = 1, vendor = "kt"} {
  %ram = memory {kind = "RAM", size = 4096}
  %cpu = exec_unit {kind = "CPU"}
  datapath %ram to %cpu : memory, exec_unit
  datapath %cpu to %ram : exec_unit, memory
}
ktdf_arch.device @elsewhere attributes {note = "overridable"} import("boards/elsewhere.mlir")
