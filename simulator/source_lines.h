// Where the instructions of a code object were written: its DWARF 5 line tables (.debug_line), of any compiler, and the
// Block names and notes that the generator adds (.debug_wavesmith; docs/design/source_lines.md). What cannot be read
// names no line; it is no reason to refuse a file that runs.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace wavesmith::sim {

struct SourceLine {
  std::string_view file;  // as the producer wrote it
  uint32_t line = 0;
  std::string_view block, note;  // of generated kernels: the Block and the author's comment; else empty
  std::string place() const;     // "gemm_loop.cpp:88"
  std::string text() const;      // "gemm_loop.cpp:88 (read A)"
};

class SourceLines {
 public:
  struct Sections {
    std::span<const uint8_t> line, line_strings, strings, notes;  // .debug_line, _line_str, _str, _wavesmith
  };
  SourceLines() = default;
  explicit SourceLines(const Sections&);

  std::optional<SourceLine> at(uint64_t address) const;  // of the instruction there
  // Where runs of instructions of one line begin. `file` may leave leading directories out.
  std::vector<uint64_t> addresses(std::string_view file, uint32_t line) const;
  // The files, each once.
  const std::vector<std::string>& files() const { return files_; }

 private:
  struct Reader;
  struct Row {
    uint64_t address = 0;
    uint32_t file = 0, line = 0, origin = 0;
    bool end = false;  // one past the last instruction of a sequence
  };
  struct Origin {
    std::string block, note;
  };
  std::vector<std::string> files_;
  std::vector<Origin> origins_;  // by discriminator, from 1 on
  std::vector<Row> rows_;        // by address
};

}  // namespace wavesmith::sim
