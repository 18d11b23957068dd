// LLVM's assembler from text to a relocatable ELF, then LLD. Directives that include files look into an empty file
// system: a text names no path.
#include "isa_tables/mc/source.h"

#include <fmt/format.h>
#include <llvm/MC/MCAsmBackend.h>
#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCAssembler.h>
#include <llvm/MC/MCCodeEmitter.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCExpr.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCObjectFileInfo.h>
#include <llvm/MC/MCObjectStreamer.h>
#include <llvm/MC/MCObjectWriter.h>
#include <llvm/MC/MCParser/AsmLexer.h>
#include <llvm/MC/MCParser/MCAsmParser.h>
#include <llvm/MC/MCParser/MCTargetAsmParser.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCStreamer.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/MCTargetOptions.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/VirtualFileSystem.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <memory>

#include "isa_tables/isa.h"
#include "isa_tables/mc/llvm_target.h"
#include "isa_tables/mc/mc.h"

namespace wavesmith::isa {
namespace {

// What follows a directive at the start of a line; empty: it does not occur.
std::string_view argument_of(std::string_view text, std::string_view directive) {
  for (size_t at = 0; (at = text.find(directive, at)) != text.npos; at += directive.size()) {
    const size_t line = text.rfind('\n', at) + 1;  // npos + 1 is 0
    if (text.substr(line, at - line).find_first_not_of(" \t") != text.npos) continue;
    std::string_view rest = text.substr(at + directive.size());
    rest = rest.substr(0, rest.find('\n'));
    const size_t start = rest.find_first_not_of(" \t");
    if (start != 0 && start != rest.npos) return rest.substr(start);
  }
  return {};
}

// LLVM's features of a target id and of the text: +xnack, -sramecc, +wavefrontsize64.
std::string features(const std::string& target, std::string_view text, const Target& row) {
  std::string out;
  for (const char* name : {"xnack", "sramecc"})
    for (const char sign : {'+', '-'})
      if (target.find(fmt::format(":{}{}", name, sign)) != target.npos)
        out += fmt::format("{}{}{}", out.empty() ? "" : ",", sign, name);
  if (row.wave_size == 32 && row.runs_wave(64) && argument_of(text, ".amdhsa_wavefront_size32").starts_with('0'))
    out += fmt::format("{}+wavefrontsize64", out.empty() ? "" : ",");
  return out;
}

struct Messages {
  std::string text;
  int count = 0;
  void add(const llvm::SMDiagnostic& d) {
    if (d.getKind() != llvm::SourceMgr::DK_Error) return;
    constexpr int shown = 8;
    if (++count <= shown)
      text += fmt::format("{}{}:{}:{}: {}", count > 1 ? "; " : "", d.getFilename().str(), d.getLineNo(),
                          d.getColumnNo() + 1, d.getMessage().str());
  }
  std::string line() const { return count <= 8 ? text : fmt::format("{}; and {} more errors", text, count - 8); }
};

// The text so that LLVM's parser comes to its end: after an operand that it does not understand it looks for the next
// end of a statement, and that operand's may be gone (`s_nop, "`). At the end of the text it would look for ever.
std::string ended(std::string_view text, const std::string& name, const llvm::MCAsmInfo& info) {
  std::string all(text);
  all += "\n\n\n\n";
  llvm::AsmLexer lexer(info);
  lexer.setBuffer(all);
  while (lexer.Lex().isNot(llvm::AsmToken::Eof)) {
    const llvm::AsmToken& token = lexer.getTok();
    if (token.isNot(llvm::AsmToken::Error) || !lexer.getErr().starts_with("unterminated")) continue;
    const auto at = static_cast<size_t>(token.getLoc().getPointer() - all.data());
    if (const auto end = at + token.getString().size(); end < text.size()) continue;  // of this line alone
    throw SourceError(fmt::format("{}:{}:{}: {}", name, 1 + std::ranges::count(text.substr(0, at), '\n'),
                                  at - (text.rfind('\n', at) + 1) + 1, lexer.getErr()));
  }
  return all;
}

constexpr double most_bytes = 256.0 * 1024 * 1024;  // what is loaded of a code object (simulator/code_object.cpp)

// What directives ask for beyond the text's own length: .fill, .space, .org, .nops, .p2align. Counts that are not known
// before the layout are differences of labels, and not looked at.
double bytes_asked(const llvm::MCAssembler& assembler) {
  double bytes = 0;
  const auto value = [&](const llvm::MCExpr& e) {
    int64_t n = 0;
    return e.evaluateAsAbsolute(n) ? std::max(0.0, static_cast<double>(n)) : 0.0;
  };
  for (const llvm::MCSection& section : assembler)
    for (const llvm::MCFragment& f : section) switch (f.getKind()) {
        case llvm::MCFragment::FT_Fill: {
          const auto& fill = llvm::cast<llvm::MCFillFragment>(f);
          bytes += value(fill.getNumValues()) * fill.getValueSize();
          break;
        }
        case llvm::MCFragment::FT_Org: bytes += value(llvm::cast<llvm::MCOrgFragment>(f).getOffset()); break;
        case llvm::MCFragment::FT_Nops:
          bytes += static_cast<double>(llvm::cast<llvm::MCNopsFragment>(f).getNumBytes());
          break;
        case llvm::MCFragment::FT_Align: bytes += static_cast<double>(f.getAlignment().value()); break;
        default: break;
      }
  return bytes;
}

}  // namespace

std::string target_in(std::string_view text) {
  std::string_view rest = argument_of(text, ".amdgcn_target");
  const size_t name = rest.find("gfx");
  if (name == rest.npos) return {};
  rest = rest.substr(name);
  return std::string(rest.substr(0, rest.find_first_of("\" \t\r")));
}

std::vector<uint8_t> assemble_source(std::string_view text, const std::string& name, const std::string& target,
                                     bool line_tables) {
  const std::string cpu = target.substr(0, target.find(':'));
  const auto arch = find_arch(cpu);
  if (!arch) throw SourceError(fmt::format("{}: target '{}' is unknown, legal: {}", name, cpu, arch_names()));
  const llvm::Target& llvm_target = amdgpu();
  const llvm::Triple triple("amdgcn-amd-amdhsa");
  const llvm::MCTargetOptions options;
  const std::unique_ptr<llvm::MCRegisterInfo> regs(llvm_target.createMCRegInfo(triple));
  const std::unique_ptr<llvm::MCAsmInfo> info(llvm_target.createMCAsmInfo(*regs, triple, options));
  const std::unique_ptr<llvm::MCInstrInfo> instrs(llvm_target.createMCInstrInfo());
  const std::unique_ptr<llvm::MCSubtargetInfo> subtarget(
      llvm_target.createMCSubtargetInfo(triple, cpu, features(target, text, isa::target(*arch))));

  Messages messages;
  llvm::SourceMgr sources;
  sources.setVirtualFileSystem(llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>());
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(ended(text, name, *info), name), {});
  sources.setDiagHandler([](const llvm::SMDiagnostic& d, void* to) { static_cast<Messages*>(to)->add(d); }, &messages);
  llvm::MCContext context(triple, info.get(), regs.get(), subtarget.get(), &sources, &options);
  context.setDiagnosticHandler([&](const llvm::SMDiagnostic& d, bool, const llvm::SourceMgr&,
                                   std::vector<const llvm::MDNode*>&) { messages.add(d); });
  const std::unique_ptr<llvm::MCObjectFileInfo> sections(llvm_target.createMCObjectFileInfo(context, /*PIC=*/true));
  context.setObjectFileInfo(sections.get());
  context.setGenDwarfForAssembly(line_tables);
  context.setDwarfVersion(5);
  context.setMainFileName(name);
  context.setCompilationDir("");
  context.setGenDwarfRootFile(name, llvm::StringRef(text.data(), text.size()));

