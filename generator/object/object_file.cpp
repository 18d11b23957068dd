// The relocatable ELF that LLD links: .text, the kernel descriptor in .rodata, the metadata note, the sections for
// debuggers; symbols of the kernel, its descriptor and its labels.
#include <llvm/BinaryFormat/ELF.h>

#include <cstring>

#include "generator/object/debug_sections.h"
#include "generator/object/descriptor.h"
#include "isa_tables/counters.h"

namespace wavesmith {
namespace {

namespace elf = llvm::ELF;

struct Writer {
  std::vector<uint8_t> bytes = std::vector<uint8_t>(sizeof(elf::Elf64_Ehdr));
  std::vector<elf::Elf64_Shdr> sections{{}};
  std::string names = std::string(1, '\0');

  uint32_t add(const char* name, uint32_t type, uint64_t flags, uint64_t align, const void* data, size_t size) {
    bytes.resize((bytes.size() + align - 1) / align * align);
    elf::Elf64_Shdr s{};
    s.sh_name = static_cast<uint32_t>(names.size());
    s.sh_type = type;
    s.sh_flags = flags;
    s.sh_offset = bytes.size();
    s.sh_size = size;
    s.sh_addralign = align;
    names += name;
    names += '\0';
    const auto* from = static_cast<const uint8_t*>(data);
    bytes.insert(bytes.end(), from, from + size);
    sections.push_back(s);
    return static_cast<uint32_t>(sections.size() - 1);
  }
};

std::string note(const std::string& blob) {
  const uint32_t header[3] = {7, static_cast<uint32_t>(blob.size()), elf::NT_AMDGPU_METADATA};
  std::string out(reinterpret_cast<const char*>(header), sizeof header);
  out += std::string("AMDGPU\0\0", 8) + blob;
  out.resize((out.size() + 3) / 4 * 4);
  return out;
}

// Symbols of the code, local ones first, as ELF wants them.
struct Symbols {
  std::vector<elf::Elf64_Sym> all{{}};
  std::string names = std::string(1, '\0');
  uint32_t first_global = 1;

