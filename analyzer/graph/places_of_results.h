// A run's values are known by their node and place (valueId in subject.h), and dead code elimination takes
// single results out of branches and loops, which moves those behind them to other places. While this lives,
// it does not.
#pragma once

#include <memory>
#include <vector>

#include "analyzer/graph/torch.h"

namespace kadvise::graph {

class PlacesOfResults {
 public:
  explicit PlacesOfResults(const std::shared_ptr<torch::jit::Graph>&);
  ~PlacesOfResults();  // eliminates what only this kept alive; results that nobody reads stay
  PlacesOfResults(const PlacesOfResults&) = delete;
  PlacesOfResults& operator=(const PlacesOfResults&) = delete;

 private:
  std::shared_ptr<torch::jit::Graph> graph_;
  std::shared_ptr<torch::jit::Source> mark_;  // of the readers that were put in
  std::vector<torch::jit::Node*> readers() const;
};

// Names them by their places (core/result_names.h), for a file that is traced.
void nameResults(torch::jit::Graph&);

}  // namespace kadvise::graph
