#include "analyzer/source/call_paths.h"

#include <algorithm>

#include "analyzer/source/device_code.h"
#include "analyzer/source/visitor.h"

namespace kadvise::source {
namespace {

constexpr std::size_t kMostPaths = 48, kMostCalls = 3;

class Calls : public Visitor {
 public:
  bool VisitCallExpr(clang::CallExpr* c) override {
    if (calleeOf(c)) found.push_back(c);
    return true;
  }
  std::vector<const clang::CallExpr*> found;
};

// Of a header's functions only the declaration was read.
const clang::FunctionDecl* bodyInFile(const Unit& unit, const clang::CallExpr& call) {
  auto* f = calleeOf(&call)->getDefinition();
  if (!f || !f->getBody() || isKernel(*f)) return nullptr;
  return unit.sources.isInMainFile(unit.sources.getExpansionLoc(f->getBody()->getBeginLoc())) ? f : nullptr;
}

}  // namespace

std::vector<CallPath> callPathsOf(const Unit& unit, const clang::FunctionDecl& kernel) {
  std::vector<CallPath> out = {{{}, &kernel}};
  for (std::size_t i = 0; i < out.size(); ++i) {
    CallPath path = out[i];
    if (path.calls.size() >= kMostCalls) continue;
    Calls calls;
    calls.TraverseStmt(path.function->getBody());
    for (auto* call : calls.found) {
      auto* f = bodyInFile(unit, *call);
      bool isBelowItself =
          f == path.function || std::any_of(path.calls.begin(), path.calls.end(),
                                            [&](auto* c) { return calleeOf(c)->getDefinition() == f; });
      if (!f || isBelowItself) continue;
      if (out.size() >= kMostPaths) return out;
      out.push_back({path.calls, f});
      out.back().calls.push_back(call);
    }
  }
  return out;
}

Threads* along(Threads& kernel, const CallPath& path) {
  Threads* at = &kernel;
  for (auto* call : path.calls)
    if (at) at = at->inside(*call);
  return at;
}

}  // namespace kadvise::source
