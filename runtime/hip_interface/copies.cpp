// Copies and fills of one, two and three dimensions, between device, host, arrays and variables. An array is rows of
// elements without gaps: nothing samples it.
#include <cstring>

#include "runtime/hip_interface/version.h"
#include "runtime/hip_interface/work.h"

namespace wavesmith::hip {
namespace {

// -- Simulated time --
constexpr double copy_seconds = 5e-6;                  // inferred: of starting a copy
constexpr double link_bytes_per_second = 63e9 * 0.85;  // PCIe 5.0 x16; inferred: the share that a copy reaches
double seconds_of(State& s, const Copy& c) {
  const double bytes = static_cast<double>(c.width) * static_cast<double>(c.height) * static_cast<double>(c.depth);
  const bool inside = s.memory.find(c.to.address, 1) && s.memory.find(c.from.address, 1);
  return copy_seconds + (inside ? 2 * bytes / (s.the_device().gpu->tb_per_s * 1e12) : bytes / link_bytes_per_second);
}
double seconds_of(State& s, const Fill& f) {
  return copy_seconds + static_cast<double>(f.width) * static_cast<double>(f.height) * static_cast<double>(f.depth) /
                            (s.the_device().gpu->tb_per_s * 1e12);
}

// Every row of `width` bytes, or the whole where rows follow each other: f(offset in it, address of a place, bytes).
bool contiguous(const PitchedAddress& p, size_t width, size_t height, size_t depth) {
  return (height == 1 || p.pitch == width) && (depth == 1 || p.slice == width * height);
}

}  // namespace

void run_copy(State& s, ihipStream_t& stream, const Copy& c) {
  if (!c.width || !c.height || !c.depth) return;
  const double seconds = seconds_of(s, c);
  const auto row = [&](uint64_t to, uint64_t from, size_t bytes) {
    uint8_t *const t = host_bytes(s, to, bytes), *const f = host_bytes(s, from, bytes);
    std::memmove(t, f, bytes);
    mark_written(s, to, bytes);
  };
  if (contiguous(c.to, c.width, c.height, c.depth) && contiguous(c.from, c.width, c.height, c.depth))
    row(c.to.address, c.from.address, c.width * c.height * c.depth);
  else
    for (size_t z = 0; z < c.depth; ++z)
      for (size_t y = 0; y < c.height; ++y)
        row(c.to.address + z * c.to.slice + y * c.to.pitch, c.from.address + z * c.from.slice + y * c.from.pitch,
            c.width);
  stream.clock = std::max(stream.clock, s.clock) + seconds;
}

void run_fill(State& s, ihipStream_t& stream, const Fill& f) {
  if (!f.width || !f.height || !f.depth) return;
  for (size_t z = 0; z < f.depth; ++z)
    for (size_t y = 0; y < f.height; ++y) {
      const uint64_t at = f.at.address + z * f.at.slice + y * f.at.pitch;
      uint8_t* const p = host_bytes(s, at, f.width);
      if (f.element == 1) std::memset(p, static_cast<int>(f.value), f.width);
      else
        for (size_t x = 0; x < f.width; x += f.element) std::memcpy(p + x, &f.value, f.element);
      mark_written(s, at, f.width);
    }
  stream.clock = std::max(stream.clock, s.clock) + seconds_of(s, f);
}

namespace {

void check_kind(int kind) {
  check(kind >= hipMemcpyHostToHost && kind <= hipMemcpyDefault, hipErrorInvalidMemcpyDirection);
}

// Where a copy would leave a buffer is an error of the call, also when it is captured.
void check_range(State& s, const PitchedAddress& p, size_t width, size_t height, size_t depth) {
  if (!width || !height || !depth) return;
  check(p.address, hipErrorInvalidValue);
  const auto* a = s.memory.find(p.address, 1);
  if (a) check(a->covers(p.address, (depth - 1) * p.slice + (height - 1) * p.pitch + width), hipErrorInvalidValue);
}
Copy checked(State& s, Copy c) {
  check_kind(c.kind);
  check_range(s, c.to, c.width, c.height, c.depth), check_range(s, c.from, c.width, c.height, c.depth);
  return c;
}
Copy linear(State& s, const void* to, const void* from, size_t bytes, hipMemcpyKind kind) {
  check_kind(kind);
  check(!bytes || (to && from), hipErrorInvalidValue);
  return checked(s, {{number(to), bytes, bytes}, {number(from), bytes, bytes}, bytes, 1, 1, kind});
}
Copy plane(State& s, const void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
           hipMemcpyKind kind) {
  check_kind(kind);
  if (!width || !height) return {{}, {}, 0, 0, 0, kind};
  check(to && from, hipErrorInvalidValue);
  check(width <= to_pitch && width <= from_pitch, hipErrorInvalidPitchValue);
  return checked(s, {{number(to), to_pitch, to_pitch * height},
                     {number(from), from_pitch, from_pitch * height},
                     width,
                     height,
                     1,
                     kind});
}

size_t element_bytes(const hipArray& a) { return static_cast<size_t>(a.desc.x + a.desc.y + a.desc.z + a.desc.w) / 8; }
size_t rows(const hipArray& a) { return std::max(a.height, 1u); }
// The part of an array that starts at bytes, row, slice.
PitchedAddress in_array(const hipArray* a, size_t x, size_t y, size_t z) {
  check(a, hipErrorInvalidHandle);
  const size_t pitch = a->width * element_bytes(*a), slice = pitch * rows(*a);
  return {number(a->data) + z * slice + y * pitch + x, pitch, slice};
}

Fill filled(State& s, const void* at, size_t pitch, size_t slice, uint32_t value, unsigned element, size_t width,
            size_t height, size_t depth) {
  if (!width || !height || !depth) return {{}, 0, 1, 0, 0, 0};
  check(at, hipErrorInvalidValue);
  const Fill f{{number(at), pitch, slice}, value, element, width, height, depth};
  check(s.memory.find(f.at.address, 1), hipErrorInvalidValue);
  check_range(s, f.at, width, height, depth);
  return f;
}

// A copy on a stream that the host waits for.
template <class Make>
hipError_t at_once(Make&& make, hipStream_t stream = nullptr) {
  return call([&](State& s) {
    const Work w = make(s);
    synchronize(s, stream);
    run(s, s.stream(stream), w);
    s.clock = std::max(s.clock, s.stream(stream).clock);
  });
}
template <class Make>
hipError_t in_order(hipStream_t stream, Make&& make) {
  return call([&](State& s) {
    s.stream(stream);
    submit(s, stream, make(s));
  });
}

struct Drv3D6 {  // HIP_MEMCPY3D of HIP 6: its numbers are wider
  size_t srcXInBytes, srcY, srcZ, srcLOD;
  int srcMemoryType;
  const void *srcHost, *srcDevice;
  hipArray_t srcArray;
  size_t srcPitch, srcHeight, dstXInBytes, dstY, dstZ, dstLOD;
  int dstMemoryType;
  void *dstHost, *dstDevice;
  hipArray_t dstArray;
  size_t dstPitch, dstHeight, WidthInBytes, Height, Depth;
};
enum class Side : uint8_t { host, device, array, unified };
Side side_of(int memory_type) {
  const int *numbers, five[] = {0, 1, 2, 3}, six[] = {1, 2, 10, 11};
  numbers = version() < 60000000 ? five : six;
  for (int i = 0; i < 4; ++i)
    if (numbers[i] == memory_type) return static_cast<Side>(i);
  if (version() >= 60000000 && (memory_type == 0 || memory_type == 3)) return memory_type ? Side::unified : Side::host;
  throw Error{hipErrorInvalidValue};
}
struct End {
  Side side;
  const void *host, *device;
  const hipArray* array;
  size_t x, y, z, pitch, height;
};
PitchedAddress place_of(const End& e, size_t width, size_t height) {
  if (e.side == Side::array) return in_array(e.array, e.x, e.y, e.z);
  const size_t pitch = e.pitch ? e.pitch : width, slice = pitch * (e.height ? e.height : height);
  check(pitch >= width, hipErrorInvalidPitchValue);
  const void* p = e.side == Side::host ? e.host : e.device;
  check(p, hipErrorInvalidValue);
  return {number(p) + e.z * slice + e.y * pitch + e.x, pitch, slice};
}
template <class P>
Copy described(State& s, const P& p, size_t sz, size_t dz, size_t sh, size_t dh, size_t depth) {
  const End from{
      side_of(p.srcMemoryType), p.srcHost, p.srcDevice, p.srcArray, p.srcXInBytes, p.srcY, sz, p.srcPitch, sh};
  const End to{side_of(p.dstMemoryType), p.dstHost, p.dstDevice, p.dstArray, p.dstXInBytes, p.dstY, dz, p.dstPitch, dh};
  if (!p.WidthInBytes || !p.Height || !depth) return {{}, {}, 0, 0, 0};
  return checked(s, {place_of(to, p.WidthInBytes, p.Height), place_of(from, p.WidthInBytes, p.Height), p.WidthInBytes,
                     p.Height, depth});
}
Copy flat(State& s, const hip_Memcpy2D* p) { return described(s, given(p), 0, 0, 0, 0, 1); }
Copy driver(State& s, const HIP_MEMCPY3D* p) {
  given(p);
  if (version() < 60000000) return described(s, *p, p->srcZ, p->dstZ, p->srcHeight, p->dstHeight, p->Depth);
  const auto& q = *reinterpret_cast<const Drv3D6*>(p);
  return described(s, q, q.srcZ, q.dstZ, q.srcHeight, q.dstHeight, q.Depth);
}

}  // namespace

Copy cuboid(State& s, const hipMemcpy3DParms* given_params) {
  const hipMemcpy3DParms& p = given(given_params);
  check_kind(p.kind);
  check(!p.srcArray || !p.srcPtr.ptr, hipErrorInvalidValue), check(!p.dstArray || !p.dstPtr.ptr, hipErrorInvalidValue);
  check((p.srcArray || p.srcPtr.ptr) && (p.dstArray || p.dstPtr.ptr), hipErrorInvalidValue);
  const hipArray* array = p.srcArray ? p.srcArray : p.dstArray;
  const size_t unit = array ? element_bytes(*array) : 1;  // an array's extent and position count elements
  const size_t width = p.extent.width * unit;
  Copy c{{}, {}, width, p.extent.height, p.extent.depth, p.kind, p};
  if (!width || !c.height || !c.depth) return c;
  const auto place = [&](const hipArray* a, const hipPitchedPtr& q, const hipPos& at) -> PitchedAddress {
    if (a) return in_array(a, at.x * unit, at.y, at.z);
    check(q.pitch >= width, hipErrorInvalidPitchValue);
    const size_t slice = q.pitch * (q.ysize ? q.ysize : p.extent.height);
    return {number(q.ptr) + at.z * slice + at.y * q.pitch + at.x, q.pitch, slice};
  };
  c.to = place(p.dstArray, p.dstPtr, p.dstPos), c.from = place(p.srcArray, p.srcPtr, p.srcPos);
  const auto fits = [&](const hipArray* a, const hipPos& at) {
    if (a)
      check(
          at.x + p.extent.width <= a->width && at.y + c.height <= rows(*a) && at.z + c.depth <= std::max(a->depth, 1u),
          hipErrorInvalidValue);
  };
  fits(p.dstArray, p.dstPos), fits(p.srcArray, p.srcPos);
  return checked(s, c);
}
Copy to_symbol(State& s, const void* host, const void* from, size_t bytes, size_t offset, hipMemcpyKind kind) {
  const Global g = symbol(s, host);
  check(offset <= g.bytes && bytes <= g.bytes - offset, hipErrorInvalidValue);
  check(kind != hipMemcpyHostToHost && kind != hipMemcpyDeviceToHost, hipErrorInvalidMemcpyDirection);
  return linear(s, reinterpret_cast<void*>(g.address + offset), from, bytes, kind);
}
Copy from_symbol(State& s, void* to, const void* host, size_t bytes, size_t offset, hipMemcpyKind kind) {
  const Global g = symbol(s, host);
  check(offset <= g.bytes && bytes <= g.bytes - offset, hipErrorInvalidValue);
  check(kind != hipMemcpyHostToHost && kind != hipMemcpyHostToDevice, hipErrorInvalidMemcpyDirection);
  return linear(s, to, reinterpret_cast<void*>(g.address + offset), bytes, kind);
}
Copy linear_copy(State& s, const void* to, const void* from, size_t bytes, hipMemcpyKind kind) {
  return linear(s, to, from, bytes, kind);
}
Fill fill_of(State& s, const hipMemsetParams& p) {
  check(p.elementSize == 1 || p.elementSize == 2 || p.elementSize == 4, hipErrorInvalidValue);
  check(p.dst && p.width && p.height, hipErrorInvalidValue);
  const size_t width = p.width * p.elementSize;
  check(p.height == 1 || p.pitch >= width, hipErrorInvalidValue);
  return filled(s, p.dst, p.pitch, p.pitch * p.height, p.value, p.elementSize, width, p.height, 1);
}

}  // namespace wavesmith::hip

