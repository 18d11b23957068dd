// Streams and events. Work is done when it is submitted, so a stream is always idle; what it has is a place in
// simulated time.
#include <fmt/format.h>

#include <cstring>

#include "runtime/hip_interface/work.h"

namespace wavesmith::hip {
namespace {

template <class... F>
struct Cases : F... {
  using F::operator()...;
};

constexpr double event_seconds = 1e-6;  // inferred: between two events with nothing in between

void set_clock(State& s, ihipStream_t& stream) { stream.clock = std::max(stream.clock, s.clock); }

}  // namespace

void run(State& s, ihipStream_t& stream, const Work& work) {
  std::visit(Cases{[&](const Launch& w) { run_launch(s, stream, w); }, [&](const Copy& w) { run_copy(s, stream, w); },
                   [&](const Fill& w) { run_fill(s, stream, w); }, [&](const HostCall& w) { w.function(w.data); },
                   [&](const Write& w) {
                     std::memcpy(host_bytes(s, w.address, w.bytes), &w.value, w.bytes);
                     mark_written(s, w.address, w.bytes);
                   },
                   [&](const RecordEvent& w) {
                     ihipEvent_t& e = s.event(w.event);
                     set_clock(s, stream);
                     e.recorded = true, e.clock = stream.clock += event_seconds;
                     if (!(e.flags & hipEventDisableTiming)) stream.timed = true;
                   },
                   [&](const WaitEvent& w) { stream.clock = std::max(stream.clock, s.event(w.event).clock); },
                   [&](const Allocate& w) {
                     if (!s.regions.contains(w.address)) throw Error{hipErrorInvalidValue};
                   },
                   [&](const Free& w) {
                     const auto* r = find_region(s, w.address);
                     check(r, hipErrorInvalidValue);
                     if (!r->second.of_graph) release(s, w.address);
                   },
                   [&](const Empty&) {}, [&](const ChildGraph& w) { run_graph(s, stream, w.graph); }},
             work);
}

void submit(State& s, hipStream_t handle, Work work) {
  ihipStream_t& stream = s.stream(handle);
  if (stream.capture) return capture(s, stream, std::move(work));
  run(s, stream, work);
}

void synchronize(State& s, hipStream_t handle) {
  if (s.stream(handle).capture) {
    invalidate_capture(s.stream(handle));
    throw Error{hipErrorStreamCaptureUnsupported};
  }
  if (!handle) check_no_capture(s);
}

namespace {

void create_stream(State& s, hipStream_t* stream, unsigned flags, int priority) {
  given(stream);
  check(flags == hipStreamDefault || flags == hipStreamNonBlocking, hipErrorInvalidValue);
  s.the_device();
  auto* made = new ihipStream_t;
  made->flags = flags, made->priority = std::clamp(priority, -1, 1);
  s.streams.insert(*stream = made);
}
void create_event(State& s, hipEvent_t* event, unsigned flags) {
  given(event);
  constexpr unsigned legal = hipEventBlockingSync | hipEventDisableTiming | hipEventInterprocess |
                             hipEventReleaseToDevice | hipEventReleaseToSystem;
  constexpr unsigned release_flags = hipEventReleaseToDevice | hipEventReleaseToSystem;
  check((flags & ~legal) == 0 && (flags & release_flags) != release_flags, hipErrorInvalidValue);
  check(!(flags & hipEventInterprocess) || flags & hipEventDisableTiming, hipErrorInvalidValue);
  s.the_device();
  auto* made = new ihipEvent_t;
  made->flags = flags;
  s.events.insert(*event = made);
}
void finish(State& s, const ihipStream_t& stream) { s.clock = std::max(s.clock, stream.clock); }

bool satisfied(uint64_t is, uint64_t value, unsigned how) {
  switch (how) {
    case hipStreamWaitValueGte: return static_cast<int64_t>(is - value) >= 0;
    case hipStreamWaitValueEq: return is == value;
    case hipStreamWaitValueAnd: return is & value;
    default: return ~(is | value);
  }
}
template <class T>
hipError_t wait_value(hipStream_t stream, void* at, T value, unsigned flags, T mask) {
  return call([&](State& s) {
    check(at && flags <= hipStreamWaitValueNor, hipErrorInvalidValue);
    s.stream(stream);
    T is;
    std::memcpy(&is, host_bytes(s, reinterpret_cast<uint64_t>(at), sizeof is), sizeof is);
    if (satisfied(is & mask, value, flags)) return;
    complain(fmt::format(
        "hipStreamWaitValue: {:#x} is not there yet, and streams run at the call: nothing could write it", value));
    throw Error{hipErrorNotSupported};
  });
}
template <class T>
hipError_t write_value(hipStream_t stream, void* at, T value) {
  return call([&](State& s) {
    check(at, hipErrorInvalidValue);
    submit(s, stream, Write{reinterpret_cast<uint64_t>(at), value, sizeof value});
  });
}

}  // namespace
}  // namespace wavesmith::hip

