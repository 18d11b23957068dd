// wavesmith occupancy: waves per SIMD, with every limit and the binding one.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "isa_tables/occupancy.h"
#include "kernels/plan/recommend.h"
#include "tools/commands/commands.h"
#include "tools/print/console.h"
#include "tools/print/text.h"

namespace wavesmith::tools {
namespace {

using nlohmann::ordered_json;

struct OccupancyCommand {
  std::string arch;
  isa::Resources r;
  bool json = false;
};

ordered_json to_json(isa::Arch arch, const isa::Resources& r, const isa::Occupancy& o) {
  const isa::Target& t = isa::target(arch);
  ordered_json j{{"target", t.name},
                 {"waves_per_simd", o.waves_per_simd},
                 {"max_waves_per_simd", o.max_waves},
                 {"workgroups_per_cu", o.groups},
                 {"limited_by", isa::name(o.limited_by)},
                 {"vgprs_granted", o.vgprs_granted},
                 {"vgpr_granule", o.granule},
                 {"vgprs_free", o.vgprs_free},
                 {"sgprs_granted", o.sgprs_granted},
                 {"lds_granted", o.lds_granted},
                 {"waves_per_group", r.waves_per_group},
                 {"limits", ordered_json::array()}};
  const plan::WavesPerEu ask = plan::waves_per_eu(arch, r);
  j["waves_per_eu"] = ask.ask ? ordered_json(*ask.ask) : ordered_json(nullptr);
  for (const auto& l : o.limits)
    j["limits"].push_back(
        {{"by", isa::name(l.by)}, {"waves_per_simd", l.waves_per_simd}, {"workgroups_per_cu", l.groups}});
  return j;
}

int run(const OccupancyCommand& opt) {
  const isa::Arch arch = parse_target(opt.arch);
  const isa::Target& t = isa::target(arch);
  const isa::Occupancy o = isa::occupancy(arch, opt.r);
  if (opt.json) {
    print_json(to_json(arch, opt.r, o));
    return good;
  }
  const char* cu = t.cu();
  const auto groups = [](int n) { return counted(static_cast<uint64_t>(n), "workgroup"); };
  Table table;
  table.add("target", fmt::format("{}, {} SIMDs per {}", t.name, t.simds_per_cu, cu));
  table.add("occupancy", o.groups ? fmt::format("{} of {} waves per SIMD, {} per {}", o.waves_per_simd, o.max_waves,
                                                groups(o.groups), cu)
                                  : fmt::format("none: no workgroup fits on a {}", cu));
  table.add("limited by", isa::name(o.limited_by));
  for (const auto& l : o.limits)
    table.add(fmt::format("  {}", isa::name(l.by)), fmt::format("{:>2} of {} waves per SIMD, {} per {}",
                                                                l.waves_per_simd, o.max_waves, groups(l.groups), cu));
  table.add("VGPRs", fmt::format("{} granted in units of {}; {} more would not lower the occupancy", o.vgprs_granted,
                                 o.granule, o.vgprs_free));
  if (t.wave_size == 64)
    table.add("SGPRs", fmt::format("{} granted, including VCC and other special registers", o.sgprs_granted));
  table.add("LDS", fmt::format("{} of {} bytes granted in units of {}", o.lds_granted, t.lds_pool, t.lds_granule));
  const plan::WavesPerEu ask = plan::waves_per_eu(arch, opt.r);
  table.add("waves per EU to ask for", fmt::format("{}: {}", ask.ask ? fmt::to_string(*ask.ask) : "none", ask.reason));
  fmt::print(out(), "{}", table.text());
  return good;
}

}  // namespace

Command add_occupancy(CLI::App& app) {
  auto o = std::make_shared<OccupancyCommand>();
  app.add_option("--arch", o->arch, "target, for example gfx942")->required();
  app.add_option("--vgprs", o->r.vgprs, "VGPRs per wave")->required();
  app.add_option("--agprs", o->r.agprs, "AGPRs per wave");
  app.add_option("--sgprs", o->r.sgprs, "SGPRs per wave, without VCC");
  app.add_option("--lds", o->r.lds_bytes, "bytes of LDS per workgroup");
  app.add_option("--waves", o->r.waves_per_group, "waves per workgroup")->capture_default_str();
  app.add_option("--wave-size", o->r.wave_size, "lanes of a wave, where the target has both");
  app.add_flag("--json", o->json, "one JSON document on standard output");
  app.footer("Example:\n  wavesmith occupancy --arch gfx942 --vgprs 128 --agprs 128 --lds 65536 --waves 4");
  return [o] { return run(*o); };
}

}  // namespace wavesmith::tools
