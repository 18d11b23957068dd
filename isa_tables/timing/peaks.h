// Peak rates: of an instruction, of a type on a target, of a GPU. Derived from the clocks of the instruction rows;
// for a type, sparse forms are left out, because their peaks count products that are not computed.
#pragma once
#include "isa_tables/isa.h"

namespace wavesmith::isa {

struct Inst;
struct Gpu {
  const char* name;
  Arch arch;
  int units;  // CUs; WGPs from gfx11 on
  int mhz;    // boost
  int memory_gb;
  double tb_per_s;  // of memory, as specified
  int mall_mb;      // memory-side cache
};
std::span<const Gpu> gpus();
// By its name in any case and with or without spaces, or one of two parts of it: "rx7900xtx", "Radeon 8060S". Null:
// none.
const Gpu* find_gpu(std::string_view name);

// Floating-point or integer operations per clock of one unit when all its SIMDs run only this instruction; 0: not a
// matrix instruction of the target. f8f6f4: at the rate of 8-bit operands.
double flops_per_clock(const Info&, Arch);
// The same of one with its formats; 0 on other targets.
double flops_per_clock(const Inst&, Arch);
// The best dense matrix instruction whose A has this type (fp4, fp6: through f8f6f4); 0: there is none.
double flops_per_clock(Type a, Arch);
double peak_tflops(const Gpu&, Type a);

}  // namespace wavesmith::isa
