/* What is used of the C interfaces of rocBLAS and hipBLASLt, by their binary interfaces, and one GEMM through either of
   them. C and C++: a benchmark kit (tools/bench/kit) is compiled as C. Include hip_abi.h first. */
#ifndef WAVESMITH_BLAS_ABI_H
#define WAVESMITH_BLAS_ABI_H
#include <stdint.h>
#include <stdio.h>

/* clang-format off */
#define WAVESMITH_ROCBLAS_CALLS(CALL) \
  CALL(int, rocblas_create_handle, (void** handle)) \
  CALL(int, rocblas_destroy_handle, (void* handle)) \
  CALL(int, rocblas_get_version_string, (char* text, size_t bytes)) \
  CALL(const char*, rocblas_status_to_string, (int status)) \
  CALL(int, rocblas_gemm_strided_batched_ex, (void* handle, int trans_a, int trans_b, int m, int n, int k, \
       const void* alpha, const void* a, int a_type, int lda, int64_t stride_a, const void* b, int b_type, int ldb, \
       int64_t stride_b, const void* beta, const void* c, int c_type, int ldc, int64_t stride_c, void* d, int d_type, \
       int ldd, int64_t stride_d, int batch, int compute_type, int algo, int32_t solution, uint32_t flags))
#define WAVESMITH_HIPBLASLT_CALLS(CALL) \
  CALL(int, hipblasLtCreate, (void** handle)) \
  CALL(int, hipblasLtDestroy, (void* handle)) \
  CALL(int, hipblasLtGetVersion, (void* handle, int* version)) \
  CALL(int, hipblasLtMatmulDescCreate, (void** desc, int compute_type, int scale_type)) \
  CALL(int, hipblasLtMatmulDescDestroy, (void* desc)) \
  CALL(int, hipblasLtMatmulDescSetAttribute, (void* desc, int attribute, const void* value, size_t bytes)) \
  CALL(int, hipblasLtMatrixLayoutCreate, (void** layout, int type, uint64_t rows, uint64_t columns, int64_t ld)) \
  CALL(int, hipblasLtMatrixLayoutDestroy, (void* layout)) \
  CALL(int, hipblasLtMatrixLayoutSetAttribute, (void* layout, int attribute, const void* value, size_t bytes)) \
  CALL(int, hipblasLtMatmulPreferenceCreate, (void** preference)) \
  CALL(int, hipblasLtMatmulPreferenceDestroy, (void* preference)) \
  CALL(int, hipblasLtMatmulPreferenceSetAttribute, (void* preference, int attribute, const void* value, size_t bytes)) \
  CALL(int, hipblasLtMatmulAlgoGetHeuristic, (void* handle, void* desc, void* a, void* b, void* c, void* d, \
       void* preference, int requested, void* results, int* found)) \
  CALL(int, hipblasLtMatmul, (void* handle, void* desc, const void* alpha, const void* a, void* a_layout, \
       const void* b, void* b_layout, const void* beta, const void* c, void* c_layout, void* d, void* d_layout, \
       const void* algo, void* workspace, size_t bytes, void* stream))

/* Types of elements by the names of this program: rocblas_datatype and hipDataType; 0 of rocBLAS, -1: not theirs. */
struct blas_type { const char* name; int rocblas, hip; };
static const struct blas_type blas_types[] = {
    {"f64", 152, 1}, {"f32", 151, 0}, {"f16", 150, 2}, {"bf16", 168, 14}, {"i8", 160, 3}, {"i32", 162, 10},
    {"fp8", 0, 28}, {"bf8", 0, 29}, {"fp8_fnuz", 0, 1000}, {"bf8_fnuz", 0, 1001}};
enum { blas_op_n = 111, blas_op_t = 112,                                           /* of both libraries */
       hipblas_compute_f32 = 2, hipblas_compute_f64 = 7, hipblas_compute_i32 = 9,  /* hipblasComputeType_t */
       lt_desc_trans_a = 0, lt_desc_trans_b = 1, lt_layout_batch = 0, lt_layout_stride = 1, lt_preference_workspace = 1,
       lt_workspace_bytes = 64 << 20,
       lt_result_bytes = 4096 };  /* more than hipblasLtMatmulHeuristicResult_t has, which begins with the algorithm */
/* clang-format on */

struct blas_matrix {
  const char* type;
  int64_t ld, stride; /* elements */
};
/* D = alpha op(A) op(B) + beta C, column-major. */
struct blas_gemm {
  int trans_a, trans_b;
  int64_t m, n, k, batch;
  double alpha, beta;
  struct blas_matrix a, b, c, d;
};
struct blas_pointers {
  const void *a, *b, *c;
  void* d;
};

