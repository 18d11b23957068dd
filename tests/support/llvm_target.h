// LLVM's view of a target, for tests that hold the tables against its instruction descriptions and benchmarks that run
// its encoder.
#pragma once
#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCCodeEmitter.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCDisassembler/MCDisassembler.h>
#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/MCTargetOptions.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/raw_ostream.h>

#include <memory>
#include <optional>
#include <span>

#include "isa_tables/mc/mc.h"

struct LlvmTarget {
  const wavesmith::isa::Mc registers_the_target;
  const llvm::Triple triple{"amdgcn-amd-amdhsa"};
  const llvm::MCTargetOptions options;
  std::unique_ptr<llvm::MCRegisterInfo> regs;
  std::unique_ptr<llvm::MCAsmInfo> info;
  std::unique_ptr<llvm::MCInstrInfo> instrs;
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget;
  std::unique_ptr<llvm::MCContext> context;
  std::unique_ptr<llvm::MCDisassembler> decoder;
  std::unique_ptr<llvm::MCCodeEmitter> encoder;

  explicit LlvmTarget(wavesmith::isa::Arch arch) : registers_the_target(arch) {
    std::string error;
    const llvm::Target& t = *llvm::TargetRegistry::lookupTarget(triple, error);
    regs.reset(t.createMCRegInfo(triple));
    info.reset(t.createMCAsmInfo(*regs, triple, options));
    instrs.reset(t.createMCInstrInfo());
    subtarget.reset(t.createMCSubtargetInfo(triple, wavesmith::isa::target(arch).name, ""));
    context = std::make_unique<llvm::MCContext>(triple, info.get(), regs.get(), subtarget.get());
    decoder.reset(t.createMCDisassembler(*subtarget, *context));
    encoder.reset(t.createMCCodeEmitter(*instrs, *context));
  }
  // The instruction at the start of `bytes` and its length; nothing if LLVM knows none.
  std::optional<std::pair<llvm::MCInst, uint64_t>> decode(std::span<const uint8_t> bytes) const {
    llvm::MCInst inst;
    uint64_t size = 0;
    if (decoder->getInstruction(inst, size, llvm::ArrayRef<uint8_t>(bytes.data(), bytes.size()), 0, llvm::nulls()) ==
            llvm::MCDisassembler::Fail ||
        !size)
      return {};
    return std::pair(inst, size);
  }
};
