#include "tools/options/model_options.h"

#include <fmt/format.h>

#include <climits>

#include "tools/print/exit.h"
#include "tools/print/text.h"

namespace wavesmith::tools {

void ModelOptions::declare(CLI::App& app) {
  app.add_option("--gpu", gpu, "GPU of the target: " + gpu_names());
  app.add_option(
      "--clock", clock,
      "load (default: the clock under this load of the matrix pipes; boost where no such law is known), boost, "
      "sustained (as measured under matrix load), or MHz");
  app.add_option("--jobs", jobs, "host threads; 0: all cores")->check(CLI::Range(0, INT_MAX));
}

timing::Options ModelOptions::options() const {
  timing::Options t;
  t.jobs = jobs;
  if (!gpu.empty()) t.gpu = find_gpu_option(gpu);
  if (clock == "boost") t.clock.kind = timing::Clock::Kind::boost;
  else if (clock == "sustained") t.clock.kind = timing::Clock::Kind::sustained;
  else if (clock != "load") {
    const uint64_t mhz = parse_number(clock, "--clock (load, boost, sustained or MHz)");
    if (mhz < 100 || mhz > 10000)
      throw InputError(fmt::format("--clock: {} MHz, legal: load, boost, sustained, or 100 to 10000", mhz));
    t.clock = {timing::Clock::Kind::fixed, static_cast<double>(mhz)};
  }
  return t;
}

}  // namespace wavesmith::tools
