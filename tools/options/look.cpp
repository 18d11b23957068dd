#include "tools/options/look.h"

#include <fmt/format.h>

#include <charconv>
#include <climits>
#include <cstdio>

#include "simulator/deferred.h"
#include "simulator/semantics.h"
#include "tools/print/console.h"
#include "tools/print/exit.h"
#include "tools/print/text.h"

namespace wavesmith::tools {
namespace {

constexpr const char* register_form = "v0, a3, s4, v0-v7, vcc, exec, m0, scc, as a list: v0-v7,s0-s15,exec";

// "v0-v7" as register numbers of RegSet: VGPRs first, then AGPRs, then scalars.
void add_registers(std::vector<int>& out, const std::string& text, const isa::Target& t) {
  const auto refuse = [&] {
    throw InputError(fmt::format("--dump: '{}' is not a register of {}, legal: {}", text, t.name, register_form));
  };
  const auto number = [&](const std::string& name) {
    namespace sreg = isa::sreg;
    for (const auto& [special, n] : {std::pair("m0", sreg::m0), {"scc", sreg::scc}})
      if (name == special) return sim::scalar_base + n;
    int n = -1;
    const char* end = name.data() + name.size();
    if (name.size() < 2 || std::from_chars(name.data() + 1, end, n).ptr != end || n < 0) refuse();
    if (name[0] == 's' && n < 106) return sim::scalar_base + n;
    if (name[0] == 'a' && n < t.agprs) return isa::number_of(isa::File::a, n);
    if (name[0] == 'v' && n < t.vgprs) return n;
    refuse();
    return 0;
  };
  for (const auto& [pair, n] : {std::pair("vcc", isa::sreg::vcc), {"exec", isa::sreg::exec}})
    if (text == pair) return out.push_back(sim::scalar_base + n), out.push_back(sim::scalar_base + n + 1);
  const auto ends = split(text, '-', 2);
  const int first = number(ends[0]), last = ends.size() == 2 ? number(ends[1]) : first;
  if (last < first || (first < sim::scalar_base) != (last < sim::scalar_base)) refuse();
  for (int r = first; r <= last; ++r) out.push_back(r);
}

// FILE:LINE, if that is what it says.
std::optional<std::pair<std::string, uint32_t>> file_and_line(const std::string& text) {
  const size_t colon = text.rfind(':');
  if (colon == text.npos || colon == 0) return {};
  uint32_t line = 0;
  const char *first = text.data() + colon + 1, *end = text.data() + text.size();
  if (first == end || std::from_chars(first, end, line).ptr != end) return {};
  return std::pair{text.substr(0, colon), line};
}

// The instructions that --break names: one, or all of a label or line (an unrolled loop has a line many times).
std::vector<uint64_t> addresses_of(const std::string& text, const sim::CodeObject& co, const sim::KernelInfo& kernel) {
  if (text[0] >= '0' && text[0] <= '9') return {parse_number(text, "--break")};
  if (const auto place = file_and_line(text)) {
    auto all = co.lines().addresses(place->first, place->second);
    if (all.empty())
      throw InputError(fmt::format("--break: no instruction of '{}', legal: a line with instructions {}", text,
                                   co.lines().files().empty()
                                       ? "(this file has no source lines)"
                                       : fmt::format("of {}", fmt::join(co.lines().files(), " "))));
    return all;
  }
  const auto parts = split(text, '+', 2);
  const uint64_t offset = parts.size() == 2 ? parse_number(parts[1], "--break") : 0;
  if (parts[0] == kernel.name) return {kernel.entry + offset};
  std::vector<uint64_t> all;
  std::vector<std::string_view> legal{kernel.name};
  for (const auto& s : co.symbols()) {
    if (s.name == parts[0]) all.push_back(s.address + offset);
    if ((s.function || s.label) && std::ranges::find(legal, s.name) == legal.end()) legal.push_back(s.name);
  }
  if (all.empty())
    throw InputError(
        fmt::format("--break: no label '{}', legal: a pc as in 0x1500, FILE:LINE, or one of {} with +BYTES", parts[0],
                    fmt::join(legal, " ")));
  return all;
}

std::string hex(uint32_t x) { return fmt::format("{:#x}", x); }

// A scalar's value; for a VGPR one value if all lanes are equal, else runs of equal lanes.
std::string value_text(const sim::Wave& w, int joint) {
  if (joint >= sim::scalar_base) {
    const int r = joint - sim::scalar_base;
    return hex(r == isa::sreg::scc ? w.scc : w.s[r]);
  }
  const uint32_t* v = w.v + joint * sim::Wave::lanes;
  std::string out;
  int runs = 0;
  for (int l = 0, end = 0; l < w.width(); l = end) {
    for (end = l + 1; end < w.width() && v[end] == v[l];) ++end;
    if (l == 0 && end == w.width()) return hex(v[0]);
    if (++runs > 8) return out + " ...";
    out += fmt::format("{}{}{}", out.empty() ? "[" : " ", end - l > 1 ? fmt::format("{}x", end - l) : "", hex(v[l]));
  }
  return out + "]";
}

}  // namespace

struct Look::Watcher final : sim::Observer {
  FILE* const to = out();  // also where waves run on other threads
  bool trace = false;
  std::array<uint32_t, 3> group{};
  int wave = 0;
  std::vector<uint64_t> stops;
  std::optional<uint64_t> watch;  // an address of device memory, or of LDS if `watches_lds`
  std::string watch_name;
  std::vector<int> dump;
  const sim::CodeObject* object = nullptr;

