#include "analyzer/source/tensor_rules.h"

#include <algorithm>
#include <set>

#include "analyzer/source/place.h"
#include "analyzer/source/tensor_words.h"
#include "analyzer/source/visitor.h"

namespace kadvise::source {
namespace {

constexpr int kShortestChain = 3;
constexpr std::int64_t kFewTurns = 4;

Site siteAt(const clang::FunctionDecl& f, clang::SourceRange range, std::string message) {
  Site site;
  site.range = range;
  site.function = &f;
  site.message = std::move(message);
  return site;
}

// Whether some operand is no number: 2 * x + 1 of sizes is arithmetic of the host.
bool isElementwise(const TensorValue& v) { return v.isTensor && v.written && isPointwise(v.word); }

// Values that one operator over the same elements takes, and nobody else.
std::set<int> swallowed(const TensorValues& values) {
  std::set<int> out;
  for (auto& v : values.values)
    if (isElementwise(v))
      for (int o : v.operands)
        if (isElementwise(values.at(o)) && values.at(o).uses == 1) out.insert(o);
  return out;
}

void collect(const TensorValues& values, const std::set<int>& inner, int id, std::set<int>& out) {
  if (!out.insert(id).second) return;
  for (int o : values.at(id).operands)
    if (inner.count(o)) collect(values, inner, o, out);
}

// x.f(…) becomes x: what stands in front of the method.
std::optional<Fix> withoutMethod(const Unit& unit, const clang::Expr* call, std::string title) {
  auto* method = llvm::dyn_cast<clang::CXXMemberCallExpr>(call);
  if (!method) return std::nullopt;
  auto object = textOf(unit, method->getImplicitObjectArgument()->getSourceRange());
  if (object.empty()) return std::nullopt;
  auto edit = editOf(unit, clang::CharSourceRange::getTokenRange(call->getSourceRange()), object);
  if (!edit) return std::nullopt;
  return Fix{std::move(title), Safety::Safe, std::vector<Edit>{std::move(*edit)}};
}

bool isFill(const std::string& word) {
  return word == "zeros" || word == "zeros_like" || word == "ones" || word == "ones_like" || word == "full" ||
         word == "full_like" || word == "new_zeros" || word == "new_ones" || word == "new_full";
}

bool isMask(const TensorValues& values, int id) {
  auto& v = values.at(id);
  if (v.word == "list")
    return std::any_of(v.operands.begin(), v.operands.end(), [&](int o) { return isMask(values, o); });
  if (v.word == "bitwise_and" || v.word == "bitwise_or")
    return std::all_of(v.operands.begin(), v.operands.end(), [&](int o) { return isMask(values, o); });
  return v.isTensor && isComparison(v.word);
}

// What the body of a loop does that a rule about it must know.
class Body : public Visitor {
 public:
  explicit Body(const clang::VarDecl* counter) : counter_(counter) {}

  bool VisitCallExpr(clang::CallExpr* call) override {
    if (auto known = tensorCallOf(call)) take(*known);
    else if (auto* op = llvm::dyn_cast<clang::CXXOperatorCallExpr>(call); op && op->isAssignmentOp())
      assigns(op->getArg(0));
    else hasOther |= !isHarmless(*call);
    return true;
  }
  bool VisitBreakStmt(clang::BreakStmt*) override { return leave(); }
  bool VisitReturnStmt(clang::ReturnStmt*) override { return leave(); }
  bool VisitIfStmt(clang::IfStmt* s) override {
    hasOther |= !s->getBeginLoc().isMacroID();  // but those of TORCH_CHECK
    return true;
  }
  bool VisitVarDecl(clang::VarDecl* v) override {
    declared_.insert(v);
    return true;
  }
  bool VisitCXXThrowExpr(clang::CXXThrowExpr*) override { return leave(); }

  // A tensor from outside of the loop that a turn leaves for the next.
  bool carries() const {
    return std::any_of(assigned_.begin(), assigned_.end(), [&](auto* v) { return !declared_.count(v); });
  }

  const clang::VarDecl* sliced = nullptr;
  std::set<std::string> computes;
  bool hasOther = false;

 private:
  bool leave() {
    hasOther = true;
    return true;
  }

  void take(const TensorCall& call) {
    bool isSlice =
        call.word == "select" || call.word == "narrow" || call.word == "slice" || call.word == "index";
    auto* from = variableOf(bareExpr(call.operands[0]));
    if (isSlice && from && !sliced)
      for (std::size_t i = 1; i < call.operands.size(); ++i)
        if (variableOf(bareExpr(call.operands[i])) == counter_) sliced = from;
    if (call.isInPlace) assigns(call.operands[0]);
    bool isWork =
        !isView(call.word) && !isQuestion(call.word) && call.word != "copy" && call.word != "select";
    if (isWork) computes.insert(call.word);
    hasOther |= call.word == "item" || call.word == "data_ptr" || call.word == "backward";
  }

  void assigns(const clang::Expr* e) {
    if (auto* v = variableOf(bareExpr(e)); v && isTensor(v->getType())) assigned_.insert(v);
  }

