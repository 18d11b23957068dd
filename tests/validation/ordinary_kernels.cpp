// The OpenCL of the ordinary kernels, our own of the same computations as the measured programs, and their compilation.
// Workgroup sizes that the measured programs ask the launch for are arguments here, for what a compiler knows of them
// decides which loops it unrolls; bounds are hipcc's.
#include "tests/validation/ordinary_kernels.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "runtime/files.h"

namespace wavesmith::validation {
namespace {

constexpr const char* source = R"(
#define kernel __kernel __attribute__((amdgpu_flat_work_group_size(1, 1024)))
#define ITEM (__builtin_amdgcn_workgroup_id_x() * GROUP + __builtin_amdgcn_workitem_id_x())
#define GROUP 256
kernel void vectoradd(global float* c, global const float* a, global const float* b, int n) {
  const int i = ITEM;
  if (i < n) c[i] = a[i] + b[i];
}
kernel void relu(int n, global const float* in, global float* out) {
  const int i = ITEM;
  if (i < n) { const float x = in[i]; out[i] = x > 0 ? x : 0; }
}
kernel void fir(global float* out, global const float* taps, global const float* in, global const float* before, uint n) {
  const uint i = ITEM;
  float sum = 0;
  for (uint k = 0; k < n; ++k) {
    if (i >= k) sum += taps[k] * in[i - k];
    else sum += taps[k] * before[n - (k - i)];
  }
  out[i] = sum;
}
kernel void walsh(global float* a, int step) {
  const uint i = ITEM, at = i % step, pair = 2 * step * (i / step) + at;
  const float x = a[pair], y = a[pair + step];
  a[pair] = x + y, a[pair + step] = x - y;
}
#undef GROUP
#define GROUP 64
kernel void sort(global uint* a, uint stage, uint pass, uint up) {
  const uint i = ITEM, apart = 1u << (stage - pass), left = i % apart + i / apart * 2 * apart, right = left + apart;
  const uint x = a[left], y = a[right], low = x < y ? x : y, high = x < y ? y : x;
  if ((i >> stage) % 2 == 1) up = 1 - up;
  if (up) a[left] = low, a[right] = high;
  else a[left] = high, a[right] = low;
}
kernel void paths(global uint* far, global uint* by, uint n, uint k) {
  const int x = __builtin_amdgcn_workgroup_id_x() * 8 + __builtin_amdgcn_workitem_id_x();
  const int y = __builtin_amdgcn_workgroup_id_y() * 8 + __builtin_amdgcn_workitem_id_y();
  const int now = far[y * n + x], then = far[y * n + k] + far[k * n + x];
  if (then < now) far[y * n + x] = then, by[y * n + x] = k;
}
kernel void convolution(global const uint* in, global const float* mask, global int* out, uint width, uint height, uint size, uint pitch) {
  const uint i = ITEM, x = i % width, y = i / width;
  if (y >= height) return;
  float sum = 0;
  uint r = 0;
  for (uint v = y; v < y + size; ++v, ++r) {
    uint c = 0;
    for (uint u = x; u < x + size; ++u, ++c) sum += (float)in[v * pitch + u] * mask[r * size + c];
  }
  out[i] = (int)(sum + 0.5f);
}

static void meet(void) {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
kernel void nbody(global const float4* at, global const float4* speed, int bodies, float step, float soft,
                  global float4* shared, global float4* next, global float4* faster, uint group) {
  const uint lane = __builtin_amdgcn_workitem_id_x(), i = __builtin_amdgcn_workgroup_id_x() * group + lane;
  const float4 me = at[i];
  float4 pull = (float4)(0);
  for (int t = 0; t < (int)(bodies / group); ++t) {
    shared[lane] = at[t * group + lane];
    meet();
    for (uint k = 0; k < group; ++k) {
      const float4 other = shared[k];
      const float x = other.x - me.x, y = other.y - me.y, z = other.z - me.z;
      const float near = 1.0f / __builtin_sqrtf(x * x + y * y + z * z + soft), weight = other.w * (near * near * near);
      pull.x += weight * x, pull.y += weight * y, pull.z += weight * z;
    }
    meet();
  }
  const float4 v = speed[i];
  const float pace = 0.5f * step * step;
  next[i] = (float4)(me.x + v.x * step + pull.x * pace, me.y + v.y * step + pull.y * pace, me.z + v.z * step + pull.z * pace, me.w);
  faster[i] = (float4)(v.x + pull.x * step, v.y + pull.y * step, v.z + pull.z * step, v.w);
}
kernel void transpose(global float4* out, global const float4* in, uint width, uint blocks) {
  local float4 tile[16 * 16 * 4];
  const uint x = __builtin_amdgcn_workitem_id_x(), y = __builtin_amdgcn_workitem_id_y();
  const uint row = __builtin_amdgcn_workgroup_id_x(), column = (row + __builtin_amdgcn_workgroup_id_y()) % blocks;
  const uint from = column * 16 + x + (row * 16 + y) * width * 4, to = row * 16 + x + (column * 16 + y) * width * 4;
  for (uint k = 0; k < 4; ++k) tile[y * 64 + x + 16 * k] = in[from + width * k];
  meet();
  float4 v[4];
  for (uint k = 0; k < 4; ++k) v[k] = tile[x * 64 + y + 16 * k];
  out[to] = (float4)(v[0].x, v[1].x, v[2].x, v[3].x), out[to + width] = (float4)(v[0].y, v[1].y, v[2].y, v[3].y);
  out[to + 2 * width] = (float4)(v[0].z, v[1].z, v[2].z, v[3].z), out[to + 3 * width] = (float4)(v[0].w, v[1].w, v[2].w, v[3].w);
}
kernel void product(global const float4* a, global const float4* b, global float4* c, int n, global float4* block, int side, int groups) {
  const int x = __builtin_amdgcn_workitem_id_x(), y = __builtin_amdgcn_workitem_id_y(), quads = n / 4, pitch = groups * side;
  const int gx = __builtin_amdgcn_workgroup_id_x() * side + x, gy = __builtin_amdgcn_workgroup_id_y() * side + y;
  float4 sum[4] = {(float4)(0), (float4)(0), (float4)(0), (float4)(0)};
  for (int t = 0; t < quads / side; ++t) {
    for (int k = 0; k < 4; ++k) block[x + side * (4 * y + k)] = a[t * side + x + (4 * gy + k) * quads];
    meet();
    for (int j = 0; j < side; ++j) {
      float4 left[4], right[4];
      for (int k = 0; k < 4; ++k) left[k] = block[j + side * (4 * y + k)];
      for (int k = 0; k < 4; ++k) right[k] = b[gx + (4 * (t * side + j) + k) * pitch];
      for (int k = 0; k < 4; ++k) sum[k] += left[k].x * right[0] + left[k].y * right[1] + left[k].z * right[2] + left[k].w * right[3];
    }
    meet();
  }
  for (int k = 0; k < 4; ++k) c[gx + (4 * gy + k) * pitch] = sum[k];
}
)";

// Whether the program is there at all: then a failure is one of the source.
bool runs(const char* clang) { return std::system(fmt::format("{} --version >/dev/null 2>&1", clang).c_str()) == 0; }

}  // namespace

std::vector<uint8_t> ordinary_kernels() {
  const auto stem = (std::filesystem::temp_directory_path() / fmt::format("wavesmith_ordinary_{}", getpid())).string();
  runtime::write_file(stem + ".cl", std::string_view(source));
  std::vector<uint8_t> bytes;
  std::string error;
  for (const char* clang : {"clang-22", "/usr/lib/llvm-22/bin/clang"}) {
    if (!runs(clang)) continue;
    const auto command = fmt::format(
        "{} -x cl -cl-std=CL2.0 -O2 -ffp-contract=fast -cl-fp32-correctly-rounded-divide-sqrt -target "
        "amdgcn-amd-amdhsa -mcpu=gfx942 -nogpulib -w -o {}.co "
        "{}.cl 2>{}.err",
        clang, stem, stem, stem);
    if (std::system(command.c_str()) == 0) bytes = runtime::read_file(stem + ".co");
    else {
      const auto said = runtime::read_file(stem + ".err");
      error =
          fmt::format("ordinary kernels: {} does not compile them: {}", clang, std::string(said.begin(), said.end()));
    }
    break;
  }
  std::error_code ignored;
  std::filesystem::remove(stem + ".cl", ignored), std::filesystem::remove(stem + ".co", ignored),
      std::filesystem::remove(stem + ".err", ignored);
  if (!error.empty()) throw std::runtime_error(error);
  return bytes;
}

}  // namespace wavesmith::validation
