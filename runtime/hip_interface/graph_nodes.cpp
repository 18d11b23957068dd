// The calls that build, look at, instantiate and change graphs.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "runtime/hip_interface/graphs.h"

namespace wavesmith::hip {

namespace {

hipGraphNode_t known(State& s, hipGraphNode_t n) {
  check(n, hipErrorInvalidValue);
  for (const hipGraph_t g : s.graphs)
    for (const hipGraphNode& there : g->nodes)
      if (&there == n) return n;
  throw Error{hipErrorInvalidValue};
}
hipGraphExec_t known(State& s, hipGraphExec_t e) {
  check(e && s.executables.contains(e), hipErrorInvalidValue);
  return e;
}
// The node of an executable graph that was made from `n`, also in child graphs.
hipGraphNode_t find_copy(hipGraph_t g, hipGraphNode_t n) {
  for (hipGraphNode& there : g->nodes) {
    if (there.original == n) return &there;
    if (const auto* child = std::get_if<ChildGraph>(&there.work))
      if (const hipGraphNode_t found = find_copy(child->graph, n)) return found;
  }
  return nullptr;
}
hipGraphNode_t in_executable(State& s, hipGraphExec_t e, hipGraphNode_t n) {
  known(s, e), known(s, n);
  const hipGraphNode_t there = find_copy(e->graph, n);
  check(there, hipErrorInvalidValue);
  return there;
}

struct Needs {
  const hipGraphNode_t* nodes;
  size_t count;
};
template <class Make>
hipError_t add(hipGraphNode_t* node, hipGraph_t g, Needs needs, Make&& make) {
  return call([&](State& s) {
    given(node), known(s, g), check(needs.nodes || !needs.count, hipErrorInvalidValue);
    *node = add_node(g, make(s), {needs.nodes, needs.count});
  });
}
template <class W>
W& work_of(hipGraphNode_t n) {
  auto* w = std::get_if<W>(&n->work);
  check(w, hipErrorInvalidValue);
  return *w;
}
// A node's work, replaced by work of the same type.
template <class W, class Make>
hipError_t change(hipGraphNode_t node, Make&& make) {
  return call([&](State& s) { work_of<W>(known(s, node)) = make(s); });
}
template <class W, class Make>
hipError_t change(hipGraphExec_t e, hipGraphNode_t node, Make&& make) {
  return call([&](State& s) { work_of<W>(in_executable(s, e, node)) = make(s); });
}

hipGraphNodeType type_of(const hipGraphNode& n) {
  constexpr hipGraphNodeType types[] = {hipGraphNodeTypeKernel,
                                        hipGraphNodeTypeMemcpy,
                                        hipGraphNodeTypeMemset,
                                        hipGraphNodeTypeHost,
                                        hipGraphNodeTypeEmpty,
                                        hipGraphNodeTypeEventRecord,
                                        hipGraphNodeTypeWaitEvent,
                                        static_cast<hipGraphNodeType>(10),
                                        static_cast<hipGraphNodeType>(11),
                                        hipGraphNodeTypeEmpty,
                                        hipGraphNodeTypeGraph};
  static_assert(std::size(types) == std::variant_size_v<Work>);
  return types[n.work.index()];
}

// Puts what a call lists where the program wants it: at most *count of them, or only their number.
template <class T>
void list(const std::vector<T>& all, T* to, size_t* count) {
  given(count);
  if (to) {
    const size_t most = std::min(*count, all.size());
    std::copy_n(all.begin(), most, to);
    for (size_t i = most; i < *count; ++i) to[i] = nullptr;
    *count = most;
  } else *count = all.size();
}
std::vector<hipGraphNode_t> nodes_of(hipGraph_t g) {
  std::vector<hipGraphNode_t> all;
  for (hipGraphNode& n : g->nodes) all.push_back(&n);
  return all;
}
std::vector<hipGraphNode_t> dependents(hipGraphNode_t of) {
  std::vector<hipGraphNode_t> all;
  for (hipGraphNode& n : of->graph->nodes)
    if (std::ranges::find(n.needs, of) != n.needs.end()) all.push_back(&n);
  return all;
}
void check_host(const hipHostNodeParams* p) { check(p && p->fn, hipErrorInvalidValue); }

void instantiate(State& s, hipGraphExec_t* e, hipGraph_t g, unsigned long long flags) {
  given(e), known(s, g);
  check((flags & ~0xfull) == 0, hipErrorInvalidValue);
  in_order_of_needs(g);
  *e = *s.executables.insert(new hipGraphExec{copied(s, g), flags}).first;
}

}  // namespace
}  // namespace wavesmith::hip

