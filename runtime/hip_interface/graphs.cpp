// Graphs: capture of a stream's work, and launches of a graph's nodes, each after those it needs.
#include "runtime/hip_interface/graphs.h"

#include <algorithm>

ihipGraph::~ihipGraph() {
  using namespace wavesmith::hip;
  for (hipUserObject* o : objects)
    if (State::get().objects.contains(o) && --o->references == 0) {
      o->destroy(o->data);
      State::get().objects.erase(o);
      delete o;
    }
}

namespace wavesmith::hip {

hipGraph_t create_graph(State& s) { return *s.graphs.insert(new ihipGraph).first; }
hipGraph_t known(State& s, hipGraph_t g) {
  check(g && s.graphs.contains(g), hipErrorInvalidValue);
  return g;
}

hipGraphNode_t add_node(hipGraph_t g, Work work, std::span<const hipGraphNode_t> needs) {
  for (size_t i = 0; i < needs.size(); ++i) {
    check(needs[i] && needs[i]->graph == g, hipErrorInvalidValue);
    check(std::ranges::find(needs.first(i), needs[i]) == needs.begin() + static_cast<ptrdiff_t>(i),
          hipErrorInvalidValue);
  }
  g->nodes.push_back({g, std::move(work), {needs.begin(), needs.end()}});
  return &g->nodes.back();
}

hipGraph_t copied(State& s, hipGraph_t g) {
  hipGraph_t to = create_graph(s);
  to->original = g;
  std::map<hipGraphNode_t, hipGraphNode_t> of;
  for (hipGraphNode& n : g->nodes) {
    to->nodes.push_back({to, n.work, n.needs, &n, n.enabled, {}, n.fill});
    of[&n] = &to->nodes.back();
    if (auto* child = std::get_if<ChildGraph>(&to->nodes.back().work)) child->graph = copied(s, child->graph);
  }
  for (hipGraphNode& n : to->nodes)
    for (hipGraphNode_t& need : n.needs) need = of.at(need);
  return to;
}
void destroy(State& s, hipGraph_t g) {
  for (hipGraphNode& n : g->nodes)
    if (auto* child = std::get_if<ChildGraph>(&n.work); child && s.graphs.contains(child->graph))
      destroy(s, child->graph);
  s.graphs.erase(g);
  delete g;
}

std::vector<hipGraphNode_t> in_order_of_needs(hipGraph_t g) {
  std::vector<hipGraphNode_t> order;
  std::set<hipGraphNode_t> done;
  while (order.size() < g->nodes.size()) {
    const size_t before = order.size();
    for (hipGraphNode& n : g->nodes) {
      if (done.contains(&n)) continue;
      if (!std::ranges::all_of(n.needs, [&](hipGraphNode_t need) { return done.contains(need); })) continue;
      order.push_back(&n), done.insert(&n);
    }
    check(order.size() > before, hipErrorInvalidValue);
  }
  return order;
}

void run_graph(State& s, ihipStream_t& stream, hipGraph_t g) {
  for (const hipGraphNode_t n : in_order_of_needs(g))
    if (n->enabled && !s.fault) run(s, stream, n->work);
}

// -- Capture --

void capture(State&, ihipStream_t& stream, Work work) {
  check(stream.capture->valid, hipErrorStreamCaptureInvalidated);
  if (const auto* wait = std::get_if<WaitEvent>(&work); wait && !wait->event->recorded) return;
  check(!std::holds_alternative<WaitEvent>(work), hipErrorStreamCaptureIsolation);
  stream.last = {add_node(stream.capture->graph, std::move(work), stream.last)};
}
void invalidate_capture(ihipStream_t& stream) {
  if (stream.capture) stream.capture->valid = false;
}
void join_capture(ihipStream_t& stream, const ihipEvent_t& e) {
  if (!stream.capture) stream.capture = e.capture, stream.last.clear();
  check(stream.capture == e.capture, hipErrorStreamCaptureMerge);
  e.capture->streams.insert(&stream);
  for (const hipGraphNode_t n : e.nodes)
    if (std::ranges::find(stream.last, n) == stream.last.end()) stream.last.push_back(n);
}
void check_no_capture(const State& s) {
  for (const hipStream_t stream : s.streams)
    if (stream->capture && !(stream->flags & hipStreamNonBlocking)) {
      invalidate_capture(*stream);
      throw Error{hipErrorStreamCaptureImplicit};
    }
}

namespace {

unsigned long long captures = 0;

void begin_capture(State& s, hipStream_t handle, hipStreamCaptureMode mode) {
  check(handle && handle != reinterpret_cast<hipStream_t>(1), hipErrorStreamCaptureUnsupported);
  check(mode >= hipStreamCaptureModeGlobal && mode <= hipStreamCaptureModeRelaxed, hipErrorInvalidValue);
  ihipStream_t& stream = s.stream(handle);
  check(!stream.capture, hipErrorIllegalState);
  stream.capture = std::make_shared<Captured>(Captured{create_graph(s), &stream, ++captures});
  stream.capture->streams.insert(&stream);
  stream.last.clear();
}

hipGraph_t end_capture(State& s, hipStream_t handle) {
  ihipStream_t& stream = s.stream(handle);
  check(stream.capture != nullptr, hipErrorIllegalState);
  const auto c = stream.capture;
  check(c->origin == &stream, hipErrorStreamCaptureUnmatched);
  // What the other streams captured must be needed by what this one did.
  bool joined = true;
  std::set<hipGraphNode_t> reached(stream.last.begin(), stream.last.end());
  for (auto it = c->graph->nodes.rbegin(); it != c->graph->nodes.rend(); ++it)
    if (reached.contains(&*it)) reached.insert(it->needs.begin(), it->needs.end());
  for (ihipStream_t* other : c->streams)
    for (const hipGraphNode_t n : other->last) joined = joined && reached.contains(n);
  for (ihipStream_t* other : c->streams) other->capture.reset(), other->last.clear();
  for (hipEvent_t e : s.events)
    if (e->capture == c) e->capture.reset();
  if (c->valid && joined) return c->graph;
  destroy(s, c->graph);
  throw Error{c->valid ? hipErrorStreamCaptureUnjoined : hipErrorStreamCaptureInvalidated};
}

hipStreamCaptureStatus status_of(const ihipStream_t& s) {
  return !s.capture         ? hipStreamCaptureStatusNone
         : s.capture->valid ? hipStreamCaptureStatusActive
                            : hipStreamCaptureStatusInvalidated;
}

}  // namespace
}  // namespace wavesmith::hip

