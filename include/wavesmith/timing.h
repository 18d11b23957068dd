// The timing model: cycles of a launch and what limits it (docs/reference/timing.md).
#pragma once
#include "simulator/timing/timing.h"