using namespace wavesmith::hip;
extern "C" {
hipError_t hipMemcpy(void* to, const void* from, size_t bytes, hipMemcpyKind k) {
  return at_once([&](State& s) { return linear(s, to, from, bytes, k); });
}
hipError_t hipMemcpyWithStream(void* to, const void* from, size_t bytes, hipMemcpyKind k, hipStream_t stream) {
  return at_once([&](State& s) { return linear(s, to, from, bytes, k); }, stream);
}
hipError_t hipMemcpyAsync(void* to, const void* from, size_t bytes, hipMemcpyKind k, hipStream_t stream) {
  return in_order(stream, [&](State& s) { return linear(s, to, from, bytes, k); });
}
hipError_t hipMemcpyHtoD(hipDeviceptr_t to, void* from, size_t n) {
  return hipMemcpy(to, from, n, hipMemcpyHostToDevice);
}
hipError_t hipMemcpyDtoH(void* to, hipDeviceptr_t from, size_t n) {
  return hipMemcpy(to, from, n, hipMemcpyDeviceToHost);
}
hipError_t hipMemcpyDtoD(hipDeviceptr_t to, hipDeviceptr_t from, size_t n) {
  return hipMemcpy(to, from, n, hipMemcpyDeviceToDevice);
}
hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t to, void* from, size_t n, hipStream_t stream) {
  return hipMemcpyAsync(to, from, n, hipMemcpyHostToDevice, stream);
}
hipError_t hipMemcpyDtoHAsync(void* to, hipDeviceptr_t from, size_t n, hipStream_t stream) {
  return hipMemcpyAsync(to, from, n, hipMemcpyDeviceToHost, stream);
}
hipError_t hipMemcpyDtoDAsync(hipDeviceptr_t to, hipDeviceptr_t from, size_t n, hipStream_t stream) {
  return hipMemcpyAsync(to, from, n, hipMemcpyDeviceToDevice, stream);
}
hipError_t hipMemcpyPeer(void* to, int a, const void* from, int b, size_t n) {
  if (a || b) return call([](State&) { check(false, hipErrorInvalidDevice); });
  return hipMemcpy(to, from, n, hipMemcpyDeviceToDevice);
}
hipError_t hipMemcpyPeerAsync(void* to, int a, const void* from, int b, size_t n, hipStream_t stream) {
  if (a || b) return call([](State&) { check(false, hipErrorInvalidDevice); });
  return hipMemcpyAsync(to, from, n, hipMemcpyDeviceToDevice, stream);
}
hipError_t hipMemcpy2D(void* to, size_t tp, const void* from, size_t fp, size_t w, size_t h, hipMemcpyKind k) {
  return at_once([&](State& s) { return plane(s, to, tp, from, fp, w, h, k); });
}
hipError_t hipMemcpy2DAsync(void* to, size_t tp, const void* from, size_t fp, size_t w, size_t h, hipMemcpyKind k,
                            hipStream_t stream) {
  return in_order(stream, [&](State& s) { return plane(s, to, tp, from, fp, w, h, k); });
}
hipError_t hipMemcpyParam2D(const hip_Memcpy2D* p) {
  return at_once([&](State& s) { return flat(s, p); });
}
hipError_t hipDrvMemcpy2DUnaligned(const hip_Memcpy2D* p) { return hipMemcpyParam2D(p); }
hipError_t hipMemcpyParam2DAsync(const hip_Memcpy2D* p, hipStream_t stream) {
  return in_order(stream, [&](State& s) { return flat(s, p); });
}
hipError_t hipMemcpy3D(const hipMemcpy3DParms* p) {
  return at_once([&](State& s) { return cuboid(s, p); });
}
hipError_t hipMemcpy3DAsync(const hipMemcpy3DParms* p, hipStream_t stream) {
  return in_order(stream, [&](State& s) { return cuboid(s, p); });
}
hipError_t hipDrvMemcpy3D(const HIP_MEMCPY3D* p) {
  return at_once([&](State& s) { return driver(s, p); });
}
hipError_t hipDrvMemcpy3DAsync(const HIP_MEMCPY3D* p, hipStream_t stream) {
  return in_order(stream, [&](State& s) { return driver(s, p); });
}
hipError_t hipMemcpyToSymbol(const void* v, const void* from, size_t n, size_t offset, hipMemcpyKind k) {
  return at_once([&](State& s) { return to_symbol(s, v, from, n, offset, k); });
}
hipError_t hipMemcpyFromSymbol(void* to, const void* v, size_t n, size_t offset, hipMemcpyKind k) {
  return at_once([&](State& s) { return from_symbol(s, to, v, n, offset, k); });
}
hipError_t hipMemcpyToSymbolAsync(const void* v, const void* from, size_t n, size_t offset, hipMemcpyKind k,
                                  hipStream_t stream) {
  return in_order(stream, [&](State& s) { return to_symbol(s, v, from, n, offset, k); });
}
hipError_t hipMemcpyFromSymbolAsync(void* to, const void* v, size_t n, size_t offset, hipMemcpyKind k,
                                    hipStream_t stream) {
  return in_order(stream, [&](State& s) { return from_symbol(s, to, v, n, offset, k); });
}

