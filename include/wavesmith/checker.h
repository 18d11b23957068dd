// Static analysis of code: hazards, waits, registers never written, LDS order (docs/reference/check.md).
//
//   checker::check(Program)                          a lowered kernel; findings by node
//   checker::check(sim::CodeObject, kernel, decoder) a kernel of any code object; findings by address
#pragma once
#include "checker/check.h"
#include "generator/passes/check_program.h"
