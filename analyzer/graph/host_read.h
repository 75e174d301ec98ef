// The coded rule graph-break/host-read: places where the host waits for a value that a tensor holds.
#pragma once

#include <vector>

#include "analyzer/core/rule_page.h"
#include "analyzer/graph/subject.h"

namespace kadvise::graph {

struct HostRead {
  torch::jit::Node* node = nullptr;
  std::string what;  // "aten::item reads a value of %mean.1"
};

// Size arithmetic of traces (size, NumToTensor, floor_divide, Int) runs on the host anyway and is not one.
std::vector<HostRead> findHostReads(torch::jit::Graph&);

}  // namespace kadvise::graph
