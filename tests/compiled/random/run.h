// Compiles source files of random programs for the host and for a target, runs both and compares every byte.
#pragma once
#include <filesystem>
#include <map>
#include <memory>

#include "isa_tables/isa.h"
#include "tests/compiled/random/program.h"

namespace wavesmith::random {

std::string compiler();  // empty: there is none

struct Way {  // to compile for the device
  const isa::Target* target;
  int level = 3;              // -O0 to -O3
  bool wave64 = false;        // of a wave32 target
  std::string features = {};  // what follows the processor's name in the target id
  int wave() const { return wave64 ? 64 : target->wave_size; }
  std::string name() const;
};

struct Failure {
  // Other bytes than the host's; the simulator stopped; it stopped at an undefined read, and without that check every
  // byte is right; a compiler or the loader stopped.
  enum class Kind : uint8_t { wrong, fault, undefined, refused } kind{};
  std::string kernel, text;  // one line
  std::string sort;          // of two failures alike: the fault's kind
};

// One source file: the host's program is compiled once, its results are kept.
class Trial {
 public:
  // The text is put into `folder`, which has to be there and keeps what is made of it. std::runtime_error: the host's
  // compiler failed.
  Trial(std::string source, std::filesystem::path folder);
  ~Trial();
  std::vector<Failure> run(const Way&);
  size_t programs() const { return launches_.size(); }

 private:
  struct Image {
    std::vector<uint8_t> in, out, own, shared, arguments;
  };  // arguments: values, pointers left zero
  Image image(const Launch&) const;
  const Image& expected(const Launch&, int wave, bool gfx9);
  std::optional<Failure> compare(const Launch&, const Way&, const struct Loaded&);

  std::filesystem::path folder_;
  std::vector<Launch> launches_;
  void* host_ = nullptr;
  std::map<std::tuple<std::string, int, bool>, Image> expected_;
};

}  // namespace wavesmith::random
