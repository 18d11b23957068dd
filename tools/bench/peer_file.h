// A kernel of somebody else as a file (--against-co FILE --meta FILE): its code object, and how a host launches it, as
// `gemm --meta` writes it: {"kernel": ..., "workgroup_size": 256, "grid": ["ceil(m / 256)", ...], "arguments":
// [{"name": "m", "type": "u32", "offset": 64}, ...]}. An argument's value is its name's, or that of its "value", a
// formula.
#pragma once
#include "runtime/device.h"
#include "tools/bench/formula.h"

namespace wavesmith::tools {

struct PeerFile {
  std::string name;  // of the file, without folder and suffix
  std::string kernel;
  std::vector<uint8_t> code;
  std::array<std::string, 3> grid{"1", "1", "1"};  // workgroups
  std::array<uint32_t, 3> block{1, 1, 1};
  uint32_t dynamic_lds = 0;
  struct Argument {
    std::string value, type;  // formula; u32 i32 u64 i64 f32 f64, or ending with *
    uint32_t offset = 0;
  };
  std::vector<Argument> arguments;
  uint32_t kernarg_bytes = 0;

  // The launch for these quantities. Pointers are the addresses of `buffers`. InputError: a name that neither has.
  runtime::Launch launch(const Quantities&, const std::map<std::string, uint64_t, std::less<>>& buffers) const;
};
// FileError; InputError: the metadata in one line.
PeerFile load_peer(const std::string& object, const std::string& metadata);

}  // namespace wavesmith::tools
