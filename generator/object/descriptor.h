// The kernel descriptor and the metadata note of a Program (AMDGPUUsage, "Kernel Descriptor", "Code Object V5
// Metadata").
#pragma once
#include <llvm/Support/AMDHSAKernelDescriptor.h>

#include "generator/dsl/program.h"

namespace wavesmith {

llvm::amdhsa::kernel_descriptor_t kernel_descriptor(const Program&);  // entry offset left 0: a relocation fills it
std::string metadata_blob(std::span<const Program>);                  // MessagePack
std::string metadata_yaml(std::span<const Program>);                  // the same as text, for .amdgpu_metadata

}  // namespace wavesmith
