// Reading and atomic writing. Devices and pipes (/dev/stdout) cannot be renamed over and are written in place.
#include "runtime/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace wavesmith::runtime {
namespace {

struct Descriptor {
  int fd;
  explicit Descriptor(int f) : fd(f) {}
  Descriptor(const Descriptor&) = delete;
  ~Descriptor() { if (fd >= 0) ::close(fd); }
};

[[noreturn]] void fail(const std::string& path, const char* what) { throw FileError(fmt::format("{}: {}: {}", path, what, std::strerror(errno))); }

bool write_all(int fd, std::span<const uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes = bytes.subspan(static_cast<size_t>(n));
  }
  return true;
}

mode_t file_mode() {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666 & ~mask;
}

}  // namespace

std::vector<uint8_t> read_file(const std::string& path) {
  const Descriptor f(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (f.fd < 0) fail(path, "cannot open");
  struct stat status{};
  if (::fstat(f.fd, &status) == 0 && S_ISDIR(status.st_mode)) throw FileError(path + ": is a directory, not a file");
  std::vector<uint8_t> bytes;
  uint8_t chunk[1 << 16];
  if (S_ISREG(status.st_mode)) bytes.reserve(static_cast<size_t>(status.st_size));
  for (;;) {
    const ssize_t n = ::read(f.fd, chunk, sizeof chunk);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail(path, "cannot read");
    if (n == 0) return bytes;
    bytes.insert(bytes.end(), chunk, chunk + n);
  }
}

void write_file(const std::string& path, std::span<const uint8_t> bytes) {
  struct stat status{};
  if (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    const Descriptor f(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (f.fd < 0 || !write_all(f.fd, bytes)) fail(path, "cannot write");
    return;
  }
  std::string temporary = path + ".XXXXXX";
  const Descriptor f(::mkostemp(temporary.data(), O_CLOEXEC));
  if (f.fd < 0) fail(path, "cannot create");
  if (!write_all(f.fd, bytes) || ::fchmod(f.fd, file_mode()) != 0 || ::rename(temporary.c_str(), path.c_str()) != 0) {
    const int reason = errno;
    ::unlink(temporary.c_str());
    errno = reason;
    fail(path, "cannot write");
  }
}

void write_file(const std::string& path, std::string_view text) {
  write_file(path, std::span(reinterpret_cast<const uint8_t*>(text.data()), text.size()));
}

}  // namespace wavesmith::runtime
