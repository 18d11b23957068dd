// The registers of the evaluator and the evaluation of values by the simulator's semantics.
#include "checker/machine.h"

#include <cstring>

#include "isa_tables/opcodes.h"
#include "simulator/access.h"
#include "simulator/decoded_kernel.h"

namespace wavesmith::checker {

thread_local std::unique_ptr<GroupState> LentGroup::spare_;

bool reads_other_lanes(const Inst& i) {
  if (i.mods.dpp || i.mods.dpp8) return true;
  switch (i.op) {
    case Opcode::v_readlane_b32:
    case Opcode::v_permlane16_b32:
    case Opcode::v_permlanex16_b32:
    case Opcode::v_permlane64_b32:
    case Opcode::v_permlane16_swap_b32:
    case Opcode::v_permlane32_swap_b32:
    case Opcode::v_permlane16_var_b32:
    case Opcode::v_permlanex16_var_b32:
    case Opcode::v_permlane_bcast_b32:
    case Opcode::v_permlane_up_b32:
    case Opcode::v_permlane_down_b32:
    case Opcode::v_permlane_xor_b32: return true;
    default: return false;
  }
}

RegisterValues::Places::Places(const RegBits& asked) {
  for (size_t w = 0; w < asked.size(); ++w)
    for (uint64_t left = asked[w]; left; left &= left - 1) {
      const auto reg = static_cast<uint16_t>(w * 64 + static_cast<size_t>(std::countr_zero(left)));
      of[reg] = static_cast<uint16_t>(registers.size()), registers.push_back(reg);
    }
}

Evaluator::Machine::Machine(const Code& c, const Entry& e, const sim::KernelInfo& k, const RegBits& asked, Shape shape,
                            Assume assume)
    : code(c),
      kernel(k),
      asked_registers(asked),
      places(asked),
      items(c.arch, c.lanes, 4096),
      first_group(assume == Assume::first_group),
      exec_words(c.lanes / 32) {
  const isa::Target& t = isa::target(c.arch);
  if (e.function || c.indirect || !t.runs_wave(c.lanes)) return;
  kernel.wave_size = c.lanes;
  kernel.lds_bytes = static_cast<uint32_t>(e.lds_bytes);
  launch.block = shape;
  options.checks = {.undefined = false,
                    .in_flight = false,
                    .hazards = false,
                    .races = false,  // found in lds.cpp
                    .uninitialized = sim::Checks::Uninitialized::ignore};
  launched = {.arch = c.arch,
              .target = &t,
              .kernel = &kernel,
              .memory = &memory,
              .options = &options,
              .launch = &launch,
              .lds_bytes = kernel.lds_bytes};
  sim::start_workgroup(lent->group, lent->waves, lent->registers, launched, cluster, {0, 0, 0}, 0);
  lent->group.counts = &counts;
  lent->group.observer = &touched;
  waves = lent->waves;
  touched.of_wave.resize(waves.size());
  for (auto& of : touched.of_wave) of.whole.resize(kernel.lds_bytes / 256 + 1);
  const bool reads = std::any_of(c.lines.begin(), c.lines.end(), [](const CodeLine& l) {
    return l.item->refusal.empty() && l.item->inst.info().format != isa::Format::mubuf &&
           in_flight::loads_into_lds(l.item->inst);
  });
  if (reads)
    somewhere =
        memory.allocate(kernel.lds_bytes + 64, "source of loads into LDS");  // LDS addresses may be added as offsets
  usable = true;
  waves_said = e.workgroup_size < 1024 ||
               (kernel.required_workgroup[0] && kernel.required_workgroup[1] && kernel.required_workgroup[2]);
  set_start(e, t);
}

void Evaluator::Machine::set_start(const Entry& e, const isa::Target& t) {
  for (int r = 0; r < (t.packed_work_item_ids() ? 1 : kernel.workitem_id_dims); ++r)
    start.of.set(static_cast<size_t>(r), make(-1, static_cast<uint16_t>(r), false));
  for (int k = 0; k < exec_words; ++k)
    start.of.set(static_cast<size_t>(exec_lo + k), make(-1, static_cast<uint16_t>(exec_lo + k), true));
  for (int r = scalar_base; r < scalar_base + sreg::ttmp0; ++r)
    if (e.written[static_cast<size_t>(r / 64)] >> r % 64 & 1) start.of.set(static_cast<size_t>(r), uniform);
  for (int r = scalar_base + sreg::flat_scratch; r < scalar_base + sreg::vccz; ++r)
    start.of.set(static_cast<size_t>(r), uniform);
  start.of.set(scalar_base + sreg::null, uniform);
  const auto as_it_is = [&](int reg) {
    start.of.set(static_cast<size_t>(scalar_base + reg), make(-1, static_cast<uint16_t>(scalar_base + reg), true));
  };
  for (int r = sreg::shared_base; first_group && r <= sreg::private_limit; ++r) as_it_is(r);
  if (!t.workgroup_ids_in_ttmp()) {
    for (int k = 0, reg = kernel.user_sgprs; first_group && k < 3; ++k)
      if (kernel.workgroup_id[k]) as_it_is(reg++);
    return;
  }
  for (const int r : {6, 7, 9})
    if (first_group) as_it_is(sreg::ttmp0 + r);
    else start.of.set(static_cast<size_t>(scalar_base + sreg::ttmp0 + r), uniform);
  start.of.set(scalar_base + sreg::ttmp0 + 8, make(-1, scalar_base + sreg::ttmp0 + 8, false));
}

Value Evaluator::Machine::make(int expression, uint16_t reg, bool is_same) {
  defs.push_back({expression, reg});
  same.resize(defs.size()), sampled.resize(defs.size());
  same.back() = is_same;
  data.resize(defs.size());
  if (expression == absent) data.back() = std::make_unique<Data>(read(reg));
  return static_cast<Value>(defs.size()) - 1;
}

Value Evaluator::Machine::make_later(int expression, uint16_t reg, bool is_same) {
  defs.push_back({expression, reg});
  same.push_back(is_same), sampled.push_back(false);
  data.emplace_back();
  return static_cast<Value>(defs.size()) - 1;
}

Data Evaluator::Machine::read(int reg) {
  Data d;
  d.bits.reserve(waves.size() * (is_vector_number(reg) ? 64 : 1)), d.valid.reserve(waves.size());
  for (sim::Wave& w : waves) {
    if (is_vector_number(reg)) d.bits.insert(d.bits.end(), w.vreg(reg), w.vreg(reg) + 64);
    else
      d.bits.push_back(reg == scalar_base + sreg::scc           ? w.scc
                       : reg >= scalar_base + sreg::shared_base ? sim::scalar(w, reg - scalar_base)
                                                                : w.s[reg - scalar_base]);
    d.valid.push_back(~uint64_t{0});
  }
  return d;
}

void Evaluator::Machine::write(size_t wave, int reg, const Data& d) {
  sim::Wave& w = waves[wave];
  if (is_vector_number(reg)) std::memcpy(w.vreg(reg), d.bits.data() + wave * 64, 256);
  else if (reg == scalar_base + sreg::scc) w.scc = d.bits[wave] != 0;
  else w.s[reg - scalar_base] = d.bits[wave];
}

const sim::Step& Evaluator::Machine::step_of(const Item& item) {
  const auto it = steps.find(&item);
  if (it != steps.end()) return it->second;
  raw.inst = item.inst;
  raw.size = item.size ? item.size : 8;
  return steps.emplace(&item, sim::ready(raw, code.arch, kernel)).first->second;
}

// Substitutes an empty tensor, so that the whole tile is out of bounds and reads no memory. Rows are counted in
// elements of 8 bytes where that divides them, to have fewer elements.
static void empty_tensor(sim::Wave& w, const Inst& i) {
  const int g0 = i.operands[0].index, g1 = i.operands[1].index;
  w.s[g0 + 2] = 0, w.s[g0 + 3] = 2u << 30;
  for (const int k : {1, 2, 5, 6, 7}) w.s[g1 + k] = 0;
  const uint32_t size = w.s[g1] >> 16 & 3, row = (w.s[g1 + 3] >> 16) << size;
  if (row % 8) return;
  w.s[g1] |= 3 << 16;
  w.s[g1 + 3] = (row / 8) << 16;
}

bool Evaluator::Machine::run(const Item& item, const Inputs& in, std::vector<uint64_t>& active,
                             std::vector<uint64_t>* sure) {
  for (size_t n = 0; n < waves.size(); ++n)
    if (!run_wave(n, item, in, active[n], sure ? &(*sure)[n] : nullptr)) return false;
  return true;
}

bool Evaluator::Machine::run_wave(size_t n, const Item& item, const Inputs& in, uint64_t& active, uint64_t* sure) {
  const sim::Step& st = step_of(item);
  if (!st.run) return false;
  const bool vector = item.inst.info().is_vector() || item.counted, whole = reads_other_lanes(item.inst);
  sim::Wave& w = waves[n];
  w.problem.reset();
  uint64_t all = ~uint64_t{0};
  for (const auto& [reg, v] : in) {
    if (v <= 0) continue;
    const Data* d = get(v);
    const bool is_exec_half = reg >= exec_lo && reg < exec_lo + exec_words;
    if (!d || (!is_vector_number(reg) && !d->valid[n])) {
      if (!sure || is_exec_half) return false;
      if (has(item.reads, reg)) all = 0;
      continue;
    }
    write(n, reg, *d);
    if (is_vector_number(reg) && has(item.reads, reg)) all &= d->valid[n];
  }
  active = vector ? w.exec() : w.all;
  if (sure) *sure = active & all;
  else if ((whole ? w.all : active) & ~all) return false;
  w.written_lanes = w.exec();
  if (item.inst.info().counter == isa::Counter::tensor) empty_tensor(w, item.inst);
  st.run(w, st);
  return !w.problem || item.counted;
}

const Data* Evaluator::Machine::get(Value v) {
  if (data[static_cast<size_t>(v)])
    return data[static_cast<size_t>(v)]->bits.empty() ? nullptr : data[static_cast<size_t>(v)].get();
  std::vector<Value> todo{v};
  while (!todo.empty()) {  // inputs first, without recursion
    const Value at = todo.back();
    const size_t before = todo.size();
    for (const auto& [reg, in] : expressions[static_cast<size_t>(defs[static_cast<size_t>(at)].expression)].in)
      if (in > 0 && !data[static_cast<size_t>(in)]) todo.push_back(in);
    if (todo.size() > before) continue;
    todo.pop_back();
    if (!data[static_cast<size_t>(at)]) evaluate(defs[static_cast<size_t>(at)].expression);
  }
  return get(v);
}

void Evaluator::Machine::evaluate(int number) {
  const Expression& expression = expressions[static_cast<size_t>(number)];
  if (!expression.item) return keep_others(expression);
  active.assign(waves.size(), 0), sure.assign(waves.size(), 0);
  // For FLAT, lane by lane: a pointer register may hold lanes of several origins.
  const bool by_lane = first_group && expression.item->inst.info().is_vector() &&
                       !reads_other_lanes(expression.item->inst) && !writes_scalars(*expression.item);
  const bool good = run(*expression.item, expression.in, active, by_lane ? &sure : nullptr);
  Value v = expression.first;
  expression.item->writes.each([&](int reg) {
    auto d = std::make_unique<Data>();
    if (good) *d = read(reg);
    if (good && is_vector_number(reg)) {
      const auto old =
          std::find_if(expression.in.begin(), expression.in.end(), [&](const auto& i) { return i.first == reg; });
      const Data* before = old != expression.in.end() && old->second > 0 ? get(old->second) : nullptr;
      for (size_t n = 0; n < waves.size(); ++n)
        d->valid[n] = (by_lane ? sure[n] : active[n]) | (before ? before->valid[n] & ~(by_lane ? active[n] : 0) : 0);
    }
    data[static_cast<size_t>(v++)] = std::move(d);
  });
}

void Evaluator::Machine::keep_others(const Expression& expression) {
  auto d = std::make_unique<Data>();
  const Data* before = get(expression.in[0].second);
  bool good = before != nullptr;
  for (size_t k = 1; k < expression.in.size(); ++k) good = get(expression.in[k].second) && good;
  if (good) {
    *d = *before;
    for (size_t n = 0; n < waves.size(); ++n) {
      uint64_t active = 0;
      for (size_t k = 1; k < expression.in.size(); ++k)
        active |= uint64_t{get(expression.in[k].second)->bits[n]} << 32 * (k - 1);
      d->valid[n] &= ~active;
    }
  }
  data[static_cast<size_t>(expression.first)] = std::move(d);
}

}  // namespace wavesmith::checker
