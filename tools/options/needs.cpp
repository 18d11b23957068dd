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
  app.add_flag("--force", force, "do it even if it takes more than a quarter of the memory, or minutes");
}

void Force::ask_for_memory(double bytes, std::string_view what) const {
  if (!force && bytes > memory_bytes() / 4)
    throw InputError(
        fmt::format("{} takes {:.3g} GB, more than a quarter of the machine's {:.3g} GB; legal: less, or --force", what,
                    bytes / 1e9, memory_bytes() / 1e9));
}

void Force::ask_for_time(double flops, bool fast, int jobs, std::string_view what) const {
  const double cores = jobs > 0 ? jobs : std::max(1u, std::thread::hardware_concurrency()),
               seconds = flops / cores / (fast ? fast_flops : exact_flops);
  if (!force && seconds > most_seconds)
    throw InputError(
        fmt::format("{} takes some {:.0f} minutes on the simulator; legal: less, or --force", what, seconds / 60));
}

}  // namespace wavesmith::tools
