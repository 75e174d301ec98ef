#include "analyzer/graph/parallel_convolutions.h"

#include <algorithm>
#include <array>
#include <sstream>

#include "analyzer/graph/ir.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;
namespace aten = jit::aten;

using Pair = std::array<std::int64_t, 2>;  // of rows and columns

struct Norm {
  Node* node = nullptr;
  Value *gamma, *beta, *mean, *var;  // gamma, beta: nullptr for none
  double eps;
};

struct Kernel {
  Node* node = nullptr;
  Value *weight, *bias;  // bias: nullptr for none
  std::array<std::int64_t, 4> shape;
  Pair stride, padding, dilation;
  std::int64_t groups;
};

// One of those that are added: what it makes of `of`. Without a kernel that is the identity, which the norm
// may scale; without either it is `of` itself.
struct Branch {
  Value *term, *of;
  std::optional<Kernel> kernel;
  std::optional<Norm> norm;
};

bool isWeight(Value* v) { return isNone(v) || attributePath(v); }
Value* orNull(Value* v) { return isNone(v) ? nullptr : v; }

std::optional<Pair> pairOf(Value* v) {
  auto given = jit::toIValue(v);
  if (!given || !given->isIntList()) return std::nullopt;
  auto list = given->toIntVector();
  if (list.size() == 1) return Pair{list[0], list[0]};
  return list.size() == 2 ? std::optional(Pair{list[0], list[1]}) : std::nullopt;
}

// A batch norm with statistics of its own.
std::optional<Norm> normOf(Node* n) {
  if (n->kind() != aten::batch_norm) return std::nullopt;
  auto counts = jit::toIValue(n->input(5)), eps = jit::toIValue(n->input(7));
  if (!counts || !counts->isBool() || counts->toBool()) return std::nullopt;
  bool areWeights = isWeight(n->input(1)) && isWeight(n->input(2)) && attributePath(n->input(3)) &&
                    attributePath(n->input(4));
  if (!areWeights || !eps || !eps->isDouble()) return std::nullopt;
  return Norm{n, orNull(n->input(1)), orNull(n->input(2)), n->input(3), n->input(4), eps->toDouble()};
}

std::optional<Kernel> kernelOf(Node* n, const TracedValues& traced) {
  if (n->kind() != aten::conv2d || n->inputs().size() != 7) return std::nullopt;
  auto *w = traced.find(n->input(1)), *x = traced.find(n->input(0));
  bool areWeights = attributePath(n->input(1)) && isWeight(n->input(2));
  if (!areWeights || !w || !x || w->shape.size() != 4 || x->shape.size() != 4 || w->dtype != x->dtype)
    return std::nullopt;
  auto stride = pairOf(n->input(3)), padding = pairOf(n->input(4)), dilation = pairOf(n->input(5));
  auto groups = constantInt(n->input(6));
  if (!stride || !padding || !dilation || !groups) return std::nullopt;
  Kernel k{n, n->input(1), orNull(n->input(2)), {}, *stride, *padding, *dilation, *groups};
  std::copy_n(w->shape.begin(), 4, k.shape.begin());
  return k;
}

bool isReadOnce(const Value* v) { return v->uses().size() == 1; }

Branch branchOf(Value* v, const TracedValues& traced) {
  if (!isReadOnce(v)) return {v, v, {}, {}};
  if (auto kernel = kernelOf(v->node(), traced)) return {v, v->node()->input(0), kernel, {}};
  auto norm = normOf(v->node());
  if (!norm) return {v, v, {}, {}};
  Value* x = norm->node->input(0);
  auto kernel = isReadOnce(x) ? kernelOf(x->node(), traced) : std::nullopt;
  return {v, kernel ? kernel->node->input(0) : x, kernel, norm};
}

bool isSum(const Node* n) {
  return n->kind() == aten::add && n->inputs().size() == 3 && constantInt(n->input(2)) == 1 &&
         isTensor(n->input(0)) && isTensor(n->input(1));
}

// A tree of sums, and what it adds from the left to the right.
struct Sum {
  std::vector<Node*> adds;
  std::vector<Value*> terms;
};

void gather(Node* add, Sum& sum) {
  for (std::size_t i = 0; i < 2; ++i) {
    Value* v = add->input(i);
    bool isInner = isSum(v->node()) && isReadOnce(v) && v->node()->owningBlock() == add->owningBlock();
    if (isInner) gather(v->node(), sum);
    else sum.terms.push_back(v);
  }
  sum.adds.push_back(add);
}

