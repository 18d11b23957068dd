// Code objects of the program: those that its compiler registers before main, and those it loads itself. Each is put
// into device memory once, where its variables live.
#include <fmt/format.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "runtime/hip_interface/work.h"
#include "simulator/launch.h"
#include "simulator/msgpack.h"

namespace wavesmith::hip {
namespace {

// "amdhsa.printf": strings "0:0:HASH,FORMAT", from which buffered printf names its formats.
void read_formats(ihipModule_t& m) {
  for (const std::string& row : m.object.printf_formats()) {
    const auto colon = row.find(':', row.find(':') + 1), comma = row.find(',');
    if (colon == row.npos || comma == row.npos || comma < colon) continue;
    m.formats[std::strtoull(row.substr(colon + 1, comma - colon - 1).c_str(), nullptr, 16)] = row.substr(comma + 1);
  }
}

// A managed variable is memory of both sides, which the host may use before its first call; on the device, the variable
// of that name is a pointer to it.
void point_to_managed(State& s, const ihipModule_t& m, const FatBinary& b) {
  for (const FatBinary::Variable& v : b.variables)
    if (v.managed) {
      const auto at = reinterpret_cast<uint64_t>(*v.managed);
      s.memory.write(global_of(&m, v.name).address, {reinterpret_cast<const uint8_t*>(&at), sizeof at});
    }
}

hipModule_t module_of(State& s, FatBinary& b) {
  if (!b.module) load_module(s, b.image, unknown_size, &b);
  return b.module;
}

const FatBinary::Variable* find_variable(State& s, const void* host, FatBinary** in) {
  for (FatBinary& b : s.binaries)
    for (const auto& v : b.variables)
      if (v.host == host || (v.managed && *v.managed == host)) return *in = &b, &v;
  return nullptr;
}

}  // namespace

hipModule_t load_module(State& s, const void* image, size_t bytes, FatBinary* binary) {
  const SimulatedDevice& d = s.the_device();
  auto code = choose_code(d, image, bytes);
  try {
    s.modules.push_back({sim::CodeObject::load(std::move(code), true)});
  } catch (const sim::LoadError& e) {
    complain(e.what());
    throw Error{hipErrorInvalidImage};
  }
  ihipModule_t& m = s.modules.back();
  if (m.object.arch() != d.arch) {
    complain(fmt::format("a code object of {}, the device is {}", isa::target(m.object.arch()).name, d.name));
    s.modules.pop_back();
    throw Error{hipErrorNoBinaryForGpu};
  }
  m.image = sim::load_image(m.object, s.memory);
  for (const sim::KernelInfo& k : m.object.kernels()) m.functions.emplace(k.name, ihipModuleSymbol_t{&m, &k, {}});
  read_formats(m);
  if (binary) binary->module = &m, point_to_managed(s, m, *binary);
  return &m;
}

void unload_module(State& s, hipModule_t module) {
  const auto it = std::ranges::find_if(s.modules, [&](const ihipModule_t& m) { return &m == module; });
  check(it != s.modules.end(), module ? hipErrorNotFound : hipErrorInvalidHandle);
  s.memory.release(it->image);
  s.modules.erase(it);
}

hipFunction_t kernel_of(State& s, const void* host_function) {
  for (FatBinary& b : s.binaries) {
    const auto known = b.kernels.find(host_function);
    if (known == b.kernels.end()) continue;
    auto& functions = module_of(s, b)->functions;
    const auto f = functions.find(known->second);
    check(f != functions.end(), hipErrorInvalidDeviceFunction);
    return &f->second;
  }
  for (ihipModule_t& m : s.modules)  // it may be a hipFunction_t: graphs and HIP 6 take either
    for (auto& [name, f] : m.functions)
      if (&f == host_function) return &f;
  throw Error{hipErrorInvalidDeviceFunction};
}

Global global_of(const ihipModule_t* m, std::string_view name) {
  for (const sim::Symbol& symbol : m->object.symbols())
    if (symbol.name == name && !symbol.function && !symbol.label && symbol.size)
      return {m->image + symbol.address, symbol.size};
  throw Error{hipErrorNotFound};
}

Global symbol(State& s, const void* host) {
  FatBinary* b = nullptr;
  const FatBinary::Variable* v = host ? find_variable(s, host, &b) : nullptr;
  check(v, hipErrorInvalidSymbol);
  const hipModule_t m = module_of(s, *b);
  if (v->managed) return {reinterpret_cast<uint64_t>(*v->managed), v->bytes};
  try {
    return global_of(m, v->name);
  } catch (const Error&) { throw Error{hipErrorInvalidSymbol}; }
}

std::vector<uint8_t> pack(const sim::KernelInfo& k, void** params, void** extra) {
  size_t bytes = 0;
  for (const auto& a : k.args)
    if (!a.hidden()) bytes = std::max(bytes, size_t{a.offset} + a.size);
  std::vector<uint8_t> packed(bytes);
  if (extra) {
    const void* buffer = nullptr;
    size_t size = 0;
    for (; *extra != HIP_LAUNCH_PARAM_END; extra += 2) {
      if (*extra == HIP_LAUNCH_PARAM_BUFFER_POINTER) buffer = extra[1];
      else if (*extra == HIP_LAUNCH_PARAM_BUFFER_SIZE)
        size = *static_cast<const size_t*>(given(extra[1] ? &extra[1] : nullptr));
      else throw Error{hipErrorInvalidValue};
    }
    check(buffer || !size, hipErrorInvalidValue);
    packed.resize(std::max(bytes, size));
    if (size) std::memcpy(packed.data(), buffer, size);
    return packed;
  }
  size_t i = 0;
  for (const auto& a : k.args) {
    if (a.hidden()) continue;
    check(params && params[i], hipErrorInvalidValue);
    std::memcpy(packed.data() + a.offset, params[i++], a.size);
  }
  return packed;
}

}  // namespace wavesmith::hip

