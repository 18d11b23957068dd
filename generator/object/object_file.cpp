// The relocatable ELF that LLD links: .text, the kernel descriptor in .rodata, the metadata note, two symbols and one
// relocation.
#include <llvm/BinaryFormat/ELF.h>

#include <cstring>

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

elf::Elf64_Sym symbol(uint32_t name, unsigned char type, uint16_t section, uint64_t size) {
  elf::Elf64_Sym s{};
  s.st_name = name;
  s.setBindingAndType(elf::STB_GLOBAL, type);
  s.st_other = elf::STV_PROTECTED;
  s.st_shndx = section;
  s.st_size = size;
  return s;
}

}  // namespace

std::vector<uint8_t> object_file(const Program& p, std::span<const uint8_t> text) {
  Writer w;
  const auto descriptor = kernel_descriptor(p);
  const std::string metadata = note(metadata_blob(p));
  const std::string strings = std::string(1, '\0') + p.name + '\0' + p.name + ".kd" + '\0';
  const uint32_t code =
      w.add(".text", elf::SHT_PROGBITS, elf::SHF_ALLOC | elf::SHF_EXECINSTR, 256, text.data(), text.size());
  const uint32_t rodata = w.add(".rodata", elf::SHT_PROGBITS, elf::SHF_ALLOC, 64, &descriptor, sizeof descriptor);
  w.add(".note", elf::SHT_NOTE, elf::SHF_ALLOC, 4, metadata.data(), metadata.size());
  const elf::Elf64_Sym symbols[] = {{},
                                    symbol(1, elf::STT_FUNC, static_cast<uint16_t>(code), text.size()),
                                    symbol(static_cast<uint32_t>(p.name.size() + 2), elf::STT_OBJECT,
                                           static_cast<uint16_t>(rodata), sizeof descriptor)};
  const uint32_t symtab = w.add(".symtab", elf::SHT_SYMTAB, 0, 8, symbols, sizeof symbols);
  // The entry's distance from the descriptor: S + A - P with P 16 bytes into the descriptor.
  elf::Elf64_Rela entry{};
  entry.r_offset = entry.r_addend = offsetof(llvm::amdhsa::kernel_descriptor_t, kernel_code_entry_byte_offset);
  entry.setSymbolAndType(1, elf::R_AMDGPU_REL64);
  const uint32_t rela = w.add(".rela.rodata", elf::SHT_RELA, elf::SHF_INFO_LINK, 8, &entry, sizeof entry);
  const uint32_t strtab = w.add(".strtab", elf::SHT_STRTAB, 0, 1, strings.data(), strings.size());
  w.names += ".shstrtab";
  w.names += '\0';
  std::string names = w.names;
  const uint32_t shstrtab = w.add("", elf::SHT_STRTAB, 0, 1, names.data(), names.size());
  w.sections[shstrtab].sh_name = static_cast<uint32_t>(names.size() - 10);
  w.sections[symtab].sh_link = strtab;
  w.sections[symtab].sh_info = 1;
  w.sections[symtab].sh_entsize = sizeof(elf::Elf64_Sym);
  w.sections[rela].sh_link = symtab;
  w.sections[rela].sh_info = rodata;
  w.sections[rela].sh_entsize = sizeof entry;
  w.bytes.resize((w.bytes.size() + 7) / 8 * 8);

  const auto& t = isa::target(p.arch);
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
  const bool may_replay = t.gfx9() || isa::counter(isa::WaitCounter::x, p.arch).name;
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