using namespace wavesmith::hip;
extern "C" {
hipError_t hipStreamCreate(hipStream_t* stream) {
  return call([&](State& s) { create_stream(s, stream, hipStreamDefault, 0); });
}
hipError_t hipStreamCreateWithFlags(hipStream_t* stream, unsigned flags) {
  return call([&](State& s) { create_stream(s, stream, flags, 0); });
}
hipError_t hipStreamCreateWithPriority(hipStream_t* stream, unsigned flags, int priority) {
  return call([&](State& s) { create_stream(s, stream, flags, priority); });
}
hipError_t hipExtStreamCreateWithCUMask(hipStream_t* stream, uint32_t words, const uint32_t* mask) {
  return call([&](State& s) {
    check(words && mask, hipErrorInvalidValue);
    create_stream(s, stream, hipStreamDefault, 0);
  });
}
hipError_t hipExtStreamGetCUMask(hipStream_t stream, uint32_t words, uint32_t* mask) {
  return call([&](State& s) {
    s.stream(stream), given(mask), check(words, hipErrorInvalidValue);
    const int units = s.the_device().gpu->units;
    check(static_cast<int>(words) * 32 >= units, hipErrorInvalidValue);
    for (int i = 0; i < static_cast<int>(words); ++i)
      mask[i] = units >= 32 * (i + 1) ? ~0u : units > 32 * i ? (1u << (units - 32 * i)) - 1 : 0;
  });
}
hipError_t hipStreamDestroy(hipStream_t stream) {
  return call([&](State& s) {
    check(stream && stream != hipStreamPerThread, hipErrorInvalidHandle);
    s.stream(stream);
    finish(s, *stream);
    s.streams.erase(stream);
    delete stream;
  });
}
hipError_t hipStreamQuery(hipStream_t stream) {
  return call([&](State& s) { synchronize(s, stream); });
}
hipError_t hipStreamSynchronize(hipStream_t stream) {
  return call([&](State& s) { synchronize(s, stream), finish(s, s.stream(stream)); });
}
hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned flags) {
  return call([&](State& s) {
    check(event && flags == 0, event ? hipErrorInvalidValue : hipErrorInvalidHandle);
    ihipStream_t& st = s.stream(stream);
    ihipEvent_t& e = s.event(event);
    if (e.capture) return join_capture(st, e);
    submit(s, stream, WaitEvent{event});
  });
}
hipError_t hipStreamGetFlags(hipStream_t stream, unsigned* flags) {
  return call([&](State& s) { given(flags) = s.stream(stream).flags; });
}
hipError_t hipStreamGetPriority(hipStream_t stream, int* priority) {
  return call([&](State& s) { given(priority) = s.stream(stream).priority; });
}
hipError_t hipStreamGetDevice(hipStream_t stream, hipDevice_t* d) {
  return call([&](State& s) { given(d), s.stream(stream), *d = 0; });
}
int hipGetStreamDeviceId(hipStream_t) { return 0; }
hipError_t hipStreamAddCallback(hipStream_t stream, hipStreamCallback_t f, void* data, unsigned flags) {
  const hipError_t e = call([&](State& s) {
    check(f && flags == 0, hipErrorInvalidValue);
    synchronize(s, stream);
  });
  if (e == hipSuccess) f(stream, hipSuccess, data);
  return e;
}
hipError_t hipLaunchHostFunc(hipStream_t stream, hipHostFn_t f, void* data) {
  return call([&](State& s) {
    check(f, hipErrorInvalidValue);
    submit(s, stream, HostCall{f, data});
  });
}
hipError_t hipStreamWaitValue32(hipStream_t stream, void* at, uint32_t value, unsigned flags, uint32_t mask) {
  return wait_value(stream, at, value, flags, mask);
}
hipError_t hipStreamWaitValue64(hipStream_t stream, void* at, uint64_t value, unsigned flags, uint64_t mask) {
  return wait_value(stream, at, value, flags, mask);
}
hipError_t hipStreamWriteValue32(hipStream_t stream, void* at, uint32_t value, unsigned) {
  return write_value(stream, at, value);
}
hipError_t hipStreamWriteValue64(hipStream_t stream, void* at, uint64_t value, unsigned) {
  return write_value(stream, at, value);
}

hipError_t hipEventCreate(hipEvent_t* event) {
  return call([&](State& s) { create_event(s, event, hipEventDefault); });
}
hipError_t hipEventCreateWithFlags(hipEvent_t* event, unsigned flags) {
  return call([&](State& s) { create_event(s, event, flags); });
}
hipError_t hipEventDestroy(hipEvent_t event) {
  return call([&](State& s) {
    check(!event || s.events.contains(event), hipErrorContextIsDestroyed);  // as HIP says of one that is gone
    s.event(event);
    s.events.erase(event);
    delete event;
  });
}
hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream) {
  return call([&](State& s) {
    ihipEvent_t& e = s.event(event);
    ihipStream_t& st = s.stream(stream);
    if (st.capture) {
      e.capture = st.capture, e.nodes = st.last;
      return;
    }
    e.capture.reset();
    run(s, st, RecordEvent{event});
  });
}
hipError_t hipEventRecordWithFlags(hipEvent_t event, hipStream_t stream, unsigned flags) {
  if (flags > 1) return call([](State&) { check(false, hipErrorInvalidValue); });
  return hipEventRecord(event, stream);
}
hipError_t hipEventSynchronize(hipEvent_t event) {
  return call([&](State& s) {
    const ihipEvent_t& e = s.event(event);
    check(!e.capture, hipErrorCapturedEvent);
    s.clock = std::max(s.clock, e.clock);
  });
}
hipError_t hipEventQuery(hipEvent_t event) {
  return call([&](State& s) { check(!s.event(event).capture, hipErrorCapturedEvent); });
}
hipError_t hipEventElapsedTime(float* ms, hipEvent_t start, hipEvent_t stop) {
  return call([&](State& s) {
    given(ms), check(start && stop, hipErrorInvalidHandle);
    const ihipEvent_t &a = s.event(start), &b = s.event(stop);
    check(!((a.flags | b.flags) & hipEventDisableTiming), hipErrorInvalidHandle);
    check(a.recorded && b.recorded, hipErrorInvalidHandle);
    *ms = static_cast<float>((b.clock - a.clock) * 1e3);
  });
}
}
