#include "analyzer/source/call_check_rules.h"

#include <map>
#include <vector>

#include "analyzer/source/function_names.h"
#include "analyzer/source/host_functions.h"
#include "analyzer/source/place.h"
#include "analyzer/source/visitor.h"

namespace kadvise::source {
namespace {

// They clean up: nobody can do more about their failure than go on.
constexpr const char* kCleanups[] = {"cudaDeviceReset",      "cudaThreadExit",
                                     "cudaProfilerStop",     "cudaProfilerStart",
                                     "cudaHostUnregister",   "cudaGraphicsUnregisterResource",
                                     "cudaIpcCloseMemHandle"};
// What they return is an answer more than an error.
constexpr const char* kQuestions[] = {"cudaEventQuery", "cudaStreamQuery"};

bool isNamed(llvm::StringRef name, llvm::ArrayRef<const char*> names) {
  return llvm::any_of(names, [&](const char* n) { return name == n; });
}

bool isCleanup(llvm::StringRef name) {
  return name.starts_with("cudaFree") || name.contains("Destroy") || isNamed(name, kCleanups);
}

// Its last statement throws, or ends the program.
bool endsInFailure(const clang::CompoundStmt& block) {
  auto* last = block.body_empty() ? nullptr : llvm::dyn_cast<clang::Expr>(block.body_back());
  if (!last) return false;
  if (auto* whole = llvm::dyn_cast<clang::ExprWithCleanups>(last)) last = whole->getSubExpr();
  auto* call = llvm::dyn_cast<clang::CallExpr>(last);
  return llvm::isa<clang::CXXThrowExpr>(last) ||
         (call && call->getDirectCallee() && call->getDirectCallee()->isNoReturn());
}

// Where an error is on its way already, or an exception would end the program: in a catch, or in a branch
// that ends so.
bool isInFailure(const Unit& unit, const clang::Stmt& s) {
  bool isInBranch = false;
  for (auto node = clang::DynTypedNode::create(s); !node.get<clang::FunctionDecl>();) {
    auto parents = unit.context.getParents(node);
    if (parents.empty()) return false;
    if (isInBranch && !parents[0].get<clang::FunctionDecl>()) return true;
    node = parents[0];
    if (node.get<clang::CXXCatchStmt>()) return true;
    auto* block = node.get<clang::CompoundStmt>();
    isInBranch = block && endsInFailure(*block);
  }
  return false;
}

// "__getLastCudaError", "CheckLaunch", of a header whose bodies are not read; who is handed an error looks at
// that one.
bool soundsLikeAsking(llvm::StringRef name) {
  std::string lower = name.lower();
  auto has = [&](const char* word) { return lower.find(word) != std::string::npos; };
  return (has("check") || has("last")) && (has("cuda") || has("gpu") || has("launch") || has("kernel"));
}

bool soundsLikeAsking(const clang::FunctionDecl& f) {
  return f.getIdentifier() && soundsLikeAsking(f.getName()) && llvm::none_of(f.parameters(), [](auto* p) {
           return p->getType()->isDependentType() || p->getType()->isEnumeralType();
         });
}

bool asksForLast(llvm::StringRef name) { return name == "cudaGetLastError" || name == "cudaPeekAtLastError"; }

// Of the runtime, and returns a cudaError_t.
bool canFail(const clang::FunctionDecl& f) {
  if (!f.getIdentifier() || !f.getName().starts_with("cuda") || f.getName().size() < 5) return false;
  char first = f.getName()[4];
  if (first < 'A' || first > 'Z' || !f.getDeclContext()->getRedeclContext()->isTranslationUnit())
    return false;
  auto* type = f.getReturnType()->getAs<clang::EnumType>();
  return type && type->getDecl()->getName() == "cudaError";
}

enum class Fate { Dropped, Used, Waived };

// The value of a statement in a block is dropped, but for the last one of a GNU ({ … }).
bool isLastOfExpression(const Unit& unit, const clang::CompoundStmt& block, const clang::Stmt* s) {
  auto parents = unit.context.getParents(block);
  return !block.body_empty() && block.body_back() == s && !parents.empty() &&
         parents[0].get<clang::StmtExpr>();
}

Fate fateOf(const Unit& unit, const clang::CallExpr& call) {
  const clang::Stmt* s = &call;
  while (true) {
    auto parents = unit.context.getParents(*s);
    auto* parent = parents.empty() ? nullptr : parents[0].get<clang::Stmt>();
    if (!parent) return Fate::Used;
    if (llvm::isa<clang::ExprWithCleanups, clang::ParenExpr>(parent)) {
      s = parent;
      continue;
    }
    if (auto* cast = llvm::dyn_cast<clang::ExplicitCastExpr>(parent))
      return cast->getType()->isVoidType() ? Fate::Waived : Fate::Used;
    if (auto* block = llvm::dyn_cast<clang::CompoundStmt>(parent))
      return isLastOfExpression(unit, *block, s) ? Fate::Used : Fate::Dropped;
    if (auto* loop = llvm::dyn_cast<clang::ForStmt>(parent))
      return loop->getCond() == s ? Fate::Used : Fate::Dropped;
    if (auto* branch = llvm::dyn_cast<clang::IfStmt>(parent))
      return branch->getCond() == s ? Fate::Used : Fate::Dropped;
    return llvm::isa<clang::SwitchCase, clang::LabelStmt>(parent) ? Fate::Dropped : Fate::Used;
  }
}

// What one body does with the errors of its calls.
class Body : public Visitor {
 public:
  explicit Body(const Unit& unit) : unit_(unit) {}
  bool VisitCallExpr(clang::CallExpr* call) override {
    auto* f = call->getDirectCallee();
    if (!f) return true;
    callees.push_back(f);
    if (!canFail(*f)) return true;
    asks |= asksForLast(f->getName());
    Fate fate = fateOf(unit_, *call);
    checks |= fate == Fate::Used && !isNamed(f->getName(), kQuestions);
    if (fate == Fate::Dropped && !isCleanup(f->getName()) && !isInFailure(unit_, *call))
      dropped.push_back(call);
    return true;
  }
  std::vector<const clang::CallExpr*> dropped;
  std::vector<const clang::FunctionDecl*> callees;
  bool checks = false, asks = false;  // asks: for the last error, which is that of any call before

