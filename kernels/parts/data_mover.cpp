#include "kernels/parts/data_mover.h"

#include <bit>

#include "isa_tables/lds_swizzle.h"
#include "isa_tables/transpose.h"
#include "kernels/parts/config_error.h"
#include "kernels/parts/lds_tile.h"

namespace wavesmith {
namespace {
constexpr int least_interval = 8, most_interval = 1024;  // bytes between paddings, a power of two
isa::LinearLayout to_bytes(int lane_bits) { return {{{"lane", lane_bits}}, {{"row", 10}, {"byte", 10}}}; }
}  // namespace

TileReads row_reads(const AtomOperand& of) {
  const int lane_bits = of.fragment.input_bits("lane");
  isa::LinearLayout l = to_bytes(lane_bits);
  for (int i = 0; i < lane_bits; ++i)
    l.move("lane", i, "row", of.fragment.basis("lane", i, "row"))
        .move("lane", i, "byte", of.fragment.basis("lane", i, "chunk") * chunk_bytes);
  return {isa::Opcode::ds_read_b128, chunk_bytes, l};
}
TileReads column_reads(const AtomOperand& of, int element_bits, int group_rows) {
  const int lane_bits = of.fragment.input_bits("lane");
  const isa::Opcode op = element_bits == 16 ? isa::Opcode::ds_load_tr16_b128 : isa::Opcode::ds_load_tr8_b64;
  const isa::TransposingLoad load = isa::transposing_load(op);
  const isa::LinearLayout supplied = isa::transposed(load, lane_bits).inverse();
  constexpr uint32_t columns = 16;
  const int between = group_rows ? group_rows : chunk_k(of.type);
  isa::LinearLayout l = to_bytes(lane_bits);
  for (int i = 0; i < lane_bits; ++i) {
    const uint32_t gets = supplied.basis("from", i, "lane"), column = gets & (columns - 1),
                   chunk = gets < columns ? 0 : of.fragment.at({{"lane", gets}}, "chunk");
    l.move("lane", i, "row", supplied.basis("from", i, "item") + chunk * static_cast<uint32_t>(between))
        .move("lane", i, "byte", column * static_cast<uint32_t>(element_bits / 8));
  }
  return {op, load.bytes, l};
}

bool can_pad(int row_bytes, int padding) {
  return !padding || (std::has_single_bit(static_cast<unsigned>(row_bytes)) && row_bytes >= least_interval &&
                      row_bytes <= most_interval);
}
int row_padding(int row_bytes, const TileReads& reads, isa::Arch arch, const std::string& what) {
  const std::array accesses{isa::LdsTileAccess{"fragment read", isa::LdsAccess::read, reads.bytes, reads.lanes}};
  const auto padding = isa::padding_for(row_bytes, isa::target(arch).family, accesses);
  if (!padding)
    throw ConfigError(what + ", which no padding keeps free of bank conflicts; legal: a tile with another k");
  if (!can_pad(row_bytes, *padding))
    throw ConfigError(what + ", which the data mover cannot pad; legal: a power of two, 8 to 1024 bytes");
  return *padding;
}

uint32_t padded_shape(int unit_bytes, int row_bytes, int padding) {
  const auto size = static_cast<uint32_t>(log2(unit_bytes)) << 16;
  if (!padding) return size;
  const auto interval = static_cast<uint32_t>(log2(row_bytes / least_interval)),
             amount = static_cast<uint32_t>(padding / 4 - 1);
  return size | 1 << 20 | interval << 22 | amount << 25;
}

}  // namespace wavesmith
