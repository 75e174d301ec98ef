#include "analyzer/graph/mask_reach.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "analyzer/graph/ir.h"
#include "analyzer/graph/mask_operators.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;

// How often the largest value counts a position or a size, and how far numbers move it.
struct Growth {
  double slope = 0, offset = 0;
};

constexpr double kSteepest = 8;      // the lengths that are tried are not enough for more
constexpr double kToTheEnd = 1.0e9;  // of a slice

Growth larger(Growth a, Growth b) { return {std::max(a.slope, b.slope), std::max(a.offset, b.offset)}; }

Growth ofTensor(const at::Tensor& t) {
  if (!t.defined() || t.is_meta() || t.is_complex() || t.numel() == 0 || t.scalar_type() == at::kBool)
    return {};
  auto size = t.to(at::kDouble).abs();
  if (t.is_floating_point()) size = size.masked_fill(t.lt(-kToTheEnd), 0.0);  // what masks are filled with
  return {0, size.max().item<double>()};
}

Growth ofConstant(const c10::IValue& v) {
  if (v.isInt()) return {0, std::abs(static_cast<double>(v.toInt()))};
  if (v.isDouble()) return {0, std::abs(v.toDouble())};
  if (v.isTensor()) return ofTensor(v.toTensor());
  Growth out;
  if (v.isIntList())
    for (auto x : v.toIntVector()) out.offset = std::max(out.offset, std::abs(static_cast<double>(x)));
  return out;
}

bool holdsLargePositions(c10::ScalarType type) {
  return type == at::kInt || type == at::kLong || type == at::kFloat || type == at::kDouble;
}

class Reader {
 public:
  Reader(const MaskProgram& program, const Dtypes& dtypes) : program_(program), dtypes_(dtypes) {
    for (auto* v : program.sizes) known_[v] = {1, 0};
    for (Node* n : program.nodes)
      if (out_.whyNot.empty()) visit(n);
    out_.longest = static_cast<std::int64_t>(std::ceil(std::min(reach_, kToTheEnd)));
  }

  MaskReach result() const { return out_; }

 private:
  void refuse(const Node* n, const std::string& what) {
    if (out_.whyNot.empty())
      out_.whyNot = std::string("is made by ") + n->kind().toQualString() + ", " + what;
  }

  Growth of(const Value* read) const {
    const Value* v = program_.made(read);
    if (auto found = known_.find(v); found != known_.end()) return found->second;
    auto constant = jit::toIValue(v);
    return constant ? ofConstant(*constant) : Growth{};
  }

  std::optional<at::ScalarType> dtypeOf(const Value* v) const {
    auto found = dtypes_.find(program_.made(v));
    return found == dtypes_.end() ? std::nullopt : std::optional(found->second);
  }

  Growth largest(const Node* n) const {
    Growth out;
    for (auto* in : n->inputs()) out = larger(out, of(in));
    return out;
  }

  // The operand of that name in the operator's schema.
  Growth named(const Node* n, const char* name) const {
    auto* schema = n->maybeSchema();
    auto index = schema ? schema->argumentIndexWithName(name) : std::nullopt;
    return index ? of(n->input(static_cast<std::size_t>(*index))) : Growth{};
  }

  void reaches(double offset) {
    if (offset < kToTheEnd) reach_ += offset;
  }

  void visit(Node* n) {
    auto role = maskRoleOf(n);
    if (!role) return refuse(n, "which may make another mask of longer sequences");
    Growth out = resultOf(n, *role);
    if (out.slope > kSteepest)
      return refuse(n, "which counts positions too often for all lengths to be known");
    auto type = dtypeOf(n->output());
    if (out.slope > 0 && type && !holdsLargePositions(*type))
      return refuse(n, "whose dtype does not tell large positions apart");
    known_[n->output()] = out;
  }

  Growth resultOf(Node* n, MaskRole role) {
    switch (role) {
      case MaskRole::Positions:
        return positions(n);
      case MaskRole::Constants:
        return constants(n);
      case MaskRole::Sum:
        return sum(n);
      case MaskRole::Change:
        return change(n);
      case MaskRole::Count:
        return count(n);
      case MaskRole::Comparison:
        return comparison(n);
      case MaskRole::Choice:
        return choice(n);
      case MaskRole::Triangle:
        choice(n);
        reaches(named(n, "diagonal").offset);
        return of(n->input(0));
      case MaskRole::Slice:
        return slice(n);
      case MaskRole::Gather:
        return gather(n);
      case MaskRole::Cast:
        return cast(n);
      case MaskRole::Layout:
        return of(n->input(0));
      case MaskRole::Join:
        return join(n);
      case MaskRole::List:
        return largest(n);
      case MaskRole::Length:
        return {1, reach_};
    }
    return {};
  }

