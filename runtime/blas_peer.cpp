#include "runtime/blas_peer.h"

#include <fmt/format.h>

#include "runtime/hip_abi.h"
// after it
#include "runtime/blas_abi.h"

namespace wavesmith::runtime {

struct BlasPeer::Library {
  hip_calls hip{};
  blas_library blas{};
};

BlasPeer::BlasPeer(const std::string& name) : name_(name), library_(std::make_unique<Library>()) {
  if (const char* missing = hip_load(&library_->hip))
    throw DeviceError(fmt::format("{}: the HIP runtime is not complete: {}", name, missing));
  if (!blas_open(&library_->blas, name.c_str(), &library_->hip))
    throw DeviceError(fmt::format("{}: {}", name, library_->blas.error));
}
BlasPeer::~BlasPeer() = default;  // the libraries stay open: they keep threads

std::string BlasPeer::version() const { return library_->blas.version; }

std::function<void(const blas_pointers&)> BlasPeer::prepare(const blas_gemm& gemm) {
  blas_library* const library = &library_->blas;
  const std::shared_ptr<blas_plan> plan(new blas_plan, [library](blas_plan* p) {  // std::function copies what it holds
    blas_forget(library, p);
    delete p;
  });
  if (!blas_prepare(library, plan.get(), &gemm)) throw LaunchError(fmt::format("{}: {}", name_, library->error));
  return [name = name_, library, plan](const blas_pointers& at) {
    if (!blas_enqueue(library, plan.get(), &at)) throw LaunchError(fmt::format("{}: {}", name, library->error));
  };
}

}  // namespace wavesmith::runtime
