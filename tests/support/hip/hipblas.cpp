// A stand-in for libhipblas: matrices of device memory are copied to the host, computed by OpenBLAS in f32, and copied
// back. Compiled by clang (rocm_programs.sh), which has _Float16.
#include <cblas.h>
#include <hipblas/hipblas.h>

#include <cstdint>
#include <cstring>
#include <vector>

namespace {

struct Matrix {  // columns of `ld` elements; `at` is an address of the device
  const void* at;
  hipblasDatatype_t type;
  int ld;
};
size_t element_bytes(hipblasDatatype_t t) { return t == HIPBLAS_R_32F ? 4 : 2; }

float number(const void* p, hipblasDatatype_t t) {
  if (t == HIPBLAS_R_16F) return *static_cast<const _Float16*>(p);
  uint32_t bits = 0;
  std::memcpy(&bits, p, element_bytes(t));
  if (t == HIPBLAS_R_16B) bits <<= 16;
  float x;
  std::memcpy(&x, &bits, 4);
  return x;
}
void store(void* p, hipblasDatatype_t t, float x) {
  if (t == HIPBLAS_R_16F) {
    *static_cast<_Float16*>(p) = static_cast<_Float16>(x);
    return;
  }
  uint32_t bits;
  std::memcpy(&bits, &x, 4);
  if (t == HIPBLAS_R_16B) bits = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;  // to nearest, ties to even
  std::memcpy(p, &bits, element_bytes(t));
}

std::vector<float> read(const Matrix& x, int rows, int cols) {
  const size_t bytes = element_bytes(x.type), n = static_cast<size_t>(x.ld) * (cols - 1) + rows;
  std::vector<char> raw(n * bytes);
  (void)hipMemcpy(raw.data(), x.at, raw.size(), hipMemcpyDeviceToHost);
  std::vector<float> values(n);
  for (size_t i = 0; i < n; ++i) values[i] = number(&raw[i * bytes], x.type);
  return values;
}
void write(const Matrix& x, const std::vector<float>& values) {
  const size_t bytes = element_bytes(x.type);
  std::vector<char> raw(values.size() * bytes);
  for (size_t i = 0; i < values.size(); ++i) store(&raw[i * bytes], x.type, values[i]);
  (void)hipMemcpy(const_cast<void*>(x.at), raw.data(), raw.size(), hipMemcpyHostToDevice);
}

CBLAS_TRANSPOSE cblas_op(hipblasOperation_t op) { return op == HIPBLAS_OP_T ? CblasTrans : CblasNoTrans; }

struct Product {
  hipblasOperation_t op_a, op_b;
  int m, n, k;
  float alpha, beta;
  hipblasStatus_t operator()(const Matrix& a, const Matrix& b, const Matrix& c) const {
    const bool ta = op_a == HIPBLAS_OP_T, tb = op_b == HIPBLAS_OP_T;
    const auto ha = read(a, ta ? k : m, ta ? m : k), hb = read(b, tb ? n : k, tb ? k : n);
    auto hc = read(c, m, n);
    cblas_sgemm(CblasColMajor, cblas_op(op_a), cblas_op(op_b), m, n, k, alpha, ha.data(), a.ld, hb.data(), b.ld, beta,
                hc.data(), c.ld);
    write(c, hc);
    return HIPBLAS_STATUS_SUCCESS;
  }
};
// The i-th matrix of a batch: at a stride, or by a list of addresses on the device.
const void* at(const void* first, hipblasDatatype_t t, long long stride, int i) {
  return static_cast<const char*>(first) + i * stride * static_cast<long long>(element_bytes(t));
}
std::vector<const void*> addresses(const void* list, int batch) {
  std::vector<const void*> all(static_cast<size_t>(batch));
  (void)hipMemcpy(all.data(), list, all.size() * sizeof(void*), hipMemcpyDefault);
  return all;
}
constexpr auto f32 = HIPBLAS_R_32F;

}  // namespace

hipblasStatus_t hipblasCreate(hipblasHandle_t* handle) { return *handle = new char, HIPBLAS_STATUS_SUCCESS; }
hipblasStatus_t hipblasDestroy(hipblasHandle_t handle) {
  return delete static_cast<char*>(handle), HIPBLAS_STATUS_SUCCESS;
}
hipblasStatus_t hipblasSetStream(hipblasHandle_t, hipStream_t) { return HIPBLAS_STATUS_SUCCESS; }