bool isInnerSum(Node* n) {
  if (!isReadOnce(n->output())) return false;
  Node* user = n->output()->uses()[0].user;
  return isSum(user) && user->owningBlock() == n->owningBlock();
}

// ---- which of them are one

// Where the kernel's middle lies, twice: about the same pixel as the other's.
bool liesAbout(const Kernel& k, const Kernel& all) {
  if (k.stride != all.stride || k.groups != all.groups || k.shape[0] != all.shape[0] ||
      k.shape[1] != all.shape[1])
    return false;
  for (std::size_t i = 0; i < 2; ++i) {
    auto size = k.shape[i + 2], most = all.shape[i + 2];
    bool isWithin = size <= most && (most - size) % 2 == 0 && (size == 1 || k.dilation[i] == all.dilation[i]);
    if (!isWithin || 2 * (all.padding[i] - k.padding[i]) != all.dilation[i] * (most - size)) return false;
  }
  return true;
}

// The identity as a kernel of that place.
bool holdsIdentity(const Kernel& all) {
  bool isSquare = all.shape[0] == all.shape[1] * all.groups && all.stride == Pair{1, 1};
  for (std::size_t i = 0; i < 2; ++i)
    isSquare = isSquare && all.shape[i + 2] % 2 == 1 &&
               2 * all.padding[i] == all.dilation[i] * (all.shape[i + 2] - 1);
  return isSquare;
}

// That the dtype of all is that of the kernel, and a vector has a number for each channel.
bool fits(const Branch& b, const Kernel& all, const TracedValues& traced) {
  auto* w = traced.find(all.weight);
  auto isVector = [&](Value* v) {
    auto* t = v ? traced.find(v) : nullptr;
    return !v || (t && t->shape == std::vector<std::int64_t>{all.shape[0]});
  };
  if (b.norm &&
      !(isVector(b.norm->gamma) && isVector(b.norm->beta) && isVector(b.norm->mean) && isVector(b.norm->var)))
    return false;
  if (!b.kernel) {
    auto* x = traced.find(b.of);
    return x && x->dtype == w->dtype && holdsIdentity(all);
  }
  return isVector(b.kernel->bias) && traced.find(b.kernel->weight)->dtype == w->dtype &&
         liesAbout(*b.kernel, all);
}

// The branches of one input that fit its largest kernel; empty where those are not two.
std::vector<Branch> joinedOf(const std::vector<Branch>& branches, const TracedValues& traced) {
  std::vector<Branch> best;
  for (auto& first : branches) {
    if (!first.kernel) continue;
    std::vector<Branch> joined;
    for (auto& b : branches)
      if (b.of == first.of && fits(b, *first.kernel, traced)) joined.push_back(b);
    if (joined.size() >= 2 && joined.size() > best.size()) best = joined;
  }
  return best;
}

const Kernel& largestOf(const std::vector<Branch>& joined) {
  auto area = [](const Branch& b) { return b.kernel ? b.kernel->shape[2] * b.kernel->shape[3] : 0; };
  return *std::max_element(joined.begin(), joined.end(), [&](auto& a, auto& b) {
            return area(a) < area(b);
          })->kernel;
}

// ---- the convolution that they are

// Statements of a function of the place's parameters, whose dtype 7 is float64.
class Writer {
 public:
  Writer(const std::vector<Value*>& parameters, const Kernel& all) : parameters_(parameters), all_(all) {
    body_.precision(17);
    say("w = torch.zeros_like(", nameOf(all.weight), ", dtype=7)");
    say("b = torch.zeros([", all.shape[0], "], dtype=7, device=w.device)");
  }

  void add(const Branch& b) {
    auto& [results, inputs, rows, columns] = all_.shape;
    Value* bias = b.kernel ? b.kernel->bias : nullptr;
    if (b.kernel) say("k = ", nameOf(b.kernel->weight), ".to(7)");
    else
      say("k = torch.eye(", inputs, ", dtype=7, device=w.device).repeat([", all_.groups, ", 1]).reshape([",
          results, ", ", inputs, ", 1, 1])");
    say("c = ", bias ? nameOf(bias) + ".to(7)" : "torch.zeros_like(b)");
    if (b.norm) scale(*b.norm, "k", "c");
    auto down = (rows - (b.kernel ? b.kernel->shape[2] : 1)) / 2,
         across = (columns - (b.kernel ? b.kernel->shape[3] : 1)) / 2;
    say("w = w + torch.constant_pad_nd(k, [", across, ", ", across, ", ", down, ", ", down, "], 0.0)");
    say("b = b + c");
    hasOffset_ = hasOffset_ || b.norm || bias;
  }

