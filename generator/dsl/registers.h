// Typed registers and their pools. The file is a C++ type (an SGPR where a VGPR belongs does not compile); the width is
// a value. Allocation is first fit, owned by scope and named, so that exhaustion can print the whole map.
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <source_location>
#include <stdexcept>
#include <utility>

#include "isa_tables/inst.h"

namespace wavesmith {

using isa::Arch;
using isa::File;

using Where = std::source_location;

// The author's file in messages and code objects: the compiler's relative path, or the file name alone if the path is
// absolute (-fmacro-prefix-map makes it relative), so that no path of the generating machine appears.
inline std::string_view author_file(const Where& w) {
  const std::string_view file = w.file_name();
  return file.starts_with('/') ? file.substr(file.rfind('/') + 1) : file;
}
// "file:line" of an author's line.
inline std::string place(const Where& w) { return fmt::format("{}:{}", author_file(w), w.line()); }

// The index in r[i], with its source line.
struct RegisterNumber {
  int i;
  Where where;
  RegisterNumber(int n, Where w = Where::current()) : i(n), where(w) {}
};

// Registers as they were allocated, for the map in the .s.
struct NamedRegisters {
  isa::Operand registers;
  std::string name;
};

struct OutOfRegisters : std::runtime_error {
  using std::runtime_error::runtime_error;
};

template <File F>
struct Reg {
  uint16_t index = 0;
  uint8_t dwords = 0;

  // `n` registers of this tuple, from `first` on. Error: IsaError if they are not inside it.
  Reg slice(int first, int n = 1, Where w = Where::current()) const {
    if (first < 0 || n < 1 || first + n > dwords)
      throw isa::IsaError(fmt::format("{}: slice({}, {}) of {}; legal: registers 0 to {}", place(w), first, n,
                                      isa::print(operand()), dwords - 1));
    return {static_cast<uint16_t>(index + first), static_cast<uint8_t>(n)};
  }
  Reg operator[](RegisterNumber n) const { return slice(n.i, 1, n.where); }
  isa::Operand operand() const { return isa::reg(F, index, dwords); }
};
using Vgpr = Reg<File::v>;
using Agpr = Reg<File::a>;
using Sgpr = Reg<File::s>;
inline constexpr Sgpr vcc{isa::sreg::vcc, 2}, exec{isa::sreg::exec, 2}, m0{isa::sreg::m0, 1};

template <File F>
class Owned;

template <File F>
class Pool {
 public:
  Pool(int size, int tuple_align) : used_(size), tuple_align_(tuple_align) {}
  Pool(const Pool&) = delete;

  // `dwords` consecutive registers, the first a multiple of `align` (0: the target's alignment of tuples; of SGPRs 2,
  // though buffer resources need 4).
  // Errors: OutOfRegisters with the whole map, also for more than 255 at once; IsaError for fewer than 1.
  Owned<F> alloc(int dwords, std::string name, int align = 0, Where w = Where::current());
  std::optional<int> next_free(int dwords, int align = 0) const;  // the register that alloc would begin at
  int high_water() const { return high_water_; }                  // registers the descriptor must allocate
  // high_water() if tuples of so many dwords were allocated besides, in this order and after `freed`; none if there is
  // no room.
  std::optional<int> high_water_with(const std::vector<int>& tuples, const std::vector<Reg<F>>& freed = {}) const;
  int size() const { return static_cast<int>(used_.size()); }
  std::string map() const;                                                 // of what is in use
  const std::vector<NamedRegisters>& history() const { return history_; }  // all of them, each once

