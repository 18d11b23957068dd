// An AMDHSA code object: loaded image, kernel descriptors, symbols and metadata.
#pragma once
#include <stdexcept>

#include "isa_tables/inst.h"
#include "simulator/source_lines.h"

namespace wavesmith::sim {

// The file is not a code object that can run here; one line with the reason.
struct LoadError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct KernelArg {
  std::string name, value_kind, type_name;
  uint32_t offset = 0, size = 0;  // bytes in the kernarg segment
  bool hidden() const { return value_kind.starts_with("hidden_"); }
};

// May it be shown to people and put into JSON: UTF-8 without control characters?
bool is_text(std::string_view);

// One kernel: its descriptor (llvm/Support/AMDHSAKernelDescriptor.h) decoded, and its metadata.
struct KernelInfo {
  std::string name;
  uint64_t entry = 0, code_end = 0;                              // code object addresses
  uint32_t lds_bytes = 0, private_bytes = 0, kernarg_bytes = 0;  // static; private per lane
  int vgprs = 0, accum_offset = 0, sgprs = 0;  // vgprs: the whole unified allocation; AGPR 0 is at accum_offset
  int sgprs_counted =
      0;  // reserved by the descriptor on gfx9, including VCC and other special registers; 0 on other targets
  int wave_size = 64;
  bool private_segment_buffer = false, dispatch_ptr = false, queue_ptr = false, kernarg_ptr = false,
       dispatch_id = false;
  bool flat_scratch_init = false, private_segment_size = false;
  int user_sgprs = 0, preload_length = 0, preload_offset = 0;  // preload in dwords
  bool workgroup_id[3] = {}, workgroup_info = false, private_offset = false;
  int workitem_id_dims = 1;  // 1..3
  int round_f32 = 0, round_f16_64 = 0, denorm_f32 = 0, denorm_f16_64 = 3;
  bool dx10_clamp = true, ieee = true, fp16_overflow = false, dynamic_stack = false;
  int max_workgroup_size = 1024;
  std::array<uint32_t, 3> required_workgroup{};  // work-items; zeros: not in the metadata
  int named_barriers = 0;                        // allocated: 0, 4, .. 16 (gfx1250)
  std::array<uint32_t, 3> cluster{};             // workgroups of a cluster (gfx1250); zeros: any size
  std::vector<KernelArg> args;
};

struct Symbol {
  std::string name;
  uint64_t address = 0, size = 0;
  bool function = false, label = false;  // label: local, untyped, in code
};

class CodeObject {
 public:
  // LoadError. A file without kernels is one, unless variables are enough.
  static CodeObject load(std::vector<uint8_t> bytes, bool variables_are_enough = false);
  isa::Arch arch() const { return arch_; }
  bool may_replay() const { return may_replay_; }  // memory instructions (XNACK): the file allows it (on or any)
  bool loads_keep_half() const {
    return loads_keep_half_;
  }  // D16 loads keep the other half of a register: no SRAM-ECC on the target, or off in the file
  std::span<const KernelInfo> kernels() const { return kernels_; }
  const KernelInfo& kernel(std::string_view name) const;  // empty: the only one. LoadError lists the kernels
  std::span<const Symbol> symbols() const { return symbols_; }
  // What printf prints, if it is buffered: "ID:0:HASH,FORMAT" (AMDGPUUsage, amdhsa.printf).
  std::span<const std::string> printf_formats() const { return printf_formats_; }
  // Where the instruction at an address was written, if the file says so.
  std::optional<SourceLine> source(uint64_t address) const { return lines_.at(address); }
  std::string where(uint64_t address) const;  // the same as text; empty: the file does not say
  const SourceLines& lines() const { return lines_; }
  // The label or function at an address; empty: none.
  std::string_view name_at(uint64_t address) const;
  std::span<const uint8_t> image() const { return image_; }  // the loaded segments, from address 0
  // Relocations of the loaded image: at `offset`, the image's device address plus `value`.
  struct Relocation {
    uint64_t offset, value;
  };
  std::span<const Relocation> relocations() const { return relocations_; }
  std::span<const uint8_t> code(
      uint64_t address) const;  // from there to the end of its executable segment; empty if outside

 private:
  struct Loader;
  isa::Arch arch_{};
  bool may_replay_ = false, loads_keep_half_ = false;
  std::vector<uint8_t> image_;
  struct Segment {
    uint64_t address, size;
    bool executable;
  };
  std::vector<Segment> segments_;
  std::vector<KernelInfo> kernels_;
  std::vector<Symbol> symbols_;
  std::vector<std::pair<uint64_t, size_t>> names_;  // address and number of labels and functions, by address
  SourceLines lines_;
  std::vector<Relocation> relocations_;
  std::vector<std::string> printf_formats_;
};

}  // namespace wavesmith::sim