  std::string before;  // the dumped registers after the wave's last instruction
  std::string place;   // of the last instruction traced
  bool shown = false;
  std::vector<std::string> touches;  // of LDS, by the instruction being executed

  bool chosen(const sim::Wave& w) const { return w.group->id == group && w.number == wave; }
  std::string registers(const sim::Wave& w) const {
    std::string out;
    for (const int r : dump) out += fmt::format("  {:<8} {}\n", sim::register_name(w, r), value_text(w, r));
    return out;
  }
  bool stops_at(uint64_t pc) const { return std::ranges::find(stops, pc) != stops.end(); }
  std::string at(uint64_t pc, const std::string& text) const {
    const std::string where = object->where(pc);
    return fmt::format("{:#x}: {}{}{}", pc, text, where.empty() ? "" : " at ", where);
  }
  void show(uint64_t pc, const std::string& text) {
    fmt::print(to, "{}: workgroup {}, wave {}\n{}", at(pc, text), fmt::join(group, ","), wave, before);
    shown = true;
  }
  void show_touches(uint64_t pc, const std::string& text) {
    for (const auto& t : touches) fmt::print(to, "{}: {}\n", at(pc, text), t);
    touches.clear();
  }
  void print_trace(const sim::Wave& w, const sim::Step& st) {
    if (const std::string now = object->where(st.pc); now != place) {
      place = now;
      if (!now.empty()) fmt::print(to, "; {}\n", now);
    }
    std::string wrote;
    st.cold->writes.each([&](int r) {
      wrote += fmt::format("{}{} = {}", wrote.empty() ? "  ; " : ", ", sim::register_name(w, r), value_text(w, r));
    });
    fmt::print(to, "{:#x}: {}{}\n", st.pc, st.text(), wrote);
  }
  void executed(const sim::Wave& w, const sim::Step& st) override {
    show_touches(st.pc, st.text());
    if (!chosen(w)) return;
    if (w.deferred) w.deferred->settle(const_cast<sim::Wave&>(w));  // computes deferred matrix products
    if (stops_at(st.pc)) show(st.pc, st.text());
    if (trace) print_trace(w, st);
    if (!dump.empty()) before = registers(w);
  }
  std::string touch(const sim::Wave& w, const char* does, int lane, uint64_t bytes, uint64_t first) {
    shown = true;
    return fmt::format("{} {}: workgroup {}, wave {}{}, {} bytes from {:#x}", does, watch_name,
                       fmt::join(w.group->id, ","), w.number, lane == absent ? "" : fmt::format(", lane {}", lane),
                       bytes, first);
  }
  void lds(const sim::Wave&, const sim::Step&, uint32_t, int, bool, int) override {}
  void lds_bytes(const sim::Wave& w, sim::u32 address, sim::u32 bytes, int lane, sim::LdsUse use) override {
    if (*watch < address || *watch - address >= bytes) return;
    const char* does = use == sim::LdsUse::read ? "reads" : use == sim::LdsUse::write ? "writes" : "changes";
    touches.push_back(touch(w, does, lane, bytes, address));
  }
  void memory(const sim::Wave& w, const sim::Step& st, std::span<const sim::u64> at_lanes, sim::u64 lanes,
              int bytes) override {
    if (!watch || watches_lds) return;
    const bool scalar = at_lanes.size() == 1;
    const bool stores =
        scalar ? st.row->operands[0].access == isa::Access::read : st.row->counter == isa::Counter::store;
    const char* does = st.row->implicit & isa::atomic ? "changes" : stores ? "writes" : "reads";
    for (size_t l = 0; l < std::min(at_lanes.size(), static_cast<size_t>(w.width())); ++l) {
      const uint64_t first = at_lanes[l];
      if (!(lanes >> l & 1) || *watch < first || *watch - first >= static_cast<uint64_t>(bytes)) continue;
      const std::string what =
          touch(w, does, scalar ? absent : static_cast<int>(l), static_cast<uint64_t>(bytes), first);
      fmt::print(to, "{}: {}\n", at(st.pc, st.text()), what);
    }
  }
};

void LookOptions::declare(CLI::App& app) {
  app.add_flag("--trace", trace, "print a wave's instructions and the registers that each wrote");
  app.add_option(
      "--break", stop,
      "where to print the registers of --dump: a pc, a label or symbol with +BYTES, or the author's FILE:LINE");
  app.add_option(
      "--dump", dump,
      fmt::format("registers to print before the instruction at --break, each time the wave reaches it, else at the "
                  "wave's fault or end: {}",
                  register_form));
  app.add_option("--workgroup", workgroup, "workgroup for --trace and --break, X[,Y[,Z]]; default 0,0,0");
  app.add_option("--wave", wave, "wave of that workgroup; default 0")->check(CLI::Range(0, INT_MAX));
  app.add_option(
      "--watch", watch,
      "print every access to this byte: a device address as in faults, NAME+BYTES of a buffer, or lds:ADDRESS");
}

Look::Look(const LookOptions& o, const sim::CodeObject& co, const sim::KernelInfo& kernel)
    : watcher_(std::make_unique<Watcher>()) {
  Watcher& w = *watcher_;
  w.trace = o.trace, w.wave = o.wave;
  const auto id = split(o.workgroup, ',', 3);
  for (size_t i = 0; i < id.size(); ++i) w.group[i] = static_cast<uint32_t>(parse_number(id[i], "--workgroup"));
  w.object = &co;
  if (!o.stop.empty()) w.stops = addresses_of(o.stop, co, kernel);
  const std::string what = o.dump.empty() && !w.stops.empty() ? "exec,vcc" : o.dump;
  if (!what.empty())
    for (const auto& r : split(what, ',')) add_registers(w.dump, r, isa::target(co.arch()));
  w.watch_name = o.watch;
}
Look::~Look() = default;

void Look::buffers(const std::vector<NamedBuffer>& all) {
  Watcher& w = *watcher_;
  if (w.watch_name.empty()) return;
  if (w.watch_name.starts_with("lds:")) {
    w.watch = parse_number(w.watch_name.substr(4), "--watch lds:"), w.watches_lds = true;
    return;
  }
  const auto parts = split(w.watch_name, '+', 2);
  std::string legal;
  for (const auto& b : all) {
    legal += fmt::format(" {}", b.name);
    if (b.name == parts[0]) w.watch = b.device.address + (parts.size() == 2 ? parse_number(parts[1], "--watch") : 0);
  }
  if (w.watch) return;
  if (w.watch_name[0] < '0' || w.watch_name[0] > '9')
    throw InputError(fmt::format("--watch: no buffer '{}', legal: an address, lds:ADDRESS, or one of{} with +BYTES",
                                 parts[0], legal));
  w.watch = parse_number(w.watch_name, "--watch");
}

sim::Observer* Look::workgroup(const std::array<uint32_t, 3>&) { return watcher_.get(); }

bool Look::finish(const std::optional<sim::Fault>& fault) {
  Watcher& w = *watcher_;
  const bool here = fault && fault->workgroup == w.group && fault->wave == w.wave;
  if (fault) w.show_touches(fault->pc, fault->text + " (faults)");
  if (!w.dump.empty() && !w.before.empty()) {
    if (here && (w.stops.empty() || w.stops_at(fault->pc))) w.show(fault->pc, fault->text + " (faults)");
    if (w.stops.empty() && !fault)
      fmt::print(out(), "at the end: workgroup {}, wave {}\n{}", fmt::join(w.group, ","), w.wave, w.before);
  }
  return w.shown || (w.stops.empty() && !w.watch);
}

}  // namespace wavesmith::tools