 private:
  const Unit& unit_;
};

class AsksForLast : public Visitor {
 public:
  bool VisitCallExpr(clang::CallExpr* call) override {
    found |= asksForLast(calleeName(*call));
    return !found;
  }
  bool found = false;
};

// "cudaCheckError();" of a header that is not there: of the call the error is what is left.
bool hasUnreadCheck(const Unit& unit, const clang::FunctionDecl& f) {
  if (!hasErrors(unit, f.getBody()->getSourceRange())) return false;
  auto begin = offsetOf(unit, f.getBody()->getBeginLoc()), end = offsetOf(unit, f.getBody()->getEndLoc());
  llvm::StringRef text = unit.sources.getBufferData(unit.sources.getMainFileID());
  return llvm::any_of(*unit.errorOffsets, [&](unsigned at) {
    auto name = text.substr(at).take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
    return at >= *begin && at <= *end && soundsLikeAsking(name);
  });
}

struct DroppedCall {
  const clang::FunctionDecl* function = nullptr;
  const clang::CallExpr* call = nullptr;
};

struct FileChecks {
  bool checksSome = false;
  std::vector<DroppedCall> dropped;
};

FileChecks checksOf(const Unit& unit) {
  FileChecks out;
  std::map<const clang::FunctionDecl*, bool> known;
  auto isAsker = [&](const clang::FunctionDecl* f) {
    auto [entry, isNew] = known.emplace(f, false);
    const clang::FunctionDecl* definition = nullptr;
    if (!isNew) return entry->second;
    if (!f->hasBody(definition) || !definition->getBody()) return entry->second = soundsLikeAsking(*f);
    AsksForLast visitor;
    visitor.TraverseStmt(definition->getBody());
    return entry->second = visitor.found;
  };
  for (auto* f : hostFunctionsOf(unit, {.withInstances = true})) {
    Body body(unit);
    body.TraverseStmt(f->getBody());
    bool asks = body.asks || llvm::any_of(body.callees, isAsker) || hasUnreadCheck(unit, *f);
    out.checksSome |= body.checks || asks;
    if (!asks && !llvm::isa<clang::CXXDestructorDecl>(f))
      for (auto* call : body.dropped) out.dropped.push_back({f, call});
  }
  return out;
}

void report(const std::vector<DroppedCall>& dropped, const RulePage& page, Findings& findings) {
  for (auto& d : dropped) {
    Site site;
    site.range = d.call->getSourceRange();
    site.function = d.function;
    site.message = "the error that " + calleeName(*d.call).str() + " returns is not looked at";
    findings.add(page, std::move(site));
  }
}

}  // namespace

void uncheckedCall(Analyses& analyses, const RulePage& page, Findings& findings) {
  FileChecks checks = checksOf(analyses.unit());
  if (checks.checksSome) report(checks.dropped, page, findings);
}

void callsNeverChecked(Analyses& analyses, const RulePage& page, Findings& findings) {
  FileChecks checks = checksOf(analyses.unit());
  if (!checks.checksSome) report(checks.dropped, page, findings);
}

}  // namespace kadvise::source