  llvm::SmallVector<char, 0> object;
  llvm::raw_svector_ostream os(object);
  std::unique_ptr<llvm::MCAsmBackend> backend(llvm_target.createMCAsmBackend(*subtarget, *regs, options));
  auto writer = backend->createObjectWriter(os);
  std::unique_ptr<llvm::MCCodeEmitter> emitter(llvm_target.createMCCodeEmitter(*instrs, context));
  const std::unique_ptr<llvm::MCStreamer> streamer(llvm_target.createMCObjectStreamer(
      triple, context, std::move(backend), std::move(writer), std::move(emitter), *subtarget));
  const std::unique_ptr<llvm::MCAsmParser> parser(llvm::createMCAsmParser(sources, context, *streamer, *info));
  const std::unique_ptr<llvm::MCTargetAsmParser> target_parser(
      llvm_target.createMCAsmParser(*subtarget, *parser, *instrs, options));
  parser->setTargetParser(*target_parser);
  const auto refuse = [&] {
    throw SourceError(messages.count ? messages.line() : name + ": LLVM refuses it and does not say why");
  };
  if (parser->Run(/*NoInitialTextSection=*/false, /*NoFinalize=*/true) || messages.count) refuse();
  if (const double bytes = bytes_asked(static_cast<llvm::MCObjectStreamer&>(*streamer).getAssembler());
      bytes > most_bytes)
    throw SourceError(
        fmt::format("{}: its directives ask for {:.0f} bytes, legal: up to {:.0f}", name, bytes, most_bytes));
  if (auto* more = streamer->getTargetStreamer()) more->emitConstantPools();
  streamer->finish();
  if (messages.count) refuse();
  return link(std::span(reinterpret_cast<const uint8_t*>(object.data()), object.size()));
}

}  // namespace wavesmith::isa
