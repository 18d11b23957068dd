// Loads of A and B: global memory to registers to LDS, or directly to LDS, and LDS to fragments.
#include "generator/dsl/lds_dma.h"
#include "kernels/gemm/gemm_kernel.h"

namespace wavesmith::gemm {

// Loads k-slice `k_slice`, relative to the resource's base.
Block Gemm::load(TileOperand& o, int k_slice) {
  Block b(k.arch(), "load");
  const int second = k_slice % 2;  // the second k-slice of an iteration
  const Opcode op = o.load_bytes() >= 16  ? Opcode::buffer_load_dwordx4
                    : o.load_bytes() == 8 ? Opcode::buffer_load_dwordx2
                                          : Opcode::buffer_load_dword;
  for (int i = 0; i < o.loads(); ++i) {
    const Vgpr address = o.load_address[o.k_contiguous ? i : second * o.loads() + i];
    const int each = std::min(4, o.load_dwords());
    for (int dword = 0; dword < o.load_dwords(); dword += each)
      b.buffer(op, o.staged(k_slice, i).slice(dword, each), address, o.resource, 0,
               {.offset = (o.k_contiguous ? second * o.k_slice_step() : 0) + 4 * dword, .flags = isa::offen});
    if (o.groups.used) load_group(b, o, k_slice, i);
  }
  return b;
}
// Two k-slices, a line of 128 bytes by two loads that follow each other: the second one finds it in the L1.
Block Gemm::load_line(TileOperand& o, int k_slice) {
  const Block first = load(o, k_slice), second = load(o, k_slice + 1);
  Block b(k.arch(), "load_line");
  for (size_t i = 0; i < first.nodes.size(); ++i) b.nodes.insert(b.nodes.end(), {first.nodes[i], second.nodes[i]});
  return b;
}
// The same of one k-slice, directly to LDS.
Block Gemm::fetch(TileOperand& o, int k_slice) {
  Block b(k.arch(), "fetch");
  b.s_add_u32(m0, o.lds_wave, o.read_offset(k_slice));
  b.s_add_u32(o.k_bytes, o.k_bytes, o.k_slice_step());  // separates the write of M0 from its use
  for (int i = 0; i < o.loads(); ++i) {
    if (i && i % direct_loads == 0) {
      b.s_add_u32(m0, o.lds_wave, o.read_offset(k_slice) + i * wave_load_bytes);
      b.s_nop(0);
    }
    load_to_lds(b, {Opcode::buffer_load_dwordx4, o.fetch_address[i], o.resource, o.k_bytes,
                    wave_load_bytes * (i % direct_loads), o.tag(k_slice)});
  }
  return b;
}
// load() for the rest of K, one element at a time; elements past K are zero. Where k is contiguous, the k of each
// element is compared. Where rows are contiguous, the buffer's bound is the last row's element at the last k; rows past
// the last then read other elements, but their results are not stored.
Block Gemm::load_rest(TileOperand& o, int k_slice) {
  Block b(k.arch(), "load_rest");
  if (!o.k_contiguous) {
    b.s_min_u32(t[0], k_left, block_k);
    b.s_sub_u32(t[0], t[0], 1);
    b.s_mul_i32(t[0], t[0], o.k_stride);
    if (o.is_a && halves > 1) b.s_add_u32(t[1], o.rows_left, M);
    b.s_lshl_b32(t[1], o.is_a && halves > 1 ? t[1] : o.rows_left, log2(o.memory_bytes()));
    b.s_add_u32(t[0], t[0], t[1]);
    set_bytes(b, o.resource, t[0]);
  }
  begin_rest(b, o);
  if (scaled() && o.k_contiguous) {
    load_chunks(b, o, k_slice, 0, o.loads());
    return b;
  }
  if (o.memory_bits < 8) {
    load_words(b, o, k_slice);
    return b;
  }
  load_elements(b, o, k_slice, 0, o.loads());
  return b;
}
void Gemm::load_elements(Block& b, TileOperand& o, int k_slice, int first, int count) {
  const int second = k_slice % 2;
  static constexpr std::pair<int, Opcode> widths[] = {{1, Opcode::buffer_load_ubyte},
                                                      {2, Opcode::buffer_load_ushort},
                                                      {4, Opcode::buffer_load_dword},
                                                      {8, Opcode::buffer_load_dwordx2}};
  const Opcode op = std::ranges::find(widths, o.memory_bytes(), &std::pair<int, Opcode>::first)->second;
  for (int i = first; i < first + count; ++i)
    join(b, o.staged(k_slice, i), o.load_bytes() / o.memory_bytes(), [&](int element, Vgpr to) {
      const int bytes = element * o.memory_bytes(), k_of = second * slice_k + element;
      const Vgpr address = o.k_contiguous
                               ? within_k(b, o.load_address[i], k_of, bytes + (direct ? 0 : second * o.k_slice_step()))
                               : static_cast<Vgpr>(o.load_address[second * o.loads() + i]);
      b.buffer(op, to, address, o.resource, direct ? SSrcArg(o.k_bytes) : SSrcArg(0),
               {.offset = o.k_contiguous ? 0 : bytes, .flags = isa::offen});
    });
}
void Gemm::begin_rest(Block& b, TileOperand& o) {
  if (direct) b.s_add_u32(o.k_bytes, o.k_bytes, o.k_slice_step());
  if (o.k_contiguous) {  // first k of the lane in a k-slice
    b.v_and_b32(lane_k, o.row_chunks / o.chunks_of_load() - 1, kernel.workitem);
    b.v_lshlrev_b32(lane_k, log2(chunk_k(of(o).type) * o.chunks_of_load()), lane_k);
  }
}
// With block scales K is a multiple of 32, so that chunks are whole or past its end.
void Gemm::load_chunks(Block& b, TileOperand& o, int k_slice, int first, int count) {
  const int second = k_slice % 2;
  for (int i = first; i < first + count; ++i) {
    const Vgpr address = within_k(b, o.load_address[i], second * slice_k, direct ? 0 : second * o.k_slice_step());
    b.buffer_load_dwordx4(o.staged(k_slice, i), address, o.resource, direct ? SSrcArg(o.k_bytes) : SSrcArg(0),
                          {.flags = isa::offen});
  }
}
// Elements that are loaded one by one into whole registers; those of 8 and 16 bits by way of `packed`.
void Gemm::join(Block& b, Vgpr dst, int elements, const std::function<void(int element, Vgpr)>& load) {
  const int per_dword = elements / dst.dwords;
  if (per_dword <= 1) {
    for (int e = 0, dwords = dst.dwords / elements; e < elements; ++e) load(e, dst.slice(e * dwords, dwords));
    return;
  }
  for (int first = 0; first < elements; first += 8) {
    const int count = std::min(8, elements - first);
    for (int e = 0; e < count; ++e) load(first + e, packed[e]);
    for (int e = 0; e < count; e += per_dword) {
      const Vgpr to = dst[(first + e) / per_dword];
      if (per_dword == 4) {
        b.v_lshl_or_b32(packed[e], packed[e + 1], 8, packed[e]);
        b.v_lshl_or_b32(packed[e + 2], packed[e + 3], 8, packed[e + 2]);
      }
      b.v_lshl_or_b32(to, packed[e + per_dword / 2], 16, packed[e]);
    }
  }
}
// x = address + bytes, or all ones (out of range) if fewer than `ahead` + 1 k are left for the lane: the sign of the
// difference makes the mask.
Vgpr Gemm::within_k(Block& b, Vgpr address, int ahead, int bytes) {
  b.s_sub_u32(t[0], k_left, ahead + 1);
  b.v_sub_u32(y, t[0], lane_k);
  b.v_ashrrev_i32(y, 31, y);
  b.v_add_u32(x, bytes, address);
  b.v_or_b32(x, x, y);
  return x;
}
Block Gemm::store(TileOperand& o, int k_slice) {
  Block b(k.arch(), "store");
  b.wait_for(o.stage(k_slice));
  if (o.groups.used) store_dequantised(b, o, k_slice);
  else if (cfg.split_f32) o.k_contiguous ? store_split(b, o, k_slice) : store_split_transposed(b, o, k_slice);
  else if (o.k_contiguous) store_rows(b, o, k_slice, 0, o.loads());
  else store_transposed(b, o, k_slice);
  return b;
}
// Direct: the rest of K, by way of few registers if its loads are wide.
Block Gemm::rest_to_lds(TileOperand& o, int k_slice) {
  if (rest_loads(o) == o.loads() && !scaled()) return load_rest(o, k_slice) << store(o, k_slice);
  Block b(k.arch(), "rest_to_lds");
  begin_rest(b, o);
  for (int first = 0; first < o.loads(); first += rest_loads(o)) {
    const int count = std::min(rest_loads(o), o.loads() - first);
    if (scaled()) load_chunks(b, o, k_slice, first, count);
    else load_elements(b, o, k_slice, first, count);
    b.wait_for(o.stage(k_slice));
    store_rows(b, o, k_slice, first, count);
  }
  return b;
}
void Gemm::store_rows(Block& b, TileOperand& o, int k_slice, int first, int count) {
  for (int i = first; i < first + count; ++i) {
    const auto at = o.stored_at(i * o.rows_of_load(), 0);
    b.ds_write_b128(o.store_address[0][at.address], o.staged(k_slice, i),
                    {.offset = o.read_offset(k_slice) + at.offset})
        .buffer = static_cast<int16_t>(o.tag(k_slice));
  }
}
// `stage` holds k_run k of row_run rows, a load after the other. Elements of 8 and 16 bits are transposed by
// v_perm_b32, the minimum of instructions; wider ones are in registers of their own.
void Gemm::store_transposed(Block& b, TileOperand& o, int k_slice) {
  const int half = o.row_run() / 2, bytes = o.stored_bytes(), dwords = bytes / 4;
  const Vgpr from = o.stage(k_slice);
  const auto loaded = [&](int of_k, int row) { return from[of_k * o.load_dwords() + row * o.element_bytes() / 4]; };
  const auto tagged = [&](Node& n) { n.buffer = static_cast<int16_t>(o.tag(k_slice)); };
  const auto one = [&](const AddressSet::At& at, Vgpr data) {
    const Vgpr to = o.store_address[o.lds_stage(k_slice)][at.address];
    tagged(dwords == 2 ? b.ds_write_b64(to, data, {.offset = at.offset})
                       : b.ds_write_b32(to, data, {.offset = at.offset}));
  };
  // Rows `row` and `row` + half: by one instruction if one address reaches both.
  const auto write = [&](int row, int byte, Vgpr first, Vgpr second) {
    const auto at = o.stored_at(row, byte), other = o.stored_at(row + half, byte);
    const int offset0 = at.offset / bytes, offset1 = other.offset / bytes;
    if (at.address != other.address || offset0 > 255 || offset1 > 255) return one(at, first), one(other, second);
    const Vgpr to = o.store_address[o.lds_stage(k_slice)][at.address];
    const isa::Mods offsets{.offset0 = static_cast<uint8_t>(offset0), .offset1 = static_cast<uint8_t>(offset1)};
    tagged(dwords == 2 ? b.ds_write2_b64(to, first, second, offsets) : b.ds_write2_b32(to, first, second, offsets));
  };
  if (o.element_bytes() >= 4) {
    for (int row = 0; row < half; ++row)
      for (int of_k = 0; of_k < o.k_run(); ++of_k) {
        const auto element = [&](int of_row) { return from.slice(of_k * o.load_dwords() + of_row * dwords, dwords); };
        write(row, of_k * chunk_bytes, element(row), element(row + half));
      }
  } else if (o.element_bytes() == 2) {
    for (int row = 0; row < half; ++row)
      for (int byte = 0; byte < o.run_bytes(); byte += bytes) {
        const Vgpr to = packed.slice(row % 2 * 4, 2 * dwords);
        for (int q = 0; q < 2 * dwords; ++q) {
          const int of_k = byte / 2 + q % dwords * 2, of_row = row + q / dwords * half;
          halves_of_rows->column(b, to[q], loaded(of_k, of_row), loaded(of_k + 1, of_row),
                                 of_row % 2 ? Half::high : Half::low);
        }
        write(row, byte, to.slice(0, dwords), to.slice(dwords, dwords));
      }
  } else {
    // Four rows at four k at once; of two such groups, half the lane's rows apart, unless four rows are all.
    const int groups = o.row_run() > 4 ? 2 : 1;
    for (int row = 0; row < half; row += 4)
      for (int byte = 0; byte < o.run_bytes(); byte += 4) {
        for (int g = 0; g < groups; ++g) {
          std::array<Vgpr, 4> to, rows;
          for (int i = 0; i < 4; ++i) to[i] = packed[4 * g + i], rows[i] = loaded(byte + i, row + g * half);
          bytes_of_rows->transpose(b, to, rows, packed[8]);
        }
        for (int i = 0; i < std::min(4, half); ++i)
          write(row + i, byte, packed[i], packed[groups == 2 ? 4 + i : half + i]);
      }
  }
}
// Of one tile; n also counts the parts of elements.
void Gemm::read_fragment(Block& b, TileOperand& o, int k_slice, int part, int n, VAArg into) {
  for (int j = 0; j < of(o).chunks(); ++j) {
    const FragmentPart& p = of(o).parts[static_cast<size_t>(j)];
    const auto from = o.fragment_at(n % o.tiles(), of(o).chunk(part, j), p.row);
    const VAArg to = into.slice(p.first, p.dwords);
    const int offset = o.read_offset(k_slice) + n / o.tiles() * o.k_slice_bytes() + from.offset + p.byte;
    if (tensor) {
      read_tile(b, o, {to.o.index, to.o.dwords}, offset, o.tag(k_slice));
      continue;
    }
    const Vgpr address = o.read_address[from.address];
    const isa::Mods at{.offset = offset};
    (p.dwords == 4 ? b.ds_read_b128(to, address, at) : b.ds_read_b64(to, address, at)).buffer =
        static_cast<int16_t>(o.tag(k_slice));
  }
}
Block Gemm::read_fragments(int k_slice, int part) {
  Block b(k.arch(), "read_fragments");
  const auto read = [&](TileOperand& o, int from_n, int to_n) {
    for (int n = from_n; n < to_n; ++n) read_fragment(b, o, k_slice, part, n, o.fragment_of(set(k_slice, part), n));
  };
  const int of_a = A.tiles() * A.parts, of_b = B.tiles() * B.parts;
  if (tensor) {
    for (int n = 0; n < std::max(of_a, of_b); ++n)
      read(B, std::min(n, of_b), std::min(n + 1, of_b)), read(A, std::min(n, of_a), std::min(n + 1, of_a));
    return b;
  }
  read(B, 0, 1), read(A, 0, of_a), read(B, 1, of_b);
  return b;
}

}  // namespace wavesmith::gemm
