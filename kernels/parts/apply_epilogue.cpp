#include "kernels/parts/apply_epilogue.h"

#include <bit>
#include <numbers>

#include "generator/dsl/buffer_resource.h"
#include "generator/dsl/convert.h"
#include "generator/dsl/scratch.h"
#include "generator/dsl/wave_ops.h"
#include "isa_tables/names.h"
#include "kernels/parts/element_access.h"
#include "kernels/parts/wave.h"

namespace wavesmith {

using isa::Type;
namespace {
// Silu and gelu are x / (1 + 2^z): for silu z = -x log2(e); for gelu, 0.5 x (1 + tanh(u)) with u = sqrt(2 / pi) (x +
// 0.044715 x^3), z = -2 log2(e) u.
constexpr float log2e = std::numbers::log2e_v<float>, gelu = -2 * log2e * 0.7978845608f;
}  // namespace

void EpilogueCode::request(Constants& constants, Nans nans) {
  const int bits = isa::bits(types_.output);
  if (e_.has_f32_vectors()) nans = Nans::any;
  if (bits == 16 || is_float8(types_.output)) pair_.emplace(constants, kernel_.arch, types_.output, nans);
  // Where MODE.FP16_OVFL lets infinities through, they are numbers before; the clamp keeps NaNs.
  if (is_float8(types_.output) && e_.saturate && isa::target(kernel_.arch).fp8_has_one_nan())
    most_ = constants(std::bit_cast<uint32_t>(largest_of(types_.output, false).value), "largest number of D's type");
  if (e_.activation == Activation::gelu && !isa::target(kernel_.arch).gfx9())  // which allows one constant
    gelu_cubic_ = constants(std::bit_cast<uint32_t>(gelu * 0.044715f), "gelu: factor of x^3");
  if (types_.output == Type::i8) {
    bytes_in_turn_ = constants(0x05010400, "v_perm selector: low bytes in turn");
    low_halves_ = half_selector(constants, Half::low);
  }
}

std::vector<int> EpilogueCode::registers(int steps, int groups) const {
  std::vector<int> all(static_cast<size_t>(temporaries() + e_.has(EpiloguePart::absmax)), 1);
  for (const EpiloguePartInfo& p : epilogue_parts()) {
    if (!e_.has(p.part)) continue;
    if (p.shape == PartShape::rows) all.insert(all.end(), static_cast<size_t>(e_.halves(p) * groups), rows_ * dwords());
    if (p.shape == PartShape::columns) all.insert(all.end(), static_cast<size_t>(steps), dwords());
  }
  return all;
}
void EpilogueCode::free_resources() {
  for (const EpiloguePartInfo& p : epilogue_parts()) columns_[p.part].free();
}
void EpilogueCode::free() {
  free_resources();
  for (const EpiloguePartInfo& p : epilogue_parts()) of_rows_[p.part].clear(), of_columns_[p.part].clear();
  temporary_.clear(), largest_.free(), scale_d_.free();
}
void EpilogueCode::declare(int steps, int columns_of_a_step, int part_rows, int groups, int group_rows) {
  Registers& r = kernel_.r;
  free();
  steps_ = steps, step_columns_ = columns_of_a_step, groups_ = groups, group_rows_ = group_rows;
  for (const EpiloguePartInfo& p : epilogue_parts()) {
    if (!e_.has(p.part)) continue;
    const std::string name = p.name;
    if (p.shape == PartShape::rows)
      for (int i = 0; i < e_.halves(p) * groups; ++i)
        of_rows_[p.part].push_back(r.v.alloc(rows_ * dwords(), name + " of the lane's rows"));
    if (p.shape == PartShape::columns) {
      columns_[p.part] = r.s.alloc(4, name + " buffer resource", 4);
      for (int i = 0; i < steps; ++i) of_columns_[p.part].push_back(r.v.alloc(dwords(), name + " of a step's column"));
    }
  }
  if (e_.quantisation != Quantisation::none)
    block_scales_.emplace(kernel_, BlockScaleCode::Config{.kind = e_.quantisation,
                                                          .output = types_.output,
                                                          .rows = rows_,
                                                          .part_rows = part_rows,
                                                          .columns_of_a_step = columns_of_a_step,
                                                          .x = s_.x,
                                                          .y = s_.y,
                                                          .t = s_.t.slice(0, 3)});
  for (int i = 0; i < temporaries(); ++i) temporary_.push_back(r.v.alloc(1, "of the activation"));
  if (e_.has(EpiloguePart::scale_d)) scale_d_ = r.s.alloc(1, "scale of D");
  if (e_.has(EpiloguePart::absmax)) largest_ = r.v.alloc(1, "largest |D| of the lane");
}

bool EpilogueCode::pairs(Opcode op) const {
  return !beside_products_ && types_.scale == Type::f32 && rows_ > 1 && isa::info(op).on(kernel_.arch);
}
Vgpr EpilogueCode::rows_of(const EpiloguePartInfo& p, At at, int half) const {
  return of_rows_[p.part][static_cast<size_t>(half * groups_ + at.group)];
}
Vgpr EpilogueCode::operand(const EpiloguePartInfo& p, int row, At at, int half) const {
  return p.shape == PartShape::rows ? element(rows_of(p, at, half), row)
                                    : static_cast<Vgpr>(of_columns_[p.part][static_cast<size_t>(at.step)]);
}
template <class Each>
void EpilogueCode::each(PartUse use, Each f) {
  for (const EpiloguePartInfo& p : epilogue_parts())
    if (p.use == use && e_.has(p.part) && (p.shape == PartShape::rows || p.shape == PartShape::columns)) f(p);
}

void plain_nan(Stream& k, Sgpr f32, Sgpr scratch) {
  k.s_and_b32(scratch, f32, 0x7fffffff);
  k.s_cmp_gt_u32(scratch, 0x7f800000);
  k.s_cselect_b32(f32, 0x7fc00000, f32);
}
void EpilogueCode::load_scalar(const LoadPointer& pointer_to, EpiloguePart part, Sgpr to) {
  const Sgpr pointer = s_.t.slice(0, 2);
  pointer_to(pointer, part);
  kernel_.k.s_load_dword(to, pointer, 0);
  plain_nan(kernel_.k, to, s_.t[0]);
}
void EpilogueCode::fold_scales(const LoadPointer& pointer_to, Sgpr alpha, Sgpr beta) {
  Stream& k = kernel_.k;
  for (const EpiloguePartInfo& p : epilogue_parts())
    if (e_.has(p.part) && p.shape == PartShape::scalar && p.use <= PartUse::scales_c) {
      const Sgpr factor = p.use == PartUse::scales_sum ? alpha : beta;
      load_scalar(pointer_to, p.part, s_.t[2]);
      k.v_mov_b32(s_.x, s_.t[2]);
      k.v_mul_f32(s_.x, factor, s_.x);
      k.v_readfirstlane_b32(factor, s_.x);
    }
}
// Beyond the last row or column values are 0.
void EpilogueCode::vector_resource(const LoadPointer& pointer_to, EpiloguePart part, Sgpr resource, Sgpr first,
                                   Sgpr left) {
  Stream& k = kernel_.k;
  Scratch scratch(kernel_.r);
  const Sgpr pointer = scratch.s("operand of the epilogue", 2), t = s_.t;
  const int bytes = isa::bits(type_of(about(part), types_.output)) / 8;
  pointer_to(pointer, part);
  k.s_mov_b32(t[3], bytes);
  AddressMath{k, t.slice(0, 3)}.add_product(pointer, first, t[3]);
  k.s_lshl_b32(t[3], left, log2(bytes));
  raw_buffer(k, resource, pointer, t[3]);
}
void EpilogueCode::begin(const LoadPointer& pointer_to, const EpiloguePlace& place) {
  Stream& k = kernel_.k;
  place_ = place;
  if (is_float8(types_.output) && e_.saturate)
    k.s_setreg_imm32_b32(isa::mode_fp16_ovfl.encoded(), 1).note = "MODE.FP16_OVFL";
  if (e_.has(EpiloguePart::scale_d)) load_scalar(pointer_to, EpiloguePart::scale_d, scale_d_);
  if (e_.has(EpiloguePart::absmax)) k.v_mov_b32(largest_, 0);
  for (const EpiloguePartInfo& p : epilogue_parts()) {
    if (!e_.has(p.part)) continue;
    if (p.shape == PartShape::columns)
      vector_resource(pointer_to, p.part, columns_[p.part], place.first_column, place.columns_left);
    for (int half = 0; p.shape == PartShape::rows && half < e_.halves(p); ++half) load_rows(pointer_to, p, half);
  }
}
void EpilogueCode::load_rows(const LoadPointer& pointer_to, const EpiloguePartInfo& p, int half) {
  Stream& k = kernel_.k;
  Scratch scratch(kernel_.r);
  const Sgpr resource = scratch.s(std::string(p.name) + " buffer resource", 4);
  Sgpr first = place_.first_row;
  if (half) {
    first = scratch.s("first row of the second half");
    k.s_add_u32(first, place_.first_row, place_.rows);
  }
  vector_resource(pointer_to, p.part, resource, first, place_.rows_left);
  const Type type = type_of(p, types_.output);
  const int bytes = isa::bits(type) / 8, at_once = bytes == 4 && rows_ % 4 == 0 ? 4 : 1;
  k.v_lshlrev_b32(s_.x, log2(bytes), place_.row);
  for (int group = 0; group < groups_; ++group)
    for (int i = 0; i < rows_; i += at_once)
      k.buffer(at_once > 1 ? Opcode::buffer_load_dwordx4 : access_of(bytes).load,
               rows_of(p, {0, group}, half).slice(i * dwords(), at_once * dwords()), s_.x, resource, 0,
               {.offset = (group * group_rows_ + i) * bytes, .flags = isa::offen});
  for (int group = 0; group < groups_; ++group)
    for (int i = 0; i < rows_; ++i) {
      const Vgpr row = element(rows_of(p, {0, group}, half), i);
      widen(type, row, row, 0);
    }
}
void EpilogueCode::load_columns(AnyArg first) {
  Stream& k = kernel_.k;
  const auto all = [&](auto&& f) {
    for (const EpiloguePartInfo& p : epilogue_parts())
      if (e_.has(p.part) && p.shape == PartShape::columns) f(p, type_of(p, types_.output));
  };
  all([&](const EpiloguePartInfo& p, Type type) {
    const int bytes = isa::bits(type) / 8;
    k.v_add_u32(s_.x, first, place_.column);
    k.v_lshlrev_b32(s_.x, log2(bytes), s_.x);
    for (int i = 0; i < steps_; ++i)
      k.buffer(access_of(bytes).load, of_columns_[p.part][static_cast<size_t>(i)], s_.x, columns_[p.part], 0,
               {.offset = i * step_columns_ * bytes, .flags = isa::offen});
  });
  all([&](const EpiloguePartInfo& p, Type type) {
    for (const Vgpr v : of_columns_[p.part]) widen(type, v, v, 0);
  });
}

void EpilogueCode::widen(Type type, Vgpr to, Vgpr from, int index) {
  Stream& k = kernel_.k;
  const auto shifted = [&](int bits) {
    if (index) k.v_lshrrev_b32(to, bits * index, from);
    return index ? to : from;
  };
  switch (type) {
    case Type::bf16:
    case Type::f16: return widen_half(k, type, to, from, index ? Half::high : Half::low);
    case Type::fp8: return void(k.v_cvt_f32_fp8(to, shifted(8)));
    case Type::bf8: return void(k.v_cvt_f32_bf8(to, shifted(8)));
    case Type::i8:
      k.v_bfe_i32(to, from, 8 * index, 8);
      k.v_cvt_f32_i32(to, to);
      return;
    default: return;
  }
}

// Sums of i32 become f32 first, unless D is i32.
void EpilogueCode::scale(Vgpr results, Sgpr alpha, At at, int half, const Sums& sums) {
  Stream& k = kernel_.k;
  const bool two = pairs(Opcode::v_pk_mul_f32);
  for (int i = 0; i < rows_; i += two ? 2 : 1) {
    const Vgpr one = element(results, i);
    const auto from = [&](int dwords) { return sums ? sums(i, dwords) : results.slice(i, dwords); };
    if (types_.sum == Type::i32 && types_.scale == Type::f32)
      for (int j = 0; j < (two ? 2 : 1); ++j) k.v_cvt_f32_i32(results[i + j], results[i + j]);
    if (two) k.v_pk_mul_f32(results.slice(i, 2), alpha, from(2), {.op_sel_hi = 0b1110});
    else if (types_.scale == Type::f32) k.v_mul_f32(one, alpha[0], from(1));
    else if (types_.scale == Type::i32) k.v_mul_lo_u32(one, alpha[0], one);
    else k.v_mul_f64(one, alpha, one);
  }
  each(PartUse::scales_sum, [&](const EpiloguePartInfo& p) { multiply(results, p, at, half); });
}
void EpilogueCode::multiply(Vgpr results, const EpiloguePartInfo& p, At at, int half) {
  Stream& k = kernel_.k;
  const bool two = p.shape == PartShape::rows && pairs(Opcode::v_pk_mul_f32);
  for (int i = 0; i < rows_; i += two ? 2 : 1)
    if (two) k.v_pk_mul_f32(results.slice(i, 2), results.slice(i, 2), rows_of(p, at, half).slice(i, 2));
    else k.v_mul_f32(results[i], operand(p, i, at, half), results[i]);
}
void EpilogueCode::add_scaled(Vgpr result, Sgpr beta, Vgpr value) {
  Stream& k = kernel_.k;
  if (types_.scale == Type::f32) return void(k.v_fma_f32(result, beta, value, result));
  if (types_.scale == Type::f64) return void(k.v_fma_f64(result, beta, value, result));
  k.v_mul_lo_u32(s_.x, beta, value);
  k.v_add_u32(result, s_.x, result);
}
void EpilogueCode::add(Vgpr result, Vgpr value) {
  Stream& k = kernel_.k;
  if (types_.scale == Type::f32) k.v_add_f32(result, value, result);
  else if (types_.scale == Type::i32) k.v_add_u32(result, value, result);
  else k.v_add_f64(result, value, result);
}
// Several at once, which do not wait for each other's results.
void EpilogueCode::activate(Vgpr results, At at) {
  std::vector<Vgpr> all;
  for (int i = 0; i < rows_; ++i) {
    all.push_back(element(results, i));
    each(PartUse::adds, [&](const EpiloguePartInfo& p) { add(all.back(), operand(p, i, at, 0)); });
  }
  const auto at_once =
      temporary_.empty() ? all.size() : temporary_.size() / (e_.activation == Activation::gelu_erf ? 2 : 1);
  for (size_t first = 0; first < all.size(); first += at_once)
    activate({all.begin() + static_cast<std::ptrdiff_t>(first),
              all.begin() + static_cast<std::ptrdiff_t>(std::min(all.size(), first + at_once))});
  for (const Vgpr v : all)
    if (e_.clamp) clamp(v);
}
void EpilogueCode::gate(Vgpr results, Vgpr gated, int step) {
  for (int i = 0; i < rows_; ++i) {
    each(PartUse::adds, [&](const EpiloguePartInfo& p) { add(gated[i], operand(p, i, step, 1)); });
    kernel_.k.v_mul_f32(results[i], gated[i], results[i]);
  }
}
// As integers, where NaNs are the largest.
void EpilogueCode::observe(Vgpr results, int row) {
  kernel_.k.v_and_b32(s_.x, 0x7fffffff, results[row]);
  kernel_.k.v_max_u32(largest_, s_.x, largest_);
}

void EpilogueCode::scale_result(Vgpr results, At at) {
  Stream& k = kernel_.k;
  if (e_.has(EpiloguePart::scale_d))
    for (int i = 0; i < rows_; ++i) k.v_mul_f32(results[i], scale_d_, results[i]);
  each(PartUse::scales_result, [&](const EpiloguePartInfo& p) { multiply(results, p, at, 0); });
}
void EpilogueCode::convert(Vgpr results) {
  Stream& k = kernel_.k;
  if (types_.output == Type::i8) return round_to_i8(results);
  if (!pair_) return;
  if (isa::bits(types_.output) == 16)
    for (int i = 0; i < rows_; i += 2) pair_->pack(k, results[i / 2], results[i], results[i + 1], {s_.x, s_.y});
  else
    for (int i = 0; i < rows_; i += 2) {
      for (const int row : {i, i + 1})
        if (most_.dwords) k.v_minimummaximum_f32(results[row], results[row], most_, neg(most_));
      pair_->pack_bytes(k, results[i / 4], i % 4 ? Half::high : Half::low, results[i], results[i + 1]);
    }
}
// To the nearest even, saturating; NaNs are 0.
void EpilogueCode::round_to_i8(Vgpr results) {
  Stream& k = kernel_.k;
  for (int i = 0; i < rows_; ++i) {
    const Vgpr v = results[i];
    k.v_rndne_f32(v, v);
    k.v_cvt_i32_f32(v, v);
    k.v_max_i32(v, -128, v);
    k.v_min_i32(v, 127, v);
  }
  for (int i = 0; i < rows_; i += 4) {
    k.v_perm_b32(s_.x, results[i + 1], results[i], bytes_in_turn_);
    k.v_perm_b32(s_.y, results[i + 3], results[i + 2], bytes_in_turn_);
    join_halves(k, results[i / 4], s_.x, s_.y, low_halves_);
  }
}
void EpilogueCode::end(const LoadPointer& pointer_to) {
  if (!e_.has(EpiloguePart::absmax)) return;
  Stream& k = kernel_.k;
  Scratch scratch(kernel_.r);
  const Sgpr pointer = scratch.s("address of absmax", 2), resource = scratch.s("absmax buffer resource", 4);
  pointer_to(pointer, EpiloguePart::absmax);
  raw_buffer(k, resource, pointer, 4);
  k << wave_reduce(kernel_.arch, Opcode::v_max_u32, largest_, s_.x);
  k.v_mov_b32(s_.x, 0);
  k.mask_mov(exec, 1);
  k.buffer(Opcode::buffer_atomic_umax, largest_, s_.x, resource, 0, {.flags = isa::offen});
  k.mask_mov(exec, -1);
}

// -- Activations: NaNs are preserved --
void EpilogueCode::clamp(Vgpr v) {
  Stream& k = kernel_.k;
  k.v_max_f32(s_.x, e_.clamp->low, v);
  k.v_min_f32(s_.x, e_.clamp->high, s_.x);
  k.v_cmp_u_f32(vcc, v, v);
  k.v_cndmask_b32(v, s_.x, v, vcc);
}
void EpilogueCode::activate(const std::vector<Vgpr>& values) {
  Stream& k = kernel_.k;
  const auto all = [&](auto&& emit) {  // of a value and its temporary
    for (size_t i = 0; i < values.size(); ++i) emit(values[i], static_cast<Vgpr>(temporary_[i]));
  };
  switch (e_.activation) {
    case Activation::none: return;
    case Activation::relu:
      for (const Vgpr v : values)
        if (isa::info(Opcode::v_maximum_f32).on(kernel_.arch)) k.v_maximum_f32(v, 0, v);
        else k.v_cmp_ngt_f32(vcc, 0, v), k.v_cndmask_b32(v, 0, v, vcc);
      return;
    case Activation::gelu_erf: return gelu_erf(values);
    case Activation::silu: all([&](Vgpr v, Vgpr x) { k.v_mul_f32(x, -log2e, v); }); break;
    case Activation::gelu:
      all([&](Vgpr v, Vgpr x) { k.v_mul_f32(x, v, v); });
      if (gelu_cubic_.dwords) {
        all([&](Vgpr, Vgpr x) { k.v_fmaak_f32(x, gelu_cubic_, x, std::bit_cast<int>(gelu)); });
      } else {
        all([&](Vgpr, Vgpr x) { k.v_mul_f32(x, gelu * 0.044715f, x); });
        all([&](Vgpr, Vgpr x) { k.v_add_f32(x, gelu, x); });
      }
      all([&](Vgpr v, Vgpr x) { k.v_mul_f32(x, x, v); });
      break;
  }
  all([&](Vgpr, Vgpr x) { k.v_exp_f32(x, x); });
  all([&](Vgpr, Vgpr x) { k.v_add_f32(x, 1.0f, x); });
  all([&](Vgpr, Vgpr x) { k.v_rcp_f32(x, x); });
  all([&](Vgpr v, Vgpr x) { k.v_mul_f32(v, v, x); });
}
// x Phi(x): with z = |x| / sqrt(2) and t = 1 / (1 + p z), h = (a1 t + ... + a5 t^5) e^-z^2 / 2 is Phi(-|x|) (Abramowitz
// and Stegun 7.1.26, |error| < 0.75e-7), and Phi(x) is h below 0, else 1 - h.
void EpilogueCode::gelu_erf(const std::vector<Vgpr>& values) {
  Stream& k = kernel_.k;
  constexpr double p = 0.3275911, a[] = {1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592};
  const auto literal = [](double f) { return static_cast<float>(f); };
  const auto all = [&](auto&& emit) {
    for (size_t i = 0; i < values.size(); ++i)
      emit(values[i], static_cast<Vgpr>(temporary_[i]), static_cast<Vgpr>(temporary_[values.size() + i]));
  };
  all([&](Vgpr v, Vgpr x, Vgpr) { k.v_and_b32(x, 0x7fffffff, v); });
  all([&](Vgpr, Vgpr x, Vgpr) { k.v_mul_f32(x, literal(p / std::numbers::sqrt2), x); });
  all([&](Vgpr, Vgpr x, Vgpr) { k.v_add_f32(x, 1.0f, x); });
  all([&](Vgpr, Vgpr x, Vgpr) { k.v_rcp_f32(x, x); });
  all([&](Vgpr, Vgpr x, Vgpr y) { k.v_mul_f32(y, literal(a[0] / 2), x); });
  for (int i = 1; i < 5; ++i) {
    all([&](Vgpr, Vgpr, Vgpr y) { k.v_add_f32(y, literal(a[i] / 2), y); });
    all([&](Vgpr, Vgpr x, Vgpr y) { k.v_mul_f32(y, x, y); });
  }
  all([&](Vgpr v, Vgpr x, Vgpr) { k.v_mul_f32(x, v, v); });
  all([&](Vgpr, Vgpr x, Vgpr) { k.v_mul_f32(x, literal(-std::numbers::log2e / 2), x); });
  all([&](Vgpr, Vgpr x, Vgpr) { k.v_exp_f32(x, x); });
  all([&](Vgpr, Vgpr x, Vgpr y) { k.v_mul_f32(y, x, y); });
  all([&](Vgpr, Vgpr x, Vgpr y) { k.v_sub_f32(x, 1.0f, y); });
  all([&](Vgpr v, Vgpr x, Vgpr y) { k.v_cmp_gt_f32(vcc, 0, v), k.v_cndmask_b32(x, x, y, vcc); });
  all([&](Vgpr v, Vgpr x, Vgpr) { k.v_mul_f32(v, v, x); });
}

}  // namespace wavesmith
