// What kernels print. Two ways that the compiler takes (-mprintf-kind): hostcall, a message to the host through packets
// that the kernel waits for, also used by assert and malloc; and buffered, records that the host reads after the
// launch.
#include <fmt/format.h>

#include <atomic>
#include <cstring>

#include "runtime/hip_interface/work.h"

namespace wavesmith::hip {
namespace {

// -- Formats: C's, each conversion with the next argument of 8 bytes; strings are padded to 8 --

class Arguments {
 public:
  explicit Arguments(std::span<const uint64_t> words) : words_(words) {}
  bool empty() const { return words_.empty(); }
  uint64_t next() {
    if (words_.empty()) return 0;
    const uint64_t w = words_.front();
    words_ = words_.subspan(1);
    return w;
  }
  std::string text() {
    const auto* p = reinterpret_cast<const char*>(words_.data());
    const std::string t(p, strnlen(p, words_.size_bytes()));
    words_ = words_.subspan(std::min(words_.size(), t.size() / 8 + 1));
    return t;
  }

 private:
  std::span<const uint64_t> words_;
};

template <class T>
std::string converted(const std::string& spec, std::span<const int> stars, T value) {
  const auto format = [&](char* to, size_t n) {
    switch (stars.size()) {
      case 0: return std::snprintf(to, n, spec.c_str(), value);
      case 1: return std::snprintf(to, n, spec.c_str(), stars[0], value);
      default: return std::snprintf(to, n, spec.c_str(), stars[0], stars[1], value);
    }
  };
  std::string out(static_cast<size_t>(std::max(format(nullptr, 0), 0)) + 1, '\0');
  format(out.data(), out.size());
  out.pop_back();
  return out;
}

std::string formatted(std::string_view format, Arguments arguments) {
  std::string out;
  for (size_t at = 0; at < format.size();) {
    const size_t percent = std::min(format.find('%', at), format.size());
    out += format.substr(at, percent - at);
    if (percent == format.size()) break;
    if (format.substr(percent, 2) == "%%") {
      out += '%', at = percent + 2;
      continue;
    }
    const size_t end = format.find_first_of("diouxXfFeEgGaAcspn", percent + 1);
    if (end == format.npos) return out += format.substr(percent);
    const std::string spec(format.substr(percent, end + 1 - percent));
    at = end + 1;
    if (arguments.empty()) return out;
    std::vector<int> stars;
    for (const char c : spec)
      if (c == '*' && stars.size() < 2) stars.push_back(static_cast<int>(arguments.next()));
    switch (spec.back()) {
      case 's': out += converted(spec, stars, arguments.text().c_str()); break;
      case 'n': arguments.next(); break;
      case 'p': out += converted(spec, stars, reinterpret_cast<void*>(arguments.next())); break;
      case 'f':
      case 'F':
      case 'e':
      case 'E':
      case 'g':
      case 'G':
      case 'a':
      case 'A': out += converted(spec, stars, std::bit_cast<double>(arguments.next())); break;
      default: out += converted(spec, stars, arguments.next());
    }
  }
  return out;
}

void print(bool to_standard_error, const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), to_standard_error ? stderr : stdout);
}
std::string_view text_of(std::span<const uint64_t> words) {
  const auto* p = reinterpret_cast<const char*>(words.data());
  return {p, strnlen(p, words.size_bytes())};
}

// -- Hostcall: LLVM's amd/device-libs, ockl/src/hostcall*.cl --

struct Header {
  uint64_t next, active;
  uint32_t service, control;  // bit 0 of control: waits for the host
};
struct Payload {
  uint64_t of_lane[64][8];
};
struct Signal {  // amd_signal_t
  int64_t kind;
  int64_t value;
  uint64_t mailbox;
  uint32_t event, unused[9];
};
// A power of two. As many as waves can be resident (MI455X: 16384, in a cooperative launch all of them run): the device
// library takes packets without asking whether there is one.
constexpr uint64_t packets = 16384;
struct Mailboxes {  // all of it, in one allocation
  uint64_t headers, payloads, doorbell, free, ready, mask;
  uint64_t mailbox, padding;
  Signal signal;
  Header header[packets];
  Payload payload[packets];
};
enum : uint32_t { service_call = 1, service_printf = 2, service_memory = 3 };

Mailboxes& mailboxes(State& s) { return *reinterpret_cast<Mailboxes*>(host_bytes(s, s.hostcall, sizeof(Mailboxes))); }

uint64_t create_mailboxes(State& s) {
  const uint64_t at = s.memory.allocate(sizeof(Mailboxes), "hostcall buffer", 4096);
  s.memory.define(at);
  auto& m = *reinterpret_cast<Mailboxes*>(host_bytes(s, at, sizeof(Mailboxes)));
  m.headers = at + offsetof(Mailboxes, header), m.payloads = at + offsetof(Mailboxes, payload);
  m.doorbell = at + offsetof(Mailboxes, signal);
  m.mask = packets - 1;
  m.signal.kind = 1;  // AMD_SIGNAL_KIND_USER
  m.signal.mailbox = at + offsetof(Mailboxes, mailbox), m.signal.event = 1;
  // A stack of tagged indices: the first has a tag, so that it is not the null of an empty stack.
  uint64_t next = packets;
  for (uint64_t i = 1; i < packets; ++i) m.header[i].next = next, next = i;
  m.free = next;
  return at;
}