  Growth positions(Node* n) {
    auto step = named(n, "step");
    if (step.slope > 0 || (step.offset != 0 && step.offset != 1)) refuse(n, "whose steps are not 1");
    auto end = larger(named(n, "end"), named(n, "start"));
    reaches(end.offset);
    return {std::max(end.slope, 1.0), end.offset};
  }

  Growth constants(Node* n) {
    if (named(n, "fill_value").slope > 0) refuse(n, "which fills with a size");
    reaches(named(n, "size").offset);
    return named(n, "fill_value");
  }

  Growth sum(Node* n) {
    if (auto alpha = named(n, "alpha"); alpha.slope > 0 || (alpha.offset != 0 && alpha.offset != 1))
      refuse(n, "which multiplies one operand");
    Growth out;
    for (std::size_t i = 0; i < std::min<std::size_t>(2, n->inputs().size()); ++i) {
      out.slope += of(n->input(i)).slope;
      out.offset += of(n->input(i)).offset;
    }
    return out;
  }

  Growth change(Node* n) {
    Growth self = of(n->input(0)), before = named(n, "prepend"), after = named(n, "append");
    return {2 * self.slope, 2 * (self.offset + before.offset + after.offset)};
  }

  // Of whole numbers: 0.01 summed up is a position times 0.01.
  Growth count(Node* n) {
    auto type = dtypeOf(n->input(0));
    bool whole = type && c10::isIntegralType(*type, /*includeBool=*/true);
    if (!whole || of(n->input(0)).slope > 0) refuse(n, "of what is no whole number, or grows itself");
    return {std::max(1.0, of(n->input(0)).offset), reach_};
  }

  Growth comparison(Node* n) {
    Growth a = of(n->input(0)), b = of(n->input(1));
    if (a.slope + b.slope > 0) reaches(a.offset + b.offset);
    return {0, 1};
  }

  Growth choice(Node* n) {
    Growth out = largest(n);
    if (out.slope > 0) refuse(n, "which makes another number of positions");
    if (n->kind() == jit::aten::mul) out.offset = of(n->input(0)).offset * of(n->input(1)).offset;
    return out;
  }

  Growth slice(Node* n) {
    double moved = 0;
    for (auto* name : {"start", "end", "index"})
      if (auto by = named(n, name); by.offset < kToTheEnd) moved += by.offset;
    if (auto step = named(n, "step"); step.slope > 0 || step.offset > 1) refuse(n, "whose steps are not 1");
    reaches(moved);
    Growth out = of(n->input(0));
    return {out.slope, out.offset + moved};
  }

  Growth gather(Node* n) {
    Growth self = of(n->input(0)), at = of(n->input(1));
    reaches(at.offset + reach_);
    return {self.slope * std::max(at.slope, 1.0), self.offset + at.offset};
  }

  // To bool is a comparison with 0.
  Growth cast(Node* n) {
    Growth self = of(n->input(0));
    auto type = dtypeOf(n->output());
    bool toBool = !type || *type == at::kBool;
    if (toBool && self.slope > 0) reaches(self.offset);
    return type && toBool ? Growth{0, 1} : self;
  }

  // A position in a piece is another position in the whole.
  Growth join(Node* n) {
    Growth out = of(n->input(0));
    Node* pieces = n->input(0)->node();
    if (pieces->inputs().size() > 1 && out.slope > 0) refuse(n, "which puts positions behind something else");
    for (auto* piece : pieces->inputs()) {
      auto constant = jit::toIValue(piece);
      if (!constant || !constant->isTensor() || !constant->toTensor().defined()) continue;
      for (auto size : constant->toTensor().sizes()) reaches(static_cast<double>(size));
    }
    return out;
  }

  const MaskProgram& program_;
  const Dtypes& dtypes_;
  std::unordered_map<const Value*, Growth> known_;
  double reach_ = 0;
  MaskReach out_;
};

}  // namespace

MaskReach reachOf(const MaskProgram& program, const Dtypes& dtypes) {
  return Reader(program, dtypes).result();
}

}  // namespace kadvise::graph
