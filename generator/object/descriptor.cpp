// The kernel descriptor and metadata for the loader and the command processor. Fields not set here are intentionally
// zero.
#include "generator/object/descriptor.h"

#include <llvm/BinaryFormat/MsgPackDocument.h>
#include <llvm/Support/raw_ostream.h>

namespace wavesmith {
namespace {

namespace hsa = llvm::amdhsa;
namespace msgpack = llvm::msgpack;

void add_kernel(const Program& p, msgpack::Document& doc, msgpack::ArrayDocNode& kernels) {
  auto k = doc.getMapNode();
  k[".name"] = doc.getNode(p.name, true);
  k[".symbol"] = doc.getNode(p.name + ".kd", true);
  const auto number = [&](const char* key, int value) { k[key] = doc.getNode(static_cast<unsigned>(value)); };
  number(".kernarg_segment_size", p.kernarg_bytes);
  number(".kernarg_segment_align", 8);
  number(".group_segment_fixed_size", p.lds_bytes);
  number(".private_segment_fixed_size", 0);
  number(".wavefront_size", isa::target(p.arch).wave_size);
  number(".sgpr_count", p.sgprs + 6);
  number(".vgpr_count", p.total_vgprs());
  if (isa::target(p.arch).agprs) number(".agpr_count", p.agprs);
  number(".max_flat_workgroup_size", p.workgroup_size);
  auto size = doc.getArrayNode();
  for (const int lanes : {p.workgroup_size, 1, 1}) size.push_back(doc.getNode(static_cast<unsigned>(lanes)));
  k[".reqd_workgroup_size"] = size;
  if (p.cluster != std::array<int, 3>{}) {
    auto dims = doc.getArrayNode();
    for (const int groups : p.cluster) dims.push_back(doc.getNode(static_cast<unsigned>(groups)));
    k[".cluster_dims"] = dims;
  }
  number(".sgpr_spill_count", 0);
  number(".vgpr_spill_count", 0);
  k[".uses_dynamic_stack"] = doc.getNode(false);
  auto arguments = doc.getArrayNode();
  for (const Argument& a : p.arguments) {
    auto m = doc.getMapNode();
    m[".name"] = doc.getNode(a.name, true);
    m[".type_name"] = doc.getNode(a.type, true);
    m[".offset"] = doc.getNode(static_cast<unsigned>(a.offset));
    m[".size"] = doc.getNode(static_cast<unsigned>(a.size));
    m[".value_kind"] = doc.getNode(a.pointer ? "global_buffer" : "by_value", true);
    if (a.pointer) m[".address_space"] = doc.getNode("global", true);
    arguments.push_back(m);
  }
  k[".args"] = arguments;
  kernels.push_back(k);
}

void fill(std::span<const Program> programs, msgpack::Document& doc) {
  auto root = doc.getRoot().getMap(true);
  auto version = root["amdhsa.version"].getArray(true);
  version.push_back(doc.getNode(1u));
  version.push_back(doc.getNode(2u));
  root["amdhsa.target"] = doc.getNode(fmt::format("amdgcn-amd-amdhsa--{}", isa::target(programs[0].arch).name), true);
  auto kernels = root["amdhsa.kernels"].getArray(true);
  for (const Program& p : programs) add_kernel(p, doc, kernels);
}

}  // namespace

hsa::kernel_descriptor_t kernel_descriptor(const Program& p) {
  const auto& t = isa::target(p.arch);
  hsa::kernel_descriptor_t d{};
  d.group_segment_fixed_size = static_cast<uint32_t>(p.lds_bytes);
  d.kernarg_size = static_cast<uint32_t>(p.kernarg_bytes);
  const uint32_t vgpr_blocks =
      static_cast<uint32_t>((std::max(p.total_vgprs(), 1) + t.vgpr_code_granule - 1) / t.vgpr_code_granule - 1);
  const uint32_t sgpr_blocks =
      t.gfx9() ? static_cast<uint32_t>((p.sgprs + 6 + 7) / 8 - 1) : 0;  // VCC, FLAT_SCRATCH, XNACK_MASK
  uint32_t r1 = 0, r2 = 0, r3 = 0;
  AMDHSA_BITS_SET(r1, hsa::COMPUTE_PGM_RSRC1_GRANULATED_WORKITEM_VGPR_COUNT, vgpr_blocks);
  AMDHSA_BITS_SET(r1, hsa::COMPUTE_PGM_RSRC1_GRANULATED_WAVEFRONT_SGPR_COUNT, sgpr_blocks);
  AMDHSA_BITS_SET(r1, hsa::COMPUTE_PGM_RSRC1_FLOAT_DENORM_MODE_32, hsa::FLOAT_DENORM_MODE_FLUSH_NONE);
  AMDHSA_BITS_SET(r1, hsa::COMPUTE_PGM_RSRC1_FLOAT_DENORM_MODE_16_64, hsa::FLOAT_DENORM_MODE_FLUSH_NONE);
  if (t.ieee_is_a_mode()) {
    AMDHSA_BITS_SET(r1, hsa::COMPUTE_PGM_RSRC1_GFX6_GFX11_ENABLE_DX10_CLAMP, 1);
    AMDHSA_BITS_SET(r1, hsa::COMPUTE_PGM_RSRC1_GFX6_GFX11_ENABLE_IEEE_MODE, 1);
  }
  if (!t.gfx9()) {
    AMDHSA_BITS_SET(r1, hsa::COMPUTE_PGM_RSRC1_GFX10_PLUS_WGP_MODE,
                    t.wave64());  // gfx1250 has no other mode, and no bit for it
    AMDHSA_BITS_SET(r1, hsa::COMPUTE_PGM_RSRC1_GFX10_PLUS_FWD_PROGRESS, 1);  // waves in turn, not the oldest first
    AMDHSA_BITS_SET(r1, hsa::COMPUTE_PGM_RSRC1_GFX10_PLUS_MEM_ORDERED, 1);
  }
  const auto user_sgprs = static_cast<uint32_t>(2 + p.preloaded_dwords);
  if (p.preloaded_dwords) AMDHSA_BITS_SET(r2, hsa::COMPUTE_PGM_RSRC2_GFX125_USER_SGPR_COUNT, user_sgprs);
  else AMDHSA_BITS_SET(r2, hsa::COMPUTE_PGM_RSRC2_GFX6_GFX120_USER_SGPR_COUNT, user_sgprs);
  AMDHSA_BITS_SET(r2, hsa::COMPUTE_PGM_RSRC2_ENABLE_SGPR_WORKGROUP_ID_X, 1);
  AMDHSA_BITS_SET(r2, hsa::COMPUTE_PGM_RSRC2_ENABLE_SGPR_WORKGROUP_ID_Y, 1);
  AMDHSA_BITS_SET(r2, hsa::COMPUTE_PGM_RSRC2_ENABLE_SGPR_WORKGROUP_ID_Z, 1);
  if (t.unified)
    AMDHSA_BITS_SET(r3, hsa::COMPUTE_PGM_RSRC3_GFX90A_ACCUM_OFFSET, static_cast<uint32_t>(p.accum_offset() / 4 - 1));
  d.compute_pgm_rsrc1 = r1;
  d.compute_pgm_rsrc2 = r2;
  d.compute_pgm_rsrc3 = r3;
  uint16_t properties = 0;
  AMDHSA_BITS_SET(properties, hsa::KERNEL_CODE_PROPERTY_ENABLE_SGPR_KERNARG_SEGMENT_PTR, 1);
  if (t.wave_size == 32) AMDHSA_BITS_SET(properties, hsa::KERNEL_CODE_PROPERTY_ENABLE_WAVEFRONT_SIZE32, 1);
  d.kernel_code_properties = properties;
  AMDHSA_BITS_SET(d.kernarg_preload, hsa::KERNARG_PRELOAD_SPEC_LENGTH, static_cast<uint16_t>(p.preloaded_dwords));
  return d;
}

std::string metadata_blob(std::span<const Program> programs) {
  msgpack::Document doc;
  fill(programs, doc);
  std::string out;
  doc.writeToBlob(out);
  return out;
}

std::string metadata_yaml(std::span<const Program> programs) {
  msgpack::Document doc;
  fill(programs, doc);
  std::string out;
  llvm::raw_string_ostream os(out);
  doc.toYAML(os);
  return out;
}

}  // namespace wavesmith
