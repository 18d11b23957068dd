// <<<>>>, variables, managed and host memory, advice on it, streams and events, attributes, occupancy, copies of
// planes, pools.
#include "program.h"

__constant__ float offsets[64];
__device__ int counter = 3;
__managed__ int shared_value = 5;

__global__ void add(const float* a, const float* b, float* c, int n) {
  const int i = place();
  if (i < n) c[i] = a[i] + b[i] + offsets[item()];
}
__global__ void count(int by) { __atomic_fetch_add(&counter, by, __ATOMIC_RELAXED); }
__global__ void touch(int* host, int* managed) {
  host[item()] += static_cast<int>(item());
  if (item() == 0) *managed += shared_value, shared_value = 40;
}
extern __shared__ int dynamic[];
__global__ void reverse(int* v) {
  dynamic[item()] = v[item()];
  synchronize();
  v[item()] = dynamic[__builtin_amdgcn_workgroup_size_x() - 1 - item()];
}
struct Packed {
  char c;
  double d;
  short s[3];
};
__global__ void by_value(Packed p, double* out, char after) { *out = p.d + p.c + p.s[2] + after; }
__global__ __attribute__((amdgpu_flat_work_group_size(1, 256))) void small(int* p) { p[item()] = 1; }

static void launches() {
  const int n = 1000;
  std::vector<float> a(n), b(n), o(64);
  for (int i = 0; i < n; ++i) a[i] = i * 0.5f, b[i] = 7.0f - i;
  for (int i = 0; i < 64; ++i) o[i] = i * 1000.0f;
  CHECKED(hipMemcpyToSymbol(reinterpret_cast<const void*>(offsets), o.data(), 256, 0, hipMemcpyHostToDevice));
  Device<float> x(a), y(b), z(std::vector<float>(n, 0.0f));
  add<<<(n + 63) / 64, 64>>>(x.p, y.p, z.p, n);
  CHECKED(hipGetLastError());
  CHECKED(hipDeviceSynchronize());
  const auto sum = z.read(n);
  for (int i = 0; i < n; ++i) EXPECT(sum[i] == a[i] + b[i] + o[i % 64]);

  Device<double> out(std::vector<double>(1));
  by_value<<<1, 1>>>(Packed{2, 0.25, {1, 2, 3}}, out.p, 10);
  EXPECT(out.read(1)[0] == 15.25);

  std::vector<int> order(100);
  for (int i = 0; i < 100; ++i) order[i] = i;
  Device<int> v(order);
  reverse<<<1, 100, 400>>>(v.p);
  EXPECT(v.read(100)[0] == 99 && v.read(100)[98] == 1);

  add<<<1, 2048>>>(x.p, y.p, z.p, n);
  EXPECT(hipGetLastError() == hipErrorInvalidConfiguration);
  add<<<0, 64>>>(x.p, y.p, z.p, n);
  EXPECT(hipGetLastError() == hipErrorInvalidValue);
  EXPECT(hipGetLastError() == hipSuccess);
}

static void variables() {
  count<<<2, 32>>>(2);
  int now = 0;
  CHECKED(hipMemcpyFromSymbol(&now, reinterpret_cast<const void*>(&counter), 4, 0, hipMemcpyDeviceToHost));
  EXPECT(now == 3 + 128);
  void* at = nullptr;
  size_t bytes = 0;
  CHECKED(hipGetSymbolAddress(&at, reinterpret_cast<const void*>(offsets)));
  CHECKED(hipGetSymbolSize(&bytes, reinterpret_cast<const void*>(offsets)));
  EXPECT(bytes == 256 && at);
  float third = 0;
  CHECKED(hipMemcpy(&third, static_cast<char*>(at) + 8, 4, hipMemcpyDeviceToHost));
  EXPECT(third == 2000.0f);
  EXPECT(hipGetSymbolAddress(&at, &now) == hipErrorInvalidSymbol);
}

static void shared_memory() {
  int *host = nullptr, *managed = nullptr, *seen = nullptr;
  CHECKED(hipHostMalloc(reinterpret_cast<void**>(&host), 256, hipHostMallocMapped));
  CHECKED(hipMallocManaged(reinterpret_cast<void**>(&managed), 4, hipMemAttachGlobal));
  CHECKED(hipHostGetDevicePointer(reinterpret_cast<void**>(&seen), host, 0));
  for (int i = 0; i < 64; ++i) host[i] = 100;
  *managed = 1, shared_value = 6;
  touch<<<1, 64>>>(seen, managed);
  CHECKED(hipDeviceSynchronize());
  EXPECT(host[63] == 163 && *managed == 7 && shared_value == 40);
  CHECKED(hipFree(managed));
  CHECKED(hipHostFree(host));

  std::vector<int> mine(64, 5);
  int one = 0;
  shared_value = 1;
  CHECKED(hipHostRegister(mine.data(), 256, 0));
  CHECKED(hipHostRegister(&one, 4, 0));
  touch<<<1, 64>>>(mine.data(), &one);
  CHECKED(hipHostUnregister(mine.data()));
  CHECKED(hipHostUnregister(&one));
  EXPECT(mine[10] == 15 && one == 1);
}

