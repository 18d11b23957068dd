// Reads a code object: ELF segments and symbols, kernel descriptors (NAME.kd) and the msgpack metadata note. Every
// offset is checked against the file before it is followed, and every amount against a limit, so that a truncated,
// foreign or hostile file ends in one line, not in a crash or without memory.
#include <fmt/format.h>

#include <llvm/Support/AMDHSAKernelDescriptor.h>
#include <llvm/Support/ConvertUTF.h>
#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "simulator/msgpack.h"
#include "simulator/simulator.h"

namespace wavesmith::sim {
namespace {
namespace hsa = llvm::amdhsa;

constexpr uint16_t em_amdgpu = 224, et_dyn = 3;
constexpr uint32_t pt_load = 1, pt_note = 4, sht_symtab = 2, sht_rela = 4, sht_dynsym = 11, sht_progbits = 1,
                   shf_alloc = 2, shf_execinstr = 4, shf_compressed = 0x800, nt_metadata = 32;
constexpr uint8_t stt_func = 2, stb_local_notype = 0;
constexpr uint32_t r_none = 0, r_abs64 = 3, r_relative64 = 13;  // R_AMDGPU_*
constexpr uint64_t image_limit = uint64_t{1} << 28;             // bytes of all segments
constexpr size_t segment_limit = 64, symbol_limit = 1 << 20, name_limit = 1 << 16,
                 names_limit = size_t{1} << 27;                         // bytes of a name, of all names
constexpr uint32_t argument_limit = 1 << 16, metadata_limit = 1 << 25;  // bytes

struct Header {
  uint8_t ident[16];
  uint16_t type, machine;
  uint32_t version;
  uint64_t entry, phoff, shoff;
  uint32_t flags;
  uint16_t ehsize, phentsize, phnum, shentsize, shnum, shstrndx;
};
struct ProgramHeader {
  uint32_t type, flags;
  uint64_t offset, vaddr, paddr, filesz, memsz, align;
};
struct Section {
  uint32_t name, type;
  uint64_t flags, addr, offset, size;
  uint32_t link, info;
  uint64_t addralign, entsize;
};
struct Sym {
  uint32_t name;
  uint8_t info, other;
  uint16_t shndx;
  uint64_t value, size;
};
struct Rela {
  uint64_t offset, info;
  int64_t addend;
};
struct Note {
  uint32_t namesz, descsz, type;
};

void check_text(std::string_view text, const char* what) {
  if (!is_text(text))
    throw LoadError(
        fmt::format("{} '{}' is not text; legal: UTF-8 without control characters", what, text.substr(0, 80)));
}

template <class T>
T field(uint32_t word, T mask, int shift) {
  return (word & mask) >> shift;
}
#define FIELD(word, name) field<uint32_t>(word, hsa::name, hsa::name##_SHIFT)

}  // namespace

bool is_text(std::string_view text) {
  const auto *begin = reinterpret_cast<const llvm::UTF8*>(text.data()), *at = begin;
  return llvm::isLegalUTF8String(&at, begin + text.size()) &&
         std::ranges::none_of(text, [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

struct CodeObject::Loader {
  std::vector<uint8_t> bytes;
  CodeObject out;
  std::unordered_map<std::string_view, const Symbol*> by_name;
  std::unordered_map<std::string, size_t> kernels;  // numbers
  bool described = false;                           // the file has a metadata note

  template <class T>
  T at(uint64_t offset, const char* what) const {
    if (offset > bytes.size() || sizeof(T) > bytes.size() - offset)
      throw LoadError(fmt::format("truncated file: {} at byte {} of {}", what, offset, bytes.size()));
    T value;
    std::memcpy(&value, bytes.data() + offset, sizeof value);
    return value;
  }
  std::span<const uint8_t> range(uint64_t offset, uint64_t size, const char* what) const {
    if (offset > bytes.size() || size > bytes.size() - offset)
      throw LoadError(
          fmt::format("truncated file: {} needs bytes {}..{} of {}", what, offset, offset + size, bytes.size()));
    return std::span(bytes).subspan(offset, size);
  }

  void load() {
    const auto magic = range(0, std::min<uint64_t>(bytes.size(), 4), "magic");
    if (magic.size() < 4 || std::memcmp(magic.data(), "\177ELF", 4) != 0)
      throw LoadError("not an ELF file: a code object starts with 7f 45 4c 46");
    const auto h = at<Header>(0, "ELF header");
    if (h.ident[4] != 2 || h.ident[5] != 1) throw LoadError("not a little-endian ELF64 file");
    if (h.machine != em_amdgpu) throw LoadError(fmt::format("ELF machine {} is not AMDGPU ({})", h.machine, em_amdgpu));
    if (h.ident[7] != 64) throw LoadError(fmt::format("ELF OS ABI {} is not AMDHSA (64)", h.ident[7]));
    if (h.type != et_dyn)
      throw LoadError(
          fmt::format("ELF type {} is not a linked code object (ET_DYN): link it with ld.lld -shared", h.type));
    find_arch(h.flags & 0xff);
    out.may_replay_ = (h.flags >> 8 & 3) % 2 == 1;  // EF_AMDGPU_FEATURE_XNACK_V4: 0 not supported, 1 any, 2 off, 3 on
    out.loads_keep_half_ =
        !isa::target(out.arch_).sram_ecc() || (h.flags >> 10 & 3) == 2;  // EF_AMDGPU_FEATURE_SRAMECC_V4, likewise
    segments(h);
    symbols(h);
    names();
    source_lines(h);
    relocations(h);
    notes(h);
  }

  void find_arch(uint32_t mach) {
    for (const isa::Target& t : isa::all_targets())
      if (t.elf_mach == mach) {
        out.arch_ = *isa::find_arch(t.name);
        return;
      }
    throw LoadError(fmt::format("EF_AMDGPU_MACH {:#x} is not a supported target, legal: {}", mach, isa::arch_names()));
  }

  void segments(const Header& h) {
    if (h.phnum > segment_limit)
      throw LoadError(fmt::format("{} program headers, legal: up to {}", h.phnum, segment_limit));
    if (h.phnum && h.phentsize != sizeof(ProgramHeader))
      throw LoadError(fmt::format("program header entries of {} bytes, legal: {}", h.phentsize, sizeof(ProgramHeader)));
    for (int i = 0; i < h.phnum; ++i) {
      const auto s = at<ProgramHeader>(h.phoff + i * sizeof(ProgramHeader), "program header");
      if (s.type != pt_load) continue;
      const auto data = range(s.offset, s.filesz, "segment");
      if (s.memsz < s.filesz || s.vaddr > image_limit || s.memsz > image_limit - s.vaddr)
        throw LoadError(fmt::format("segment at {:#x} of {} bytes is not loadable", s.vaddr, s.memsz));
      if (s.vaddr + s.memsz > out.image_.size()) out.image_.resize(s.vaddr + s.memsz);
      std::copy(data.begin(), data.end(), out.image_.begin() + static_cast<int64_t>(s.vaddr));
      const bool executable = s.flags & 1;  // bytes beyond the file's contents are not code
      out.segments_.push_back({s.vaddr, executable ? s.filesz : s.memsz, executable});
    }
    if (out.segments_.empty()) throw LoadError("no loadable segment");
  }

  void symbols(const Header& h) {
    if (h.shnum && h.shentsize != sizeof(Section))
      throw LoadError(fmt::format("section header entries of {} bytes, legal: {}", h.shentsize, sizeof(Section)));
    for (const uint32_t wanted : {sht_symtab, sht_dynsym}) {
      for (int i = 0; i < h.shnum; ++i) {
        const auto s = at<Section>(h.shoff + i * sizeof(Section), "section header");
        if (s.type != wanted) continue;
        symbol_table(h, s);
        break;  // a file has one of each of these sections of these sections
      }
      if (!out.symbols_.empty()) break;
    }
    for (const Symbol& s : out.symbols_)
      if (!s.label) by_name.emplace(s.name, &s);
    for (const Symbol& s : out.symbols_)
      if (s.name.ends_with(".kd") && !s.label) descriptor(s);
  }

  // A function before a label of the same address.
  void names() {
    for (const bool function : {true, false})
      for (size_t i = 0; i < out.symbols_.size(); ++i)
        if (const Symbol& s = out.symbols_[i]; function ? s.function : s.label) out.names_.emplace_back(s.address, i);
    std::ranges::stable_sort(out.names_, {}, [](const auto& n) { return n.first; });
  }

  void source_lines(const Header& h) {
    const auto inside = [&](const Section& s) {
      const bool fits = s.offset <= bytes.size() && s.size <= bytes.size() - s.offset;
      return fits ? std::span<const uint8_t>(bytes).subspan(s.offset, s.size) : std::span<const uint8_t>();
    };
    if (h.shstrndx >= h.shnum) return;
    const auto names = inside(at<Section>(h.shoff + h.shstrndx * sizeof(Section), "section header"));
    SourceLines::Sections found;
    const std::pair<std::string_view, std::span<const uint8_t>*> wanted[] = {{".debug_line", &found.line},
                                                                             {".debug_line_str", &found.line_strings},
                                                                             {".debug_str", &found.strings},
                                                                             {".debug_wavesmith", &found.notes}};
    for (int i = 0; i < h.shnum; ++i) {
      const auto s = at<Section>(h.shoff + i * sizeof(Section), "section header");
      if (s.type != sht_progbits || s.flags & shf_compressed || s.name >= names.size()) continue;
      const auto rest = names.subspan(s.name);
      const std::string_view name(reinterpret_cast<const char*>(rest.data()),
                                  static_cast<size_t>(std::ranges::find(rest, 0) - rest.begin()));
      for (const auto& [known, to] : wanted)
        if (name == known) *to = inside(s);
    }
    out.lines_ = SourceLines(found);
  }

  bool holds_code(const Header& h, uint16_t section) const {  // absolute values and the like are in none
    return section < h.shnum &&
           at<Section>(h.shoff + section * sizeof(Section), "section header").flags & shf_execinstr;
  }

  void symbol_table(const Header& h, const Section& s) {
    if (s.link >= h.shnum) throw LoadError("symbol table without strings");
    const auto strings = at<Section>(h.shoff + s.link * sizeof(Section), "string section");
    const auto names = range(strings.offset, strings.size, "symbol names");
    range(s.offset, s.size, "symbol table");
    if (s.size / sizeof(Sym) > symbol_limit)
      throw LoadError(fmt::format("{} symbols, legal: up to {}", s.size / sizeof(Sym), symbol_limit));
    size_t total = 0;
    for (uint64_t k = 0; k + sizeof(Sym) <= s.size; k += sizeof(Sym)) {
      const auto sym = at<Sym>(s.offset + k, "symbol");
      if (sym.shndx == 0 || sym.name >= names.size()) continue;
      const auto rest = names.subspan(sym.name);
      const auto end = std::find(rest.begin(), rest.end(), 0);
      const std::string name(rest.begin(), end);
      if (name.size() > name_limit || (total += name.size()) > names_limit)
        throw LoadError(fmt::format("a symbol name of {} bytes, {} in all names; legal: {} and {}", name.size(), total,
                                    name_limit, names_limit));
      check_text(name, "the symbol name");
      if (!name.empty())
        out.symbols_.push_back({name, sym.value, sym.size, (sym.info & 15) == stt_func,
                                sym.info == stb_local_notype && holds_code(h, sym.shndx)});
    }
  }

  void relocations(const Header& h) {
    for (int i = 0; i < h.shnum; ++i) {
      const auto s = at<Section>(h.shoff + i * sizeof(Section), "section header");
      if (s.type != sht_rela || !(s.flags & shf_alloc)) continue;
      range(s.offset, s.size, "relocations");
      if (s.size / sizeof(Rela) > bytes.size() / sizeof(Rela) - out.relocations_.size())
        throw LoadError(fmt::format("{} relocations and more in a file of {} bytes",
                                    out.relocations_.size() + s.size / sizeof(Rela), bytes.size()));
      for (uint64_t k = 0; k + sizeof(Rela) <= s.size; k += sizeof(Rela)) {
        const auto r = at<Rela>(s.offset + k, "relocation");
        const uint32_t type = static_cast<uint32_t>(r.info);
        uint64_t value = static_cast<uint64_t>(r.addend);
        if (type == r_none) continue;
        if (type == r_abs64) {
          if (s.link >= h.shnum) throw LoadError("relocations without symbols");
          const auto table = at<Section>(h.shoff + s.link * sizeof(Section), "symbol section");
          const uint64_t number = r.info >> 32;
          if (number >= table.size / sizeof(Sym))
            throw LoadError(fmt::format("relocation at {:#x} of symbol {}, there are {}", r.offset, number,
                                        table.size / sizeof(Sym)));
          const auto sym = at<Sym>(table.offset + number * sizeof(Sym), "symbol");
          if (sym.shndx == 0)
            throw LoadError(fmt::format("relocation at {:#x} of a symbol that is defined elsewhere", r.offset));
          value += sym.value;
        } else if (type != r_relative64)
          throw LoadError(
              fmt::format("relocation type {} at {:#x}; legal in a linked file: {} (ABS64), {} (RELATIVE64)", type,
                          r.offset, r_abs64, r_relative64));
        if (r.offset > out.image_.size() || out.image_.size() - r.offset < 8)
          throw LoadError(fmt::format("relocation at {:#x} is outside of the loaded segments", r.offset));
        out.relocations_.push_back({r.offset, value});
      }
    }
  }

  void descriptor(const Symbol& s) {
    if (s.address > out.image_.size() || sizeof(hsa::kernel_descriptor_t) > out.image_.size() - s.address)
      throw LoadError(fmt::format("{}: descriptor at {:#x} is outside of the loaded segments", s.name, s.address));
    hsa::kernel_descriptor_t kd;
    std::memcpy(&kd, out.image_.data() + s.address, sizeof kd);
    const isa::Target& t = isa::target(out.arch_);
    KernelInfo k;
    k.name = s.name.substr(0, s.name.size() - 3);
    if (k.name.empty()) throw LoadError("symbol '.kd' has no kernel name, legal: NAME.kd");
    k.entry = s.address + static_cast<uint64_t>(kd.kernel_code_entry_byte_offset);
    if (out.code(k.entry).empty())
      throw LoadError(fmt::format("{}: entry {:#x} is not in an executable segment", k.name, k.entry));
    k.code_end = k.entry + out.code(k.entry).size();
    if (const auto f = by_name.find(k.name); f != by_name.end() && f->second->address == k.entry && f->second->size)
      k.code_end = k.entry + std::min<uint64_t>(f->second->size, out.code(k.entry).size());
    if (kernels.contains(k.name)) throw LoadError(fmt::format("two kernels are named '{}'", k.name));
    kernels.emplace(k.name, out.kernels_.size());
    k.lds_bytes = kd.group_segment_fixed_size;
    if (k.lds_bytes > static_cast<uint32_t>(t.lds_bytes))
      throw LoadError(
          fmt::format("{}: {} bytes of LDS; {} has {} per workgroup", k.name, k.lds_bytes, t.name, t.lds_bytes));
    k.private_bytes = kd.private_segment_fixed_size;
    k.kernarg_bytes = kd.kernarg_size;
    const uint32_t r1 = kd.compute_pgm_rsrc1, r2 = kd.compute_pgm_rsrc2, r3 = kd.compute_pgm_rsrc3,
                   p = kd.kernel_code_properties;
    k.wave_size = FIELD(p, KERNEL_CODE_PROPERTY_ENABLE_WAVEFRONT_SIZE32) ? 32 : 64;
    const int granule = t.vgpr_code_granule * t.wave_size / k.wave_size;
    k.vgprs = static_cast<int>(FIELD(r1, COMPUTE_PGM_RSRC1_GRANULATED_WORKITEM_VGPR_COUNT) + 1) * granule;
    k.sgprs_counted =
        t.wave_size == 64 ? static_cast<int>(FIELD(r1, COMPUTE_PGM_RSRC1_GRANULATED_WAVEFRONT_SGPR_COUNT) + 1) * 8 : 0;
    k.accum_offset = t.agprs == 0 ? k.vgprs
                     : t.unified  ? static_cast<int>(FIELD(r3, COMPUTE_PGM_RSRC3_GFX90A_ACCUM_OFFSET) + 1) * 4
                                  : k.vgprs;
    k.sgprs = t.sgprs;  // gfx9's field is an occupancy hint no longer honoured per wave; all are addressable
    k.round_f32 = static_cast<int>(FIELD(r1, COMPUTE_PGM_RSRC1_FLOAT_ROUND_MODE_32));
    k.round_f16_64 = static_cast<int>(FIELD(r1, COMPUTE_PGM_RSRC1_FLOAT_ROUND_MODE_16_64));
    k.denorm_f32 = static_cast<int>(FIELD(r1, COMPUTE_PGM_RSRC1_FLOAT_DENORM_MODE_32));
    k.denorm_f16_64 = static_cast<int>(FIELD(r1, COMPUTE_PGM_RSRC1_FLOAT_DENORM_MODE_16_64));
    k.fp16_overflow = FIELD(r1, COMPUTE_PGM_RSRC1_GFX9_PLUS_FP16_OVFL);
    k.dx10_clamp = FIELD(r1, COMPUTE_PGM_RSRC1_GFX6_GFX11_ENABLE_DX10_CLAMP);
    k.ieee = FIELD(r1, COMPUTE_PGM_RSRC1_GFX6_GFX11_ENABLE_IEEE_MODE);
    if (t.has_vgpr_msb())
      k.named_barriers = std::min(16, 4 * static_cast<int>(r3 >> 14 & 7));  // LLVM's GFX125_NAMED_BAR_CNT
    k.private_offset = FIELD(r2, COMPUTE_PGM_RSRC2_ENABLE_PRIVATE_SEGMENT);
    k.user_sgprs = static_cast<int>((r2 >> 1) & (t.has_vgpr_msb() ? 63 : 31));  // gfx1250: one bit more
    k.workgroup_id[0] = FIELD(r2, COMPUTE_PGM_RSRC2_ENABLE_SGPR_WORKGROUP_ID_X);
    k.workgroup_id[1] = FIELD(r2, COMPUTE_PGM_RSRC2_ENABLE_SGPR_WORKGROUP_ID_Y);
    k.workgroup_id[2] = FIELD(r2, COMPUTE_PGM_RSRC2_ENABLE_SGPR_WORKGROUP_ID_Z);
    k.workgroup_info = FIELD(r2, COMPUTE_PGM_RSRC2_ENABLE_SGPR_WORKGROUP_INFO);
    k.workitem_id_dims = static_cast<int>(FIELD(r2, COMPUTE_PGM_RSRC2_ENABLE_VGPR_WORKITEM_ID)) + 1;
    k.private_segment_buffer = FIELD(p, KERNEL_CODE_PROPERTY_ENABLE_SGPR_PRIVATE_SEGMENT_BUFFER);
    k.dispatch_ptr = FIELD(p, KERNEL_CODE_PROPERTY_ENABLE_SGPR_DISPATCH_PTR);
    k.queue_ptr = FIELD(p, KERNEL_CODE_PROPERTY_ENABLE_SGPR_QUEUE_PTR);
    k.kernarg_ptr = FIELD(p, KERNEL_CODE_PROPERTY_ENABLE_SGPR_KERNARG_SEGMENT_PTR);
    k.dispatch_id = FIELD(p, KERNEL_CODE_PROPERTY_ENABLE_SGPR_DISPATCH_ID);
    k.flat_scratch_init = FIELD(p, KERNEL_CODE_PROPERTY_ENABLE_SGPR_FLAT_SCRATCH_INIT);
    k.private_segment_size = FIELD(p, KERNEL_CODE_PROPERTY_ENABLE_SGPR_PRIVATE_SEGMENT_SIZE);
    k.dynamic_stack = FIELD(p, KERNEL_CODE_PROPERTY_USES_DYNAMIC_STACK);
    preload(k, kd.kernarg_preload, t);
    out.kernels_.push_back(std::move(k));
  }

  // AMDGPUUsage, "Preloaded Kernel Arguments". Before gfx1250 such code begins with 256 bytes for firmware that does
  // not preload (it loads the arguments and branches after them), which ours steps over: LLVM's FeatureKernargPreload
  // and needsKernArgPreloadProlog. Not all prologues do anything else than trap (aiter's top-k kernels).
  static void preload(KernelInfo& k, uint32_t spec, const isa::Target& t) {
    constexpr uint64_t prologue = 256;
    k.preload_length = spec & 0x7f, k.preload_offset = spec >> 7;
    if (k.preload_length == 0) return;
    if (!t.preloads_arguments())
      throw LoadError(fmt::format("{}: the descriptor preloads {} dwords of arguments, which {} does not support",
                                  k.name, k.preload_length, t.name));
    if (!t.has_vgpr_msb()) k.entry += prologue;
    if (k.entry >= k.code_end)
      throw LoadError(
          fmt::format("{}: the descriptor preloads arguments, but the code ends within the {} bytes of the prologue "
                      "that waves skip",
                      k.name, prologue));
  }

  void notes(const Header& h) {
    for (int i = 0; i < h.phnum; ++i) {
      const auto s = at<ProgramHeader>(h.phoff + i * sizeof(ProgramHeader), "program header");
      if (s.type != pt_note) continue;
      range(s.offset, s.filesz, "note segment");
      const uint64_t end = s.offset + s.filesz;
      for (uint64_t o = s.offset; o + sizeof(Note) <= end;) {
        const auto n = at<Note>(o, "note");
        const uint64_t name = o + sizeof(Note), desc = name + ((uint64_t{n.namesz} + 3) & ~uint64_t{3});
        const auto owner = range(name, n.namesz, "note owner"), body = range(desc, n.descsz, "note body");
        if (!described && n.type == nt_metadata && n.namesz >= 6 && std::memcmp(owner.data(), "AMDGPU", 6) == 0)
          metadata(body);
        o = desc + ((uint64_t{n.descsz} + 3) & ~uint64_t{3});
      }
    }
  }

  void metadata(std::span<const uint8_t> body) {
    described = true;
    if (body.size() > metadata_limit)
      throw LoadError(fmt::format("{} bytes of metadata, legal: up to {}", body.size(), metadata_limit));
    const auto root = Msgpack::read(body);
    if (!root)
      throw LoadError(fmt::format("the metadata note is not valid msgpack of up to {} items", Msgpack::most_items));
    if (root->kind != Msgpack::Kind::map) throw LoadError("the metadata note is not a map");
    if (const auto* list = root->find("amdhsa.printf"); list && list->kind == Msgpack::Kind::array)
      for (const Msgpack& row : list->items) out.printf_formats_.emplace_back(row.text);
    if (const auto* list = root->find("amdhsa.kernels"); list && list->kind == Msgpack::Kind::array)
      for (const Msgpack& node : list->items) kernel_metadata(node);
  }

  static std::string text(const Msgpack& map, const char* key) {
    const auto* n = map.find(key);
    if (n) check_text(n->text, key);
    return n ? std::string(n->text) : std::string();
  }
  static uint32_t number(const Msgpack* n, uint32_t fallback) {
    return n && n->kind == Msgpack::Kind::number ? static_cast<uint32_t>(n->number) : fallback;
  }

  void kernel_metadata(const Msgpack& node) {
    if (node.kind != Msgpack::Kind::map) return;
    const std::string symbol = text(node, ".symbol");
    const auto known = symbol.ends_with(".kd") ? kernels.find(symbol.substr(0, symbol.size() - 3)) : kernels.end();
    if (known == kernels.end())
      throw LoadError(fmt::format("metadata names the kernel symbol '{}', which the file does not define", symbol));
    KernelInfo& k = out.kernels_[known->second];
    const uint32_t largest = number(node.find(".max_flat_workgroup_size"), 1024);
    if (largest < 1 || largest > 1024)
      throw LoadError(fmt::format("{}: .max_flat_workgroup_size {}, legal: 1 to 1024", k.name, largest));
    k.max_workgroup_size = static_cast<int>(largest);
    k.kernarg_bytes = std::max(k.kernarg_bytes, number(node.find(".kernarg_segment_size"), 0));
    if (const auto* dims = node.find(".reqd_workgroup_size"); dims && dims->items.size() == 3)
      for (size_t i = 0; i < 3; ++i) k.required_workgroup[i] = number(&dims->items[i], 0);
    if (const auto* dims = node.find(".cluster_dims"); dims && dims->items.size() == 3)
      for (size_t i = 0; i < 3; ++i) k.cluster[i] = number(&dims->items[i], 1);
    const auto* args = node.find(".args");
    if (!args || args->kind != Msgpack::Kind::array) return;
    for (const Msgpack& a : args->items) {
      if (a.kind != Msgpack::Kind::map) continue;
      const uint32_t offset = number(a.find(".offset"), 0), size = number(a.find(".size"), 0);
      if (offset > argument_limit || size > argument_limit)
        throw LoadError(
            fmt::format("{}: an argument of {} bytes at {}, legal: up to {}", k.name, size, offset, argument_limit));
      k.args.push_back({text(a, ".name"), text(a, ".value_kind"), text(a, ".type_name"), offset, size});
    }
  }
};

CodeObject CodeObject::load(std::vector<uint8_t> bytes, bool variables_are_enough) {
  Loader l{std::move(bytes), {}};
  l.load();
  if (!variables_are_enough && l.out.kernels_.empty()) throw LoadError("no kernel: no NAME.kd symbol");
  return std::move(l.out);
}

const KernelInfo& CodeObject::kernel(std::string_view name) const {
  if (name.empty() && kernels_.size() == 1) return kernels_.front();
  std::string have;
  for (const KernelInfo& k : kernels_) {
    if (k.name == name) return k;
    if (have.size() < 300) have += (have.empty() ? "" : ", ") + k.name;
  }
  throw LoadError(name.empty() ? fmt::format("{} kernels, select one: {}", kernels_.size(), have)
                               : fmt::format("no kernel '{}'; there are: {}", name, have));
}

std::string CodeObject::where(uint64_t address) const {
  const auto s = source(address);
  return s ? s->text() : std::string();
}

std::string_view CodeObject::name_at(uint64_t address) const {
  const auto found = std::ranges::lower_bound(names_, address, {}, [](const auto& n) { return n.first; });
  return found != names_.end() && found->first == address ? std::string_view(symbols_[found->second].name)
                                                          : std::string_view();
}

std::span<const uint8_t> CodeObject::code(uint64_t address) const {
  for (const Segment& s : segments_)
    if (s.executable && address >= s.address && address - s.address < s.size)
      return std::span(image_).subspan(address, s.address + s.size - address);
  return {};
}

}  // namespace wavesmith::sim