// -- Arrays --
static void create_array(State& s, hipArray** array, const hipChannelFormatDesc& d, hipExtent e, unsigned flags,
                         bool driver) {
  given(array);
  check(d.x >= 0 && d.x + d.y + d.z + d.w > 0, hipErrorInvalidValue);
  check(e.width, hipErrorInvalidValue);
  auto a = std::make_unique<hipArray>();
  a->desc = d, a->type = flags, a->isDrv = driver;
  a->width = static_cast<unsigned>(e.width), a->height = static_cast<unsigned>(e.height),
  a->depth = static_cast<unsigned>(e.depth);
  a->NumChannels = static_cast<unsigned>((d.x > 0) + (d.y > 0) + (d.z > 0) + (d.w > 0));
  const size_t bytes = e.width * std::max<size_t>(e.height, 1) * std::max<size_t>(e.depth, 1) * element_bytes(*a);
  a->data = reinterpret_cast<void*>(allocate(s, bytes, Region::Kind::device, 0));
  *array = a.release();
}
static void destroy_array(State& s, hipArray* a) {
  check(a, hipErrorInvalidValue);
  check(s.regions.contains(number(a->data)), hipErrorContextIsDestroyed);
  release(s, number(a->data));
  delete a;
}
static hipChannelFormatDesc channels(hipArray_Format f, unsigned count) {
  const int bits = f == HIP_AD_FORMAT_UNSIGNED_INT8 || f == HIP_AD_FORMAT_SIGNED_INT8 ? 8
                   : f == HIP_AD_FORMAT_UNSIGNED_INT32 || f == HIP_AD_FORMAT_SIGNED_INT32 || f == HIP_AD_FORMAT_FLOAT
                       ? 32
                       : 16;
  check(count == 1 || count == 2 || count == 4, hipErrorInvalidValue);
  const auto kind = f == HIP_AD_FORMAT_FLOAT || f == HIP_AD_FORMAT_HALF ? hipChannelFormatKindFloat
                    : f >= HIP_AD_FORMAT_SIGNED_INT8                    ? hipChannelFormatKindSigned
                                                                        : hipChannelFormatKindUnsigned;
  return {bits, count > 1 ? bits : 0, count > 2 ? bits : 0, count > 2 ? bits : 0, kind};
}
hipError_t hipMallocArray(hipArray** a, const hipChannelFormatDesc* d, size_t w, size_t h, unsigned flags) {
  return call([&](State& s) { create_array(s, a, given(d), {w, h, 0}, flags, false); });
}
hipError_t hipMalloc3DArray(hipArray** a, const hipChannelFormatDesc* d, hipExtent e, unsigned flags) {
  return call([&](State& s) { create_array(s, a, given(d), e, flags, false); });
}
hipError_t hipArrayCreate(hipArray** a, const HIP_ARRAY_DESCRIPTOR* d) {
  return call([&](State& s) {
    given(d);
    create_array(s, a, channels(d->Format, d->NumChannels), {d->Width, d->Height, 0}, 0, true);
    (*a)->Format = d->Format;
  });
}
hipError_t hipArray3DCreate(hipArray** a, const HIP_ARRAY3D_DESCRIPTOR* d) {
  return call([&](State& s) {
    given(d);
    create_array(s, a, channels(d->Format, d->NumChannels), {d->Width, d->Height, d->Depth}, d->Flags, true);
    (*a)->Format = d->Format;
  });
}
hipError_t hipFreeArray(hipArray* a) {
  return call([&](State& s) { destroy_array(s, a); });
}
hipError_t hipArrayDestroy(hipArray* a) { return hipFreeArray(a); }
hipError_t hipArrayGetInfo(hipChannelFormatDesc* d, hipExtent* e, unsigned* flags, hipArray* a) {
  return call([&](State&) {
    check(a, hipErrorInvalidHandle);
    if (d) *d = a->desc;
    if (e) *e = {a->width, a->height, a->depth};
    if (flags) *flags = a->type;
  });
}
hipChannelFormatDesc hipCreateChannelDesc(int x, int y, int z, int w, hipChannelFormatKind f) {
  return {x, y, z, w, f};
}
hipError_t hipGetChannelDesc(hipChannelFormatDesc* d, hipArray_const_t a) {
  return call([&](State&) { given(d), check(a, hipErrorInvalidHandle), *d = a->desc; });
}
// Rows of an array as a plane, or bytes that run on over its rows.
static Copy array_copy(State& s, PitchedAddress to, PitchedAddress from, size_t w, size_t h, hipMemcpyKind k) {
  check_kind(k);
  return checked(s, {to, from, w, h, 1, k});
}
static PitchedAddress outside(const void* p, size_t pitch) {
  check(p, hipErrorInvalidValue);
  return {number(p), pitch, 0};
}
hipError_t hipMemcpy2DToArrayAsync(hipArray* to, size_t x, size_t y, const void* from, size_t pitch, size_t w, size_t h,
                                   hipMemcpyKind k, hipStream_t stream) {
  return in_order(stream, [&](State& s) {
    check(pitch >= w, hipErrorInvalidPitchValue);
    return array_copy(s, in_array(to, x, y, 0), outside(from, pitch), w, h, k);
  });
}
hipError_t hipMemcpy2DFromArrayAsync(void* to, size_t pitch, hipArray_const_t from, size_t x, size_t y, size_t w,
                                     size_t h, hipMemcpyKind k, hipStream_t stream) {
  return in_order(stream, [&](State& s) {
    check(pitch >= w, hipErrorInvalidPitchValue);
    return array_copy(s, outside(to, pitch), in_array(from, x, y, 0), w, h, k);
  });
}
hipError_t hipMemcpy2DToArray(hipArray* to, size_t x, size_t y, const void* from, size_t pitch, size_t w, size_t h,
                              hipMemcpyKind k) {
  return hipMemcpy2DToArrayAsync(to, x, y, from, pitch, w, h, k, nullptr);
}
hipError_t hipMemcpy2DFromArray(void* to, size_t pitch, hipArray_const_t from, size_t x, size_t y, size_t w, size_t h,
                                hipMemcpyKind k) {
  return hipMemcpy2DFromArrayAsync(to, pitch, from, x, y, w, h, k, nullptr);
}
hipError_t hipMemcpyToArray(hipArray* to, size_t x, size_t y, const void* from, size_t n, hipMemcpyKind k) {
  return at_once([&](State& s) { return array_copy(s, in_array(to, x, y, 0), outside(from, n), n, 1, k); });
}
hipError_t hipMemcpyFromArray(void* to, hipArray_const_t from, size_t x, size_t y, size_t n, hipMemcpyKind k) {
  return at_once([&](State& s) { return array_copy(s, outside(to, n), in_array(from, x, y, 0), n, 1, k); });
}
hipError_t hipMemcpyAtoH(void* to, hipArray* from, size_t offset, size_t n) {
  return hipMemcpyFromArray(to, from, offset, 0, n, hipMemcpyDeviceToHost);
}
hipError_t hipMemcpyHtoA(hipArray* to, size_t offset, const void* from, size_t n) {
  return hipMemcpyToArray(to, offset, 0, from, n, hipMemcpyHostToDevice);
}

