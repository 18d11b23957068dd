// The HTML report of a kernel: one self-contained file without network access. The page is tools/report/, bundled at
// build time; this code supplies one block of JSON.
#pragma once
#include "simulator/timing/timing.h"

namespace wavesmith::tools {

struct ReportSubject {
  std::string file;  // as given by the user
  const sim::CodeObject& object;
  const sim::KernelInfo& kernel;
  isa::Occupancy occupancy;
};

// The data of the page: the kernel, its occupancy, its instructions with live registers; with a result, also clocks,
// stalls, timeline, roofline.
std::string report_json(const ReportSubject&, const timing::Result* timed = nullptr);
// Writes the page, completely or not at all. FileError.
void write_report(const std::string& path, const ReportSubject&, const timing::Result* timed = nullptr);

}  // namespace wavesmith::tools
