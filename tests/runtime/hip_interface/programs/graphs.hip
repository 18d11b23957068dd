// Capture with a fork and a join, a graph built by hand, changed parameters, and what capture forbids.
#include "program.h"

__global__ void scale(int* v, int by) { v[place()] *= by; }
__global__ void add(int* v, const int* w) { v[place()] += w[place()]; }

static void captured() {
  hipStream_t s, t;
  CHECKED(hipStreamCreate(&s));
  CHECKED(hipStreamCreate(&t));
  hipEvent_t fork, join;
  CHECKED(hipEventCreate(&fork));
  CHECKED(hipEventCreate(&join));
  std::vector<int> ones(128, 1);
  Device<int> a(ones), b(ones);
  CHECKED(hipStreamBeginCapture(s, hipStreamCaptureModeGlobal));
  CHECKED(hipEventRecord(fork, s));
  CHECKED(hipStreamWaitEvent(t, fork, 0));
  scale<<<2, 64, 0, s>>>(a.p, 2);
  scale<<<2, 64, 0, t>>>(b.p, 3);
  CHECKED(hipEventRecord(join, t));
  CHECKED(hipStreamWaitEvent(s, join, 0));
  add<<<2, 64, 0, s>>>(a.p, b.p);
  hipGraph_t g;
  CHECKED(hipStreamEndCapture(s, &g));
  EXPECT(a.read(1)[0] == 1);  // nothing has run
  size_t nodes = 0, edges = 0, roots = 0;
  CHECKED(hipGraphGetNodes(g, nullptr, &nodes));
  CHECKED(hipGraphGetEdges(g, nullptr, nullptr, &edges));
  CHECKED(hipGraphGetRootNodes(g, nullptr, &roots));
  EXPECT(nodes == 3 && edges == 2 && roots == 2);
  hipGraphExec_t e;
  CHECKED(hipGraphInstantiate(&e, g, nullptr, nullptr, 0));
  CHECKED(hipGraphLaunch(e, s));
  CHECKED(hipGraphLaunch(e, s));
  CHECKED(hipStreamSynchronize(s));
  EXPECT(a.read(128)[127] == (1 * 2 + 3) * 2 + 9);
  CHECKED(hipGraphExecDestroy(e));
  CHECKED(hipGraphDestroy(g));

  CHECKED(hipStreamBeginCapture(s, hipStreamCaptureModeGlobal));
  EXPECT(hipStreamSynchronize(s) == hipErrorStreamCaptureUnsupported);
  EXPECT(hipStreamEndCapture(s, &g) == hipErrorStreamCaptureInvalidated);
  EXPECT(hipStreamEndCapture(s, &g) == hipErrorIllegalState);
  CHECKED(hipStreamDestroy(s));
  CHECKED(hipStreamDestroy(t));
}

static void by_hand() {
  hipGraph_t g;
  CHECKED(hipGraphCreate(&g, 0));
  std::vector<int> from(64), to(64, -1);
  for (int i = 0; i < 64; ++i) from[i] = i;
  Device<int> d(std::vector<int>(64, 0)), w(std::vector<int>(64, 0));
  hipGraphNode_t fill, in, kernel, out, sum;
  hipMemsetParams m{};
  m.dst = w.p, m.elementSize = 4, m.width = 64, m.height = 1, m.value = 1000;
  CHECKED(hipGraphAddMemsetNode(&fill, g, nullptr, 0, &m));
  CHECKED(hipGraphAddMemcpyNode1D(&in, g, nullptr, 0, d.p, from.data(), 256, hipMemcpyHostToDevice));
  int by = 3;
  void* args[] = {&d.p, &by};
  hipKernelNodeParams k{};
  k.func = reinterpret_cast<void*>(scale), k.gridDim = dim3(1), k.blockDim = dim3(64), k.kernelParams = args;
  CHECKED(hipGraphAddKernelNode(&kernel, g, &in, 1, &k));
  void* more[] = {&d.p, &w.p};
  hipKernelNodeParams j = k;
  j.func = reinterpret_cast<void*>(add), j.kernelParams = more;
  const hipGraphNode_t both[] = {kernel, fill};
  CHECKED(hipGraphAddKernelNode(&sum, g, both, 2, &j));
  CHECKED(hipGraphAddMemcpyNode1D(&out, g, &sum, 1, to.data(), d.p, 256, hipMemcpyDeviceToHost));
  hipGraphNodeType type;
  CHECKED(hipGraphNodeGetType(fill, &type));
  EXPECT(type == hipGraphNodeTypeMemset);
  hipGraphExec_t e;
  CHECKED(hipGraphInstantiate(&e, g, nullptr, nullptr, 0));
  by = 50;  // the node has its own copy
  CHECKED(hipGraphLaunch(e, nullptr));
  EXPECT(to[63] == 63 * 3 + 1000);
  CHECKED(hipGraphExecKernelNodeSetParams(e, kernel, &k));
  CHECKED(hipGraphLaunch(e, nullptr));
  EXPECT(to[63] == 63 * 50 + 1000);
  EXPECT(hipGraphAddDependencies(g, &sum, &in, 1) == hipSuccess);  // a cycle
  hipGraphExec_t never;
  EXPECT(hipGraphInstantiate(&never, g, nullptr, nullptr, 0) == hipErrorInvalidValue);
  CHECKED(hipGraphExecDestroy(e));
  CHECKED(hipGraphDestroy(g));
}

int main() {
  captured(), by_hand();
  std::puts("passed");
}
