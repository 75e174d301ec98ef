#include "analyzer/source/launch_check_rules.h"

#include <algorithm>
#include <map>
#include <set>

#include "analyzer/source/device_code.h"
#include "analyzer/source/function_names.h"
#include "analyzer/source/host_facts.h"
#include "analyzer/source/host_functions.h"
#include "analyzer/source/launch_words.h"
#include "analyzer/source/place.h"
#include "analyzer/source/roots.h"
#include "analyzer/source/visitor.h"

namespace kadvise::source {
namespace {

constexpr std::int64_t kFewBlocks = 8;

// Functions that are called in the body, and whether one of the calls looks for errors of launches.
struct CheckedBody {
  bool checks = false;
  std::set<const clang::FunctionDecl*> callees;
};

CheckedBody lookInto(const Unit& unit, const clang::FunctionDecl& f) {
  CheckedBody out;
  out.checks = looksForErrors(unit, f, &out.callees);
  return out;
}

bool isCheckedElsewhere(const Unit& unit, const clang::FunctionDecl& f) {
  if (!unit.surroundings) return false;
  FunctionName name = nameForOthers(unit, f);
  auto& calls = unit.surroundings->calls;
  return std::any_of(calls.begin(), calls.end(),
                     [&](auto& c) { return isSame(c.call.callee, name) && c.caller.checksLaunches; });
}

using Bodies = std::map<const clang::FunctionDecl*, CheckedBody>;

Bodies bodiesOf(const Unit& unit) {
  Bodies out;
  for (auto* f : hostFunctionsOf(unit, {.withInstances = true}))
    out.emplace(asWritten(f)->getCanonicalDecl(), lookInto(unit, *f));
  return out;
}

// Functions of the file that check, and all that these call, directly or through others.
std::set<const clang::FunctionDecl*> checkedOnesOf(const Bodies& bodies) {
  std::set<const clang::FunctionDecl*> out;
  std::vector<const clang::FunctionDecl*> open;
  for (auto& [f, body] : bodies)
    if (body.checks && out.insert(f).second) open.push_back(f);
  while (!open.empty()) {
    auto body = bodies.find(open.back());
    open.pop_back();
    if (body == bodies.end()) continue;
    for (auto* callee : body->second.callees)
      if (out.insert(callee).second) open.push_back(callee);
  }
  return out;
}

const clang::Stmt* loopAround(const Unit& unit, const clang::Stmt* s) {
  auto node = clang::DynTypedNode::create(*s);
  while (true) {
    auto parents = unit.context.getParents(node);
    if (parents.empty()) return nullptr;
    node = parents[0];
    if (node.get<clang::FunctionDecl>()) return nullptr;
    auto* parent = node.get<clang::Stmt>();
    if (parent && llvm::isa<clang::ForStmt, clang::CXXForRangeStmt>(parent)) return parent;
  }
}

const clang::VarDecl* variableOf(const clang::Stmt* loop) {
  if (auto* range = llvm::dyn_cast<clang::CXXForRangeStmt>(loop)) return range->getLoopVariable();
  auto* f = llvm::cast<clang::ForStmt>(loop);
  auto* declaration = llvm::dyn_cast_or_null<clang::DeclStmt>(f->getInit());
  if (declaration && declaration->isSingleDecl())
    return llvm::dyn_cast<clang::VarDecl>(declaration->getSingleDecl());
  return nullptr;
}

class Uses : public Visitor {
 public:
  explicit Uses(const clang::VarDecl* wanted) : wanted_(wanted) {}
  bool VisitDeclRefExpr(clang::DeclRefExpr* e) override {
    found |= e->getDecl() == wanted_;
    return !found;
  }
  bool found = false;

 private:
  const clang::VarDecl* wanted_;
};

// "x + i * n": a pointer to the next part in each turn.
bool isOffsetBy(const clang::Expr* argument, const clang::VarDecl* variable) {
  if (argument->isTypeDependent() || !argument->getType()->isPointerType()) return false;
  const clang::Expr* e = argument->IgnoreParenCasts();
  bool isSum = llvm::isa<clang::BinaryOperator>(e);
  if (auto* address = llvm::dyn_cast<clang::UnaryOperator>(e))
    isSum = address->getOpcode() == clang::UO_AddrOf;
  Uses uses(variable);
  uses.TraverseStmt(const_cast<clang::Expr*>(e));
  return isSum && uses.found;
}

}  // namespace

void uncheckedLaunch(Analyses& analyses, const RulePage& page, Findings& findings) {
  auto& unit = analyses.unit();
  auto& launches = analyses.launches();
  if (launches.empty()) return;
  Bodies bodies = bodiesOf(unit);
  auto checked = checkedOnesOf(bodies);
  for (auto& launch : launches) {
    bool isChevron =
        llvm::isa<clang::CUDAKernelCallExpr>(launch.call);  // others return an error of their own
    // Methods are mostly called by templates of others, which check for all of them.
    bool isMethod = launch.caller && llvm::isa<clang::CXXMethodDecl>(launch.caller);
    if (!isChevron || !launch.caller || isMethod || isDeviceCode(*launch.caller)) continue;
    auto* caller = asWritten(launch.caller)->getCanonicalDecl();
    if (!bodies.count(caller) || checked.count(caller) || isCheckedElsewhere(unit, *asWritten(launch.caller)))
      continue;
    Site site;
    site.range = launch.call->getSourceRange();
    site.function = launch.caller;
    site.message = "nobody asks whether the launch of " + kernelNameOf(launch) +
                   " failed: cudaGetLastError is not called behind it";
    findings.add(page, std::move(site));
  }
}

void launchInLoop(Analyses& analyses, const RulePage& page, Findings& findings) {
  auto& unit = analyses.unit();
  for (auto& launch : analyses.launches()) {
    auto blocks = product(launch.gridExtent);
    auto* loop = blocks && *blocks <= kFewBlocks ? loopAround(unit, launch.call) : nullptr;
    auto* variable = loop ? variableOf(loop) : nullptr;
    if (!variable || launch.stream) continue;
    auto arguments = launch.call->arguments();
    bool isNextPart =
        std::any_of(arguments.begin(), arguments.end(), [&](auto* a) { return isOffsetBy(a, variable); });
    // Of several kernels in turn each works on what the one before made, and so may the next turn.
    auto& all = analyses.launches();
    bool isAlone = std::none_of(all.begin(), all.end(), [&](auto& other) {
      return other.call != launch.call && isWithin(loop, unit, other.call);
    });
    if (!isNextPart || !isAlone) continue;
    Site site;
    site.range = launch.call->getSourceRange();
    site.function = launch.caller;
    site.message = "each turn of the loop launches " + kernelNameOf(launch) + " with " +
                   std::to_string(*blocks) + (*blocks == 1 ? " block" : " blocks") +
                   " on the next part of the data; one launch of all parts would fill the device";
    findings.add(page, std::move(site));
  }
}

}  // namespace kadvise::source
