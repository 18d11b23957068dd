// Which HIP the program was built for: the numbers of hipMemoryType differ between 5 and 6, and programs ask.
#pragma once

namespace wavesmith::hip {

// 5, 6 or 7: WAVESMITH_HIP_VERSION, else that of the library's name that the program, or one of its libraries, needs;
// else 6.
int major_version();
int version();  // as hipRuntimeGetVersion: major * 10^7 + minor * 10^5 + patch

}  // namespace wavesmith::hip