// Messages come in pieces of up to 7 words; the first gets a number, which the next ones name.
struct Messages {
  std::map<uint64_t, std::vector<uint64_t>> open;
  uint64_t created = 0;
} messages;

void receive_text(uint64_t* lane) {
  const uint64_t d = lane[0];
  const bool begins = d & 1, ends = d & 2;
  const uint64_t length = d >> 5 & 7, number = begins ? ++messages.created : d >> 8;
  auto& m = messages.open[number];
  m.insert(m.end(), lane + 1, lane + 1 + length);
  lane[0] = (d & 0xfe) | number << 8;
  if (!ends) return;
  // Control (bit 0: to standard error), format, arguments.
  if (m.size() >= 2) {
    const auto words = std::span<const uint64_t>(m).subspan(1);
    const auto format = text_of(words);
    const std::string text = formatted(format, Arguments(words.subspan(std::min(words.size(), format.size() / 8 + 1))));
    print(m[0] & 1, text);
    lane[0] = text.size();
  }
  messages.open.erase(number);
}

constexpr uint64_t heap_bytes = uint64_t{256} << 20;  // of malloc in kernels
uint64_t heap = 0, heap_used = 0;
void serve_memory(uint64_t* lane) {  // slabs for malloc: {0, bytes} asks for one, {address, 0} gives it back
  if (lane[0]) return;
  const uint64_t bytes = (lane[1] + 4095) & ~uint64_t{4095};
  lane[0] = heap && heap_used + bytes <= heap_bytes ? heap + std::exchange(heap_used, heap_used + bytes) : 0;
}

}  // namespace

void serve_hostcalls(State& s) {
  static std::mutex one_at_a_time;
  const std::lock_guard hold(one_at_a_time);
  if (!s.hostcall) return;
  Mailboxes& m = mailboxes(s);
  uint64_t next = std::atomic_ref(m.ready).exchange(0);
  std::vector<Header*> waiting;
  for (; next; next = waiting.back()->next) waiting.push_back(&m.header[next & m.mask]);
  for (auto h = waiting.rbegin(); h != waiting.rend(); ++h) {  // in the order they came
    for (uint64_t lanes = (*h)->active; lanes; lanes &= lanes - 1) {
      uint64_t* lane = m.payload[*h - m.header].of_lane[std::countr_zero(lanes)];
      switch ((*h)->service) {
        case service_printf: receive_text(lane); break;
        case service_memory: serve_memory(lane); break;
        case service_call: {
          uint64_t out[2] = {};
          reinterpret_cast<void (*)(uint64_t*, const uint64_t*)>(lane[0])(out, lane + 1);
          std::copy_n(out, 2, lane);
          break;
        }
        default: complain(fmt::format("a kernel asks the host for service {}, legal: 1 to 3", (*h)->service));
      }
    }
    std::atomic_ref((*h)->control).fetch_and(~1u);
  }
}

// -- Buffered: two numbers, bytes used and bytes in all, then records. A record: its size, shifted left by 2, with bit
// 0: to standard error, bit 1: a known format; then the hash of the format, or the format; then arguments (LLVM,
// AMDGPUEmitPrintf.cpp) --

constexpr uint32_t buffer_bytes = 1 << 20;

void print_buffer(State& s, hipModule_t module) {
  if (!s.printf) return;
  uint8_t* const p = host_bytes(s, s.printf, buffer_bytes);
  uint32_t used = 0;
  std::memcpy(&used, p, 4);
  for (uint32_t at = 0; at + 4 <= used;) {
    uint32_t control = 0;
    std::memcpy(&control, p + 8 + at, 4);
    const uint32_t size = control >> 2;
    if (size < 12 || at + size > used) break;
    std::vector<uint64_t> words((size - 4) / 8);
    std::memcpy(words.data(), p + 12 + at, words.size() * 8);
    const auto all = std::span<const uint64_t>(words);
    if (control & 2) {
      const auto known = module->formats.find(words[0]);
      if (known != module->formats.end()) print(control & 1, formatted(known->second, Arguments(all.subspan(1))));
    } else {
      const auto format = text_of(all);
      print(control & 1, formatted(format, Arguments(all.subspan(std::min(all.size(), format.size() / 8 + 1)))));
    }
    at += size;
  }
  std::memset(p, 0, 4);
}

void prepare_printing(State& s, hipFunction_t f, sim::Launch& l) {
  for (const auto& a : f->kernel->args) {
    if (a.value_kind == "hidden_hostcall_buffer") {
      if (!s.hostcall) s.hostcall = create_mailboxes(s);
      l.hidden[a.value_kind] = s.hostcall;
    }
    if (a.value_kind == "hidden_heap_v1") {
      if (!heap) {
        heap = s.memory.allocate(heap_bytes, "heap of malloc", 2 << 20);
        s.memory.define(heap);
        heap_used = 4 << 20;  // its own administration, zeros at first
      }
      l.hidden[a.value_kind] = heap;
    }
    if (a.value_kind == "hidden_printf_buffer") {
      if (!s.printf) {
        s.printf = s.memory.allocate(buffer_bytes, "printf buffer");
        s.memory.define(s.printf);
        const uint32_t start[] = {0, buffer_bytes};
        std::memcpy(host_bytes(s, s.printf, 8), start, 8);
      }
      l.hidden[a.value_kind] = s.printf;
    }
  }
}

}  // namespace wavesmith::hip