// -- Fills --
static Fill elements(State& s, void* at, uint32_t value, unsigned bytes, size_t count) {
  check(count <= SIZE_MAX / bytes, hipErrorInvalidValue);
  return filled(s, at, 0, 0, value, bytes, count * bytes, 1, 1);
}
hipError_t hipMemsetD8(hipDeviceptr_t at, unsigned char value, size_t n) {
  return at_once([&](State& s) { return elements(s, at, value, 1, n); });
}
hipError_t hipMemsetD16(hipDeviceptr_t at, unsigned short value, size_t n) {
  return at_once([&](State& s) { return elements(s, at, value, 2, n); });
}
hipError_t hipMemsetD32(hipDeviceptr_t at, int value, size_t n) {
  return at_once([&](State& s) { return elements(s, at, static_cast<uint32_t>(value), 4, n); });
}
hipError_t hipMemsetD8Async(hipDeviceptr_t at, unsigned char value, size_t n, hipStream_t stream) {
  return in_order(stream, [&](State& s) { return elements(s, at, value, 1, n); });
}
hipError_t hipMemsetD16Async(hipDeviceptr_t at, unsigned short value, size_t n, hipStream_t stream) {
  return in_order(stream, [&](State& s) { return elements(s, at, value, 2, n); });
}
hipError_t hipMemsetD32Async(hipDeviceptr_t at, int value, size_t n, hipStream_t stream) {
  return in_order(stream, [&](State& s) { return elements(s, at, static_cast<uint32_t>(value), 4, n); });
}
hipError_t hipMemset(void* at, int value, size_t n) { return hipMemsetD8(at, static_cast<unsigned char>(value), n); }
hipError_t hipMemsetAsync(void* at, int value, size_t n, hipStream_t stream) {
  return hipMemsetD8Async(at, static_cast<unsigned char>(value), n, stream);
}
static Fill plane_fill(State& s, void* at, size_t pitch, int value, size_t w, size_t h) {
  check(!w || !h || pitch >= w, hipErrorInvalidValue);
  return filled(s, at, pitch, pitch * h, static_cast<uint8_t>(value), 1, w, h, 1);
}
hipError_t hipMemset2D(void* at, size_t pitch, int value, size_t w, size_t h) {
  return at_once([&](State& s) { return plane_fill(s, at, pitch, value, w, h); });
}
hipError_t hipMemset2DAsync(void* at, size_t pitch, int value, size_t w, size_t h, hipStream_t stream) {
  return in_order(stream, [&](State& s) { return plane_fill(s, at, pitch, value, w, h); });
}
static Fill cuboid_fill(State& s, const hipPitchedPtr& p, int value, const hipExtent& e) {
  check(!e.width || !e.height || !e.depth || p.pitch >= e.width, hipErrorInvalidValue);
  const size_t slice = p.pitch * std::max(p.ysize, e.depth > 1 ? size_t{0} : e.height);
  return filled(s, p.ptr, p.pitch, slice, static_cast<uint8_t>(value), 1, e.width, e.height, e.depth);
}
hipError_t hipMemset3D(hipPitchedPtr p, int value, hipExtent e) {
  return at_once([&](State& s) { return cuboid_fill(s, p, value, e); });
}
hipError_t hipMemset3DAsync(hipPitchedPtr p, int value, hipExtent e, hipStream_t stream) {
  return in_order(stream, [&](State& s) { return cuboid_fill(s, p, value, e); });
}
}
