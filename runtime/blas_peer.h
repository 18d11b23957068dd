// rocBLAS and hipBLASLt on the device `hip`, loaded where they are installed.
#pragma once
#include "runtime/device.h"

struct blas_gemm;  // blas_abi.h
struct blas_pointers;

namespace wavesmith::runtime {

class BlasPeer {
 public:
  // rocblas or hipblaslt. The device must be `hip`. Error: DeviceError: not installed, or another interface.
  explicit BlasPeer(const std::string& name);
  ~BlasPeer();
  std::string version() const;
  // What enqueues the GEMM. LaunchError, from either: the library does not have it. Valid as long as the peer.
  std::function<void(const blas_pointers&)> prepare(const blas_gemm&);

 private:
  struct Library;
  std::string name_;
  std::unique_ptr<Library> library_;
};

}  // namespace wavesmith::runtime
