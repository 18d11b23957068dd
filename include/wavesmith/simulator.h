// Running code objects, wavesmith's and others'.
//
//   runtime::Device::open("sim" | "hip")     memory, launches and faults; a GPU has the same interface
//   runtime::SimDevice, TimingDevice         the simulator with options, counts and faults; the timing model
//   sim::CodeObject::load, sim::run          the simulator itself: kernels and metadata of a file, checks
//
// A fault names the kernel, the instruction, the wave, the lane and the address; docs/reference/machine.md lists what
// stops a launch.
#pragma once
#include "runtime/sim_device.h"
#include "simulator/simulator.h"