using namespace wavesmith::hip;
extern "C" {
hipError_t hipGraphCreate(hipGraph_t* g, unsigned flags) {
  return call([&](State& s) { given(g), check(flags == 0, hipErrorInvalidValue), *g = create_graph(s); });
}
hipError_t hipGraphDestroy(hipGraph_t g) {
  return call([&](State& s) { destroy(s, known(s, g)); });
}
hipError_t hipGraphClone(hipGraph_t* to, hipGraph_t g) {
  return call([&](State& s) { given(to) = copied(s, known(s, g)); });
}
hipError_t hipGraphNodeFindInClone(hipGraphNode_t* to, hipGraphNode_t n, hipGraph_t clone) {
  return call([&](State& s) {
    given(to), known(s, clone), check(n, hipErrorInvalidValue);
    *to = find_copy(clone, n);
    check(*to, hipErrorInvalidValue);
  });
}

// -- Edges --
hipError_t hipGraphAddDependencies(hipGraph_t g, const hipGraphNode_t* from, const hipGraphNode_t* to, size_t count) {
  return call([&](State& s) {
    known(s, g);
    if (!count) return;
    check(from && to, hipErrorInvalidValue);
    for (size_t i = 0; i < count; ++i) {
      check(from[i] && to[i] && from[i] != to[i], hipErrorInvalidValue);
      check(from[i]->graph == g && to[i]->graph == g, hipErrorInvalidValue);
      check(std::ranges::find(to[i]->needs, from[i]) == to[i]->needs.end(), hipErrorInvalidValue);
      to[i]->needs.push_back(from[i]);
    }
  });
}
hipError_t hipGraphRemoveDependencies(hipGraph_t g, const hipGraphNode_t* from, const hipGraphNode_t* to,
                                      size_t count) {
  return call([&](State& s) {
    known(s, g);
    if (!count) return;
    check(from && to, hipErrorInvalidValue);
    for (size_t i = 0; i < count; ++i) {
      check(from[i] && to[i] && from[i]->graph == g && to[i]->graph == g, hipErrorInvalidValue);
      check(std::erase(to[i]->needs, from[i]) == 1, hipErrorInvalidValue);
    }
  });
}
hipError_t hipGraphGetEdges(hipGraph_t g, hipGraphNode_t* from, hipGraphNode_t* to, size_t* count) {
  return call([&](State& s) {
    known(s, g), given(count), check(!from == !to, hipErrorInvalidValue);
    std::vector<hipGraphNode_t> sources, targets;
    for (hipGraphNode& n : g->nodes)
      for (const hipGraphNode_t need : n.needs) sources.push_back(need), targets.push_back(&n);
    size_t again = *count;
    list(sources, from, count), list(targets, to, &again);
  });
}
hipError_t hipGraphGetNodes(hipGraph_t g, hipGraphNode_t* nodes, size_t* count) {
  return call([&](State& s) { list(nodes_of(known(s, g)), nodes, count); });
}
hipError_t hipGraphGetRootNodes(hipGraph_t g, hipGraphNode_t* nodes, size_t* count) {
  return call([&](State& s) {
    auto all = nodes_of(known(s, g));
    std::erase_if(all, [](hipGraphNode_t n) { return !n->needs.empty(); });
    list(all, nodes, count);
  });
}
hipError_t hipGraphNodeGetDependencies(hipGraphNode_t n, hipGraphNode_t* nodes, size_t* count) {
  return call([&](State& s) { list(known(s, n)->needs, nodes, count); });
}
hipError_t hipGraphNodeGetDependentNodes(hipGraphNode_t n, hipGraphNode_t* nodes, size_t* count) {
  return call([&](State& s) { list(dependents(known(s, n)), nodes, count); });
}
hipError_t hipGraphNodeGetType(hipGraphNode_t n, hipGraphNodeType* type) {
  return call([&](State& s) { given(type) = type_of(*known(s, n)); });
}
hipError_t hipGraphDestroyNode(hipGraphNode_t n) {
  return call([&](State& s) {
    known(s, n);
    for (const hipGraphNode_t d : dependents(n)) std::erase(d->needs, n);
    n->graph->nodes.remove_if([&](const hipGraphNode& there) { return &there == n; });
  });
}

// -- Nodes --
hipError_t hipGraphAddEmptyNode(hipGraphNode_t* n, hipGraph_t g, const hipGraphNode_t* needs, size_t count) {
  return add(n, g, {needs, count}, [](State&) { return Empty{}; });
}
hipError_t hipGraphAddKernelNode(hipGraphNode_t* n, hipGraph_t g, const hipGraphNode_t* needs, size_t count,
                                 const hipKernelNodeParams* p) {
  return add(n, g, {needs, count}, [&](State& s) { return launch_of_node(s, given(p)); });
}
hipError_t hipGraphKernelNodeGetParams(hipGraphNode_t n, hipKernelNodeParams* p) {
  return call([&](State& s) {
    given(p);
    auto& l = work_of<Launch>(known(s, n));
    n->params.clear();
    for (const auto& a : l.function->kernel->args)
      if (!a.hidden()) n->params.push_back(l.launch.kernargs.data() + a.offset);
    *p = {};
    const auto& [gx, gy, gz] = l.launch.grid;
    const auto& [bx, by, bz] = l.launch.block;
    p->gridDim = dim3(gx, gy, gz), p->blockDim = dim3(bx, by, bz);
    p->func = l.host_function ? const_cast<void*>(l.host_function) : l.function;
    p->kernelParams = n->params.data();
    p->sharedMemBytes = l.launch.dynamic_lds;
  });
}
hipError_t hipGraphKernelNodeSetParams(hipGraphNode_t n, const hipKernelNodeParams* p) {
  return change<Launch>(n, [&](State& s) { return launch_of_node(s, given(p)); });
}
hipError_t hipGraphExecKernelNodeSetParams(hipGraphExec_t e, hipGraphNode_t n, const hipKernelNodeParams* p) {
  return change<Launch>(e, n, [&](State& s) { return launch_of_node(s, given(p)); });
}
hipError_t hipGraphAddMemcpyNode(hipGraphNode_t* n, hipGraph_t g, const hipGraphNode_t* needs, size_t count,
                                 const hipMemcpy3DParms* p) {
  return add(n, g, {needs, count}, [&](State& s) { return cuboid(s, p); });
}
hipError_t hipGraphMemcpyNodeGetParams(hipGraphNode_t n, hipMemcpy3DParms* p) {
  return call([&](State& s) {
    given(p);
    const Copy& c = work_of<Copy>(known(s, n));
    if (c.given) return void(*p = *c.given);
    *p = {};
    p->srcPtr = {reinterpret_cast<void*>(c.from.address), c.from.pitch, c.width, c.height};
    p->dstPtr = {reinterpret_cast<void*>(c.to.address), c.to.pitch, c.width, c.height};
    p->extent = {c.width, c.height, c.depth}, p->kind = c.kind;
  });
}
hipError_t hipGraphMemcpyNodeSetParams(hipGraphNode_t n, const hipMemcpy3DParms* p) {
  return change<Copy>(n, [&](State& s) { return cuboid(s, p); });
}
hipError_t hipGraphExecMemcpyNodeSetParams(hipGraphExec_t e, hipGraphNode_t n, hipMemcpy3DParms* p) {
  return change<Copy>(e, n, [&](State& s) { return cuboid(s, p); });
}
hipError_t hipGraphAddMemcpyNode1D(hipGraphNode_t* n, hipGraph_t g, const hipGraphNode_t* needs, size_t count, void* to,
                                   const void* from, size_t bytes, hipMemcpyKind k) {
  return add(n, g, {needs, count}, [&](State& s) {
    check(to && from && bytes, hipErrorInvalidValue);
    return linear_copy(s, to, from, bytes, k);
  });
}
hipError_t hipGraphMemcpyNodeSetParams1D(hipGraphNode_t n, void* to, const void* from, size_t bytes, hipMemcpyKind k) {
  return change<Copy>(n, [&](State& s) {
    check(to && from && bytes, hipErrorInvalidValue);
    return linear_copy(s, to, from, bytes, k);
  });
}
hipError_t hipGraphExecMemcpyNodeSetParams1D(hipGraphExec_t e, hipGraphNode_t n, void* to, const void* from,
                                             size_t bytes, hipMemcpyKind k) {
  return change<Copy>(e, n, [&](State& s) {
    check(to && from && bytes, hipErrorInvalidValue);
    return linear_copy(s, to, from, bytes, k);
  });
}
hipError_t hipGraphAddMemcpyNodeToSymbol(hipGraphNode_t* n, hipGraph_t g, const hipGraphNode_t* needs, size_t count,
                                         const void* v, const void* from, size_t bytes, size_t offset,
                                         hipMemcpyKind k) {
  return add(n, g, {needs, count}, [&](State& s) { return to_symbol(s, v, from, bytes, offset, k); });
}
hipError_t hipGraphMemcpyNodeSetParamsToSymbol(hipGraphNode_t n, const void* v, const void* from, size_t bytes,
                                               size_t offset, hipMemcpyKind k) {
  return change<Copy>(n, [&](State& s) { return to_symbol(s, v, from, bytes, offset, k); });
}
hipError_t hipGraphExecMemcpyNodeSetParamsToSymbol(hipGraphExec_t e, hipGraphNode_t n, const void* v, const void* from,
                                                   size_t bytes, size_t offset, hipMemcpyKind k) {
  return change<Copy>(e, n, [&](State& s) { return to_symbol(s, v, from, bytes, offset, k); });
}
hipError_t hipGraphAddMemcpyNodeFromSymbol(hipGraphNode_t* n, hipGraph_t g, const hipGraphNode_t* needs, size_t count,
                                           void* to, const void* v, size_t bytes, size_t offset, hipMemcpyKind k) {
  return add(n, g, {needs, count}, [&](State& s) { return from_symbol(s, to, v, bytes, offset, k); });
}
hipError_t hipGraphMemcpyNodeSetParamsFromSymbol(hipGraphNode_t n, void* to, const void* v, size_t bytes, size_t offset,
                                                 hipMemcpyKind k) {
  return change<Copy>(n, [&](State& s) { return from_symbol(s, to, v, bytes, offset, k); });
}
hipError_t hipGraphExecMemcpyNodeSetParamsFromSymbol(hipGraphExec_t e, hipGraphNode_t n, void* to, const void* v,
                                                     size_t bytes, size_t offset, hipMemcpyKind k) {
  return change<Copy>(e, n, [&](State& s) { return from_symbol(s, to, v, bytes, offset, k); });
}
hipError_t hipGraphAddMemsetNode(hipGraphNode_t* n, hipGraph_t g, const hipGraphNode_t* needs, size_t count,
                                 const hipMemsetParams* p) {
  const hipError_t e = add(n, g, {needs, count}, [&](State& s) { return fill_of(s, given(p)); });
  if (e == hipSuccess) (*n)->fill = *p;
  return e;
}
hipError_t hipGraphMemsetNodeGetParams(hipGraphNode_t n, hipMemsetParams* p) {
  return call([&](State& s) {
    given(p);
    const Fill& f = work_of<Fill>(known(s, n));
    if (n->fill) return void(*p = *n->fill);
    *p = {reinterpret_cast<void*>(f.at.address), f.element, f.height, f.at.pitch, f.value, f.width / f.element};
  });
}
hipError_t hipGraphMemsetNodeSetParams(hipGraphNode_t n, const hipMemsetParams* p) {
  const hipError_t e = change<Fill>(n, [&](State& s) { return fill_of(s, given(p)); });
  if (e == hipSuccess) n->fill = *p;
  return e;
}
hipError_t hipGraphExecMemsetNodeSetParams(hipGraphExec_t e, hipGraphNode_t n, const hipMemsetParams* p) {
  return change<Fill>(e, n, [&](State& s) { return fill_of(s, given(p)); });
}
hipError_t hipGraphAddHostNode(hipGraphNode_t* n, hipGraph_t g, const hipGraphNode_t* needs, size_t count,
                               const hipHostNodeParams* p) {
  return add(n, g, {needs, count}, [&](State&) { return check_host(p), HostCall{p->fn, p->userData}; });
}
hipError_t hipGraphHostNodeGetParams(hipGraphNode_t n, hipHostNodeParams* p) {
  return call([&](State& s) {
    const HostCall& h = work_of<HostCall>(known(s, n));
    given(p) = {h.function, h.data};
  });
}
hipError_t hipGraphHostNodeSetParams(hipGraphNode_t n, const hipHostNodeParams* p) {
  return change<HostCall>(n, [&](State&) { return check_host(p), HostCall{p->fn, p->userData}; });
}
hipError_t hipGraphExecHostNodeSetParams(hipGraphExec_t e, hipGraphNode_t n, const hipHostNodeParams* p) {
  return change<HostCall>(e, n, [&](State&) { return check_host(p), HostCall{p->fn, p->userData}; });
}
hipError_t hipGraphAddChildGraphNode(hipGraphNode_t* n, hipGraph_t g, const hipGraphNode_t* needs, size_t count,
                                     hipGraph_t child) {
  return add(n, g, {needs, count}, [&](State& s) {
    check(child != g, hipErrorInvalidValue);
    return ChildGraph{copied(s, known(s, child))};
  });
}
hipError_t hipGraphChildGraphNodeGetGraph(hipGraphNode_t n, hipGraph_t* child) {
  return call([&](State& s) { given(child) = work_of<ChildGraph>(known(s, n)).graph; });
}
hipError_t hipGraphExecChildGraphNodeSetParams(hipGraphExec_t e, hipGraphNode_t n, hipGraph_t child) {
  return change<ChildGraph>(e, n, [&](State& s) {
    known(s, child);
    const hipGraph_t old = work_of<ChildGraph>(in_executable(s, e, n)).graph;
    check(old->nodes.size() == child->nodes.size(), hipErrorUnknown);
    return ChildGraph{copied(s, child)};
  });
}
hipError_t hipGraphAddEventRecordNode(hipGraphNode_t* n, hipGraph_t g, const hipGraphNode_t* needs, size_t count,
                                      hipEvent_t event) {
  return add(n, g, {needs, count}, [&](State& s) {
    check(event, hipErrorInvalidValue), s.event(event);
    return RecordEvent{event};
  });
}
hipError_t hipGraphEventRecordNodeGetEvent(hipGraphNode_t n, hipEvent_t* event) {
  return call([&](State& s) { given(event) = work_of<RecordEvent>(known(s, n)).event; });
}
hipError_t hipGraphEventRecordNodeSetEvent(hipGraphNode_t n, hipEvent_t event) {
  return change<RecordEvent>(n, [&](State&) { return check(event, hipErrorInvalidValue), RecordEvent{event}; });
}
hipError_t hipGraphExecEventRecordNodeSetEvent(hipGraphExec_t e, hipGraphNode_t n, hipEvent_t event) {
  return change<RecordEvent>(e, n, [&](State&) { return check(event, hipErrorInvalidValue), RecordEvent{event}; });
}
hipError_t hipGraphAddEventWaitNode(hipGraphNode_t* n, hipGraph_t g, const hipGraphNode_t* needs, size_t count,
                                    hipEvent_t event) {
  return add(n, g, {needs, count}, [&](State& s) {
    check(event, hipErrorInvalidValue), s.event(event);
    return WaitEvent{event};
  });
}
hipError_t hipGraphEventWaitNodeGetEvent(hipGraphNode_t n, hipEvent_t* event) {
  return call([&](State& s) { given(event) = work_of<WaitEvent>(known(s, n)).event; });
}
hipError_t hipGraphEventWaitNodeSetEvent(hipGraphNode_t n, hipEvent_t event) {
  return change<WaitEvent>(n, [&](State&) { return check(event, hipErrorInvalidValue), WaitEvent{event}; });
}
hipError_t hipGraphExecEventWaitNodeSetEvent(hipGraphExec_t e, hipGraphNode_t n, hipEvent_t event) {
  return change<WaitEvent>(e, n, [&](State&) { return check(event, hipErrorInvalidValue), WaitEvent{event}; });
}
struct AllocationNode {  // hipMemAllocNodeParams
  hipMemPoolProps pool;
  const hipMemAccessDesc* access;
  size_t access_count, bytes;
  void* address;
};
hipError_t hipGraphAddMemAllocNode(hipGraphNode_t* n, hipGraph_t g, const hipGraphNode_t* needs, size_t count,
                                   AllocationNode* p) {
  return add(n, g, {needs, count}, [&](State& s) {
    given(p), check(p->bytes, hipErrorInvalidValue);
    check(p->pool.allocType == hipMemAllocationTypePinned && p->pool.location.type == hipMemLocationTypeDevice,
          hipErrorInvalidValue);
    const uint64_t at = allocate(s, p->bytes, Region::Kind::device, 0);
    s.regions.at(at).of_graph = true;
    p->address = reinterpret_cast<void*>(at);
    return Allocate{at, p->bytes};
  });
}
hipError_t hipGraphMemAllocNodeGetParams(hipGraphNode_t n, AllocationNode* p) {
  return call([&](State& s) {
    const Allocate& a = work_of<Allocate>(known(s, n));
    given(p) = {};
    p->pool.allocType = hipMemAllocationTypePinned, p->pool.location.type = hipMemLocationTypeDevice;
    p->bytes = a.bytes, p->address = reinterpret_cast<void*>(a.address);
  });
}
hipError_t hipGraphAddMemFreeNode(hipGraphNode_t* n, hipGraph_t g, const hipGraphNode_t* needs, size_t count,
                                  void* at) {
  return add(n, g, {needs, count}, [&](State&) { return check(at, hipErrorInvalidValue), Free{number(at)}; });
}
hipError_t hipGraphMemFreeNodeGetParams(hipGraphNode_t n, void* at) {
  return call([&](State& s) {
    check(at, hipErrorInvalidValue);
    std::memcpy(at, &work_of<Free>(known(s, n)).address, sizeof(void*));
  });
}

// -- Executable graphs --
hipError_t hipGraphInstantiate(hipGraphExec_t* e, hipGraph_t g, hipGraphNode_t*, char*, size_t) {
  return call([&](State& s) { instantiate(s, e, g, 0); });
}
hipError_t hipGraphInstantiateWithFlags(hipGraphExec_t* e, hipGraph_t g, unsigned long long flags) {
  return call([&](State& s) { instantiate(s, e, g, flags); });
}
hipError_t hipGraphExecGetFlags(hipGraphExec_t e, unsigned long long* flags) {
  return call([&](State& s) { given(flags) = known(s, e)->flags; });
}
hipError_t hipGraphUpload(hipGraphExec_t e, hipStream_t stream) {
  return call([&](State& s) { known(s, e), s.stream(stream); });
}
hipError_t hipGraphLaunch(hipGraphExec_t e, hipStream_t stream) {
  return call([&](State& s) {
    known(s, e);
    ihipStream_t& st = s.stream(stream);
    if (st.capture) submit(s, stream, ChildGraph{copied(s, e->graph)});
    else run_graph(s, st, e->graph);
  });
}
hipError_t hipGraphExecDestroy(hipGraphExec_t e) {
  return call([&](State& s) {
    destroy(s, known(s, e)->graph);
    s.executables.erase(e);
    delete e;
  });
}
hipError_t hipGraphExecUpdate(hipGraphExec_t e, hipGraph_t g, hipGraphNode_t* at, hipGraphExecUpdateResult* result) {
  return call([&](State& s) {
    given(result), given(at), known(s, e), known(s, g);
    *at = nullptr, *result = hipGraphExecUpdateErrorTopologyChanged;
    const auto old = nodes_of(e->graph), now = nodes_of(g);
    check(old.size() == now.size(), hipErrorGraphExecUpdateFailure);
    for (size_t i = 0; i < now.size(); ++i) {
      *at = now[i];
      check(old[i]->needs.size() == now[i]->needs.size(), hipErrorGraphExecUpdateFailure);
      if (old[i]->work.index() != now[i]->work.index()) {
        *result = hipGraphExecUpdateErrorNodeTypeChanged;
        throw Error{hipErrorGraphExecUpdateFailure};
      }
      const auto *a = std::get_if<Launch>(&old[i]->work), *b = std::get_if<Launch>(&now[i]->work);
      if (a && a->function != b->function && a->function->module != b->function->module) {
        *result = hipGraphExecUpdateErrorFunctionChanged;
        throw Error{hipErrorGraphExecUpdateFailure};
      }
    }
    destroy(s, e->graph);
    e->graph = copied(s, g);
    *at = nullptr, *result = hipGraphExecUpdateSuccess;
  });
}
hipError_t hipGraphNodeSetEnabled(hipGraphExec_t e, hipGraphNode_t n, unsigned enabled) {
  return call([&](State& s) {
    const hipGraphNode_t there = in_executable(s, e, n);
    check(there->work.index() <= 2, hipErrorInvalidValue);  // kernels, copies, fills
    there->enabled = enabled;
  });
}
hipError_t hipGraphNodeGetEnabled(hipGraphExec_t e, hipGraphNode_t n, unsigned* enabled) {
  return call([&](State& s) {
    const hipGraphNode_t there = in_executable(s, e, n);
    check(there->work.index() <= 2, hipErrorInvalidValue);
    given(enabled) = there->enabled;
  });
}
hipError_t hipGraphDebugDotPrint(hipGraph_t g, const char* path, unsigned) {
  return call([&](State& s) {
    known(s, g), given(path);
    std::FILE* f = std::fopen(path, "w");
    check(f, hipErrorOperatingSystem);
    fmt::print(f, "digraph graph_{} {{\n", static_cast<void*>(g));
    for (hipGraphNode& n : g->nodes) {
      fmt::print(f, "  \"{}\" [label=\"type {}\"]\n", static_cast<void*>(&n), static_cast<int>(type_of(n)));
      for (const hipGraphNode_t need : n.needs)
        fmt::print(f, "  \"{}\" -> \"{}\"\n", static_cast<void*>(need), static_cast<void*>(&n));
    }
    fmt::print(f, "}}\n");
    std::fclose(f);
  });
}

// -- User objects: counted, destroyed with the last reference --
static hipUserObject* known_object(State& s, hipUserObject* o, unsigned count) {
  check(o && count && s.objects.contains(o), hipErrorInvalidValue);
  return o;
}
hipError_t hipUserObjectCreate(hipUserObject** o, void* data, hipHostFn_t destroy, unsigned references,
                               unsigned flags) {
  return call([&](State& s) {
    given(o), check(destroy && references && flags == 1, hipErrorInvalidValue);
    check(references <= INT32_MAX, hipErrorInvalidValue);
    *o = *s.objects.insert(new hipUserObject{data, destroy, references}).first;
  });
}
hipError_t hipUserObjectRetain(hipUserObject* o, unsigned count) {
  return call([&](State& s) { known_object(s, o, count)->references += count; });
}
hipError_t hipUserObjectRelease(hipUserObject* o, unsigned count) {
  return call([&](State& s) {
    known_object(s, o, count);
    o->references -= std::min(count, o->references);
    if (o->references) return;
    o->destroy(o->data);
    s.objects.erase(o);
    delete o;
  });
}
hipError_t hipGraphRetainUserObject(hipGraph_t g, hipUserObject* o, unsigned count, unsigned flags) {
  return call([&](State& s) {
    known(s, g), known_object(s, o, count), check(flags <= 1, hipErrorInvalidValue);
    if (flags == 0) o->references += count;  // otherwise the caller's references move
    g->objects.insert(g->objects.end(), count, o);
  });
}
hipError_t hipGraphReleaseUserObject(hipGraph_t g, hipUserObject* o, unsigned count) {
  const hipError_t known_both = call([&](State& s) {
    known(s, g), known_object(s, o, count);
    for (unsigned i = 0; i < count; ++i) {
      const auto it = std::ranges::find(g->objects, o);
      if (it != g->objects.end()) g->objects.erase(it);
    }
  });
  return known_both == hipSuccess ? hipUserObjectRelease(o, count) : known_both;
}
}
