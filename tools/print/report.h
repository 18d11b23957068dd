// The HTML report of a kernel: one file with everything in it, which asks no network. The page is tools/report/,
// bundled at build time; this side hands it one block of JSON.
#pragma once
#include "simulator/timing/timing.h"

namespace wavesmith::tools {

struct ReportSubject {
  std::string file;  // as the user named it
  const sim::CodeObject& object;
  const sim::Kernel& kernel;
  isa::Occupancy occupancy;
};

// What the page is given: the kernel, its occupancy, its instructions with live registers; with a result, also clocks,
// stalls, timeline, roofline.
std::string report_json(const ReportSubject&, const timing::Result* timed = nullptr);
// The whole page, written whole or not at all. FileError.
void write_report(const std::string& path, const ReportSubject&, const timing::Result* timed = nullptr);

}  // namespace wavesmith::tools