#define WAVESMITH_MEMBER(result, function, arguments) result(*function) arguments;
struct blas_library {
  int is_lt; /* hipBLASLt, not rocBLAS */
  const char* file;
  void *library, *handle, *workspace;
  char version[64], error[256];
  WAVESMITH_ROCBLAS_CALLS(WAVESMITH_MEMBER)
  WAVESMITH_HIPBLASLT_CALLS(WAVESMITH_MEMBER)
};
#undef WAVESMITH_MEMBER
/* A GEMM that is ready to be enqueued any number of times. */
struct blas_plan {
  struct blas_gemm gemm;
  int type_a, type_b, type_c, type_d, compute, scale;
  union {
    float f32;
    double f64;
    int32_t i32;
  } alpha, beta;
  void *desc, *layout[4]; /* hipBLASLt: of A, B, C, D */
  char result[lt_result_bytes];
};

static inline int blas_fail(struct blas_library* lib, const char* what, int status) {
  if (status && !lib->is_lt && lib->rocblas_status_to_string)
    snprintf(lib->error, sizeof lib->error, "%s: %s", what, lib->rocblas_status_to_string(status));
  else if (status) snprintf(lib->error, sizeof lib->error, "%s: status %d", what, status);
  else snprintf(lib->error, sizeof lib->error, "%s", what);
  return 0;
}