  void scaleAll(const Norm& n) {
    scale(n, "w", "b");
    hasOffset_ = true;
  }

  std::string finish(Value* x, const std::vector<Value*>& rest) {
    auto dtype = nameOf(all_.weight) + ".dtype";
    say("y = torch.conv2d(", nameOf(x), ", w.to(", dtype, "), ", hasOffset_ ? "b.to(" + dtype + ")" : "None",
        list(all_.stride), list(all_.padding), list(all_.dilation), ", ", all_.groups, ")");
    for (Value* v : rest) say("y = y + ", nameOf(v));
    say("return y");
    return body_.str();
  }

 private:
  std::string nameOf(Value* v) const { return parameterName(parameters_, v); }
  static std::string list(const Pair& p) {
    return ", [" + std::to_string(p[0]) + ", " + std::to_string(p[1]) + "]";
  }

  template <class... Parts>
  void say(const Parts&... parts) {
    body_ << "    ";
    ((body_ << parts), ...);
    body_ << "\n";
  }

  void scale(const Norm& n, const char* kernel, const char* offset) {
    say("s = torch.rsqrt(", nameOf(n.var), ".to(7) + ", n.eps, ")");
    if (n.gamma) say("s = s * ", nameOf(n.gamma), ".to(7)");
    say(offset, " = (", offset, " - ", nameOf(n.mean), ".to(7)) * s");
    if (n.beta) say(offset, " = ", offset, " + ", nameOf(n.beta), ".to(7)");
    say(kernel, " = ", kernel, " * s.reshape([", all_.shape[0], ", 1, 1, 1])");
  }

  const std::vector<Value*>& parameters_;
  const Kernel& all_;
  std::ostringstream body_;
  bool hasOffset_ = false;
};

struct Place {
  Sum sum;
  std::vector<Branch> joined;
  std::vector<Value*> rest;    // terms that are not
  std::optional<Norm> behind;  // of the whole sum
};

std::vector<Node*> nodesOf(const Place& p) {
  std::vector<Node*> nodes = p.sum.adds;
  for (auto& b : p.joined) {
    if (b.kernel) nodes.push_back(b.kernel->node);
    if (b.norm) nodes.push_back(b.norm->node);
  }
  if (p.behind) nodes.push_back(p.behind->node);
  sortByPlace(nodes);
  return nodes;
}

MadeRewrite merged(const Place& p) {
  MadeRewrite made;
  Node* root = p.behind ? p.behind->node : p.sum.adds.back();
  made.roots = {root};
  std::vector<Value*> parameters;
  made.pattern = patternOf(nodesOf(p), {root->output()}, parameters);
  Writer writer(parameters, largestOf(p.joined));
  for (auto& b : p.joined) writer.add(b);
  if (p.behind) writer.scaleAll(*p.behind);
  made.replacement =
      replacementOf(*made.pattern, writer.finish(p.joined[0].of, p.rest),
                    {1, Exactness::Reassociates, "", "one convolution with the sum of the kernels"});
  return made;
}

std::optional<Place> placeAt(Node* root, const TracedValues& traced) {
  Place p;
  gather(root, p.sum);
  std::vector<Branch> branches;
  for (Value* v : p.sum.terms) branches.push_back(branchOf(v, traced));
  p.joined = joinedOf(branches, traced);
  if (p.joined.empty()) return std::nullopt;
  for (Value* v : p.sum.terms)
    if (std::none_of(p.joined.begin(), p.joined.end(), [&](auto& b) { return b.term == v; }))
      p.rest.push_back(v);
  if (p.rest.empty() && isReadOnce(root->output())) p.behind = normOf(root->output()->uses()[0].user);
  if (p.behind && p.behind->node->owningBlock() != root->owningBlock()) p.behind.reset();
  return p;
}

}  // namespace

CodedResult findParallelConvolutions(const RulePage&, const Analysis& analysis) {
  CodedResult out;
  forEachNode(analysis.graph.block(), [&](Node* n) {
    if (!isSum(n) || isInnerSum(n)) return;
    auto place = placeAt(n, analysis.traced);
    if (!place) return;
    CodedFinding f;
    f.node = n;
    f.message =
        std::to_string(place->joined.size()) +
        " branches of one input are added, all of them convolutions or as good as one: together they are one";
    for (auto& b : place->joined)
      if (b.kernel) f.related.push_back(b.kernel->node);
    f.rewrite = merged(*place);
    out.findings.push_back(std::move(f));
  });
  if (out.findings.empty()) out.whyNothing = "no sum has two branches of one input that convolutions make";
  return out;
}

}  // namespace kadvise::graph