  void add(unsigned char binding, unsigned char type, const std::string& name, uint32_t section, uint64_t value,
           uint64_t size) {
    elf::Elf64_Sym s{};
    s.st_name = static_cast<uint32_t>(names.size());
    s.setBindingAndType(binding, type);
    s.st_other = binding == elf::STB_LOCAL ? elf::STV_DEFAULT : elf::STV_PROTECTED;
    s.st_shndx = static_cast<uint16_t>(section);
    s.st_value = value, s.st_size = size;
    names += name + '\0';
    all.push_back(s);
    if (binding == elf::STB_LOCAL) first_global = static_cast<uint32_t>(all.size());
  }
};

elf::Elf64_Rela relocation(uint64_t offset, uint32_t symbol, uint32_t type, uint64_t addend) {
  elf::Elf64_Rela r{};
  r.r_offset = offset, r.r_addend = static_cast<int64_t>(addend);
  r.setSymbolAndType(symbol, type);
  return r;
}

}  // namespace

std::vector<uint8_t> object_file(std::span<const Program> programs, std::span<const EncodedProgram> encoded) {
  constexpr size_t code_align = 256;
  Writer w;
  std::vector<uint8_t> text;
  std::vector<size_t> starts;
  std::vector<llvm::amdhsa::kernel_descriptor_t> descriptors;
  for (size_t n = 0; n < programs.size(); ++n) {
    text.resize((text.size() + code_align - 1) / code_align * code_align);
    starts.push_back(text.size());
    text.insert(text.end(), encoded[n].text.begin(), encoded[n].text.end());
    descriptors.push_back(kernel_descriptor(programs[n]));
  }
  const size_t descriptor_bytes = sizeof descriptors[0];
  const std::string metadata = note(metadata_blob(programs));
  const uint32_t code =
      w.add(".text", elf::SHT_PROGBITS, elf::SHF_ALLOC | elf::SHF_EXECINSTR, code_align, text.data(), text.size());
  const uint32_t rodata = w.add(".rodata", elf::SHT_PROGBITS, elf::SHF_ALLOC, 64, descriptors.data(),
                                descriptors.size() * descriptor_bytes);
  w.add(".note", elf::SHT_NOTE, elf::SHF_ALLOC, 4, metadata.data(), metadata.size());

  Symbols symbols;
  for (size_t n = 0; n < programs.size(); ++n)
    for (size_t i = 0; i < programs[n].nodes.size(); ++i)
      if (const auto* label = programs[n].nodes[i].as<directive::Label>())
        symbols.add(elf::STB_LOCAL, elf::STT_NOTYPE, programs[n].labels[static_cast<size_t>(label->id)], code,
                    starts[n] + encoded[n].offsets[i], 0);
  const uint32_t first_kernel = symbols.first_global;
  const auto kernel = [&](size_t n) { return first_kernel + 2 * static_cast<uint32_t>(n); };
  for (size_t n = 0; n < programs.size(); ++n) {
    symbols.add(elf::STB_GLOBAL, elf::STT_FUNC, programs[n].name, code, starts[n], encoded[n].text.size());
    symbols.add(elf::STB_GLOBAL, elf::STT_OBJECT, programs[n].name + ".kd", rodata, n * descriptor_bytes,
                descriptor_bytes);
  }

  std::vector<std::pair<uint32_t, std::vector<elf::Elf64_Rela>>> relocations;  // by section
  // The entry's distance from the descriptor: S + A - P with P 16 bytes into the descriptor.
  const uint64_t entry = offsetof(llvm::amdhsa::kernel_descriptor_t, kernel_code_entry_byte_offset);
  relocations.push_back({rodata, {}});
  for (size_t n = 0; n < programs.size(); ++n)
    relocations.back().second.push_back(
        relocation(n * descriptor_bytes + entry, kernel(n), elf::R_AMDGPU_REL64, entry));
  for (const auto& s : debug_sections(programs, encoded)) {
    const uint32_t number = w.add(s.name, elf::SHT_PROGBITS, 0, 1, s.bytes.data(), s.bytes.size());
    std::vector<elf::Elf64_Rela> addresses;
    for (const auto& a : s.addresses) addresses.push_back(relocation(a.at, kernel(a.kernel), elf::R_AMDGPU_ABS64, 0));
    if (!addresses.empty()) relocations.emplace_back(number, std::move(addresses));
  }

  const size_t symbol_bytes = symbols.all.size() * sizeof(elf::Elf64_Sym);
  const uint32_t symtab = w.add(".symtab", elf::SHT_SYMTAB, 0, 8, symbols.all.data(), symbol_bytes);
  w.sections[symtab].sh_info = symbols.first_global;
  w.sections[symtab].sh_entsize = sizeof(elf::Elf64_Sym);
  for (const auto& [section, list] : relocations) {
    const uint32_t rela =
        w.add(".rela", elf::SHT_RELA, elf::SHF_INFO_LINK, 8, list.data(), list.size() * sizeof list[0]);
    w.sections[rela].sh_link = symtab;
    w.sections[rela].sh_info = section;
    w.sections[rela].sh_entsize = sizeof list[0];
  }
  w.sections[symtab].sh_link = w.add(".strtab", elf::SHT_STRTAB, 0, 1, symbols.names.data(), symbols.names.size());
  w.names += ".shstrtab";
  w.names += '\0';
  std::string names = w.names;
  const uint32_t shstrtab = w.add("", elf::SHT_STRTAB, 0, 1, names.data(), names.size());
  w.sections[shstrtab].sh_name = static_cast<uint32_t>(names.size() - 10);
  w.bytes.resize((w.bytes.size() + 7) / 8 * 8);

  const auto& t = isa::target(programs[0].arch);
  elf::Elf64_Ehdr h{};
  std::memcpy(h.e_ident, elf::ElfMagic, 4);
  h.e_ident[elf::EI_CLASS] = elf::ELFCLASS64;
  h.e_ident[elf::EI_DATA] = elf::ELFDATA2LSB;
  h.e_ident[elf::EI_VERSION] = elf::EV_CURRENT;
  h.e_ident[elf::EI_OSABI] = elf::ELFOSABI_AMDGPU_HSA;
  h.e_ident[elf::EI_ABIVERSION] = elf::ELFABIVERSION_AMDGPU_HSA_V5;
  h.e_type = elf::ET_REL;
  h.e_machine = elf::EM_AMDGPU;
  h.e_version = elf::EV_CURRENT;
  const bool may_replay = t.gfx9() || isa::counter(isa::WaitCounter::x, programs[0].arch).name;
  h.e_flags =
      t.elf_mach | (may_replay ? unsigned{elf::EF_AMDGPU_FEATURE_XNACK_ANY_V4} : 0) |
      (t.sram_ecc() ? unsigned{elf::EF_AMDGPU_FEATURE_SRAMECC_ANY_V4} : 0);  // the code runs with either setting
  h.e_ehsize = sizeof h;
  h.e_shentsize = sizeof(elf::Elf64_Shdr);
  h.e_shnum = static_cast<uint16_t>(w.sections.size());
  h.e_shstrndx = static_cast<uint16_t>(shstrtab);
  h.e_shoff = w.bytes.size();
  std::memcpy(w.bytes.data(), &h, sizeof h);
  const auto* table = reinterpret_cast<const uint8_t*>(w.sections.data());
  w.bytes.insert(w.bytes.end(), table, table + w.sections.size() * sizeof(elf::Elf64_Shdr));
  return w.bytes;
}

}  // namespace wavesmith
