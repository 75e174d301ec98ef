#include "analyzer/graph/parallel_convolutions.h"

#include <algorithm>
#include <sstream>

#include "analyzer/graph/convolution_branches.h"
#include "analyzer/graph/ir.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;
namespace aten = jit::aten;

bool isSum(const Node* n) {
  return n->kind() == aten::add && n->inputs().size() == 3 && constantInt(n->input(2)) == 1 &&
         isTensor(n->input(0)) && isTensor(n->input(1));
}

// Of a larger sum in the same block.
bool isInnerSum(Node* n) {
  if (!isReadOnce(n->output())) return false;
  Node* user = n->output()->uses()[0].user;
  return isSum(user) && user->owningBlock() == n->owningBlock();
}

// A tree of sums, and what it adds.
struct Sum {
  std::vector<Node*> adds;
  std::vector<Value*> terms;  // from the left to the right
};

Sum sumAt(Node* root) {
  Sum sum{{root}, {}};
  std::vector<Value*> open = {root->input(1), root->input(0)};
  while (!open.empty()) {
    Value* v = open.back();
    open.pop_back();
    Node* n = v->node();
    if (isSum(n) && isInnerSum(n)) {
      sum.adds.push_back(n);
      open.insert(open.end(), {n->input(1), n->input(0)});
    } else {
      sum.terms.push_back(v);
    }
  }
  return sum;
}

// Statements of a function of the place's parameters, whose dtype 7 is float64.
class Writer {
 public:
  Writer(const std::vector<Value*>& parameters, const BranchKernel& all)
      : parameters_(parameters), all_(all) {
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
    say("c = ", bias ? ifGiven(bias, nameOf(bias) + ".to(7)", "torch.zeros_like(b)") : "torch.zeros_like(b)");
    if (b.norm) scale(*b.norm, "k", "c");
    auto down = (rows - (b.kernel ? b.kernel->shape[2] : 1)) / 2,
         across = (columns - (b.kernel ? b.kernel->shape[3] : 1)) / 2;
    say("w = w + torch.constant_pad_nd(k, [", across, ", ", across, ", ", down, ", ", down, "], 0.0)");
    say("b = b + c");
    hasOffset_ = hasOffset_ || b.norm || bias;
  }

  void scaleAll(const BranchNorm& n) {
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
  static std::string list(const RowsAndColumns& p) {
    return ", [" + std::to_string(p[0]) + ", " + std::to_string(p[1]) + "]";
  }

  // A script declares the bias of a convolution as an optional.
  std::string ifGiven(Value* v, const std::string& then, const std::string& otherwise) const {
    return isTensor(v) ? then : then + " if " + nameOf(v) + " is not None else " + otherwise;
  }

  template <class... Parts>
  void say(const Parts&... parts) {
    body_ << "    ";
    ((body_ << parts), ...);
    body_ << "\n";
  }

  void scale(const BranchNorm& n, const char* kernel, const char* offset) {
    say("s = torch.rsqrt(", nameOf(n.var), ".to(7) + ", n.eps, ")");
    if (n.gamma) say("s = ", ifGiven(n.gamma, "s * " + nameOf(n.gamma) + ".to(7)", "s"));
    say(offset, " = (", offset, " - ", nameOf(n.mean), ".to(7)) * s");
    if (n.beta) say(offset, " = ", ifGiven(n.beta, offset + (" + " + nameOf(n.beta)) + ".to(7)", offset));
    say(kernel, " = ", kernel, " * s.reshape([", all_.shape[0], ", 1, 1, 1])");
  }

  const std::vector<Value*>& parameters_;
  const BranchKernel& all_;
  std::ostringstream body_;
  bool hasOffset_ = false;
};

struct Place {
  Sum sum;
  std::vector<Branch> joined;
  std::vector<Value*> rest;          // terms that are not
  std::optional<BranchNorm> behind;  // of the whole sum
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
  Node* root = p.behind ? p.behind->node : p.sum.adds.front();
  made.roots = {root};
  std::vector<Value*> parameters;
  made.pattern = patternOf(nodesOf(p), {root->output()}, parameters);
  Writer writer(parameters, largestKernelOf(p.joined));
  for (auto& b : p.joined) writer.add(b);
  if (p.behind) writer.scaleAll(*p.behind);
  made.replacement =
      replacementOf(*made.pattern, writer.finish(p.joined[0].of, p.rest),
                    {1, Exactness::Reassociates, "", "one convolution with the sum of the kernels"});
  return made;
}

std::optional<Place> placeAt(Node* root, const TracedValues& traced) {
  Place p;
  p.sum = sumAt(root);
  std::vector<Branch> branches;
  for (Value* v : p.sum.terms) branches.push_back(branchOf(v, traced));
  p.joined = branchesOfOneKernel(branches, traced);
  if (p.joined.empty()) return std::nullopt;
  for (Value* v : p.sum.terms)
    if (std::none_of(p.joined.begin(), p.joined.end(), [&](auto& b) { return b.term == v; }))
      p.rest.push_back(v);
  if (p.rest.empty() && isReadOnce(root->output())) p.behind = branchNormOf(root->output()->uses()[0].user);
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
  if (out.findings.empty())
    out.whyNothing =
        "no sum has two branches of one input that can be one convolution: read by the sum alone, with "
        "padding in numbers, and kernels about the same pixel";
  return out;
}

}  // namespace kadvise::graph
