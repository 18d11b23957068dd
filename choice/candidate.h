// Configurations of a GEMM that are candidates for a problem, and the least time that each could take: what its matrix
// instructions, LDS, L2 and memory need by the tables alone.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "isa_tables/timing/peaks.h"
#include "kernels/gemm/choose.h"

namespace wavesmith::choice {

// Seconds of a launch. least: no launch of this configuration is faster. likely: orders candidates; what does not limit
// counts too, and so do filling and draining.
struct Bound {
  double least = 0, likely = 0;
  double mhz = 0;   // the clock at `likely`
  double held = 1;  // workgroups that a CU likely holds at once
  const char* by;   // the unit that needs `least`
  double launch;    // of `least`: the launch itself
};
// What bounds a launch of these predicted seconds, in words.
std::string limit(const Bound&, double seconds);
// Error: IsaError, as isa::info of the instruction.
Bound bound(const GemmConfig&, Arch, const GemmProblem&, const isa::Gpu&);

double blocks_of_d(const GemmConfig&, const GemmProblem&);  // of all batches
// Workgroups that the fullest CU runs, stream-K with parts of K as parts of one.
double rounds_of_unit(const GemmConfig&, const GemmProblem&, const isa::Gpu&);
// `base` with the tiles of the last round split among all CUs; nothing where there are none, or too many.
std::optional<GemmConfig> stream(const GemmConfig& base, const GemmRequest&, const GemmProblem&, const isa::Gpu&);

// Every division of every tile that the request leaves open, the likely fastest first. Not checked.
struct Candidate {
  GemmConfig config;
  Bound bound;
};
std::vector<Candidate> tiles(const GemmConfig& base, const GemmRequest&, Arch, const GemmProblem&, const isa::Gpu&);
// `base`:
// with more or fewer workgroups for each block of D;
std::vector<GemmConfig> splits(const GemmConfig& base, const GemmRequest&, const GemmProblem&, const isa::Gpu&);
// with its tile divided otherwise among waves; tall: of more rows than twice their lanes;
std::vector<GemmConfig> divisions(const GemmConfig& base, const GemmRequest&, Arch, bool tall = false);
// with every schedule at the fewest and the most stages; with the numbers of stages between them, half and twice the
// k of an iteration, and every other instruction of the highest rate; with orders for the GPU's XCDs. What the request
// gives stays. Not checked.
std::vector<GemmConfig> schedules(const GemmConfig& base, const GemmRequest&);
std::vector<GemmConfig> stages(const GemmConfig& base, const GemmRequest&, Arch);
std::vector<GemmConfig> orders(const GemmConfig& base, const GemmRequest&, const isa::Gpu&);
// By as many workgroups as run at a time, which take the tiles in turn; nothing where that is all, or where other
// workgroups of a CU run while one stores its tile.
std::vector<GemmConfig> persistent(const GemmConfig& base, const GemmRequest&, Arch, const GemmProblem&,
                                   const isa::Gpu&);
// In the clusters that orders() offers, where the base is in some.
std::vector<GemmConfig> other_clusters(const GemmConfig& base, const GemmRequest& asked);
// The order of columns and those of orders() in which the workgroups that a die runs at once, `held` by each CU, read
// the fewest bytes of A and B for each k; columns if that saves little.
WorkOrder likely_order(const GemmConfig&, double held, const GemmProblem&, const isa::Gpu&);

}  // namespace wavesmith::choice
