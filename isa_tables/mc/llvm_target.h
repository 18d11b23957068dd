// LLVM's AMDGPU target, for the files that use LLVM MC.
#pragma once

namespace llvm {
class Target;
}

namespace wavesmith::isa {

const llvm::Target& amdgpu();  // std::runtime_error if LLVM was built without it

}  // namespace wavesmith::isa
