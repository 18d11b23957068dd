// LLD in process. LLD has global state, so calls are serialised. It accepts only file names: input is passed as a memfd
// path and output read from a pipe, so that an interrupted run leaves no files.
#include <fcntl.h>
#include <fmt/format.h>
#include <lld/Common/Driver.h>
#include <llvm/Support/raw_ostream.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <future>
#include <mutex>
#include <system_error>

#include "isa_tables/mc/mc.h"

LLD_HAS_DRIVER(elf)

namespace wavesmith::isa {
namespace {

[[noreturn]] void fail(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

struct Descriptor {
  int fd;
  explicit Descriptor(int f) : fd(f) {
    if (fd < 0) fail("lld: cannot create a file in memory");
  }
  Descriptor(const Descriptor&) = delete;
  ~Descriptor() { close(); }
  void close() {
    if (fd >= 0) ::close(std::exchange(fd, -1));
  }
  std::string path() const { return fmt::format("/proc/self/fd/{}", fd); }
};

void write_all(int fd, std::span<const uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno != EINTR) fail("lld: cannot write its input");
    if (n > 0) bytes = bytes.subspan(static_cast<size_t>(n));
  }
}

std::vector<uint8_t> read_all(int fd) {
  std::vector<uint8_t> bytes;
  for (uint8_t chunk[1 << 14];;) {
    const ssize_t n = ::read(fd, chunk, sizeof chunk);
    if (n == 0) return bytes;
    if (n < 0 && errno != EINTR) fail("lld: cannot read its output");
    if (n > 0) bytes.insert(bytes.end(), chunk, chunk + n);
  }
}

}  // namespace

std::vector<uint8_t> link(std::span<const uint8_t> object, Linked linked_is) {
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  const Descriptor in(memfd_create("object", MFD_CLOEXEC));
  write_all(in.fd, object);
  int ends[2] = {-1, -1};
  if (pipe2(ends, O_CLOEXEC) != 0) fail("lld: cannot create a pipe");
  const Descriptor from(ends[0]);
  Descriptor to(ends[1]);
  // What the pipe holds is read afterwards, without a thread: once a process has had one, its allocations take longer.
  constexpr int enough = 1 << 20;
  const bool held = linked_is == Linked::hardly_larger && 2 * object.size() + (1 << 16) <= size_t{enough} &&
                    fcntl(to.fd, F_SETPIPE_SZ, enough) >= enough;
  auto linked = std::async(held ? std::launch::deferred : std::launch::async, read_all, from.fd);
  std::string messages;
  llvm::raw_string_ostream os(messages);
  const std::string source = in.path(), sink = to.path();
  const char* args[] = {"ld.lld", "-shared", "--threads=1", source.c_str(), "-o", sink.c_str()};
  const auto result = lld::lldMain(args, os, os, {{lld::Gnu, &lld::elf::link}});
  to.close();  // the end of the output
  auto bytes = linked.get();
  if (result.retCode != 0) throw std::runtime_error("lld: " + messages);
  return bytes;
}

}  // namespace wavesmith::isa
