// Transforms of VkFFT's HIP backend, which compiles a kernel for each at run time, against FFTW in f64.
//   vkfft [CASE ...]   CASE: KIND:TYPE:SIZES[:BATCHES], as c2c:f32:64x30:2 (the first size is contiguous); without any,
//                      those below
// KIND: c2c, inverse (c2c backwards, not scaled), r2c, dct1 to dct4, dst1 to dst4. TYPE: f32, f64.
#include <fftw3.h>
#include <hip/hip_runtime_api.h>
#include <hip/hiprtc.h>
#include <vkFFT.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "results.h"

namespace {

// Sizes choose VkFFT's algorithm: products of factors up to 13 in one to three launches, primes by Rader's, others by
// Bluestein's.
std::vector<std::string> usual_cases() {
  std::vector<std::string> all;
  const auto add = [&](const char* kind, std::initializer_list<const char*> sizes) {
    for (const char* s : sizes) all.push_back(std::string(kind) + ":" + s);
  };
  add("c2c:f32", {"2:3",    "3:2",  "4:3",  "5:2",   "7:3",   "8:3",  "11:3", "13:3",  "26",    "30",    "49",   "53",
                  "60",     "81",   "121",  "127:2", "169:2", "199",  "243",  "256:3", "331",   "385",   "512",  "625",
                  "1000:2", "1024", "1031", "2187",  "3000",  "6561", "8192", "10007", "16384", "20000", "65536"});
  add("c2c:f64", {"6:2", "14:2", "64:2", "97:2", "210:2", "512:2", "1021:2", "4096:2", "8192"});
  for (const char* kind : {"inverse:f32", "c2c:f64", "r2c:f32"})
    add(kind, {"8x8", "31x10", "100x7x5", "64x64x4", "13x17", "256x128"});
  add("r2c:f32", {"10:3", "31:3", "128:3", "250:3", "1001:3", "4096:3"});
  for (const char* kind :
       {"dct1:f64", "dct2:f32", "dct3:f64", "dct4:f32", "dst1:f32", "dst2:f64", "dst3:f32", "dst4:f64"})
    add(kind, {"16", "27", "60", "128", "20x12"});
  return all;
}

struct Case {
  std::string kind;
  std::vector<uint64_t> sizes;
  uint64_t batches = 1;
  size_t row() const {  // numbers in a row, before and after the transform
    return kind == "r2c" ? 2 * (sizes[0] / 2 + 1) : complex() ? 2 * sizes[0] : sizes[0];
  }
  size_t rows() const {  // of a batch
    size_t n = 1;
    for (size_t i = 1; i < sizes.size(); ++i) n *= sizes[i];
    return n;
  }
  bool complex() const { return kind == "c2c" || kind == "inverse"; }
};

std::vector<double> expected(const Case& c, const std::vector<double>& in) {
  std::vector<int> n(c.sizes.rbegin(), c.sizes.rend());
  const int rank = static_cast<int>(n.size());
  std::vector<double> out(in.size());
  for (uint64_t b = 0; b < c.batches; ++b) {
    const size_t size = c.row() * c.rows();
    std::vector<double> from(in.begin() + static_cast<ptrdiff_t>(b * size),
                             in.begin() + static_cast<ptrdiff_t>((b + 1) * size));
    double* const to = out.data() + b * size;
    auto *const from_complex = reinterpret_cast<fftw_complex*>(from.data()), *const to_complex =
                                                                                 reinterpret_cast<fftw_complex*>(to);
    fftw_plan plan;
    if (c.complex()) {
      plan = fftw_plan_dft(rank, n.data(), from_complex, to_complex, c.kind == "c2c" ? FFTW_FORWARD : FFTW_BACKWARD,
                           FFTW_ESTIMATE);
    } else if (c.kind == "r2c") {
      for (size_t row = 0; row < c.rows(); ++row)  // without the padding
        std::copy_n(in.begin() + static_cast<ptrdiff_t>(b * size + row * c.row()), c.sizes[0],
                    from.begin() + static_cast<ptrdiff_t>(row * c.sizes[0]));
      plan = fftw_plan_dft_r2c(rank, n.data(), from.data(), to_complex, FFTW_ESTIMATE);
    } else {
      constexpr fftw_r2r_kind cosines[] = {FFTW_REDFT00, FFTW_REDFT10, FFTW_REDFT01, FFTW_REDFT11},
                              sines[] = {FFTW_RODFT00, FFTW_RODFT10, FFTW_RODFT01, FFTW_RODFT11};
      const std::vector<fftw_r2r_kind> kinds(n.size(), (c.kind.starts_with("dct") ? cosines : sines)[c.kind[3] - '1']);
      plan = fftw_plan_r2r(rank, n.data(), from.data(), to, kinds.data(), FFTW_ESTIMATE);
    }
    fftw_execute(plan);
    fftw_destroy_plan(plan);
  }
  return out;
}

// The largest error relative to the largest element; NaN: so is a result, or VkFFT or a launch fails, which is printed.
template <class T>
double error_of(const Case& c) {
  std::vector<T> data(c.row() * c.rows() * c.batches);
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> number(-1, 1);
  for (T& x : data) x = static_cast<T>(number(random));
  const auto right_ones = expected(c, {data.begin(), data.end()});

  uint64_t bytes = data.size() * sizeof(T);
  void* device = nullptr;
  OK(hipMalloc(&device, bytes));
  OK(hipMemcpy(device, data.data(), bytes, hipMemcpyHostToDevice));
  hipDevice_t gpu = 0;
  VkFFTConfiguration how{};
  how.FFTdim = c.sizes.size(), how.numberBatches = c.batches, how.device = &gpu;
  std::ranges::copy(c.sizes, how.size);
  how.buffer = &device, how.bufferSize = &bytes;
  how.doublePrecision = sizeof(T) == 8;
  if (c.kind == "r2c") how.performR2C = 1;
  if (c.kind.starts_with("dct")) how.performDCT = c.kind[3] - '0';
  if (c.kind.starts_with("dst")) how.performDST = c.kind[3] - '0';
  VkFFTApplication transform{};
  VkFFTLaunchParams launch{};
  VkFFTResult said = initializeVkFFT(&transform, how);
  if (said == VKFFT_SUCCESS) said = VkFFTAppend(&transform, c.kind == "inverse" ? 1 : -1, &launch);
  hipError_t status = hipDeviceSynchronize();
  if (status == hipSuccess) status = hipMemcpy(data.data(), device, bytes, hipMemcpyDeviceToHost);
  deleteVkFFT(&transform);
  if (said != VKFFT_SUCCESS || status != hipSuccess) {
    std::printf("VkFFT says %d, HIP says %d\n", said, status);
    OK(hipDeviceReset());
    return NAN;
  }
  OK(hipFree(device));
  double error = 0, largest = 0;
  for (size_t i = 0; i < data.size(); ++i) {
    largest = std::max(largest, std::abs(right_ones[i]));
    const double off = std::abs(right_ones[i] - static_cast<double>(data[i]));
    if (std::isnan(off)) return NAN;
    error = std::max(error, off);
  }
  return error / largest;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> cases = argc > 1 ? std::vector<std::string>(argv + 1, argv + argc) : usual_cases();
  for (const std::string& text : cases) {
    std::istringstream parts(text);
    std::string type, sizes, batches;
    Case c;
    std::getline(parts, c.kind, ':'), std::getline(parts, type, ':'), std::getline(parts, sizes, ':');
    if (std::getline(parts, batches)) c.batches = std::stoull(batches);
    std::istringstream each(sizes);
    for (std::string n; std::getline(each, n, 'x');) c.sizes.push_back(std::stoull(n));
    const bool f64 = type == "f64";
    const double error = f64 ? error_of<double>(c) : error_of<float>(c);
    const bool good = error < (f64 ? 1e-14 : 4e-6);
    ++(good ? right : wrong);
    std::printf("%s %s: %.2g\n", good ? "right" : "WRONG", text.c_str(), error);
    std::fflush(stdout);
  }
  std::printf("%d right, %d wrong\n", right, wrong);
  return wrong != 0;
}