hipblasStatus_t hipblasGemmStridedBatchedEx(hipblasHandle_t, hipblasOperation_t op_a, hipblasOperation_t op_b, int m,
                                            int n, int k, const void* alpha, const void* a, hipblasDatatype_t type_a,
                                            int lda, long long stride_a, const void* b, hipblasDatatype_t type_b,
                                            int ldb, long long stride_b, const void* beta, void* c,
                                            hipblasDatatype_t type_c, int ldc, long long stride_c, int batch,
                                            hipblasDatatype_t compute, hipblasGemmAlgo_t) {
  const Product product{op_a, op_b, m, n, k, number(alpha, compute), number(beta, compute)};
  for (int i = 0; i < batch; ++i)
    product({at(a, type_a, stride_a, i), type_a, lda}, {at(b, type_b, stride_b, i), type_b, ldb},
            {at(c, type_c, stride_c, i), type_c, ldc});
  return HIPBLAS_STATUS_SUCCESS;
}
hipblasStatus_t hipblasGemmBatchedEx(hipblasHandle_t, hipblasOperation_t op_a, hipblasOperation_t op_b, int m, int n,
                                     int k, const void* alpha, const void* a[], hipblasDatatype_t type_a, int lda,
                                     const void* b[], hipblasDatatype_t type_b, int ldb, const void* beta, void* c[],
                                     hipblasDatatype_t type_c, int ldc, int batch, hipblasDatatype_t compute,
                                     hipblasGemmAlgo_t) {
  const Product product{op_a, op_b, m, n, k, number(alpha, compute), number(beta, compute)};
  const auto as = addresses(a, batch), bs = addresses(b, batch), cs = addresses(c, batch);
  for (size_t i = 0; i < as.size(); ++i) product({as[i], type_a, lda}, {bs[i], type_b, ldb}, {cs[i], type_c, ldc});
  return HIPBLAS_STATUS_SUCCESS;
}
hipblasStatus_t hipblasGemmEx(hipblasHandle_t h, hipblasOperation_t op_a, hipblasOperation_t op_b, int m, int n, int k,
                              const void* alpha, const void* a, hipblasDatatype_t type_a, int lda, const void* b,
                              hipblasDatatype_t type_b, int ldb, const void* beta, void* c, hipblasDatatype_t type_c,
                              int ldc, hipblasDatatype_t compute, hipblasGemmAlgo_t algo) {
  return hipblasGemmStridedBatchedEx(h, op_a, op_b, m, n, k, alpha, a, type_a, lda, 0, b, type_b, ldb, 0, beta, c,
                                     type_c, ldc, 0, 1, compute, algo);
}
hipblasStatus_t hipblasSgemmStridedBatched(hipblasHandle_t h, hipblasOperation_t op_a, hipblasOperation_t op_b, int m,
                                           int n, int k, const float* alpha, const float* a, int lda,
                                           long long stride_a, const float* b, int ldb, long long stride_b,
                                           const float* beta, float* c, int ldc, long long stride_c, int batch) {
  return hipblasGemmStridedBatchedEx(h, op_a, op_b, m, n, k, alpha, a, f32, lda, stride_a, b, f32, ldb, stride_b, beta,
                                     c, f32, ldc, stride_c, batch, f32, HIPBLAS_GEMM_DEFAULT);
}
hipblasStatus_t hipblasSgemm(hipblasHandle_t h, hipblasOperation_t op_a, hipblasOperation_t op_b, int m, int n, int k,
                             const float* alpha, const float* a, int lda, const float* b, int ldb, const float* beta,
                             float* c, int ldc) {
  return hipblasSgemmStridedBatched(h, op_a, op_b, m, n, k, alpha, a, lda, 0, b, ldb, 0, beta, c, ldc, 0, 1);
}
hipblasStatus_t hipblasSgemmBatched(hipblasHandle_t h, hipblasOperation_t op_a, hipblasOperation_t op_b, int m, int n,
                                    int k, const float* alpha, const float* const* a, int lda, const float* const* b,
                                    int ldb, const float* beta, float* const* c, int ldc, int batch) {
  const auto untyped = [](auto* list) { return const_cast<const void**>(reinterpret_cast<const void* const*>(list)); };
  return hipblasGemmBatchedEx(h, op_a, op_b, m, n, k, alpha, untyped(a), f32, lda, untyped(b), f32, ldb, beta,
                              const_cast<void**>(untyped(c)), f32, ldc, batch, f32, HIPBLAS_GEMM_DEFAULT);
}
hipblasStatus_t hipblasStrsmBatched(hipblasHandle_t, hipblasSideMode_t, hipblasFillMode_t, hipblasOperation_t op,
                                    hipblasDiagType_t, int m, int n, const float* alpha, const float* const* a, int lda,
                                    float* const* b, int ldb, int batch) {
  const auto as = addresses(a, batch), bs = addresses(b, batch);
  for (size_t i = 0; i < as.size(); ++i) {
    const auto triangle = read({as[i], f32, lda}, n, n);
    auto x = read({bs[i], f32, ldb}, m, n);
    cblas_strsm(CblasColMajor, CblasRight, CblasUpper, cblas_op(op), CblasNonUnit, m, n, *alpha, triangle.data(), lda,
                x.data(), ldb);
    write({bs[i], f32, ldb}, x);
  }
  return HIPBLAS_STATUS_SUCCESS;
}
