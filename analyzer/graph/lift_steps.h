// The same work on each step of a sequence, as one piece of work on the whole of it.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "analyzer/graph/input_checks.h"
#include "analyzer/graph/torch.h"
#include "analyzer/graph/values.h"

namespace kadvise::graph {

using Steps = std::vector<torch::jit::Value*>;  // one value for each step, in their order

// Follows n values back to `select(x, d, i)` or `slice(x, d, i, i + 1)` of one tensor, through operators that
// do the same in every step and never look from one step to another.
class StepLifter {
 public:
  explicit StepLifter(const TracedValues& traced) : traced_(traced) {}

  bool follow(const Steps& steps);

  // Where follow() gave up: "" before it saw that the values are steps of anything.
  const std::string& why() const { return why_; }
  bool sawSteps() const { return form_.has_value(); }

  bool keepsDimension() const { return form_->keeps; }
  std::int64_t dimension() const { return form_->dim; }  // of the whole, along which the steps lie
  std::int64_t rankOfStep() const { return form_->rank; }
  std::size_t operators() const { return operators_; }  // of one step

  // All nodes of all steps, in execution order.
  std::vector<torch::jit::Node*> nodes() const;

  // The work on the whole: the first step's nodes, with the whole in the place of the step. env: values
  // outside.
  torch::jit::Value* lift(torch::jit::Value* first, torch::jit::Graph&,
                          std::unordered_map<torch::jit::Value*, torch::jit::Value*>& env) const;

 private:
  struct Form {
    std::int64_t dim, rank;
    bool keeps;  // a slice: the step has the dimension, with its part of it
    bool operator==(const Form&) const = default;
  };
  struct Leaf {
    torch::jit::Value* whole;
    torch::jit::Value* end;  // where the last step ends; nullptr: with the whole
    std::int64_t count;
  };

  bool no(const std::string& why);
  bool leaf(const Steps&);
  std::optional<Leaf> partsOf(const Steps&);
  bool operands(const Steps&);
  bool takesWhole(const Steps&, const std::vector<bool>& moves);
  bool broadcastsAlike(torch::jit::Value* fixed) const;
  bool sameShape(torch::jit::Value*, torch::jit::Value*) const;
  Check enoughSteps(const torch::jit::Value* whole, std::int64_t count) const;
  bool isLast(torch::jit::Value* dim) const;  // of a step
  std::int64_t behind() const { return form_->rank - form_->dim - (form_->keeps ? 1 : 0); }
  std::optional<std::int64_t> rankOf(torch::jit::Value* v) const { return traced_.rank(v); }

  const TracedValues& traced_;
  std::optional<Form> form_;
  std::string why_;
  std::size_t operators_ = 0;
  std::unordered_map<torch::jit::Value*, Steps> followed_;  // by the first step's value
  std::unordered_map<torch::jit::Value*, Leaf> leaves_;
  std::set<const torch::jit::Value*> fixed_;  // operands that all steps share
  std::set<torch::jit::Node*> nodes_;
};

}  // namespace kadvise::graph
