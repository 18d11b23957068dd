// Each thread has an answer and notes of its own: a program that embeds the commands calls them from several.
#include "tools/print/console.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "runtime/files.h"

namespace wavesmith::tools {
namespace {

thread_local FILE* printing = nullptr;
thread_local std::vector<std::string>* notes = nullptr;

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    text.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

// Bytes of the UTF-8 character that `text` starts with; 0: none (RFC 3629: shortest form, no surrogates, up to
// U+10FFFF).
size_t character(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned b = byte(0);
  const size_t n = b < 0x80 ? 1 : b >= 0xc2 && b < 0xe0 ? 2 : (b & 0xf0) == 0xe0 ? 3 : b >= 0xf0 && b < 0xf5 ? 4 : 0;
  if (n == 0 || n > text.size()) return 0;
  for (size_t i = 1; i < n; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  const unsigned second = n > 1 ? byte(1) : 0;
  if ((b == 0xe0 && second < 0xa0) || (b == 0xed && second > 0x9f) || (b == 0xf0 && second < 0x90) ||
      (b == 0xf4 && second > 0x8f))
    return 0;
  return n;
}

}  // namespace

void prepare_console() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(fd, F_GETFD) < 0 && errno == EBADF) {
      const int nothing = ::open("/dev/null", O_RDONLY);  // takes the lowest free descriptor; read-only, so writes fail
      if (nothing >= 0 && nothing != fd) ::close(nothing);
    }
  for (const int s : {SIGPIPE, SIGXFSZ}) std::signal(s, SIG_IGN);
}

FILE* out() { return printing ? printing : stdout; }

Answer::Answer() : kept_(open_memstream(&text_, &bytes_)), before_(printing) {
  if (!kept_) throw std::bad_alloc();
  printing = kept_;
}
Answer::~Answer() {
  printing = before_;
  std::fclose(kept_);
  std::free(text_);
}
void Answer::discard() { std::rewind(kept_); }
std::string Answer::text() const {
  const auto end = std::ftell(kept_);
  if (std::fflush(kept_) != 0 || end < 0) throw std::bad_alloc();
  return {text_, static_cast<size_t>(end)};
}
void print_answer(std::string_view text) {
  if (!write_all(STDOUT_FILENO, text))
    throw runtime::MachineError(fmt::format("standard output: {}", std::strerror(errno)));
}

Notes::Notes(std::vector<std::string>& lines) : before_(std::exchange(notes, &lines)) {}
Notes::~Notes() { notes = before_; }

std::string one_line(std::string_view text) {
  constexpr size_t most = 4000;
  std::string out;
  while (!text.empty()) {
    if (out.size() > most) return out + fmt::format(" ... ({} bytes more)", text.size());
    const size_t n = character(text);
    const auto b = static_cast<unsigned char>(text[0]);
    if (b == '\n') out += "\\n";
    else if (n == 0 || b < 0x20 || b == 0x7f || (b == 0xc2 && static_cast<unsigned char>(text[1]) < 0xa0)) {
      for (size_t i = 0; i < std::max<size_t>(n, 1); ++i)
        out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[i]));
    } else out += text.substr(0, n);
    text.remove_prefix(std::max<size_t>(n, 1));
  }
  return out;
}

void say(std::string_view text) {
  text = text.substr(0, text.find_last_not_of('\n') + 1);
  if (notes) notes->push_back(one_line(text));
  else write_all(STDERR_FILENO, fmt::format("wavesmith: {}\n", one_line(text)));
}

std::string json_text(const nlohmann::ordered_json& j, int indent) {
  return j.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}
nlohmann::ordered_json located(nlohmann::ordered_json entry, const std::string& where) {
  if (!where.empty()) entry["where"] = where;
  return entry;
}
void print_json(const nlohmann::ordered_json& j, int indent) { fmt::print(out(), "{}\n", json_text(j, indent)); }

}  // namespace wavesmith::tools
