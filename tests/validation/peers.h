// Other people's code objects of GEMM and attention, which are not part of this repository: how they are launched, and
// timed as their authors measured them.
#pragma once
#include <cstring>
#include <optional>

#include "simulator/timing/timing.h"

namespace wavesmith::validation {

// Bytes at an offset of a kernel's arguments.
template <class T>
void put(std::vector<uint8_t>& bytes, size_t offset, T value) {
  if (bytes.size() < offset + sizeof value) bytes.resize(offset + sizeof value);
  std::memcpy(bytes.data() + offset, &value, sizeof value);
}

struct GemmSize {
  uint32_t m, n, k;
  double flops() const { return 2.0 * m * n * k; }
};

// hipBLASLt (Tensile) keeps hand-tuned assembly beside its generated kernels: C = A^T B column-major, K contiguous in
// both. One row each of those for problems that fill a device.
struct Tensile {
  const char* file;
  const char* dtype;  // as perf.csv has it
  uint32_t tile_m, tile_n;
  int version;  // InternalSupportParams.KernArgsVersion of its metadata: 0 has a header of 8 bytes, later ones 16
  int element;  // bytes of A and B; C is bf16
};
const std::vector<Tensile>& tensile_kernels();
// Of the type: the kernel with least work in the device's fullest CU, the larger tile first. nullptr: none of that
// type.
const Tensile* tensile_kernel(const std::string& dtype, const GemmSize&, int units);
sim::Launch tensile_launch(const Tensile&, const GemmSize&, sim::Memory&);

// HipKittens' GEMMs, C = A B^T row-major, bf16: sizes are constants of the code, so that a file is one size.
struct Kittens {
  const char* file;  // before the size: NAME.MxNxK.co
  uint32_t tile_m, tile_n, lanes;
};
sim::Launch kittens_launch(const Kittens&, const GemmSize&, sim::Memory&);

// rocm_wmma_gemm's for RDNA3, C = A B of f16; any size that tiles divide.
struct Rdna3Gemm {
  std::string file, name;
  uint32_t tile_m = 0, tile_n = 0, waves = 0;
};
// Those in the folder whose sums and C are of the C++ type, "half" or "float". layout: r (row-major) or c of A, B and
// C.
std::vector<Rdna3Gemm> rdna3_gemms(const std::string& peers, isa::Arch, const std::string& type,
                                   const std::string& layout);
sim::Launch rdna3_launch(const Rdna3Gemm&, const std::string& type, const GemmSize&, sim::Memory&);

// Forward attention, bf16. Tensors are [batch][row][head][column], heads_first: [batch][head][row][column].
struct AttentionShape {
  uint32_t batch, heads, kv_heads, queries, keys;
  bool causal;
  uint32_t dim = 128, dim_v = 128;  // of Q and K; of V and O
  bool heads_first = false, lse = false;
  bool fp8 = false;  // Q, K and V, with scales per tensor; O is bf16
};
// aiter's: head dimensions 128, and 192 with 128 of V; fp8: 128; gfx1250: 64 and 128, bf16. The path in the folder hsa,
// of the kernel that rounds as aiter does by default.
std::string aiter_attention_file(const AttentionShape&, isa::Arch);
sim::Launch aiter_attention_launch(const AttentionShape&, isa::Arch, sim::Memory&);
// HipKittens': head dimensions 64 and 128. The shape, which is constants of the code, is in the file's name.
std::string kittens_attention_file(const AttentionShape&);
sim::Launch kittens_attention_launch(const AttentionShape&, sim::Memory&);

}  // namespace wavesmith::validation