// Advice is kept by byte range; what a range does not have everywhere, it does not have.
static void advice() {
  char* p = nullptr;
  constexpr size_t page = 4096;
  CHECKED(hipMallocManaged(reinterpret_cast<void**>(&p), 4 * page, hipMemAttachGlobal));
  const auto of = [&](hipMemRangeAttribute which, size_t first, size_t pages) {
    int value = 77;
    CHECKED(hipMemRangeGetAttribute(&value, 4, which, p + first * page, pages * page));
    return value;
  };
  EXPECT(of(hipMemRangeAttributeReadMostly, 0, 4) == 0 && of(hipMemRangeAttributePreferredLocation, 0, 4) == -2 &&
         of(hipMemRangeAttributeLastPrefetchLocation, 0, 4) == -2);
  CHECKED(hipMemAdvise(p, 2 * page, hipMemAdviseSetReadMostly, 0));
  CHECKED(hipMemAdvise(p + page, 2 * page, hipMemAdviseSetPreferredLocation, hipCpuDeviceId));
  CHECKED(hipMemPrefetchAsync(p + 3 * page, page, 0, nullptr));
  EXPECT(of(hipMemRangeAttributeReadMostly, 0, 2) == 1 && of(hipMemRangeAttributeReadMostly, 0, 3) == 0);
  EXPECT(of(hipMemRangeAttributePreferredLocation, 1, 2) == -1 &&
         of(hipMemRangeAttributePreferredLocation, 0, 2) == -2);
  EXPECT(of(hipMemRangeAttributeLastPrefetchLocation, 3, 1) == 0 &&
         of(hipMemRangeAttributeLastPrefetchLocation, 2, 2) == -2);
  CHECKED(hipMemAdvise(p, page, hipMemAdviseUnsetReadMostly, 0));
  EXPECT(of(hipMemRangeAttributeReadMostly, 1, 1) == 1 && of(hipMemRangeAttributeReadMostly, 0, 2) == 0);
  CHECKED(hipMemAdvise(p, 4 * page, hipMemAdviseSetAccessedBy, 0));
  CHECKED(hipMemAdvise(p, 4 * page, hipMemAdviseSetAccessedBy, hipCpuDeviceId));
  int by[3] = {77, 77, 77};
  CHECKED(hipMemRangeGetAttribute(by, sizeof by, hipMemRangeAttributeAccessedBy, p, 4 * page));
  EXPECT(by[0] == -1 && by[1] == 0 && by[2] == -2);
  EXPECT(hipMemRangeGetAttribute(by, 8, hipMemRangeAttributeReadMostly, p, page) == hipErrorInvalidValue &&
         by[0] == -1 && by[1] == 0);
  EXPECT(hipMemRangeGetAttribute(by, 4, static_cast<hipMemRangeAttribute>(999), p, page) == hipErrorInvalidValue);
  EXPECT(hipMemRangeGetAttribute(by, 4, hipMemRangeAttributeReadMostly, p, 5 * page) == hipErrorInvalidValue);
  CHECKED(hipFree(p));
}

static void events() {
  hipStream_t s, t;
  CHECKED(hipStreamCreate(&s));
  CHECKED(hipStreamCreateWithFlags(&t, hipStreamNonBlocking));
  hipEvent_t start, middle, stop;
  for (hipEvent_t* e : {&start, &middle, &stop}) CHECKED(hipEventCreate(e));
  const int n = 1 << 14;
  Device<float> a(std::vector<float>(n, 1.0f)), b(std::vector<float>(n, 2.0f)), c(std::vector<float>(n, 0.0f));
  CHECKED(hipEventRecord(start, s));
  add<<<n / 256, 256, 0, s>>>(a.p, b.p, c.p, 1);
  CHECKED(hipEventRecord(middle, s));
  for (int i = 0; i < 3; ++i) add<<<n / 64, 64, 0, s>>>(a.p, b.p, c.p, n);
  CHECKED(hipEventRecord(stop, s));
  CHECKED(hipStreamWaitEvent(t, stop, 0));
  CHECKED(hipEventSynchronize(stop));
  float one = 0, three = 0;
  CHECKED(hipEventElapsedTime(&one, start, middle));
  CHECKED(hipEventElapsedTime(&three, middle, stop));
  EXPECT(one > 1e-4f && one < 1.0f && three > one && three < 3.0f);
  EXPECT(hipEventQuery(stop) == hipSuccess && hipStreamQuery(t) == hipSuccess);
  bool called = false;
  CHECKED(hipLaunchHostFunc(t, [](void* p) { *static_cast<bool*>(p) = true; }, &called));
  CHECKED(hipStreamSynchronize(t));
  EXPECT(called);
  for (hipEvent_t e : {start, middle, stop}) CHECKED(hipEventDestroy(e));
  EXPECT(hipEventDestroy(start) == hipErrorContextIsDestroyed);
  char id[16] = {};
  EXPECT(hipDeviceGetPCIBusId(id, 7, 0) == hipErrorInvalidValue && !std::strcmp(id, "0000:0"));
  unsigned flags = 0;
  CHECKED(hipSetDeviceFlags(hipDeviceScheduleSpin | hipDeviceMapHost));
  CHECKED(hipGetDeviceFlags(&flags));
  EXPECT(flags == hipDeviceScheduleSpin);
  EXPECT(hipMemPrefetchAsync(nullptr, 0, 2, nullptr) == hipErrorInvalidValue);
  CHECKED(hipStreamDestroy(s));
  CHECKED(hipStreamDestroy(t));
  EXPECT(hipStreamSynchronize(s) == hipErrorContextIsDestroyed);
}

