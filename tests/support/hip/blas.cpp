// Stand-ins for librocblas and libhipblaslt, with OpenBLAS: f32 and f64, on device memory of whichever libamdhip64 the
// program has loaded. STAND_IN_HIPBLASLT chooses. By the libraries' documented interfaces (ROCm 6).
// With WAVESMITH_STAND_IN_WRONG set, the results are off by a hundredth.
#include <cblas.h>
#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

struct Matrix {
  const void* at;
  int64_t ld, stride;
};

void copy(void* to, const void* from, size_t bytes, int kind) {
  for (const char* name : {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5"})
    if (void* hip = dlopen(name, RTLD_NOW | RTLD_NOLOAD)) {
      int (*hipMemcpy)(void*, const void*, size_t, int) = nullptr;
      *reinterpret_cast<void**>(&hipMemcpy) = dlsym(hip, "hipMemcpy");
      hipMemcpy(to, from, bytes, kind);
      return;
    }
  std::abort();
}

template <class T>
void multiply(bool trans_a, bool trans_b, int64_t m, int64_t n, int64_t k, int64_t batch, T alpha, const Matrix& a,
              const Matrix& b, T beta, const Matrix& c, const Matrix& d) {
  const auto as_int = [](int64_t x) { return static_cast<blasint>(x); };
  const auto op = [](bool t) { return t ? CblasTrans : CblasNoTrans; };
  if (std::getenv("WAVESMITH_STAND_IN_WRONG")) alpha *= T(1.01);
  for (int64_t i = 0; i < batch; ++i) {
    const auto device = [&](const Matrix& x) { return static_cast<T*>(const_cast<void*>(x.at)) + i * x.stride; };
    const auto host = [&](const Matrix& x, int64_t rows, int64_t cols) {
      std::vector<T> all(static_cast<size_t>(x.ld * (cols - 1) + rows));
      copy(all.data(), device(x), all.size() * sizeof(T), 2);
      return all;
    };
    const std::vector<T> ha = host(a, trans_a ? k : m, trans_a ? m : k), hb = host(b, trans_b ? n : k, trans_b ? k : n);
    std::vector<T> hd = host(d, m, n);
    if (beta != 0) {
      const std::vector<T> hc = host(c, m, n);
      for (int64_t col = 0; col < n; ++col)
        std::memcpy(&hd[static_cast<size_t>(col * d.ld)], &hc[static_cast<size_t>(col * c.ld)],
                    static_cast<size_t>(m) * sizeof(T));
    }
    if constexpr (sizeof(T) == 4)
      cblas_sgemm(CblasColMajor, op(trans_a), op(trans_b), as_int(m), as_int(n), as_int(k), alpha, ha.data(),
                  as_int(a.ld), hb.data(), as_int(b.ld), beta, hd.data(), as_int(d.ld));
    else
      cblas_dgemm(CblasColMajor, op(trans_a), op(trans_b), as_int(m), as_int(n), as_int(k), alpha, ha.data(),
                  as_int(a.ld), hb.data(), as_int(b.ld), beta, hd.data(), as_int(d.ld));
    copy(device(d), hd.data(), hd.size() * sizeof(T), 1);
  }
}
template <class T>
T number(const void* p) {
  T x;
  std::memcpy(&x, p, sizeof x);
  return x;
}

}  // namespace

extern "C" {
#ifndef STAND_IN_HIPBLASLT
int rocblas_create_handle(void** handle) { return *handle = const_cast<char*>("a handle"), 0; }
int rocblas_destroy_handle(void*) { return 0; }
int rocblas_get_version_string(char* text, size_t bytes) { return std::snprintf(text, bytes, "4.2.0.stand-in"), 0; }
const char* rocblas_status_to_string(int status) {
  return status == 1 ? "rocblas_status_invalid_handle" : "rocblas_status_not_implemented";
}
int rocblas_gemm_strided_batched_ex(void* handle, int trans_a, int trans_b, int m, int n, int k, const void* alpha,
                                    const void* a, int a_type, int lda, int64_t stride_a, const void* b, int b_type,
                                    int ldb, int64_t stride_b, const void* beta, const void* c, int c_type, int ldc,
                                    int64_t stride_c, void* d, int d_type, int ldd, int64_t stride_d, int batch,
                                    int compute_type, int algo, int32_t solution, uint32_t flags) {
  constexpr int none = 111, transpose = 112, f32 = 151, f64 = 152;
  if (!handle) return 1;
  if ((a_type != f32 && a_type != f64) || b_type != a_type || c_type != a_type || d_type != a_type ||
      compute_type != a_type || (trans_a != none && trans_a != transpose) ||
      (trans_b != none && trans_b != transpose) || algo || solution || flags)
    return 2;
  const Matrix ma{a, lda, stride_a}, mb{b, ldb, stride_b}, mc{c, ldc, stride_c}, md{d, ldd, stride_d};
  if (a_type == f32)
    multiply<float>(trans_a == transpose, trans_b == transpose, m, n, k, batch, number<float>(alpha), ma, mb,
                    number<float>(beta), mc, md);
  else
    multiply<double>(trans_a == transpose, trans_b == transpose, m, n, k, batch, number<double>(alpha), ma, mb,
                     number<double>(beta), mc, md);
  return 0;
}
#else
struct Desc {
  int compute, scale, trans_a, trans_b;
};
struct Layout {
  int type;
  uint64_t rows, cols;
  int64_t ld;
  int32_t batch;
  int64_t stride;
};
int hipblasLtCreate(void** handle) { return *handle = const_cast<char*>("a handle"), 0; }
int hipblasLtDestroy(void*) { return 0; }
int hipblasLtGetVersion(void*, int* version) { return *version = 100000, 0; }
int hipblasLtMatmulDescCreate(Desc** desc, int compute, int scale) {
  return *desc = new Desc{compute, scale, 111, 111}, 0;
}
int hipblasLtMatmulDescDestroy(Desc* desc) { return delete desc, 0; }
int hipblasLtMatmulDescSetAttribute(Desc* desc, int attribute, const void* value, size_t bytes) {
  if (bytes != 4 || attribute > 1) return 3;  // TRANSA, TRANSB
  (attribute ? desc->trans_b : desc->trans_a) = number<int>(value);
  return 0;
}
int hipblasLtMatrixLayoutCreate(Layout** layout, int type, uint64_t rows, uint64_t cols, int64_t ld) {
  return *layout = new Layout{type, rows, cols, ld, 1, 0}, 0;
}
int hipblasLtMatrixLayoutDestroy(Layout* layout) { return delete layout, 0; }
int hipblasLtMatrixLayoutSetAttribute(Layout* layout, int attribute, const void* value, size_t bytes) {
  if (attribute == 0 && bytes == 4) return layout->batch = number<int32_t>(value), 0;   // BATCH_COUNT
  if (attribute == 1 && bytes == 8) return layout->stride = number<int64_t>(value), 0;  // STRIDED_BATCH_OFFSET
  return 3;
}
int hipblasLtMatmulPreferenceCreate(void** preference) { return *preference = new uint64_t(0), 0; }
int hipblasLtMatmulPreferenceDestroy(void* preference) { return delete static_cast<uint64_t*>(preference), 0; }
int hipblasLtMatmulPreferenceSetAttribute(void*, int attribute, const void*, size_t bytes) {
  return attribute == 1 && bytes == 8 ? 0 : 3;  // MAX_WORKSPACE_BYTES
}
// hipblasLtMatmulHeuristicResult_t of release 6: 16 bytes of data, the workspace's size, ...
int hipblasLtMatmulAlgoGetHeuristic(void*, Desc* desc, Layout* a, Layout* b, Layout* c, Layout* d, void*, int requested,
                                    void* results, int* found) {
  constexpr int f32 = 0, f64 = 1, compute_f32 = 2, compute_f64 = 7;
  const bool known = (a->type == f32 && desc->compute == compute_f32 && desc->scale == f32) ||
                     (a->type == f64 && desc->compute == compute_f64 && desc->scale == f64);
  *found = known && b->type == a->type && c->type == a->type && d->type == a->type && requested == 1;
  if (*found) std::memset(results, 0x5a, 56);
  return 0;
}
int hipblasLtMatmul(void*, Desc* desc, const void* alpha, const void* a, Layout* la, const void* b, Layout* lb,
                    const void* beta, const void* c, Layout* lc, void* d, Layout* ld, const void* algo, void* workspace,
                    size_t, void*) {
  if (number<uint8_t>(algo) != 0x5a || !workspace) return 3;
  const bool ta = desc->trans_a == 112, tb = desc->trans_b == 112;
  const auto m = static_cast<int64_t>(ld->rows), n = static_cast<int64_t>(ld->cols),
             k = static_cast<int64_t>(ta ? la->rows : la->cols);
  if (static_cast<int64_t>(tb ? lb->cols : lb->rows) != k || static_cast<int64_t>(ta ? la->cols : la->rows) != m)
    return 3;
  const Matrix ma{a, la->ld, la->stride}, mb{b, lb->ld, lb->stride}, mc{c, lc->ld, lc->stride},
      md{d, ld->ld, ld->stride};
  if (la->type == 0)
    multiply<float>(ta, tb, m, n, k, ld->batch, number<float>(alpha), ma, mb, number<float>(beta), mc, md);
  else multiply<double>(ta, tb, m, n, k, ld->batch, number<double>(alpha), ma, mb, number<double>(beta), mc, md);
  return 0;
}
#endif
}
