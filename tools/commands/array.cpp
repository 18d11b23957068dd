// wavesmith array: an .npy file of random numbers, for use without NumPy.
#include <fmt/format.h>

#include "tools/commands/commands.h"
#include "tools/options/matrices.h"
#include "tools/print/text.h"

namespace wavesmith::tools {
namespace {

struct MakeArray {
  std::string file, type = "f16", shape, init = "rand";
  uint64_t seed = 1;
};

int make_array(const MakeArray& o) {
  HostMatrix m{.name = "array"};
  runtime::Array a{.type = {}, .shape = {}, .fortran = true, .bytes = {}};
  const std::tuple<const char*, isa::Type, runtime::Dtype> types[] = {{"f16", isa::Type::f16, runtime::Dtype::f2},
                                                                      {"bf16", isa::Type::bf16, runtime::Dtype::u2},
                                                                      {"f32", isa::Type::f32, runtime::Dtype::f4}};
  const auto* t =
      std::find_if(std::begin(types), std::end(types), [&](const auto& x) { return std::get<0>(x) == o.type; });
  if (t == std::end(types)) throw InputError(fmt::format("--type: '{}' is unknown, legal: f16 bf16 f32", o.type));
  m.type = std::get<1>(*t), a.type = std::get<2>(*t);
  const std::pair<const char*, Init> inits[] = {{"rand", Init::rand}, {"int", Init::ints}, {"special", Init::special}};
  const auto* init = std::find_if(std::begin(inits), std::end(inits), [&](const auto& x) { return o.init == x.first; });
  if (init == std::end(inits))
    throw InputError(fmt::format("--init: '{}' is unknown, legal: rand int special", o.init));
  constexpr uint64_t most = uint64_t{1} << 32;
  for (const auto& d : split(o.shape, 'x')) a.shape.push_back(parse_number(d, "--shape"));
  const uint64_t rows = a.shape[0], cols = a.shape.size() == 2 ? a.shape[1] : 1;
  if (a.shape.size() > 2 || rows >= most || cols >= most || rows * cols > most)
    throw InputError(fmt::format("--shape: '{}', legal: N or MxN below 2^32, up to 2^32 elements", o.shape));
  m.rows = static_cast<uint32_t>(rows), m.cols = static_cast<uint32_t>(cols);
  m.ld = m.rows, m.stride = a.count();
  fill(m, init->second, o.seed);
  a.bytes = std::move(m.bytes);
  runtime::save_npy(o.file, a);
  return good;
}

}  // namespace

Command add_array(CLI::App& app) {
  auto o = std::make_shared<MakeArray>();
  app.add_option("file", o->file, "file to write (.npy)")->required();
  app.add_option("--shape", o->shape, "N or MxN")->required();
  app.add_option("--type", o->type, "f16 (default), bf16 (stored as u2) or f32");
  app.add_option("--init", o->init,
                 "rand: -1 to 1 (default), int: -3 to 3, or special: zeros, subnormals, infinities, NaNs");
  app.add_option("--seed", o->seed, "default 1");
  app.footer("Example:\n  wavesmith array --type f16 --shape 1000x515 a.npy");
  return [o] { return make_array(*o); };
}

}  // namespace wavesmith::tools
