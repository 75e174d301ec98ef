#include "analyzer/graph/unrolled_scan.h"

#include <algorithm>
#include <set>

#include "analyzer/graph/ir.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;
namespace aten = jit::aten;
using Shape = std::vector<std::int64_t>;

class ScanReader {
 public:
  explicit ScanReader(const TracedValues& traced) : traced_(traced) {}

  std::optional<UnrolledScan> read(Node* stack) {
    if (!recurrence(stack)) return std::nullopt;
    scan_.result = stack->output();
    if (discretised() && known()) follow();
    else if (scan_.why.empty()) scan_.why = "what is scanned is not exp(A dt) and dt B x";
    scan_.nodes.assign(nodes_.begin(), nodes_.end());
    sortByPlace(scan_.nodes);
    return scan_;
  }

 private:
  // The part of one time that a step reads.
  struct Part {
    Value* whole;
    std::int64_t dim, index;
  };

  bool isFloating(const Value* v) const {
    auto* t = traced_.find(v);
    return t && t->kind == "tensor" && c10::isFloatingType(t->dtype);
  }
  const Shape* shape(const Value* v) const {
    auto* t = traced_.find(v);
    return t && t->kind == "tensor" ? &t->shape : nullptr;
  }
  Value* took(Node* n) { return nodes_.insert(n), n->input(0); }

  // Casts between floating dtypes are no steps: the operator rounds less often.
  Value* behindCasts(Value* v) {
    while ((v->node()->kind() == aten::to || v->node()->kind() == aten::contiguous) && isFloating(v) &&
           isFloating(v->node()->input(0)))
      v = took(v->node());
    return v;
  }

  std::optional<Part> partOf(Value* v) {
    Node* n = v->node();
    if (n->kind() != aten::select) return std::nullopt;
    auto* whole = shape(n->input(0));
    auto dim = constantInt(n->input(1)), index = constantInt(n->input(2));
    if (!whole || !dim || !index) return std::nullopt;
    auto rank = static_cast<std::int64_t>(whole->size());
    return Part{n->input(0), (*dim + rank) % rank, *index};
  }

  static bool isTimes(const Value* v) {
    return v->node()->kind() == aten::mul && v->node()->inputs().size() == 2 && isTensor(v->node()->input(1));
  }
  static bool isPlus(const Value* v) {
    return v->node()->kind() == aten::add && v->node()->inputs().size() == 3 &&
           isTensor(v->node()->input(1)) && constantInt(v->node()->input(2)) == 1;
  }

  // y = select(matmul(h, unsqueeze(select(C, time, t), -1)), 2, 0): finds h, and remembers C.
  Value* stateBehind(Value* y, std::int64_t t) {
    y = behindCasts(y);
    auto column = partOf(y);
    if (!column || column->dim != 2 || column->index != 0 || column->whole->node()->kind() != aten::matmul)
      return nullptr;
    Node* product = column->whole->node();
    Value* weights = behindCasts(product->input(1));
    bool isColumn = weights->node()->kind() == aten::unsqueeze &&
                    isAnyOf({-1, 2}, constantInt(weights->node()->input(1)));
    if (!isColumn) return nullptr;
    auto at = weights->node()->input(0);
    auto part = partOf(at);
    if (!part || part->index != t || part->dim == 0 || (scan_.C && scan_.C != part->whole)) return nullptr;
    scan_.C = part->whole;
    scan_.timesOfCLast = part->dim == 2;
    nodes_.insert({y->node(), product, weights->node(), at->node()});
    return behindCasts(product->input(0));
  }

  // a[t] of the given whole, or of any where none is known yet.
  bool isTime(Value* v, Value*& whole, std::int64_t t) {
    auto part = partOf(v);
    if (!part || part->dim != 2 || part->index != t || shape(part->whole)->size() != 4) return false;
    if (whole && whole != part->whole) return false;
    whole = part->whole;
    nodes_.insert(v->node());
    return true;
  }

  static bool isZeros(Value* v) {
    auto kind = v->node()->kind();
    if (kind == aten::zeros || kind == aten::zeros_like || kind == aten::new_zeros) return true;
    auto constant = jit::toIValue(v);
    return constant && constant->isTensor() && !constant->toTensor().is_meta() &&
           constant->toTensor().count_nonzero().item<std::int64_t>() == 0;
  }

