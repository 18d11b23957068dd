// Graphs: nodes are work as values. An executable graph is a copy, whose nodes remember which they were made from.
#pragma once
#include "runtime/hip_interface/work.h"

struct hipGraphNode {
  hipGraph_t graph;
  wavesmith::hip::Work work;
  std::vector<hipGraphNode_t> needs;
  hipGraphNode_t original = nullptr;  // of a copy
  bool enabled = true;
  std::vector<void*> params;  // to the packed arguments of a launch, as hipGraphKernelNodeGetParams gives them
  std::optional<hipMemsetParams> fill{};  // as the program described it
};

struct ihipGraph {
  std::list<hipGraphNode> nodes;
  hipGraph_t original = nullptr;
  std::vector<hipUserObject*> objects;  // once for each reference
  ~ihipGraph();
};

struct hipGraphExec {
  hipGraph_t graph;
  unsigned long long flags = 0;
};

struct hipUserObject {
  void* data;
  hipHostFn_t destroy;
  unsigned references;
};

namespace wavesmith::hip {

struct Captured {
  hipGraph_t graph;
  ihipStream_t* origin;
  unsigned long long id;
  bool valid = true;
  std::set<ihipStream_t*> streams{};
};

hipGraph_t create_graph(State&);
hipGraph_t known(State&, hipGraph_t);  // hipErrorInvalidValue
void destroy(State&, hipGraph_t);
hipGraph_t copied(State&, hipGraph_t);  // with its child graphs
// Errors: hipErrorInvalidValue for needs of another graph, or twice the same.
hipGraphNode_t add_node(hipGraph_t, Work, std::span<const hipGraphNode_t> needs);
// Each after those it needs; otherwise as they were added. hipErrorInvalidValue: a cycle.
std::vector<hipGraphNode_t> in_order_of_needs(hipGraph_t);
Launch launch_of_node(State&, const hipKernelNodeParams&);  // launch.cpp

}  // namespace wavesmith::hip
