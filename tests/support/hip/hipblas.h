// The part of hipBLAS that ggml calls, by its documented interface (ROCm 6.3); hipblas.cpp has it with OpenBLAS.
#pragma once
#include <hip/hip_runtime_api.h>

extern "C" {
using hipblasHandle_t = void*;
enum hipblasStatus_t {
  HIPBLAS_STATUS_SUCCESS,
  HIPBLAS_STATUS_NOT_INITIALIZED,
  HIPBLAS_STATUS_ALLOC_FAILED,
  HIPBLAS_STATUS_INVALID_VALUE,
  HIPBLAS_STATUS_MAPPING_ERROR,
  HIPBLAS_STATUS_EXECUTION_FAILED,
  HIPBLAS_STATUS_INTERNAL_ERROR,
  HIPBLAS_STATUS_NOT_SUPPORTED,
  HIPBLAS_STATUS_ARCH_MISMATCH
};
enum hipblasOperation_t { HIPBLAS_OP_N = 111, HIPBLAS_OP_T = 112 };
enum hipblasDatatype_t { HIPBLAS_R_16F = 150, HIPBLAS_R_32F = 151, HIPBLAS_R_16B = 168 };
enum hipblasGemmAlgo_t { HIPBLAS_GEMM_DEFAULT = 160 };
enum hipblasFillMode_t { HIPBLAS_FILL_MODE_UPPER = 121 };
enum hipblasDiagType_t { HIPBLAS_DIAG_NON_UNIT = 131 };
enum hipblasSideMode_t { HIPBLAS_SIDE_RIGHT = 142 };

hipblasStatus_t hipblasCreate(hipblasHandle_t*);
hipblasStatus_t hipblasDestroy(hipblasHandle_t);
hipblasStatus_t hipblasSetStream(hipblasHandle_t, hipStream_t);
hipblasStatus_t hipblasSgemm(hipblasHandle_t, hipblasOperation_t, hipblasOperation_t, int m, int n, int k,
                             const float* alpha, const float* a, int lda, const float* b, int ldb, const float* beta,
                             float* c, int ldc);
hipblasStatus_t hipblasSgemmStridedBatched(hipblasHandle_t, hipblasOperation_t, hipblasOperation_t, int m, int n, int k,
                                           const float* alpha, const float* a, int lda, long long stride_a,
                                           const float* b, int ldb, long long stride_b, const float* beta, float* c,
                                           int ldc, long long stride_c, int batch);
hipblasStatus_t hipblasSgemmBatched(hipblasHandle_t, hipblasOperation_t, hipblasOperation_t, int m, int n, int k,
                                    const float* alpha, const float* const* a, int lda, const float* const* b, int ldb,
                                    const float* beta, float* const* c, int ldc, int batch);
hipblasStatus_t hipblasGemmEx(hipblasHandle_t, hipblasOperation_t, hipblasOperation_t, int m, int n, int k,
                              const void* alpha, const void* a, hipblasDatatype_t, int lda, const void* b,
                              hipblasDatatype_t, int ldb, const void* beta, void* c, hipblasDatatype_t, int ldc,
                              hipblasDatatype_t compute, hipblasGemmAlgo_t);
hipblasStatus_t hipblasGemmStridedBatchedEx(hipblasHandle_t, hipblasOperation_t, hipblasOperation_t, int m, int n,
                                            int k, const void* alpha, const void* a, hipblasDatatype_t, int lda,
                                            long long stride_a, const void* b, hipblasDatatype_t, int ldb,
                                            long long stride_b, const void* beta, void* c, hipblasDatatype_t, int ldc,
                                            long long stride_c, int batch, hipblasDatatype_t compute,
                                            hipblasGemmAlgo_t);
hipblasStatus_t hipblasGemmBatchedEx(hipblasHandle_t, hipblasOperation_t, hipblasOperation_t, int m, int n, int k,
                                     const void* alpha, const void* a[], hipblasDatatype_t, int lda, const void* b[],
                                     hipblasDatatype_t, int ldb, const void* beta, void* c[], hipblasDatatype_t,
                                     int ldc, int batch, hipblasDatatype_t compute, hipblasGemmAlgo_t);
hipblasStatus_t hipblasStrsmBatched(hipblasHandle_t, hipblasSideMode_t, hipblasFillMode_t, hipblasOperation_t,
                                    hipblasDiagType_t, int m, int n, const float* alpha, const float* const* a, int lda,
                                    float* const* b, int ldb, int batch);
}
