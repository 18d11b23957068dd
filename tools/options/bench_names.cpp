#include "tools/options/bench_names.h"

#include <fmt/format.h>

#include "tools/print/exit.h"
#include "tools/print/text.h"

namespace wavesmith::tools {
namespace {

constexpr const char* group = "Options of hipblaslt-bench and rocblas-bench";

// They measure on a GPU, or choose among a library's kernels.
constexpr std::pair<const char*, int> without_effect[] = {  // names, values
    {"-i,--iters", 1},    {"-j,--cold_iters", 1},     {"-v,--verify", 0},          {"--rotating", 1},
    {"--flush", 0},       {"--use_gpu_timer", 0},     {"--print_kernel_info", 0},  {"--workspace", 1},
    {"--algo_method", 1}, {"--solution_index", 1},    {"--requested_solution", 1}, {"--algo", 1},
    {"--flags", 1},       {"--log_function_name", 0}, {"--any_stride", 0}};
constexpr const char* refused[] = {"--aux_type", "--use_e",    "--gradient", "--grouped_gemm",
                                   "--swizzleA", "--swizzleB", "--wgm",      "--yaml"};

void only(const char* option, const std::string& text, std::initializer_list<const char*> legal) {
  std::string names;
  for (const char* l : legal) {
    if (text == l) return;
    names += fmt::format(" {}", l);
  }
  throw InputError(fmt::format("{}: '{}' is not available, legal:{}", option, text, names));
}

}  // namespace

void declare_bench_names(CLI::App& app, GemmOptions& gemm, std::string& init) {
  const auto option = [&](const char* names, const char* help, const std::function<void(const std::string&)>& f) {
    app.add_option_function<std::string>(names, f, help)->group(group);
  };
  option("-f,--function",
         "gemm, gemm_ex, gemm_strided_batched_ex or matmul; as rocBLAS's logs: rocblas_gemm_ex, rocblas_sgemm",
         [&gemm](std::string f) {
           if (f.starts_with("rocblas_")) f.erase(0, 8);
           for (const auto& [letter, type] : {std::pair("hgemm", "f16"), {"sgemm", "f32"}, {"dgemm", "f64"}})
             if (f.starts_with(letter)) gemm.a = gemm.b = gemm.c = gemm.d = type, f.erase(0, 1);
           only("--function", f, {"gemm", "gemm_ex", "gemm_strided_batched", "gemm_strided_batched_ex", "matmul"});
         });
  option("-r,--precision", "type of all matrices",
         [&gemm](const std::string& type) { gemm.a = gemm.b = gemm.c = gemm.d = type; });
  option("--compute_type", "type of the sums: f32, of f64 f64, of i8 i32",
         [&gemm](const std::string& type) { gemm.compute = type; });
  option("--initialization", "hpl, norm_dist, trig_float (as --init rand), rand_int (int) or special",
         [&init](const std::string& how) {
           only("--initialization", how, {"hpl", "norm_dist", "trig_float", "rand_int", "special"});
           init = how == "rand_int" ? "int" : how == "special" ? "special" : "rand";
         });
  for (const auto& [names, values] : without_effect) {
    const std::string name = split(names, ',').back();
    if (app.get_option_no_throw(name)) continue;  // `bench` has it
    (values ? app.add_option_function<std::string>(
                  names, [](const std::string&) {}, "no effect here")
            : app.add_flag_function(
                  names, [](int64_t) {}, "no effect here"))
        ->group(group);
  }
  for (const char* name : refused)
    if (!app.get_option_no_throw(name))
      app.add_option_function<std::vector<std::string>>(
             name,
             [name](const std::vector<std::string>&) {
               throw InputError(fmt::format("{}: not available here, legal: leave it out", name));
             },
             "")
          ->expected(0, 1)
          ->group("");
}

}  // namespace wavesmith::tools
