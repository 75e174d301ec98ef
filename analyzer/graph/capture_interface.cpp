#include "analyzer/graph/capture_interface.h"

#include <algorithm>
#include <unordered_set>

#include "analyzer/graph/capture_memory.h"
#include "analyzer/graph/dependence.h"
#include "analyzer/graph/ir.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;

constexpr const char* kNotATensor =
    "what is computed here is read outside of the CUDA graph, and is neither a tensor nor made of sizes and "
    "tensors alone";
constexpr const char* kFilledInABranch = "a list that is filled in a branch or a loop leaves the CUDA graph";
constexpr const char* kUnknownMemory =
    "this result may share memory with another tensor, and the CUDA graph hands out copies";
constexpr const char* kCopiedAndWritten =
    "this result shares memory with another that leaves the CUDA graph, and is written to in place";

class Interface {
 public:
  Interface(CapturePiece& piece, const CaptureValues& values, const Aliases& aliases)
      : piece_(piece), values_(values), aliases_(aliases), body_(piece.body.begin(), piece.body.end()) {}

  std::optional<NotHandedOut> complete() {
    takeInputs();
    for (Node* n : piece_.body)
      for (Value* v : n->outputs())
        if (isReadOutside(v)) handOut(v);
    for (bool more = true; more && !refused_;) more = separateViews();
    for (Value* v : handed_)
      if (!again_.count(v->node())) piece_.outputs.push_back(v);
    piece_.again.assign(again_.begin(), again_.end());
    sortByPlace(piece_.again);
    sortByPlace(piece_.sizes);
    return refused_;
  }

 private:
  bool isInside(const Value* v) const { return body_.count(topOf(const_cast<Node*>(v->node()))) > 0; }
  bool isReadOutside(const Value* v) const {
    return std::any_of(v->uses().begin(), v->uses().end(),
                       [&](const jit::Use& use) { return !body_.count(topOf(use.user)); });
  }
  void refuse(Node* n, const char* reason) {
    if (!refused_) refused_ = NotHandedOut{n, reason};
  }

  void takeInputs() {
    for (Node* n : piece_.body)
      for (Value* v : readBy(n))
        if (!isInside(v)) take(v);
  }
  void take(Value* v) {
    if (isTensor(v)) outer_.insert(v);
    if (values_.isOfModule(v) || !taken_.insert(v).second) return;
    if (isTensor(v)) return piece_.inputs.push_back(v);
    auto& sizes = piece_.sizes;
    if (std::find(sizes.begin(), sizes.end(), v->node()) == sizes.end()) sizes.push_back(v->node());
    for (Value* in : v->node()->inputs()) take(in);
  }

  void handOut(Value* v) {
    if (refused_ || !isInside(v)) return;
    if (!isTensor(v)) return repeat(v->node());
    if (std::find(handed_.begin(), handed_.end(), v) == handed_.end()) handed_.push_back(v);
  }

  // Numbers and containers are made again outside of what is there: the one inside is another one.
  void repeat(Node* n) {
    if (again_.count(n)) return;
    if (!isHostWork(n)) return refuse(n, kNotATensor);
    again_.insert(n);
    for (Value* in : n->inputs()) handOut(in);
    for (Value* out : n->outputs())
      for (auto& use : out->uses()) {
        auto written = writtenValues(use.user);
        if (std::find(written.begin(), written.end(), out) == written.end()) continue;
        if (topOf(use.user) != use.user) refuse(use.user, kFilledInABranch);
        else if (body_.count(use.user)) repeat(use.user);
      }
  }

  // Of two results in one memory the memory is handed out, and both are made again as views of it; so are
  // views of what comes from outside. True where that asks for more.
  bool separateViews() {
    auto before = handed_.size() + again_.size();
    for (std::size_t i = 0; i < handed_.size() && !refused_; ++i) {
      Value *v = handed_[i], *memory = memoryOf(v);
      if (isInside(memory) && !isOwnMemory(memory) && mayShare(v))
        return refuse(v->node(), kUnknownMemory), false;
      if (v == memory || (isInside(memory) && !hasAnotherView(v, memory))) continue;
      auto views = viewsInside(v);
      for (Node* view : views) {
        bool isLate = mayCopy(view) && aliases_.hasWriters(memory);
        if (isLate || !writtenValues(view).empty()) return refuse(view, kCopiedAndWritten), false;
        again_.insert(view);
        for (Value* in : view->inputs())
          if (!isTensor(in) || viewedValue(view->output(0)) != in) handOutOperand(in, views);
      }
      handOut(memory);
    }
    return handed_.size() + again_.size() > before;
  }
  // Those outside stay as they are: what they view may have got other sizes in place since.
  std::vector<Node*> viewsInside(Value* v) const {
    auto views = viewsTo(v);
    std::erase_if(views, [&](Node* n) { return !body_.count(topOf(n)); });
    return views;
  }
  // The steps between the memory and the view are made again themselves.
  void handOutOperand(Value* in, const std::vector<Node*>& views) {
    bool isStep = std::find(views.begin(), views.end(), in->node()) != views.end();
    if (!isStep && !again_.count(in->node())) handOut(in);
  }
  bool hasAnotherView(const Value* v, const Value* memory) const {
    return std::any_of(handed_.begin(), handed_.end(),
                       [&](Value* other) { return other != v && memoryOf(other) == memory; });
  }
  // A branch's result, say.
  bool mayShare(const Value* v) const {
    auto shares = [&](const Value* other) { return other != v && aliases_.mayAlias(v, other); };
    return std::any_of(outer_.begin(), outer_.end(), shares) ||
           std::any_of(handed_.begin(), handed_.end(), shares);
  }

  CapturePiece& piece_;
  const CaptureValues& values_;
  const Aliases& aliases_;
  std::unordered_set<Node*> body_, again_;
  std::unordered_set<Value*> outer_, taken_;  // outer_: tensors from outside, those of the module included
  std::vector<Value*> handed_;                // tensors that are read outside
  std::optional<NotHandedOut> refused_;
};

}  // namespace

std::optional<NotHandedOut> completePiece(CapturePiece& piece, const CaptureValues& values,
                                          const Aliases& aliases) {
  return Interface(piece, values, aliases).complete();
}

}  // namespace kadvise::graph
