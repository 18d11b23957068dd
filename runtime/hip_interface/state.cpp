#include "runtime/hip_interface/state.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cstdlib>
#include <cstring>

namespace wavesmith::hip {
namespace {

sim::Options options_of_environment() {
  sim::Options o;
  o.checks.undefined_stores = false;  // compiled code stores the padding of structures
  const auto parse = [](const char* variable, auto&& read) {
    if (const char* value = std::getenv(variable)) try {
        read(value);
      } catch (const std::invalid_argument& e) { complain(fmt::format("{}: {}", variable, e.what())); }
  };
  parse("WAVESMITH_HIP_SANITIZE", [&](const char* checks) { o.checks = sim::parse_checks(checks); });
  parse("WAVESMITH_HIP_ORDER", [&](const char* order) { sim::parse_order(order, o); });
  if (const char* quantum = std::getenv("WAVESMITH_HIP_QUANTUM")) o.quantum = std::max(1, std::atoi(quantum));
  if (const char* jobs = std::getenv("WAVESMITH_HIP_JOBS")) o.jobs = std::atoi(jobs);
  if (const char* most = std::getenv("WAVESMITH_HIP_MAX_INSTRUCTIONS"))
    o.max_instructions = std::strtoull(most, nullptr, 0);
  return o;
}

}  // namespace

State& State::get() {  // never destroyed: code objects are unregistered after main
  static State* const s = [] {
    auto* made = new State;
    made->options = options_of_environment();
    made->options.interrupt = [made] { serve_hostcalls(*made); };
    return made;
  }();
  return *s;
}

ihipStream_t& State::stream(hipStream_t s) {
  if (s == nullptr || s == reinterpret_cast<hipStream_t>(1)) return null_stream;
  if (s == hipStreamPerThread) return thread_stream;
  check(streams.contains(s), hipErrorContextIsDestroyed);
  return *s;
}
ihipEvent_t& State::event(hipEvent_t e) {
  check(e && events.contains(e), hipErrorInvalidHandle);
  return *e;
}
double State::busy_until() const {
  double t = std::max({clock, null_stream.clock, thread_stream.clock});
  for (const hipStream_t s : streams) t = std::max(t, s->clock);
  return t;
}

const std::pair<const uint64_t, Region>* find_region(const State& s, uint64_t address) {
  auto it = s.regions.upper_bound(address);
  if (it == s.regions.begin()) return nullptr;
  --it;
  return address - it->first < std::max<uint64_t>(it->second.bytes, 1) ? &*it : nullptr;
}

uint64_t allocate(State& s, size_t bytes, Region::Kind kind, unsigned flags, size_t align) {
  if (kind == Region::Kind::device)
    check(bytes <= s.the_device().bytes() && s.used <= s.the_device().bytes() - bytes, hipErrorOutOfMemory);
  const uint64_t number = ++s.allocations;
  uint64_t at = 0;
  if (kind == Region::Kind::device) {
    at = s.memory.allocate(bytes, fmt::format("hipMalloc {}", number), align);
    s.used += bytes;
  } else {
    void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    check(p != MAP_FAILED, hipErrorOutOfMemory);
    s.memory.map(p, bytes,
                 fmt::format("{} {}", kind == Region::Kind::host ? "hipHostMalloc" : "hipMallocManaged", number));
    at = reinterpret_cast<uint64_t>(p);
  }
  s.regions.emplace(at, Region{kind, bytes, flags, nullptr});
  return at;
}

void release(State& s, uint64_t at) {
  const auto it = s.regions.find(at);
  check(it != s.regions.end(), hipErrorInvalidValue);
  const Region r = it->second;
  s.memory.release(at);
  s.regions.erase(it);
  if (r.kind == Region::Kind::device) s.used -= r.bytes;
  else if (r.kind != Region::Kind::registered) munmap(reinterpret_cast<void*>(at), r.bytes);
  if (r.pool) r.pool->used -= r.bytes;
}

uint8_t* host_bytes(State& s, uint64_t at, size_t bytes) {
  if (const auto* a = s.memory.find(at, 1)) {
    check(a->covers(at, bytes), hipErrorInvalidValue);
    return a->bytes.get() + (at - a->base);
  }
  check(at != 0, hipErrorInvalidValue);
  return reinterpret_cast<uint8_t*>(at);
}

void mark_written(State& s, uint64_t at, size_t bytes) {
  const auto* a = s.memory.find(at, bytes);
  if (!a || !a->written) return;
  if (bytes == a->size) s.memory.define(a->base);
  else a->written->mark(at - a->base, bytes);
}

}  // namespace wavesmith::hip
