// LLD in process. LLD reads and writes files and keeps global state, so a call takes a lock and a private directory in memory.
#include <fmt/format.h>
#include <lld/Common/Driver.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/raw_ostream.h>

#include <filesystem>
#include <fstream>
#include <mutex>

#include "isa_tables/mc.h"

LLD_HAS_DRIVER(elf)

namespace wavesmith::isa {
namespace {

struct TemporaryDirectory {
  std::filesystem::path path;
  TemporaryDirectory() {
    const auto base = std::filesystem::is_directory("/dev/shm") ? std::filesystem::path("/dev/shm") : std::filesystem::temp_directory_path();
    std::string name = (base / "wavesmith-XXXXXX").string();
    if (!mkdtemp(name.data())) throw std::runtime_error(fmt::format("cannot make a directory in {}", base.string()));
    path = name;
  }
  ~TemporaryDirectory() { std::error_code ignored; std::filesystem::remove_all(path, ignored); }
};

}  // namespace

std::vector<uint8_t> link(std::span<const uint8_t> object) {
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  const TemporaryDirectory dir;
  const std::string in = dir.path / "in.o", out = dir.path / "out.co";
  std::ofstream(in, std::ios::binary).write(reinterpret_cast<const char*>(object.data()), static_cast<std::streamsize>(object.size()));
  std::string messages;
  llvm::raw_string_ostream os(messages);
  const char* args[] = {"ld.lld", "-shared", "--threads=1", in.c_str(), "-o", out.c_str()};
  const auto result = lld::lldMain(args, os, os, {{lld::Gnu, &lld::elf::link}});
  if (result.retCode != 0) throw std::runtime_error("lld: " + messages);
  std::ifstream file(out, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace wavesmith::isa