/* name: rocblas or hipblaslt. False: lib->error says why. */
static inline int blas_open(struct blas_library* lib, const char* name, const struct hip_calls* hip) {
  static const char* const roc[] = {"librocblas.so.5", "librocblas.so.4", "librocblas.so.3",
                                    "librocblas.so.0", "librocblas.so",   "/opt/rocm/lib/librocblas.so"};
  static const char* const lt[] = {"libhipblaslt.so.1", "libhipblaslt.so.0", "libhipblaslt.so",
                                   "/opt/rocm/lib/libhipblaslt.so"};
  memset(lib, 0, sizeof *lib);
  lib->is_lt = strcmp(name, "hipblaslt") == 0;
  lib->library = lib->is_lt ? first_library(lt, sizeof lt / sizeof *lt, &lib->file)
                            : first_library(roc, sizeof roc / sizeof *roc, &lib->file);
  if (!lib->library) return blas_fail(lib, "the library is not installed", 0);
#define WAVESMITH_SYMBOL(result, function, arguments) \
  if (!library_symbol(lib->library, #function, &lib->function)) \
    return blas_fail(lib, "the library has no " #function, 0);
  int status, version = 0;
  if (!lib->is_lt) {
    WAVESMITH_ROCBLAS_CALLS(WAVESMITH_SYMBOL)
    if ((status = lib->rocblas_create_handle(&lib->handle))) return blas_fail(lib, "rocblas_create_handle", status);
    lib->rocblas_get_version_string(lib->version, sizeof lib->version);
    return 1;
  }
  WAVESMITH_HIPBLASLT_CALLS(WAVESMITH_SYMBOL)
#undef WAVESMITH_SYMBOL
  /* Before ROCm 6.0 it took other numbers for the types of elements. */
  if (hip->hipRuntimeGetVersion(&version) == 0 && version < 60000000)
    return blas_fail(lib, "hipBLASLt of ROCm before 6.0 has another interface", 0);
  if ((status = lib->hipblasLtCreate(&lib->handle))) return blas_fail(lib, "hipblasLtCreate", status);
  lib->hipblasLtGetVersion(lib->handle, &version);
  snprintf(lib->version, sizeof lib->version, "%d", version);
  if (hip->hipMalloc(&lib->workspace, lt_workspace_bytes)) return blas_fail(lib, "no memory for its workspace", 0);
  return 1;
}

static inline int blas_type_number(const struct blas_library* lib, const char* name) {
  for (size_t i = 0; i < sizeof blas_types / sizeof *blas_types; ++i)
    if (strcmp(blas_types[i].name, name) == 0)
      return lib->is_lt ? blas_types[i].hip : blas_types[i].rocblas ? blas_types[i].rocblas : -1;
  return -1;
}

static inline int lt_layout(struct blas_library* lib, void** layout, int type, int64_t rows, int64_t columns,
                            const struct blas_matrix* m, int64_t batch) {
  const int32_t count = (int32_t)batch;
  int status = lib->hipblasLtMatrixLayoutCreate(layout, type, (uint64_t)rows, (uint64_t)columns, m->ld);
  if (!status) status = lib->hipblasLtMatrixLayoutSetAttribute(*layout, lt_layout_batch, &count, sizeof count);
  if (!status) status = lib->hipblasLtMatrixLayoutSetAttribute(*layout, lt_layout_stride, &m->stride, sizeof m->stride);
  return status ? blas_fail(lib, "hipblasLtMatrixLayoutCreate", status) : 1;
}

/* The library's own choice of a kernel. */
static inline int lt_choose(struct blas_library* lib, struct blas_plan* p) {
  const struct blas_gemm* g = &p->gemm;
  const int32_t trans_a = g->trans_a ? blas_op_t : blas_op_n, trans_b = g->trans_b ? blas_op_t : blas_op_n;
  const uint64_t bytes = lt_workspace_bytes;
  void* preference = NULL;
  int found = 0, status = lib->hipblasLtMatmulDescCreate(&p->desc, p->compute, p->scale);
  if (!status) status = lib->hipblasLtMatmulDescSetAttribute(p->desc, lt_desc_trans_a, &trans_a, sizeof trans_a);
  if (!status) status = lib->hipblasLtMatmulDescSetAttribute(p->desc, lt_desc_trans_b, &trans_b, sizeof trans_b);
  if (status) return blas_fail(lib, "hipblasLtMatmulDescCreate", status);
  if (!lt_layout(lib, &p->layout[0], p->type_a, g->trans_a ? g->k : g->m, g->trans_a ? g->m : g->k, &g->a, g->batch) ||
      !lt_layout(lib, &p->layout[1], p->type_b, g->trans_b ? g->n : g->k, g->trans_b ? g->k : g->n, &g->b, g->batch) ||
      !lt_layout(lib, &p->layout[2], p->type_c, g->m, g->n, &g->c, g->batch) ||
      !lt_layout(lib, &p->layout[3], p->type_d, g->m, g->n, &g->d, g->batch))
    return 0;
  if (!(status = lib->hipblasLtMatmulPreferenceCreate(&preference)))
    status = lib->hipblasLtMatmulPreferenceSetAttribute(preference, lt_preference_workspace, &bytes, sizeof bytes);
  if (!status)
    status = lib->hipblasLtMatmulAlgoGetHeuristic(lib->handle, p->desc, p->layout[0], p->layout[1], p->layout[2],
                                                  p->layout[3], preference, 1, p->result, &found);
  if (preference) lib->hipblasLtMatmulPreferenceDestroy(preference);
  if (status || !found) return blas_fail(lib, "hipblasLtMatmulAlgoGetHeuristic finds no kernel", status);
  return 1;
}

/* False: lib->error says why. A plan that was prepared is freed by blas_forget. */
static inline int blas_prepare(struct blas_library* lib, struct blas_plan* p, const struct blas_gemm* g) {
  memset(p, 0, sizeof *p);
  p->gemm = *g;
  p->type_a = blas_type_number(lib, g->a.type), p->type_b = blas_type_number(lib, g->b.type);
  p->type_c = blas_type_number(lib, g->c.type), p->type_d = blas_type_number(lib, g->d.type);
  if (p->type_a < 0 || p->type_b < 0 || p->type_c < 0 || p->type_d < 0)
    return blas_fail(lib, "it has none of these types", 0);
  const int f64 = strcmp(g->a.type, "f64") == 0, i8 = strcmp(g->a.type, "i8") == 0;
  if (f64) p->alpha.f64 = g->alpha, p->beta.f64 = g->beta;
  else if (i8) p->alpha.i32 = (int32_t)g->alpha, p->beta.i32 = (int32_t)g->beta;
  else p->alpha.f32 = (float)g->alpha, p->beta.f32 = (float)g->beta;
  p->scale = blas_type_number(lib, f64 ? "f64" : i8 ? "i32" : "f32");
  p->compute = !lib->is_lt ? p->scale : f64 ? hipblas_compute_f64 : i8 ? hipblas_compute_i32 : hipblas_compute_f32;
  return lib->is_lt ? lt_choose(lib, p) : 1;
}

static inline void blas_forget(struct blas_library* lib, struct blas_plan* p) {
  if (p->desc) lib->hipblasLtMatmulDescDestroy(p->desc);
  for (int i = 0; i < 4; ++i)
    if (p->layout[i]) lib->hipblasLtMatrixLayoutDestroy(p->layout[i]);
  p->desc = NULL;
  memset(p->layout, 0, sizeof p->layout);
}

/* On HIP's null stream. */
static inline int blas_enqueue(struct blas_library* lib, const struct blas_plan* p, const struct blas_pointers* at) {
  const struct blas_gemm* g = &p->gemm;
  const int status =
      lib->is_lt ? lib->hipblasLtMatmul(lib->handle, p->desc, &p->alpha, at->a, p->layout[0], at->b, p->layout[1],
                                        &p->beta, at->c, p->layout[2], at->d, p->layout[3], p->result, lib->workspace,
                                        lt_workspace_bytes, NULL)
                 : lib->rocblas_gemm_strided_batched_ex(
                       lib->handle, g->trans_a ? blas_op_t : blas_op_n, g->trans_b ? blas_op_t : blas_op_n, (int)g->m,
                       (int)g->n, (int)g->k, &p->alpha, at->a, p->type_a, (int)g->a.ld, g->a.stride, at->b, p->type_b,
                       (int)g->b.ld, g->b.stride, &p->beta, at->c, p->type_c, (int)g->c.ld, g->c.stride, at->d,
                       p->type_d, (int)g->d.ld, g->d.stride, (int)g->batch, p->compute, 0, 0, 0);
  return status ? blas_fail(lib, lib->is_lt ? "hipblasLtMatmul" : "rocblas_gemm_strided_batched_ex", status) : 1;
}
#endif