  bool advances(Value* h, Value* before, std::int64_t t) {
    if (!isPlus(h)) return false;
    for (std::size_t i : {0, 1}) {
      Value *product = behindCasts(h->node()->input(i)), *input = behindCasts(h->node()->input(1 - i));
      if (!isTimes(product)) continue;
      for (std::size_t j : {0, 1}) {
        Value *decay = behindCasts(product->node()->input(j)),
              *state = behindCasts(product->node()->input(1 - j));
        bool goesOn = t > 0 ? state == before : isZeros(state);
        if (!goesOn || !isTime(decay, decays_, t) || !isTime(input, inputs_, t)) continue;
        if (t == 0) scan_.start = state;
        nodes_.insert({h->node(), product->node()});
        return true;
      }
    }
    return false;
  }

  bool recurrence(Node* stack) {
    bool stacks = stack->kind() == aten::stack && stack->inputs().size() == 2 &&
                  stack->input(0)->node()->kind() == jit::prim::ListConstruct;
    auto dim = stacks ? constantInt(stack->input(1)) : std::nullopt;
    if (!dim || (*dim != -1 && *dim != 2)) return false;
    auto results = stack->input(0)->node()->inputs();
    if (results.size() < 2) return false;
    Value* h = nullptr;
    for (std::size_t t = 0; t < results.size(); ++t) {
      Value* next = stateBehind(results[t], static_cast<std::int64_t>(t));
      if (!next || !advances(next, h, static_cast<std::int64_t>(t))) return false;
      h = next;
    }
    scan_.steps = static_cast<std::int64_t>(results.size());
    nodes_.insert({stack, stack->input(0)->node()});
    return true;
  }

  // The factors of a product of any number.
  void factors(Value* v, std::vector<Value*>& out) {
    v = behindCasts(v);
    if (!isTimes(v)) return out.push_back(v);
    nodes_.insert(v->node());
    factors(v->node()->input(0), out);
    factors(v->node()->input(1), out);
  }

  // x of unsqueeze(x, -1), [batch, channel, time, 1].
  Value* unsqueezed(Value* v) {
    bool last = v->node()->kind() == aten::unsqueeze && isAnyOf({-1, 3}, constantInt(v->node()->input(1)));
    return last ? took(v->node()) : nullptr;
  }
  static bool isAnyOf(std::initializer_list<std::int64_t> all, std::optional<std::int64_t> v) {
    return v && std::find(all.begin(), all.end(), *v) != all.end();
  }

  bool discretised() {
    Value* power = behindCasts(decays_);
    if (power->node()->kind() != aten::exp) return false;
    nodes_.insert(power->node());
    std::vector<Value*> ofDecay, ofInput;
    factors(power->node()->input(0), ofDecay);
    factors(inputs_, ofInput);
    if (ofDecay.size() != 2 || ofInput.size() != 3) return false;
    const Shape whole = *shape(decays_);
    const Shape ofSteps = {whole[0], whole[1], whole[2], 1}, ofA = {1, whole[1], 1, whole[3]},
                ofB = {whole[0], 1, whole[2], whole[3]};
    auto taken = [&](std::vector<Value*>& from, auto fits) -> Value* {
      auto it = std::find_if(from.begin(), from.end(), fits);
      if (it == from.end()) return nullptr;
      Value* v = *it;
      from.erase(it);
      return v;
    };
    auto of = [&](const Shape& s) { return [&](Value* v) { return shape(v) && *shape(v) == s; }; };
    Value* steps = taken(ofDecay, of(ofSteps));
    scan_.A = taken(ofDecay, of(ofA));
    if (!steps || !scan_.A || !taken(ofInput, [&](Value* v) { return v == steps; })) return false;
    scan_.B = taken(ofInput, of(ofB));
    Value* x = taken(ofInput, of(ofSteps));
    if (!scan_.B || !x) return false;
    scan_.x = unsqueezed(x);
    scan_.dt = unsqueezed(steps);
    if (!scan_.x || !scan_.dt) return false;
    takeSoftplus();
    return true;
  }

  bool isReadOnlyHere(const Value* v) const {
    return std::all_of(v->uses().begin(), v->uses().end(), [&](auto& use) { return nodes_.count(use.user); });
  }
  bool hasElements(const Value* v, std::int64_t count) const {
    auto* s = shape(v);
    return s && std::count(s->begin(), s->end(), 1) + 1 >= static_cast<std::int64_t>(s->size()) &&
           std::find(s->begin(), s->end(), count) != s->end();
  }

