// A kernel's arguments, declared once: a struct that lists its members in the order of the kernarg segment. The
// declarations, the loads, the bytes that a host packs and the metadata follow from that list.
//
//   struct SumArguments {
//     DevicePointer a, sum;
//     uint32_t n;
//     void list(auto&& to) { to("a", a, "f32"), to("sum", sum, "f32"), to("n", n); }
//   };
//   Arguments<SumArguments> args(kernel);                // declares them
//   kernel.load(n, args[&SumArguments::n]);              // one of them
//   auto pointers = args.registers(&SumArguments::a, &SumArguments::sum);   // neighbours, in one load
//   kernel.load(pointers), k.global_load_dword(x, i, pointers[&SumArguments::a]);
//   std::vector<uint8_t> kernargs = kernarg_bytes(SumArguments{{at_a}, {at_sum}, 100});
//
// list() may also take the kernel's configuration, and omit members that the configuration does not use.
#pragma once
#include <array>
#include <type_traits>

#include "generator/dsl/kernel.h"

namespace wavesmith {

struct DevicePointer {
  uint64_t address = 0;
};

// The metadata's name for the type of a by-value argument.
template <class T>
constexpr const char* value_type() {
  if constexpr (std::is_same_v<T, uint32_t>) return "u32";
  else if constexpr (std::is_same_v<T, int32_t>) return "i32";
  else if constexpr (std::is_same_v<T, uint64_t>) return "u64";
  else if constexpr (std::is_same_v<T, int64_t>) return "i64";
  else if constexpr (std::is_same_v<T, double>) return "f64";
  else {
    static_assert(std::is_same_v<T, float>, "arguments are DevicePointer, u32, i32, u64, i64, f32 and f64");
    return "f32";
  }
}

// The kernarg segment: each member aligned to its size.
template <class S, class... Config>
std::vector<uint8_t> kernarg_bytes(S arguments, const Config&... config) {
  std::vector<uint8_t> bytes;
  arguments.list(
      [&](const char*, const auto& value, const char* = "") {
        bytes.resize((bytes.size() + sizeof value - 1) / sizeof value * sizeof value);
        const auto* at = reinterpret_cast<const uint8_t*>(&value);
        bytes.insert(bytes.end(), at, at + sizeof value);
      },
      config...);
  return bytes;
}

template <class S>
class Arguments {
 public:
  // A member of S in args[...], with its source line.
  struct Member {
    std::ptrdiff_t at;  // its offset in S
    int dwords;
    Where where;
    template <class T>
    Member(T S::* member, Where w = Where::current())
        : at(reinterpret_cast<const char*>(&(blank().*member)) - reinterpret_cast<const char*>(&blank())),
          dwords(static_cast<int>(sizeof(T)) / 4),
          where(w) {}
    template <class T, size_t N>  // one of an array
    Member(std::array<T, N> S::* member, size_t i, Where w = Where::current())
        : at(reinterpret_cast<const char*>(&(blank().*member)[i]) - reinterpret_cast<const char*>(&blank())),
          dwords(static_cast<int>(sizeof(T)) / 4),
          where(w) {}
  };

  // Registers for neighbouring arguments, loaded together.
  class Loaded : public Owned<File::s> {
   public:
    Loaded() = default;
    using Owned<File::s>::operator[];
    // Error: IsaError if it is not among them.
    Sgpr operator[](Member m) const { return this->slice(((*of_)[m].offset - first_.offset) / 4, m.dwords, m.where); }
    const Argument& first() const { return first_; }

   private:
    friend class Arguments;
    Loaded(Owned<File::s> r, const Arguments* of, Argument first)
        : Owned<File::s>(std::move(r)), of_(of), first_(std::move(first)) {}
    const Arguments* of_ = nullptr;
    Argument first_;
  };

  template <class... Config>
  explicit Arguments(Kernel& kernel, const Config&... config) : kernel_(kernel) {
    S all{};
    all.list(
        [&]<class T>(const char* name, const T& value, const char* element = "") {
          const auto at = reinterpret_cast<const char*>(&value) - reinterpret_cast<const char*>(&all);
          if constexpr (std::is_same_v<T, DevicePointer>) listed_[at] = kernel.pointer(name, element);
          else listed_[at] = kernel.value(name, value_type<T>());
        },
        config...);
  }
  Arguments(const Arguments&) = delete;

  // Error: IsaError if this configuration's list omits it.
  const Argument& operator[](Member m) const {
    const auto found = listed_.find(m.at);
    if (found == listed_.end()) {
      std::string legal;
      for (const auto& [at, argument] : listed_) legal += " " + argument.name;
      throw isa::IsaError(
          fmt::format("{}: {}: an argument that this configuration of the kernel does not list; legal:{}",
                      place(m.where), kernel_.name, legal));
    }
    return found->second;
  }
  // Registers for the arguments from one to another, which kernel.load() loads by one instruction. Error: IsaError if
  // they do not take 1, 2, 4, 8 or 16 dwords, or if one of the two is not listed.
  template <class T, class U>
  Loaded registers(T S::* first, U S::* last, Where w = Where::current()) const {
    const Argument &from = (*this)[Member(first, w)], &to = (*this)[Member(last, w)];
    std::string names;
    for (const Argument& a : kernel_.arguments)
      if (a.offset >= from.offset && a.offset <= to.offset) names += (names.empty() ? "" : ", ") + a.name;
    const int dwords = (to.offset + to.size - from.offset) / 4;
    if (dwords < 1 || dwords > 16 || (dwords & (dwords - 1)))
      throw isa::IsaError(fmt::format("{}: {}: the arguments from '{}' to '{}' take {} dwords; legal: 1, 2, 4, 8, 16",
                                      place(w), kernel_.name, from.name, to.name, dwords));
    return {kernel_.r.s.alloc(dwords, std::move(names), dwords > 2 ? 4 : 0, w), this, from};
  }
  template <class T>
  Loaded registers(T S::* member, Where w = Where::current()) const {
    return registers(member, member, w);
  }

 private:
  static const S& blank() {
    static const S s{};
    return s;
  }
  Kernel& kernel_;
  std::map<std::ptrdiff_t, Argument> listed_;  // by the member's place in S
};

}  // namespace wavesmith