using namespace wavesmith;
using namespace wavesmith::hip;
namespace {
std::string read_file(const char* path) {
  std::ifstream file(path, std::ios::binary);
  check(file.good() && !std::filesystem::is_directory(path), hipErrorFileNotFound);
  std::ostringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}
struct Wrapper {  // what the compiler registers
  uint32_t magic, version;
  const void* binary;
  void* unused;
};
}  // namespace
extern "C" {
void** __hipRegisterFatBinary(const void* data) {
  State& s = State::get();
  const std::lock_guard hold(s.lock);
  s.binaries.push_back({static_cast<const Wrapper*>(data)->binary});
  return reinterpret_cast<void**>(&s.binaries.back());
}
void __hipRegisterFunction(void** binary, const void* host, char*, const char* name, unsigned, void*, void*, void*,
                           void*, int*) {
  reinterpret_cast<FatBinary*>(binary)->kernels[host] = name;
}
void __hipRegisterVar(void** binary, void* host, char*, char* name, int, size_t bytes, int, int) {
  reinterpret_cast<FatBinary*>(binary)->variables.push_back({host, name, bytes});
}
void __hipRegisterManagedVar(void** binary, void** pointer, void* initial, const char* name, size_t bytes, unsigned) {
  (void)call([&](State& s) {
    *pointer = reinterpret_cast<void*>(allocate(s, bytes, Region::Kind::managed, hipMemAttachGlobal));
    if (initial) std::memcpy(*pointer, initial, bytes);
    reinterpret_cast<FatBinary*>(binary)->variables.push_back({pointer, name, bytes, pointer});
  });
}
void __hipRegisterSurface(void**, void*, char*, char*, int, int) {}
void __hipRegisterTexture(void**, void*, char*, char*, int, int, int) {}
void __hipUnregisterFatBinary(void** binary) {
  State& s = State::get();
  const std::lock_guard hold(s.lock);
  s.binaries.remove_if([&](FatBinary& b) {
    if (reinterpret_cast<void**>(&b) != binary) return false;
    if (b.module) unload_module(s, b.module);
    for (const auto& v : b.variables)
      if (v.managed && s.regions.contains(reinterpret_cast<uint64_t>(*v.managed)))
        release(s, reinterpret_cast<uint64_t>(*v.managed));
    return true;
  });
}

hipError_t hipModuleLoad(hipModule_t* m, const char* path) {
  return call([&](State& s) {
    given(m), given(path);
    const std::string file = read_file(path);
    check(!file.empty(), hipErrorInvalidImage);
    *m = load_module(s, file.data(), file.size());
  });
}
hipError_t hipModuleLoadData(hipModule_t* m, const void* image) {
  return call([&](State& s) { given(m) = load_module(s, image, unknown_size); });
}
hipError_t hipModuleLoadDataEx(hipModule_t* m, const void* image, unsigned, hipJitOption*, void**) {
  return hipModuleLoadData(m, image);
}
hipError_t hipModuleUnload(hipModule_t m) {
  return call([&](State& s) { unload_module(s, m); });
}
hipError_t hipModuleGetFunction(hipFunction_t* f, hipModule_t m, const char* name) {
  return call([&](State&) {
    given(f), given(name), check(m, hipErrorInvalidHandle);
    check(*name, hipErrorInvalidValue);
    const auto known = m->functions.find(name);
    check(known != m->functions.end(), hipErrorNotFound);
    *f = &known->second;
  });
}
hipError_t hipModuleGetGlobal(hipDeviceptr_t* at, size_t* bytes, hipModule_t m, const char* name) {
  return call([&](State&) {
    given(name), check(m, hipErrorInvalidHandle), check(at || bytes, hipErrorInvalidValue);
    check(*name, hipErrorInvalidValue);
    const Global g = global_of(m, name);
    if (at) *at = reinterpret_cast<void*>(g.address);
    if (bytes) *bytes = g.bytes;
  });
}
hipError_t hipGetSymbolAddress(void** at, const void* host) {
  return call([&](State& s) { given(at) = reinterpret_cast<void*>(symbol(s, host).address); });
}
hipError_t hipGetSymbolSize(size_t* bytes, const void* host) {
  return call([&](State& s) { given(bytes) = symbol(s, host).bytes; });
}
hipError_t hipGetFuncBySymbol(hipFunction_t* f, const void* host) {
  return call([&](State& s) { given(f), check(host, hipErrorInvalidValue), *f = kernel_of(s, host); });
}
const char* hipKernelNameRef(const hipFunction_t f) { return f ? f->kernel->name.c_str() : nullptr; }
const char* hipKernelNameRefByPtr(const void* host, hipStream_t) {
  State& s = State::get();
  const std::lock_guard hold(s.lock);
  try {
    return host ? kernel_of(s, host)->kernel->name.c_str() : nullptr;
  } catch (const Error&) { return nullptr; }
}
}