  // dt = softplus(before + bias): the bias has a dimension behind that of the channels.
  void takeSoftplus() {
    Node* n = scan_.dt->node();
    bool plain = n->kind() == aten::softplus && constantInt(n->input(1)) == 1 && isTwenty(n->input(2));
    if (!plain || !isReadOnlyHere(scan_.dt)) return;
    scan_.softplus = true;
    scan_.dt = took(n);
    if (!isPlus(scan_.dt) || !isReadOnlyHere(scan_.dt)) return;
    auto channels = (*shape(decays_))[1];
    for (std::size_t i : {0, 1}) {
      Value *bias = scan_.dt->node()->input(i), *before = scan_.dt->node()->input(1 - i);
      auto *s = shape(bias), *b = shape(before), *all = shape(scan_.dt);
      bool isBias = s && s->size() >= 2 && s->back() == 1 && hasElements(bias, channels) &&
                    (*s)[s->size() - 2] == channels;
      if (!isBias || !b || !all || *b != *all) continue;
      nodes_.insert(scan_.dt->node());
      scan_.bias = bias;
      scan_.dt = before;
      return;
    }
  }
  static bool isTwenty(Value* v) {
    auto c = jit::toIValue(v);
    return c && c->isScalar() && c->toScalar().toDouble() == 20;
  }

  // What the operator asks for.
  bool known() {
    auto *x = traced_.find(scan_.x), *start = traced_.find(scan_.start);
    const Shape& whole = *shape(decays_);
    auto refuse = [&](const char* why) { return scan_.why = why, false; };
    for (Value* v : {scan_.dt, scan_.B, scan_.C})
      if (traced_.find(v)->dtype != x->dtype) return refuse("x, dt, B and C differ in dtype");
    for (Value* v : {scan_.dt, scan_.A, scan_.B, scan_.C})
      if (traced_.find(v)->device != x->device) return refuse("x, dt, A, B and C are on several devices");
    if (x->dtype == c10::kDouble) return refuse("float64 has no kernel");
    if (whole[2] != scan_.steps) return refuse("the steps are not all times of the sequence");
    if (!start || start->shape != Shape{whole[0], whole[1], whole[3]})
      return refuse("the states at the start have another shape than those behind");
    if (whole[3] > 64) return refuse("there are more than 64 states");
    return true;
  }

  Value* onlyReader(const Value* v, c10::Symbol kind) const {
    if (v->uses().size() != 1 || v->uses()[0].user->kind() != kind) return nullptr;
    return v->uses()[0].user->output();
  }
  static Value* otherThan(const Value* v, Node* n) { return n->input(n->input(0) == v ? 1 : 0); }

  // + D x, then * silu(z), as far as nobody else reads what is between.
  void follow() {
    if (Value* sum = onlyReader(scan_.result, aten::add); sum && isPlus(sum))
      takeSkip(sum, (*shape(decays_))[1]);
    Value* gated = onlyReader(scan_.result, aten::mul);
    if (!gated || !isTimes(gated)) return;
    Value* gate = otherThan(scan_.result, gated->node());
    auto* z = gate->node()->kind() == aten::silu ? traced_.find(gate->node()->input(0)) : nullptr;
    auto* x = traced_.find(scan_.x);
    if (!z || gate->uses().size() != 1 || z->shape != x->shape || z->dtype != x->dtype) return;
    scan_.z = took(gate->node());
    nodes_.insert(gated->node());
    scan_.result = gated;
  }

  void takeSkip(Value* sum, std::int64_t channels) {
    Value* product = otherThan(scan_.result, sum->node());
    if (!isTimes(product) || product->uses().size() != 1) return;
    for (std::size_t i : {0, 1}) {
      Value *x = product->node()->input(i), *skip = product->node()->input(1 - i);
      auto* s = shape(skip);
      bool isSkip = s && s->size() >= 2 && s->back() == 1 && (*s)[s->size() - 2] == channels &&
                    hasElements(skip, channels) && isFloating(skip) &&
                    traced_.find(skip)->dtype != c10::kDouble;
      if (x != scan_.x || !isSkip) continue;
      nodes_.insert({product->node(), sum->node()});
      scan_.D = skip;
      scan_.result = sum;
      return;
    }
  }

  const TracedValues& traced_;
  UnrolledScan scan_;
  Value *decays_ = nullptr, *inputs_ = nullptr;  // [batch, channel, time, state]
  std::set<Node*> nodes_;
};

}  // namespace

std::optional<UnrolledScan> unrolledScanAt(Node* stack, const TracedValues& traced) {
  return ScanReader(traced).read(stack);
}

}  // namespace kadvise::graph