 private:
  friend class Owned<F>;
  void remember(const isa::Operand& r, const std::string& name) {
    for (const auto& known : history_)
      if (known.registers == r && known.name == name) return;
    history_.push_back({r, name});
  }
  void release(int first, int dwords) {
    std::fill_n(used_.begin() + first, dwords, char{0});
    names_.erase(first);
  }
  static std::optional<int> free_in(const std::vector<char>& used, int dwords, int align);
  int align_of(int dwords) const { return dwords > 1 ? tuple_align_ : 1; }
  std::vector<char> used_;                            // by register: 1 if it is
  std::map<int, std::pair<int, std::string>> names_;  // first register -> (count, name)
  std::vector<NamedRegisters> history_;
  int tuple_align_, high_water_ = 0;
};

template <File F>
class Owned : public Reg<F> {  // frees its registers at the end of its scope
 public:
  Owned() = default;
  Owned(Pool<F>* pool, Reg<F> r) : Reg<F>(r), pool_(pool) {}
  Owned(Owned&& o) noexcept : Reg<F>(o), pool_(std::exchange(o.pool_, nullptr)) {}
  Owned& operator=(Owned&& o) noexcept {
    free();
    static_cast<Reg<F>&>(*this) = o;
    pool_ = std::exchange(o.pool_, nullptr);
    return *this;
  }
  ~Owned() { free(); }
  void free() {
    if (auto* p = std::exchange(pool_, nullptr)) p->release(this->index, this->dwords);
  }

 private:
  Pool<F>* pool_ = nullptr;
};

template <File F>
std::optional<int> Pool<F>::free_in(const std::vector<char>& used, int dwords, int align) {
  for (int first = 0; first + dwords <= static_cast<int>(used.size());) {
    int free = dwords;  // from the last one back
    while (free && !used[static_cast<size_t>(first + free - 1)]) --free;
    if (!free) return first;
    first = (first + free + align - 1) / align * align;
  }
  return {};
}
template <File F>
std::optional<int> Pool<F>::next_free(int dwords, int align) const {
  return free_in(used_, dwords, align ? align : align_of(dwords));
}
template <File F>
std::optional<int> Pool<F>::high_water_with(const std::vector<int>& tuples, const std::vector<Reg<F>>& freed) const {
  std::vector<char> used = used_;
  for (const Reg<F>& f : freed) std::fill_n(used.begin() + f.index, f.dwords, char{0});
  int high_water = high_water_;
  for (const int dwords : tuples) {
    const std::optional<int> first = free_in(used, dwords, align_of(dwords));
    if (!first) return {};
    std::fill_n(used.begin() + *first, dwords, char{1});
    high_water = std::max(high_water, *first + dwords);
  }
  return high_water;
}

template <File F>
Owned<F> Pool<F>::alloc(int dwords, std::string name, int align, Where w) {
  constexpr int most = 255;
  if (dwords < 1)
    throw isa::IsaError(fmt::format("{}: alloc({}) for '{}'; legal: 1 to {}", place(w), dwords, name, most));
  if (const std::optional<int> free = next_free(dwords, align); free && dwords <= most) {
    const int first = *free;
    std::fill_n(used_.begin() + first, dwords, char{1});
    remember(isa::reg(F, first, dwords), name);
    names_[first] = {dwords, std::move(name)};
    high_water_ = std::max(high_water_, first + dwords);
    return {this, {static_cast<uint16_t>(first), static_cast<uint8_t>(dwords)}};
  }
  throw OutOfRegisters(fmt::format("{}: out of {}-registers: need {} for '{}', {} of {} in use\n{}", place(w),
                                   F == File::v   ? 'v'
                                   : F == File::a ? 'a'
                                                  : 's',
                                   dwords, name, std::ranges::count(used_, 1), size(), map()));
}

template <File F>
std::string Pool<F>::map() const {
  std::string out;
  for (const auto& [first, entry] : names_)
    out += fmt::format("  {} {}\n", isa::print(isa::reg(F, first, entry.first)), entry.second);
  return out;
}

struct Registers {
  Pool<File::v> v;
  Pool<File::a> a;
  Pool<File::s> s;
  explicit Registers(Arch arch)
      : v(isa::target(arch).vgprs, isa::target(arch).tuple_align),
        a(isa::target(arch).agprs, isa::target(arch).tuple_align),
        s(isa::target(arch).sgprs, 2),
        mask_dwords_(isa::target(arch).wave_size / 32) {}
  // For a copy of EXEC or VCC: a bit for each lane of a wave. Error: OutOfRegisters.
  Owned<File::s> lane_mask(std::string name, Where w = Where::current()) {
    return s.alloc(mask_dwords_, std::move(name), 0, w);
  }

 private:
  int mask_dwords_;
};

}  // namespace wavesmith
