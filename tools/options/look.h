// Inspection of a run on the simulator: one wave's instructions with the registers they wrote (--trace), registers when
// it reaches an instruction (--break, --dump), accesses to an address by any wave (--watch). Printed to standard output
// while the kernel runs.
#pragma once
#include <CLI/CLI.hpp>
#include <memory>

#include "simulator/observer.h"
#include "tools/options/launch.h"

namespace wavesmith::tools {

struct LookOptions {
  bool trace = false;
  std::string stop, dump, workgroup = "0", watch;
  int wave = 0;
  void declare(CLI::App&);
  bool any() const { return trace || !stop.empty() || !dump.empty() || !watch.empty(); }
};

class Look : public sim::Observers {
 public:
  // Error: InputError.
  Look(const LookOptions&, const sim::CodeObject&, const sim::KernelInfo&);
  ~Look() override;
  void buffers(const std::vector<NamedBuffer>&);  // the buffers that --watch NAME+BYTES may name
  sim::Observer* workgroup(const std::array<uint32_t, 3>& id) override;
  // Call after the run: prints the registers at its fault or end, unless already printed. An error if --break was given
  // and never reached. Returns whether everything requested was printed.
  bool finish(const std::optional<sim::Fault>&);

 private:
  struct Watcher;
  std::unique_ptr<Watcher> watcher_;
};

}  // namespace wavesmith::tools
