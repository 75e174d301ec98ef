#include "analyzer/source/torch_operators.h"

#include <algorithm>
#include <set>

#include "analyzer/source/device_code.h"
#include "analyzer/source/function_names.h"
#include "analyzer/source/host_functions.h"
#include "analyzer/source/place.h"
#include "analyzer/source/visitor.h"

namespace kadvise::source {
namespace {

class Reader : public Visitor {
 public:
  Reader(const Unit& unit, HostFunctions& out, std::set<const clang::FunctionDecl*>& bound)
      : unit_(unit), out_(out), bound_(bound) {}

  void read(const clang::FunctionDecl& f) {
    current_ = &out_[&f];
    current_->function = &f;
    TraverseStmt(f.getBody());
    // A guard may come by a macro, or be of a type that is not known here.
    std::string text = textOf(unit_, f.getSourceRange());
    for (auto* sign : {"DeviceGuard", "CUDAGuard", "GUARD", "etDevice", "set_device"})
      current_->guardsDevice |= text.find(sign) != std::string::npos;
  }

  bool VisitVarDecl(clang::VarDecl* v) override {
    auto* record = v->getType()->getAsCXXRecordDecl();
    if (!record || !record->getIdentifier()) return true;
    auto name = record->getName();
    current_->guardsDevice |= name.ends_with("Guard") && !name.contains("Grad") && !name.contains("Dispatch");
    return true;
  }

  bool VisitCallExpr(clang::CallExpr* call) override {
    auto* f = asWritten(calleeOf(call));
    if (!f || !f->getIdentifier()) return true;
    if (f->getName() == "cudaSetDevice" || f->getName() == "set_device") current_->guardsDevice = true;
    auto* method = llvm::dyn_cast<clang::CXXMemberCallExpr>(call);
    if (method && (f->getName() == "def" || f->getName() == "impl")) bind(*call);
    if (f->isDefined(f) && f->hasBody()) current_->calls.push_back({call, f});
    takeLauncher(*f);
    return true;
  }

 private:
  void bind(const clang::CallExpr& call) {
    for (auto* a : call.arguments())
      if (auto* f = functionNamedBy(a)) bound_.insert(asWritten(f));
  }

  void takeLauncher(const clang::FunctionDecl& f) {
    if (!unit_.surroundings || unit_.surroundings->launchers.empty()) return;
    auto name = nameForOthers(unit_, f);
    for (auto& launcher : unit_.surroundings->launchers)
      if (isSame(launcher.function, name)) current_->launchesElsewhere.push_back(&launcher);
  }

  const Unit& unit_;
  HostFunctions& out_;
  std::set<const clang::FunctionDecl*>& bound_;
  HostFunction* current_ = nullptr;
};

ReachedLaunch reached(const HostFunctions& functions, const clang::FunctionDecl* f,
                      std::set<const clang::FunctionDecl*>& seen) {
  auto known = functions.find(f);
  if (known == functions.end() || !seen.insert(f).second || known->second.guardsDevice) return {};
  auto& of = known->second;
  if (!of.launches.empty()) return {of.launches[0], nullptr};
  for (auto& call : of.calls)
    if (auto launch = reached(functions, call.callee, seen)) return launch;
  return {nullptr, of.launchesElsewhere.empty() ? nullptr : of.launchesElsewhere[0]};
}

}  // namespace

const clang::FunctionDecl* namedFunctionAround(const Unit& unit, const clang::Stmt* s) {
  return asWritten(hostFunctionAround(unit, s));
}

HostFunctions torchOperatorsOf(Analyses& analyses) {
  auto& unit = analyses.unit();
  HostFunctions out;
  std::set<const clang::FunctionDecl*> bound;
  Reader reader(unit, out, bound);
  for (auto* f : analyses.hostFunctions()) reader.read(*f);
  for (auto& launch : analyses.launches())
    if (auto at = out.find(namedFunctionAround(unit, launch.call)); at != out.end())
      at->second.launches.push_back(&launch);
  for (auto& [f, known] : out)
    known.isBound = std::any_of(bound.begin(), bound.end(),
                                [&](auto* b) { return b->getCanonicalDecl() == f->getCanonicalDecl(); });
  if (unit.surroundings)
    for (auto& call : unit.surroundings->calls)
      for (auto& [f, known] : out)
        if (isSame(call.call.callee, nameForOthers(unit, *f))) known.callsElsewhere.push_back(&call);
  return out;
}

bool isCalledFromAnywhere(const HostFunction& f, bool (*leavesOpen)(const CallElsewhere&, unsigned),
                          unsigned parameter) {
  auto& calls = f.callsElsewhere;
  bool allOpen = std::all_of(calls.begin(), calls.end(), [&](auto* c) { return leavesOpen(*c, parameter); });
  bool isReached = f.isBound || std::any_of(calls.begin(), calls.end(),
                                            [](auto* c) { return c->call.isBinding || c->caller.isEntry; });
  return isReached && allOpen;
}

bool isReachedUnguarded(const HostFunction& f) {
  auto& calls = f.callsElsewhere;
  bool isReached = f.isBound || std::any_of(calls.begin(), calls.end(),
                                            [](auto* c) { return c->call.isBinding || c->isReached; });
  return isReached && std::none_of(calls.begin(), calls.end(),
                                   [](auto* c) { return c->isGuarded || c->call.guardsDevice; });
}

ReachedLaunch unguardedLaunch(const HostFunctions& functions, const clang::FunctionDecl* f) {
  std::set<const clang::FunctionDecl*> seen;
  return reached(functions, f, seen);
}

}  // namespace kadvise::source
