// Buffer and argument specifications. Every refusal names the option, the text and the legal forms.
#include "tools/options/launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <climits>
#include <cstring>

#include "simulator/numerics/numerics.h"
#include "tools/print/exit.h"
#include "tools/print/text.h"

namespace wavesmith::tools {
namespace {

constexpr const char* buffer_form =
    "NAME=in:FILE.npy, inout:FILE.npy, out:TYPE:SHAPE:FILE.npy, zeros:BYTES, fill:BYTES:HEX";
constexpr const char* argument_form =
    "ptr:NAME[+BYTES], i32:N, u32:N, i64:N, u64:N, f32:X, f64:X, f16:X, hex:0011aabb, lds:BYTES (dynamic LDS of that "
    "size)";

struct TypeName {
  const char* name;
  runtime::Dtype stored;
};
// clang-format off
constexpr TypeName element_types[] = {                     // a type NumPy lacks is stored as its bits
    {"f64", runtime::Dtype::f8}, {"f32", runtime::Dtype::f4}, {"f16", runtime::Dtype::f2}, {"bf16", runtime::Dtype::u2},
    {"fp8", runtime::Dtype::u1}, {"bf8", runtime::Dtype::u1}, {"i8", runtime::Dtype::i1}, {"i16", runtime::Dtype::i2},
    {"i32", runtime::Dtype::i4}, {"i64", runtime::Dtype::i8}, {"u8", runtime::Dtype::u1}, {"u16", runtime::Dtype::u2},
    {"u32", runtime::Dtype::u4}, {"u64", runtime::Dtype::u8}};
// clang-format on

constexpr uint64_t largest_buffer = uint64_t{1} << 40;

// Memory of the buffers declared so far: the host's and the device's copies.
struct Room {
  const Force& force;
  uint64_t bytes = 0;
  uint64_t take(uint64_t more, const std::string& spec) {
    if (more > largest_buffer) throw InputError(fmt::format("--buffer {}: {} bytes, legal: up to 2^40", spec, more));
    force.ask_for_memory(2 * static_cast<double>(bytes += more),
                         fmt::format("--buffer {}: together with the preceding ones", spec));
    return more;
  }
};

NamedBuffer make_buffer(const std::string& text, Room& room) {
  auto [name, spec] = parse_assignment(text, "--buffer", buffer_form);
  const auto parts = split(spec, ':');
  const std::string& kind = parts[0];
  NamedBuffer b{.name = name, .save_to = {}, .array = {}, .device = {}};
  if ((kind == "in" || kind == "inout") && parts.size() >= 2) {
    const std::string file = spec.substr(kind.size() + 1);
    if (const auto size = runtime::file_size(file)) room.take(*size, text);
    b.array = runtime::load_npy(file);
    if (kind == "inout") b.save_to = file;
  } else if (kind == "out" && parts.size() >= 4) {
    b.array.type = element_type(parts[1], text);
    unsigned __int128 bytes = static_cast<unsigned>(size_of(b.array.type));
    for (const auto& d : split(parts[2], parts[2].find('x') != parts[2].npos ? 'x' : ',')) {
      b.array.shape.push_back(parse_number(d, "--buffer " + text));
      bytes = std::min<unsigned __int128>(bytes * b.array.shape.back(), largest_buffer + 1);
    }
    b.array.bytes.resize(room.take(static_cast<uint64_t>(bytes), text));
    b.save_to = split(spec, ':', 4)[3];
    b.output = true;
  } else if (kind == "zeros" && parts.size() == 2) {
    b.array.bytes.resize(room.take(parse_number(parts[1], "--buffer " + text), text));
  } else if (kind == "fill" && parts.size() == 3) {
    const auto pattern = parse_hex(parts[2], "--buffer " + text);
    b.array.bytes.resize(room.take(parse_number(parts[1], "--buffer " + text), text));
    if (pattern.empty())
      throw InputError(fmt::format("--buffer {}: empty pattern, legal: two digits per byte, as in 0011aabb", text));
    for (size_t i = 0; i < b.array.bytes.size(); ++i) b.array.bytes[i] = pattern[i % pattern.size()];
  } else {
    throw InputError(fmt::format("--buffer: '{}' is not a buffer, legal: {}", text, buffer_form));
  }
  return b;
}

template <class T>
std::vector<uint8_t> bytes_of(T value) {
  std::vector<uint8_t> out(sizeof value);
  std::memcpy(out.data(), &value, sizeof value);
  return out;
}

template <class T>
std::vector<uint8_t> number_bytes(const std::string& text, const std::string& spec, const std::string& option) {
  T value{};
  std::from_chars_result r{};
  if constexpr (std::is_integral_v<T>) {
    if (text.starts_with("0x")) {
      std::make_unsigned_t<T> bits = 0;
      r = std::from_chars(text.data() + 2, text.data() + text.size(), bits, 16);
      value = static_cast<T>(bits);
    } else r = std::from_chars(text.data(), text.data() + text.size(), value);
  } else r = std::from_chars(text.data(), text.data() + text.size(), value);
  if (r.ec != std::errc() || r.ptr != text.data() + text.size())
    throw InputError(fmt::format("{} {}: '{}' does not fit the type, legal: {}", option, spec, text, argument_form));
  return bytes_of(value);
}

std::vector<uint8_t> argument_bytes(const std::string& spec, const std::vector<NamedBuffer>& buffers,
                                    const std::string& option) {
  const auto parts = split(spec, ':', 2);
  if (parts.size() == 2) {
    const auto& [type, value] = std::pair(parts[0], parts[1]);
    if (type == "ptr") {
      const auto place = split(value, '+', 2);
      const auto b = std::find_if(buffers.begin(), buffers.end(), [&](const auto& x) { return x.name == place[0]; });
      if (b != buffers.end())
        return bytes_of(b->device.address + (place.size() == 2 ? parse_number(place[1], option) : 0));
      std::string known;
      for (const auto& x : buffers) known += " " + x.name;
      throw InputError(
          fmt::format("{} {}: no buffer '{}', there are:{}", option, spec, place[0], known.empty() ? " none" : known));
    }
    if (type == "i32") return number_bytes<int32_t>(value, spec, option);
    if (type == "u32") return number_bytes<uint32_t>(value, spec, option);
    if (type == "i64") return number_bytes<int64_t>(value, spec, option);
    if (type == "u64") return number_bytes<uint64_t>(value, spec, option);
    if (type == "f32") return number_bytes<float>(value, spec, option);
    if (type == "f64") return number_bytes<double>(value, spec, option);
    if (type == "f16") {
      float f = 0;
      std::memcpy(&f, number_bytes<float>(value, spec, option).data(), 4);
      return bytes_of(sim::to_f16(f));
    }
    if (type == "hex") return parse_hex(value, option + " " + spec);
  }
  throw InputError(fmt::format("{}: '{}' is not an argument, legal: {}", option, spec, argument_form));
}

void put(std::vector<uint8_t>& kernargs, uint64_t offset, const std::vector<uint8_t>& bytes) {
  if (kernargs.size() < offset + bytes.size()) kernargs.resize(offset + bytes.size());
  std::copy(bytes.begin(), bytes.end(), kernargs.begin() + static_cast<std::ptrdiff_t>(offset));
}

// A pointer into dynamic LDS: after the static part and the parts of earlier arguments, aligned to 16 bytes.
std::vector<uint8_t> lds_pointer(const std::string& spec, const sim::KernelInfo& kernel, uint32_t& dynamic) {
  constexpr uint64_t most = 1 << 20;
  const uint64_t bytes = parse_number(spec.substr(4), "--arg " + spec),
                 at = (uint64_t{kernel.lds_bytes} + dynamic + 15) & ~uint64_t{15};
  if (bytes > most) throw InputError(fmt::format("--arg {}: {} bytes, legal: up to the target's LDS", spec, bytes));
  dynamic = static_cast<uint32_t>(at + bytes) - kernel.lds_bytes;
  return bytes_of(static_cast<uint32_t>(at));
}

std::vector<uint8_t> kernargs(const LaunchOptions& o, const sim::KernelInfo& kernel,
                              const std::vector<NamedBuffer>& buffers, uint32_t& dynamic_lds) {
  std::vector<const sim::KernelArg*> explicit_args;
  std::string names;
  for (const auto& a : kernel.args)
    if (!a.hidden())
      explicit_args.push_back(&a), names += fmt::format(" {}:{}", a.name.empty() ? "(unnamed)" : a.name, a.size);
  if (o.args.size() > explicit_args.size() || (o.ats.empty() && o.args.size() < explicit_args.size()))
    throw InputError(fmt::format("{}: takes {} arguments (name:bytes{}), got {}", kernel.name, explicit_args.size(),
                                 names, o.args.size()));
  std::vector<uint8_t> out(explicit_args.empty() ? 0 : explicit_args.back()->offset + explicit_args.back()->size);
  for (size_t i = 0; i < o.args.size(); ++i) {
    const auto bytes = o.args[i].starts_with("lds:") ? lds_pointer(o.args[i], kernel, dynamic_lds)
                                                     : argument_bytes(o.args[i], buffers, "--arg");
    if (bytes.size() != explicit_args[i]->size)
      throw InputError(fmt::format("--arg {}: {} bytes for argument {} '{}', which has {}", o.args[i], bytes.size(), i,
                                   explicit_args[i]->name, explicit_args[i]->size));
    put(out, explicit_args[i]->offset, bytes);
  }
  for (const auto& at : o.ats) {
    const auto [offset, spec] = parse_assignment(at, "--at", "OFFSET=SPEC");
    const uint64_t place = parse_number(offset, "--at " + at);
    if (place > 65536)
      throw InputError(fmt::format("--at {}: offset {} is beyond any kernarg segment, legal: 0 to 65536", at, place));
    put(out, place, argument_bytes(spec, buffers, "--at"));
  }
  return out;
}

}  // namespace

void DeviceOptions::declare(CLI::App& app) {
  app.add_option("--device", device, "sim (default), hip or hip:N");
  app.add_option(
      "--sanitize", sanitize,
      "all (default), none, or a list of undefined,undefined-stores (without it they are a "
      "warning),in-flight,xcnt,hazards,races,lds-bounds,uninitialized (a "
      "warning by default, a fault if listed), and, not in all: divergence,"
      "undefined-reads (a fault where an undefined result is computed),same-value-races (LDS races of "
      "writes of one value),hazard-warnings (continue after every missing wait state; by default only after those "
      "that production kernels break). "
      "-NAME removes one: all,-xcnt");
  app.add_option("--numerics", numerics,
                 "matrix arithmetic: exact (default), bit for bit as silicon; or fast, f32 multiply-adds in order");
  app.add_option("--jobs", jobs, "host threads; 0: all cores")->check(CLI::Range(0, INT_MAX));
  app.add_option("--max-instructions", max_instructions, "stop a wave after this many");
  app.add_option(
         "--quantum", quantum,
         "instructions that a wave runs before the next one (64): kernels that reuse LDS without a barrier may be "
         "right with some values and wrong with others")
      ->check(CLI::Range(1, 1 << 30));
  app.add_option(
      "--order", order,
      "order of waves: round-robin (default); random:SEED: the seed determines the order and the lengths of turns; "
      "late: round-robin, and loads and LDS stores complete as late as the waits allow, which shows missing waits; "
      "late:N: they complete after N instructions of their wave, or at their wait; late-lds: a wave's LDS operations "
      "execute as late as the waits allow, all others complete at once, which shows LDS that another wave overwrites "
      "before it is read; replay: an access executes again when its registers are overwritten before its address must "
      "be translated (gfx1250, XNACK); several separated by commas");
  app.add_option("--fault-limit", fault_limit, "stop after this number of workgroups with a fault (1)")
      ->check(CLI::Range(1u, UINT_MAX));
}

runtime::Dtype element_type(const std::string& text, const std::string& spec) {
  std::string legal;
  for (const auto& t : element_types) {
    if (text == t.name) return t.stored;
    legal += fmt::format(" {}", t.name);
  }
  throw InputError(fmt::format("--buffer {}: type '{}' is unknown, legal:{}", spec, text, legal));
}

std::unique_ptr<runtime::Device> DeviceOptions::open(sim::Observers* observers) const {
  if (observers && device != "sim")
    throw InputError(fmt::format("--trace, --break, --dump, --watch: with --device {}, legal: sim", device));
  sim::Options o;
  o.observers = observers;
  o.jobs = observers ? 1 : jobs;
  o.max_instructions = max_instructions;
  o.fault_limit = fault_limit;
  o.quantum = quantum;
  try {
    sim::parse_order(order, o);
  } catch (const std::invalid_argument& e) { throw InputError(fmt::format("--order: {}", e.what())); }
  if (numerics != "exact" && numerics != "fast")
    throw InputError(fmt::format("--numerics: '{}' is unknown, legal: exact fast", numerics));
  o.numerics = numerics == "fast" ? sim::Numerics::fast : sim::Numerics::exact;
  try {
    o.checks = sim::parse_checks(sanitize);
  } catch (const std::invalid_argument& e) { throw InputError(fmt::format("--sanitize: {}", e.what())); }
  if (device == "sim") return std::make_unique<runtime::SimDevice>(o);
  return runtime::Device::open(device);
}

void LaunchOptions::declare(CLI::App& app) {
  app.add_option("--kernel", kernel, "kernel name; required if the file has several");
  app.add_option("--grid", grid, "workgroups, X[,Y[,Z]]")->required();
  app.add_option("--block", block, "work-items of a workgroup, X[,Y[,Z]]; default: the size that the kernel requires");
  app.add_option("--cluster", cluster,
                 "workgroups of a cluster, X[,Y[,Z]] (gfx1250); default: the size the kernel was compiled for");
  app.add_option("--lds", lds, "bytes of dynamic LDS");
  app.add_option("--buffer", buffers, buffer_form)->expected(1)->take_all();
  app.add_option("--arg", args, fmt::format("the kernel's arguments in order: {}", argument_form))
      ->expected(1)
      ->take_all();
  force.declare(app);
  app.add_option("--at", ats, "OFFSET=SPEC: bytes at a kernarg offset, SPEC as for --arg")->expected(1)->take_all();
}

namespace {
// The block asked for; if the kernel requires a size, that size and no other.
std::array<uint32_t, 3> block_of(const LaunchOptions& o, const sim::KernelInfo& kernel) {
  const auto& required = kernel.required_workgroup;
  const bool open = !required[0];
  if (o.block.empty() && open) throw InputError("--block is missing, legal: --block X[,Y[,Z]]");
  if (o.block.empty()) return required;
  const auto asked = parse_triple(o.block, "--block");
  if (!open && asked != required)
    throw InputError(fmt::format("--block: {} for {}, legal: {}, which the kernel requires", fmt::join(asked, ","),
                                 kernel.name, fmt::join(required, ",")));
  return asked;
}
}  // namespace

Prepared prepare(const LaunchOptions& o, const sim::KernelInfo& kernel, runtime::Device& device) {
  Prepared p;
  Room room{o.force};
  for (const auto& text : o.buffers) {
    p.buffers.push_back(make_buffer(text, room));
    for (size_t i = 0; i + 1 < p.buffers.size(); ++i)
      if (p.buffers[i].name == p.buffers.back().name)
        throw InputError(fmt::format("--buffer {}: the name '{}' is taken", text, p.buffers[i].name));
  }
  for (auto& b : p.buffers) {
    b.device = device.allocate(b.array.bytes.size(), b.name);
    if (!b.output) device.write(b.device, b.array.bytes);  // an output stays unwritten until the kernel writes it
  }
  if (o.lds > UINT32_MAX) throw InputError(fmt::format("--lds: {} bytes, legal: up to the target's LDS", o.lds));
  p.kernel = kernel.name;
  p.launch = {.grid = parse_triple(o.grid, "--grid"),
              .block = block_of(o, kernel),
              .dynamic_lds = static_cast<uint32_t>(o.lds),
              .cluster = o.cluster.empty() ? std::array<uint32_t, 3>{} : parse_triple(o.cluster, "--cluster"),
              .kernargs = {}};
  p.launch.kernargs = kernargs(o, kernel, p.buffers, p.launch.dynamic_lds);
  return p;
}

void save_outputs(const Prepared& p, const runtime::Device& device) {
  for (const auto& b : p.buffers) {
    if (b.save_to.empty()) continue;
    runtime::Array result = b.array;
    device.read(b.device, result.bytes);
    runtime::save_npy(b.save_to, result);
  }
}

}  // namespace wavesmith::tools