using namespace wavesmith::hip;
extern "C" {
hipError_t hipStreamBeginCapture(hipStream_t stream, hipStreamCaptureMode mode) {
  return call([&](State& s) { begin_capture(s, stream, mode); });
}
hipError_t hipStreamEndCapture(hipStream_t stream, hipGraph_t* g) {
  return call([&](State& s) {
    given(g) = nullptr, check(stream, hipErrorIllegalState);
    *g = end_capture(s, stream);
  });
}
hipError_t hipStreamIsCapturing(hipStream_t stream, hipStreamCaptureStatus* status) {
  return call([&](State& s) {
    given(status), check(stream || true, hipErrorInvalidValue);
    *status = status_of(s.stream(stream));
  });
}
hipError_t hipStreamGetCaptureInfo_v2(hipStream_t stream, hipStreamCaptureStatus* status, unsigned long long* id,
                                      hipGraph_t* g, const hipGraphNode_t** last, size_t* count) {
  return call([&](State& s) {
    given(status);
    const ihipStream_t& st = s.stream(stream);
    *status = status_of(st);
    if (*status != hipStreamCaptureStatusActive) return;
    if (id) *id = st.capture->id;
    if (g) *g = st.capture->graph;
    if (last) *last = st.last.data();
    if (count) *count = st.last.size();
  });
}
hipError_t hipStreamGetCaptureInfo(hipStream_t stream, hipStreamCaptureStatus* status, unsigned long long* id) {
  return hipStreamGetCaptureInfo_v2(stream, status, id, nullptr, nullptr, nullptr);
}
hipError_t hipStreamUpdateCaptureDependencies(hipStream_t stream, hipGraphNode_t* nodes, size_t count, unsigned flags) {
  return call([&](State& s) {
    ihipStream_t& st = s.stream(stream);
    check(flags <= 1 && (nodes || !count), hipErrorInvalidValue);
    check(st.capture != nullptr, hipErrorIllegalState);
    for (size_t i = 0; i < count; ++i) check(nodes[i] && nodes[i]->graph == st.capture->graph, hipErrorInvalidValue);
    if (flags == 1) st.last.clear();
    st.last.insert(st.last.end(), nodes, nodes + count);
  });
}
hipError_t hipThreadExchangeStreamCaptureMode(hipStreamCaptureMode* mode) {
  static thread_local hipStreamCaptureMode current = hipStreamCaptureModeGlobal;
  return call([&](State&) {
    given(mode);
    check(*mode >= hipStreamCaptureModeGlobal && *mode <= hipStreamCaptureModeRelaxed, hipErrorInvalidValue);
    std::swap(current, *mode);
  });
}
}
