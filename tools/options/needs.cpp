#include "tools/options/needs.h"

#include <unistd.h>

#include <algorithm>
#include <thread>

namespace wavesmith::tools {
namespace {

double memory_bytes() {
  return static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

// A second and core, with all checks: half of what docs/design/simulation_speed.md measures.
constexpr double exact_flops = 4e9, fast_flops = 2e10, most_seconds = 120;

}  // namespace

void Force::declare(CLI::App& app) {
  app.add_flag("--force", force,
               "run even if it needs more than a quarter of the memory or, verify, more than two minutes");
}

void Force::ask_for_memory(double bytes, std::string_view what) const {
  if (!force && bytes > memory_bytes() / 4)
    throw InputError(
        fmt::format("{} needs {:.3g} GB, more than a quarter of the machine's {:.3g} GB; legal: less, or --force", what,
                    bytes / 1e9, memory_bytes() / 1e9));
}

double simulated_seconds(double flops, bool fast, int jobs) {
  const double cores = jobs > 0 ? jobs : std::max(1u, std::thread::hardware_concurrency());
  return flops / cores / (fast ? fast_flops : exact_flops);
}

void Force::ask_for(const Needs& n, std::string_view what) const {
  const bool memory = n.bytes > memory_bytes() / 4, time = n.seconds > most_seconds;
  if (force || !(memory || time)) return;
  const std::string bytes = fmt::format("{:.3g} GB of memory (the machine has {:.3g} GB)", n.bytes / 1e9,
                                        memory_bytes() / 1e9),
                    minutes = fmt::format("about {:.0f} minutes on the simulator", n.seconds / 60);
  throw InputError(fmt::format("{} takes {}{}; legal: less, or --force", what, memory ? bytes : minutes,
                               memory && time ? " and " + minutes : ""));
}

}  // namespace wavesmith::tools
