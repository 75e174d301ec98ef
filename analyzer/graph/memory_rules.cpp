#include "analyzer/graph/memory_rules.h"

#include <limits>

#include "analyzer/graph/ir.h"
#include "analyzer/graph/region_estimate.h"

namespace kadvise::graph {
namespace {

// "encoder.layer.3.attention" -> "encoder.layer.*.attention"
std::string withoutNumbers(const std::string& path) {
  std::string out;
  std::size_t at = 0;
  while (at <= path.size()) {
    auto end = std::min(path.find('.', at), path.size());
    std::string part = path.substr(at, end - at);
    bool number = !part.empty() && part.find_first_not_of("0123456789") == std::string::npos;
    out += (at ? "." : "") + (number ? "*" : part);
    at = end + 1;
  }
  return out;
}

// The time of those that read a value, through views.
double secondsOfReaders(const torch::jit::Value* v, const Analysis& a, int depth) {
  double seconds = 0;
  for (auto& use : v->uses()) {
    Cost cost = costOf(use.user, a.traced);
    seconds += secondsOf(cost, *a.target.gpu);
    if (cost.kernels > 0 || depth == 0) continue;
    for (auto* out : use.user->outputs()) seconds += secondsOfReaders(out, a, depth - 1);
  }
  return seconds;
}

// hstack is how the normal form spells a large one (large_cats.h).
constexpr std::string_view kCats[] = {"aten::cat", "aten::concat", "aten::hstack"};

}  // namespace

bool isCat(const torch::jit::Node* n) { return isOneOf(kCats, n); }

at::ArrayRef<torch::jit::Value*> piecesOf(torch::jit::Node* cat) {
  torch::jit::Node* list = cat->input(0)->node();
  return list->kind() == torch::jit::prim::ListConstruct ? list->inputs()
                                                         : at::ArrayRef<torch::jit::Value*>();
}

Estimate estimateOfSaving(const Cost& saved, double savedSeconds, double ofSeconds, const Gpu& gpu) {
  Estimate e;
  e.bytesSaved = saved.bytes();
  double left = ofSeconds - savedSeconds;
  constexpr double kNothing = 1e-6;  // of the whole: rounding
  e.speedup = left > kNothing * ofSeconds ? ofSeconds / left : std::numeric_limits<double>::infinity();
  e.savedUs = savedSeconds * 1e6;
  e.basis = basisFor(gpu);
  return e;
}

Estimate estimateWithout(const torch::jit::Node* n, const Analysis& a) {
  Cost cost = costOf(n, a.traced);
  double saved = secondsOf(cost, *a.target.gpu), around = saved;
  constexpr int kMostViews = 4;
  for (auto* out : n->outputs()) around += secondsOfReaders(out, a, kMostViews);
  return estimateOfSaving(cost, saved, around, *a.target.gpu);
}

std::size_t Places::add(torch::jit::Node* n, const std::string& message, std::optional<Estimate> estimate) {
  std::string scope = n->scopeName();
  int nth = seen_[scope + "|" + message]++;
  auto key =
      withoutNumbers(scope) + "|" + n->kind().toQualString() + "|" + message + "|" + std::to_string(nth);
  auto [at, fresh] = alike_.emplace(key, findings_.size());
  if (fresh) findings_.push_back({n, message, {}, {}, estimate, {}, {}});
  else findings_[at->second].related.push_back(n);
  return at->second;
}

CodedResult Places::take(const Analysis& a, const std::string& whyNothing) {
  CodedResult out;
  out.findings = std::move(findings_);
  if (out.findings.empty()) out.whyNothing = a.traced.empty() ? "needs the shapes of a run" : whyNothing;
  return out;
}

}  // namespace kadvise::graph
