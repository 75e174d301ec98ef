#include "analyzer/source/callers.h"

#include <set>

#include "analyzer/source/device_code.h"
#include "analyzer/source/visitor.h"

namespace kadvise::source {
namespace {

constexpr std::size_t kMostCallers = 256;

const clang::FunctionDecl* keyOf(const clang::FunctionDecl& f) { return asWritten(&f)->getCanonicalDecl(); }

// Templates that a call of a template may mean are among them.
class Callees : public Visitor {
 public:
  bool VisitCallExpr(clang::CallExpr* call) override {
    if (auto* f = call->getDirectCallee()) found.push_back(keyOf(*f));
    auto* open = llvm::dyn_cast<clang::OverloadExpr>(call->getCallee()->IgnoreParenImpCasts());
    if (!open) return true;
    for (auto* d : open->decls())
      if (auto* f = d->getUnderlyingDecl()->getAsFunction()) found.push_back(keyOf(*f));
    return true;
  }
  std::vector<const clang::FunctionDecl*> found;
};

}  // namespace

Callers::Callers(Analyses& analyses) {
  for (auto* f : analyses.hostFunctions()) {
    Callees callees;
    callees.TraverseStmt(f->getBody());
    for (auto* callee : callees.found) direct_[callee].push_back(f);
  }
}

std::vector<const clang::FunctionDecl*> Callers::of(const clang::FunctionDecl& f) const {
  std::vector<const clang::FunctionDecl*> out, open = {keyOf(f)};
  std::set<const clang::FunctionDecl*> seen = {keyOf(f)};
  while (!open.empty() && out.size() < kMostCallers) {
    auto known = direct_.find(open.back());
    open.pop_back();
    if (known == direct_.end()) continue;
    for (auto* caller : known->second) {
      if (!seen.insert(keyOf(*caller)).second) continue;
      out.push_back(caller);
      open.push_back(keyOf(*caller));
    }
  }
  return out;
}

}  // namespace kadvise::source
