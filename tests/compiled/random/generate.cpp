// A random program: its types, functions, declarations, statements, and the stores of everything it computed.
#include "tests/compiled/random/writer.h"

namespace wavesmith::random {

RandomProgram generate(const std::string& name, uint64_t seed) { return Writer(seed).program(name); }

Piece Writer::declaration(const std::string& name, Type t) {
  return line(fmt::format("{} {} = $;\n", t.name(), name), {expression(t, 2)});
}
void Writer::declare_variables(Piece& into, int count) {
  for (int i = 0; i < count; ++i) {
    const Type t = i == 0 ? Type{Scalar::i32} : i == 1 ? Type{Scalar::u32} : any_type();
    const std::string name = fresh("v");
    into.children.push_back(declaration(name, t));
    variables_.push_back({name, t});
  }
}

void Writer::declare_uniform(Piece& into) {
  uniform_ = true;
  for (int i = below(3); i > 0; --i) {
    const Variable v{fresh("u"), chance(70) ? scalar_type() : any_type()};
    into.children.push_back(declaration(v.name, v.type));
    variables_.push_back({v.name, v.type, false}), uniform_variables_.push_back(v);
  }
  uniform_ = false;
}

void Writer::declare_arrays(Piece& into, bool shared) {
  for (int i = 1 + below(2); i > 0; --i) {
    const Type t = any_type();
    const int elements = 1 << below(5);
    const std::string name = fresh("p"), counter = fresh("i");
    into.children.push_back(line(fmt::format("{0} {1}[{2}]; for (int {3} = 0; {3} < {2}; ++{3}) {1}[{3}] = $;\n",
                                             t.name(), name, elements, counter),
                                 {expression(t, 1)}));
    arrays_.push_back({name + "[$]", t, elements});
  }
  if (!shared) return;
  for (int i = below(3); i > 0; --i) {
    const Type t = any_type();
    int elements = 1 << below(4);
    while (elements > 1 && elements * t.bytes() > 64) elements /= 2;
    const std::string name = fresh("l"), counter = fresh("i");
    into.children.push_back(
        line(fmt::format("local {4} {2}[{3}]; for (int {0} = 0; {0} < {1}; ++{0}) {2}[lid * {1} + {0}] = $;\n", counter,
                         elements, name, elements * block_, t.name()),
             {expression(t, 1)}));
    arrays_.push_back({fmt::format("{}[lid * {} + $]", name, elements), t, elements});
  }
}

void Writer::declare_structure(Piece& types, Piece& into) {
  const std::string type = fmt::format("{}_structure", prefix_), name = fresh("s");
  const bool packed = chance(60);
  const int elements = 1 << below(3);
  Piece members = list(), values = line("");  // one statement: what is declared has a value
  std::vector<Array> readable;                // after it
  for (int i = 0, n = 2 + below(5); i < n; ++i) {
    const Type t = any_type();
    const std::string member = fresh("m");
    if (t.bytes() > 32) continue;
    members.children.push_back(line(fmt::format("  {} {};\n", t.name(), member)));
    values.text += fmt::format("{0}[i{0}].{1} = $;\n", name, member), values.children.push_back(expression(t, 1));
    readable.push_back({fmt::format("{}[$].{}", name, member), t, elements, !packed});
  }
  arrays_.insert(arrays_.end(), readable.begin(), readable.end());
  types.children.push_back(line(fmt::format("struct {} {} {{\n$}};\n", packed ? "__attribute__((packed))" : "", type),
                                {std::move(members)}));
  into.children.push_back(
      line(fmt::format("struct {0} {1}[{2}]; for (int i{1} = 0; i{1} < {2}; ++i{1}) {{\n$}}\n", type, name, elements),
           {std::move(values)}));
}

Piece Writer::function(int number) {
  variables_.clear(), arrays_.clear();
  Function f{fmt::format("{}_f{}", prefix_, number), any_type(), {}, {}};
  std::string parameters;
  for (int i = 1 + below(4); i > 0; --i) {
    const Type t = any_type();
    const std::string name = fresh("a");
    parameters += (parameters.empty() ? "" : ", ") + t.name() + " " + name;
    f.parameters.push_back(t), variables_.push_back({name, t});
  }
  if (chance(50)) {
    f.pointee = scalar_type();
    if (f.pointee.real()) f.pointee = {Scalar::i32};
    parameters += fmt::format(", {} *p", f.pointee.name());
    arrays_.push_back({"p[$]", f.pointee, 1});
  }
  Piece body = list();
  declare_variables(body, 1 + below(3));
  if (chance(40)) declare_arrays(body, false);
  body.children.push_back(statements({Flow::lane, 2, false}, 1 + below(3)));
  Piece n = line(fmt::format("static {}{} {}({}) {{\n$return $;\n}}\n", chance(70) ? "NOINLINE " : "", f.result.name(),
                             f.name, parameters),
                 {std::move(body), expression(f.result, 2)});
  functions_.push_back(f);
  return n;
}

// A variable's value as whole bits to its place in the output: an array of all work-items' values.
Piece Writer::store(const Variable& v, int& offset) {
  Type t = v.type;
  Piece value = make(t, v.name);
  if (t.real()) {
    value = make({}, fmt::format("bits_{}({})", t.name(), v.name));
    t.scalar = t.scalar == Scalar::f16 ? Scalar::i16 : t.scalar == Scalar::f32 ? Scalar::i32 : Scalar::i64;
  }
  if (t.count == 3) {  // its padding as well
    t.count = 4;
    value = make({}, fmt::format("({})($, 0)", t.name()), {std::move(value)});
  }
  offset = (offset + t.bytes() - 1) / t.bytes() * t.bytes();
  Piece n = line(fmt::format("((global {}*)(out + {}))[gid] = $;\n", t.name(), offset), {std::move(value)});
  offset += t.bytes() * block_ * 2;
  return n;
}

RandomProgram Writer::program(const std::string& name) {
  static const std::vector<int> blocks = {64, 64, 128}, odd_blocks = {1, 16, 32, 48, 64, 96, 100, 128};
  prefix_ = name;
  crosses_lanes_ = chance(60);
  block_ = crosses_lanes_ ? pick(blocks) : pick(odd_blocks);
  RandomProgram p{name, block_, 2, 64, bits() >> 1, list()};

  for (int i = below(3); i > 0; --i) {
    const Type t = any_type();
    const std::string table = fmt::format("{}_c{}", prefix_, i);
    const int elements = 1 << below(4);
    Piece n = line(fmt::format("constant {} {}[{}] = {{", t.name(), table, elements));
    for (int k = 0; k < elements; ++k) n.text += literal(t).text + ", ";
    n.text += "};\n";
    p.body.children.push_back(std::move(n));
    tables_.push_back({table + "[$]", t, elements});
  }
  for (int i = 0, n = below(3); i < n; ++i) p.body.children.push_back(function(i));

  in_kernel_ = true;
  variables_ = {
      {"a_int", {Scalar::i32}, false},     {"a_uint", {Scalar::u32}, false},      {"a_long", {Scalar::i64}, false},
      {"a_float", {Scalar::f32}, false},   {"a_double", {Scalar::f64}, false},    {"a_short", {Scalar::i16}, false},
      {"a_uchar", {Scalar::u8}, false},    {"a_half", {Scalar::f16}, false},      {"a_uint4", {Scalar::u32, 4}, false},
      {"a_char4", {Scalar::i8, 4}, false}, {"a_float3", {Scalar::f32, 3}, false}, {"a_ulong2", {Scalar::u64, 2}, false},
      {"GROUP", {Scalar::u32}, false}};
  uniform_variables_ = variables_;
  arrays_.clear();
  Piece types = list(), body = list(), outputs = list();
  const size_t arguments = variables_.size();
  declare_uniform(body);
  declare_variables(body, 3 + below(5));
  if (chance(60)) declare_arrays(body, true);
  if (chance(30)) declare_structure(types, body);
  body.children.push_back(statements({}, 3 + below(8)));
  for (size_t i = arguments; i < variables_.size(); ++i) outputs.children.push_back(store(variables_[i], p.out_bytes));
  for (const Array& a : arrays_) {
    const std::string value = fresh("v"), place = a.text;
    Piece read = line(fmt::format("{{ {} {} = {};\n$}}\n", a.type.name(), value, place),
                      {make({Scalar::i32}, std::to_string(below(a.elements)))});
    read.children.push_back(store({value, a.type}, p.out_bytes));
    outputs.children.push_back(std::move(read));
  }
  std::string attributes;
  if (chance(50)) attributes += fmt::format("__attribute__((reqd_work_group_size({}, 1, 1))) ", block_);
  if (chance(15)) attributes += "__attribute__((amdgpu_num_vgpr(64))) ";
  p.body.children.push_back(std::move(types));
  p.body.children.push_back(line(fmt::format(R"({}kernel void {}(PARAMETERS) {{
local uint counted[8];
local ulong owned[{}];
local uchar exchanged[{}] __attribute__((aligned(128)));
const uint lid = LID, gid = GROUP * {} + lid;
for (uint i = lid; i < 8; i += {}) counted[i] = i * 77;
owned[lid * 2] = lid, owned[lid * 2 + 1] = 5;
BARRIER();
$BARRIER();
for (uint i = lid; i < 8; i += {}) ((global uint*)out)[GROUP * 8 + i] = counted[i];
$}}
)",
                                             attributes, name, block_ * 2, block_ * 128, block_, block_, block_),
                                 {std::move(body), std::move(outputs)}));
  return p;
}

}  // namespace wavesmith::random