static void resources() {
  hipFuncAttributes a;
  CHECKED(hipFuncGetAttributes(&a, reinterpret_cast<const void*>(small)));
  EXPECT(a.maxThreadsPerBlock == 256 && a.numRegs > 0);
  int blocks = 0, grid = 0, block = 0;
  CHECKED(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, reinterpret_cast<const void*>(add), 256, 0));
  EXPECT(blocks == 8);  // gfx942: 4 SIMDs of 8 waves, 4 waves each
  CHECKED(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, reinterpret_cast<const void*>(add), 256, 40000));
  EXPECT(blocks == 1);
  CHECKED(hipOccupancyMaxPotentialBlockSize(&grid, &block, reinterpret_cast<const void*>(small), 0, 0));
  EXPECT(block <= 256 && block > 0 && grid > 0);
  size_t free = 0, total = 0, before = 0;
  CHECKED(hipMemGetInfo(&before, &total));
  void* p = nullptr;
  CHECKED(hipMalloc(&p, 1 << 20));
  CHECKED(hipMemGetInfo(&free, &total));
  EXPECT(before - free == 1 << 20);
  hipPointerAttribute_t at;
  CHECKED(hipPointerGetAttributes(&at, static_cast<char*>(p) + 5));
  EXPECT(at.devicePointer == static_cast<char*>(p) + 5 && at.hostPointer == nullptr);
  CHECKED(hipFree(p));
  EXPECT(hipFree(p) == hipErrorInvalidValue);
  EXPECT(hipMalloc(&p, size_t{1} << 50) == hipErrorOutOfMemory);
  int n = 0;
  CHECKED(hipGetDeviceCount(&n));
  EXPECT(n == 1 && hipSetDevice(1) == hipErrorInvalidDevice);
}

static void planes() {
  char *p = nullptr, in[12], out[12] = {};
  size_t pitch = 0;
  CHECKED(hipMallocPitch(reinterpret_cast<void**>(&p), &pitch, 4, 3));
  for (int i = 0; i < 12; ++i) in[i] = static_cast<char>(i);
  CHECKED(hipMemset2D(p, pitch, 9, 4, 3));
  CHECKED(hipMemcpy2D(p, pitch, in, 4, 3, 3, hipMemcpyHostToDevice));
  CHECKED(hipMemcpy2D(out, 4, p, pitch, 4, 3, hipMemcpyDeviceToHost));
  for (int i = 0; i < 12; ++i) EXPECT(out[i] == (i % 4 == 3 ? 9 : i));
  EXPECT(hipMemcpy(p, in, 3 * pitch + 1, hipMemcpyHostToDevice) == hipErrorInvalidValue);  // leaves the buffer
  EXPECT(hipMemcpy2D(p, 2, in, 4, 3, 3, hipMemcpyHostToDevice) == hipErrorInvalidPitchValue);
  CHECKED(hipFree(p));
  int* q = nullptr;
  CHECKED(hipMallocAsync(reinterpret_cast<void**>(&q), 64, nullptr));
  CHECKED(hipMemsetD32Async(q, 77, 16, nullptr));
  int last = 0;
  CHECKED(hipMemcpy(&last, q + 15, 4, hipMemcpyDeviceToHost));
  EXPECT(last == 77);
  CHECKED(hipFreeAsync(q, nullptr));
}

int main() {
  shared_value += 0;  // is there before the first call
  EXPECT(shared_value == 5);
  launches(), variables(), shared_memory(), advice(), events(), resources(), planes();
  std::puts("passed");
}
