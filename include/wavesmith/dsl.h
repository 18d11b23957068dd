// The author's side: everything to write a kernel and to turn it into a code object.
//
//   Kernel, Arguments<S>, Registers          a kernel, its arguments as a struct, its registers by name
//   Stream, Block                            instructions in order, one method a mnemonic; loops and branches as scopes
//   Scratch, raw_buffer, PairConversion, ...  parts that kernels share: named scratch registers, buffer resources,
//                                            packed conversions, transposes, reductions and scans
//   interleave, fill, scheduled, Pipeline    orders of instructions that the author asks for by name
//   lower(Kernel) -> Program                 waits, hazards, then the checker: IsaError, HazardError and
//                                            CheckError name the author's line
//   assemble(Program) -> Assembled           the bytes for hipModuleLoad; assembly(Program) is its text
//
// docs/guide/first_kernel.md is the tour.
#pragma once
#include "generator/dsl/arguments.h"
#include "generator/dsl/buffer_resource.h"
#include "generator/dsl/constants.h"
#include "generator/dsl/convert.h"
#include "generator/dsl/emit_offset.h"
#include "generator/dsl/kernel.h"
#include "generator/dsl/lds_dma.h"
#include "generator/dsl/permute.h"
#include "generator/dsl/program.h"
#include "generator/dsl/scratch.h"
#include "generator/dsl/wave_ops.h"
#include "generator/passes/lower.h"
#include "generator/schedule/interleave.h"
#include "generator/schedule/pipeline.h"
#include "generator/schedule/schedule.h"
#include "generator/schedule/wave_stages.h"
