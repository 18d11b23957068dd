// Reading and atomic writing. Devices and pipes (/dev/stdout) cannot be renamed over and are written in place.
#include "runtime/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

namespace wavesmith::runtime {
namespace {

thread_local Files* in_memory = nullptr;

struct Descriptor {
  int fd;
  explicit Descriptor(int f) : fd(f) {}
  Descriptor(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
};

[[noreturn]] void fail(const std::string& path, const char* what) {
  const std::string line = fmt::format("{}: {}: {}", path, what, std::strerror(errno));
  for (const int machine : {ENOSPC, EDQUOT, EFBIG, EIO, ENOMEM, EMFILE, ENFILE})
    if (errno == machine) throw MachineError(line);
  throw FileError(line);
}

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

// Delays signals that end the program.
class SignalsWait {
 public:
  SignalsWait() {
    sigset_t ending;
    sigemptyset(&ending);
    for (const int s : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) sigaddset(&ending, s);
    pthread_sigmask(SIG_BLOCK, &ending, &before_);
  }
  ~SignalsWait() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

bool give_name(int fd, const std::string& temporary, const std::string& path) {
  const std::string from = fmt::format("/proc/self/fd/{}", fd);
  return ::linkat(AT_FDCWD, from.c_str(), AT_FDCWD, temporary.c_str(), AT_SYMLINK_FOLLOW) == 0 &&
         ::rename(temporary.c_str(), path.c_str()) == 0;
}

}  // namespace

FilesInMemory::FilesInMemory(Files* files) : before_(std::exchange(in_memory, files)) {}
FilesInMemory::~FilesInMemory() { in_memory = before_; }
Files* FilesInMemory::current() { return in_memory; }

bool is_plain_name(std::string_view name) {
  constexpr size_t longest = 100;
  return !name.empty() && name.size() <= longest && name[0] != '.' && name[0] != '-' &&
         std::ranges::all_of(name, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  std::string_view("_-+.").find(c) != std::string_view::npos;
         });
}

std::optional<uint64_t> file_size(const std::string& path) {
  if (in_memory) {
    const auto found = in_memory->find(path);
    return found == in_memory->end() ? std::nullopt : std::optional<uint64_t>(found->second.size());
  }
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) return {};
  return static_cast<uint64_t>(status.st_size);
}

std::vector<uint8_t> read_file(const std::string& path, uint64_t largest) {
  if (in_memory) {
    const auto found = in_memory->find(path);
    if (found == in_memory->end()) throw FileError(path + ": is not among the files that were given");
    if (found->second.size() > largest)
      throw FileError(fmt::format("{}: larger than the limit of {} bytes", path, largest));
    return found->second;
  }
  const Descriptor f(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (f.fd < 0) fail(path, "cannot open");
  struct stat status{};
  if (::fstat(f.fd, &status) == 0 && S_ISDIR(status.st_mode)) throw FileError(path + ": is a directory, not a file");
  constexpr uint64_t endless = uint64_t{1} << 30;
  if (!S_ISREG(status.st_mode)) largest = std::min(largest, endless);  // /dev/zero
  const auto too_large = [&] { throw FileError(fmt::format("{}: larger than the limit of {} bytes", path, largest)); };
  std::vector<uint8_t> bytes;
  uint8_t chunk[1 << 16];
  if (S_ISREG(status.st_mode)) {
    if (static_cast<uint64_t>(status.st_size) > largest) too_large();
    bytes.reserve(static_cast<size_t>(status.st_size));
  }
  for (;;) {
    const ssize_t n = ::read(f.fd, chunk, sizeof chunk);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail(path, "cannot read");
    if (n == 0) return bytes;
    if (bytes.size() + static_cast<size_t>(n) > largest) too_large();
    bytes.insert(bytes.end(), chunk, chunk + n);
  }
}

namespace {

// The number of an open file of this process, as in /dev/stdout. It may be a regular file, which others write as well.
std::optional<int> open_file(std::string_view path) {
  constexpr std::string_view streams[] = {"/dev/stdin", "/dev/stdout", "/dev/stderr"};
  for (int n = 0; n < 3; ++n)
    if (path == streams[n]) return n;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"})
    if (int n = 0;
        path.starts_with(folder) &&
        std::from_chars(path.data() + folder.size(), path.data() + path.size(), n).ptr == path.data() + path.size())
      return n;
  return {};
}
// A link stays: the file that it leads to is replaced.
std::string file_of(const std::string& path) {
  struct stat status{};
  if (::lstat(path.c_str(), &status) != 0 || !S_ISLNK(status.st_mode)) return path;
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr), &std::free);
  if (!real) fail(path, "cannot write");
  return real.get();
}

}  // namespace

void write_file(const std::string& given, std::span<const uint8_t> bytes) {
  if (in_memory) {
    const std::string& path = given;
    if (!is_plain_name(path))
      throw FileError(path + ": is not the name of a file in memory, legal: letters, digits and _ - + . inside");
    (*in_memory)[path].assign(bytes.begin(), bytes.end());
    return;
  }
  if (const auto open = open_file(given)) {
    const Descriptor f(::dup(*open));
    if (f.fd < 0 || !write_all(f.fd, bytes)) fail(given, "cannot write");
    return;
  }
  const std::string path = file_of(given);
  struct stat status{};
  if (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    const Descriptor f(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (f.fd < 0 || !write_all(f.fd, bytes)) fail(path, "cannot write");
    return;
  }
  const SignalsWait wait;
  const size_t slash = path.rfind('/');
  const std::string folder = slash == path.npos ? "./" : path.substr(0, slash + 1);
  std::string temporary = fmt::format("{}.wavesmith-{}", folder, ::getpid());
  if (const Descriptor nameless(::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666)); nameless.fd >= 0) {
    if (!write_all(nameless.fd, bytes)) fail(path, "cannot write");
    if (give_name(nameless.fd, temporary, path)) return;
    ::unlink(temporary.c_str());
  }
  temporary += "-XXXXXX";
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