  static bool isHarmless(const clang::CallExpr& call) {
    auto* f = call.getDirectCallee();
    if (!f) return false;
    if (f->isInStdNamespace()) return true;
    auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(f);
    if (method && method->getParent()->isInStdNamespace()) return true;
    if (f->getIdentifier() && f->getName() == "torchCheckFail") return true;
    auto* place = llvm::dyn_cast<clang::NamespaceDecl>(f->getDeclContext()->getEnclosingNamespaceContext());
    return place && (place->getName() == "detail" || place->getName() == "c10");
  }

  const clang::VarDecl* counter_;
  std::set<const clang::VarDecl*> declared_, assigned_;
};

class Loops : public Visitor {
 public:
  bool VisitForStmt(clang::ForStmt* s) override {
    found.push_back(s);
    return true;
  }
  std::vector<const clang::ForStmt*> found;
};

const clang::VarDecl* counterOf(const clang::ForStmt& loop) {
  auto* init = llvm::dyn_cast_or_null<clang::DeclStmt>(loop.getInit());
  auto* v = init && init->isSingleDecl() ? llvm::dyn_cast<clang::VarDecl>(init->getSingleDecl()) : nullptr;
  return v && v->getType()->isIntegerType() ? v : nullptr;
}

bool turnsSeldom(const Unit& unit, const clang::ForStmt& loop) {
  auto* until = llvm::dyn_cast_or_null<clang::BinaryOperator>(loop.getCond());
  auto bound = until ? constantOf(unit, until->getRHS()) : std::nullopt;
  return bound && *bound <= kFewTurns;
}

}  // namespace

void pointwiseChain(Analyses& analyses, const RulePage& page, Findings& findings) {
  for (auto* f : analyses.hostFunctions()) {
    auto& values = analyses.tensorValuesOf(*f);
    auto inner = swallowed(values);
    for (int id = 0; id < static_cast<int>(values.values.size()); ++id) {
      auto& v = values.at(id);
      if (!isElementwise(v) || inner.count(id)) continue;
      std::set<int> chain;
      collect(values, inner, id, chain);
      if (static_cast<int>(chain.size()) < kShortestChain) continue;
      std::string count = std::to_string(chain.size());
      findings.add(page, siteAt(*f, v.written->getSourceRange(),
                                count + " operators over the same elements, one after the other: " + count +
                                    " kernels, each of which reads and writes whole tensors"));
    }
  }
}

void redundantCopy(Analyses& analyses, const RulePage& page, Findings& findings) {
  auto& unit = analyses.unit();
  for (auto* f : analyses.hostFunctions()) {
    auto& values = analyses.tensorValuesOf(*f);
    for (auto& v : values.values) {
      if (v.operands.empty() || !v.written) continue;
      auto& from = values.at(v.operands[0]);
      bool laidOut =
          (from.word == "contiguous" && from.operands.size() != 1) ||
          (from.written && textOf(unit, from.written->getSourceRange()).find("emory") != std::string::npos);
      if (v.word == "contiguous" && v.operands.size() == 1 && isFreshAndContiguous(from.word) && !laidOut) {
        Site site = siteAt(*f, v.written->getSourceRange(),
                           "contiguous() of what " + from.word + "() has just made, which is contiguous");
        if (auto fix = withoutMethod(unit, v.written, "leave contiguous() out")) site.fixes.push_back(*fix);
        findings.add(page, std::move(site));
      }
      if (v.word == "copy" && v.isInPlace && isFill(from.word) && from.uses == 1)
        findings.add(page,
                     siteAt(*f, v.written->getSourceRange(),
                            "copy_() overwrites all that " + from.word +
                                "() has just written: empty_like() does not write, and clone() is both"));
    }
  }
}

void maskIndexInLoop(Analyses& analyses, const RulePage& page, Findings& findings) {
  for (auto* f : analyses.hostFunctions()) {
    auto& values = analyses.tensorValuesOf(*f);
    for (auto& v : values.values) {
      bool picks = v.word == "index" || v.word == "select";
      if (v.loops == 0 || !v.written || v.operands.size() != 2) continue;
      if (v.word != "masked_select" && !(picks && isMask(values, v.operands[1]))) continue;
      findings.add(page, siteAt(*f, v.written->getSourceRange(),
                                "indexing by a mask in a loop: each turn waits for the GPU to learn how many "
                                "elements there are"));
    }
  }
}

void loopOverSlices(Analyses& analyses, const RulePage& page, Findings& findings) {
  auto& unit = analyses.unit();
  for (auto* f : analyses.hostFunctions()) {
    Loops loops;
    loops.TraverseStmt(f->getBody());
    for (auto* loop : loops.found) {
      auto* counter = counterOf(*loop);
      if (!counter || turnsSeldom(unit, *loop)) continue;
      Body body(counter);
      body.TraverseStmt(const_cast<clang::Stmt*>(loop->getBody()));
      if (!body.sliced || body.computes.empty() || body.hasOther || body.carries()) continue;
      std::string what = *body.computes.begin();
      findings.add(
          page, siteAt(*f, {loop->getForLoc(), loop->getRParenLoc()},
                       "each turn launches " + what + " for one slice of " + body.sliced->getNameAsString() +
                           ", and no turn needs another: one call can do all"));
    }
  }
}

}  // namespace kadvise::source
