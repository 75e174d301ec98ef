#include "analyzer/source/launch_sites.h"

#include <map>

#include "analyzer/source/device_code.h"
#include "analyzer/source/visitor.h"
#include "analyzer/source/written_once.h"

namespace kadvise::source {
namespace {

constexpr std::size_t kMostCalls = 16;  // of one host function, each of which makes a site of every launch

const clang::FunctionDecl* kernelNamedBy(const clang::Expr* e) {
  if (!e) return nullptr;
  e = e->IgnoreParenCasts();
  if (auto* u = llvm::dyn_cast<clang::UnaryOperator>(e); u && u->getOpcode() == clang::UO_AddrOf)
    e = u->getSubExpr()->IgnoreParenCasts();
  if (auto* name = llvm::dyn_cast<clang::DeclRefExpr>(e)) {
    if (auto* f = llvm::dyn_cast<clang::FunctionDecl>(name->getDecl())) return f;
    auto* variable = llvm::dyn_cast<clang::VarDecl>(name->getDecl());
    bool isPlain = variable && variable->getInit() && !llvm::isa<clang::ParmVarDecl>(variable) &&
                   variable->getInit()->IgnoreParenCasts() != e;
    auto* init = isPlain ? variable->getInit()->IgnoreParenCasts() : nullptr;
    auto* behind = llvm::dyn_cast_or_null<clang::DeclRefExpr>(init);
    return behind ? llvm::dyn_cast<clang::FunctionDecl>(behind->getDecl()) : nullptr;
  }
  // In a template the name is not looked up yet: one candidate is the kernel.
  auto* unresolved = llvm::dyn_cast<clang::OverloadExpr>(e);
  if (!unresolved || unresolved->getNumDecls() != 1) return nullptr;
  return (*unresolved->decls_begin())->getUnderlyingDecl()->getAsFunction();
}

// Fields of a cudaLaunchConfig_t: what each was set to, where that was once, in whatever branch.
class ConfigFields : public Visitor {
 public:
  explicit ConfigFields(const clang::VarDecl& config) : config_(config) {}

  bool VisitBinaryOperator(clang::BinaryOperator* b) override {
    if (b->isAssignmentOp()) take(b->getLHS(), b->getRHS());
    return true;
  }
  bool VisitCXXOperatorCallExpr(clang::CXXOperatorCallExpr* c) override {
    if (c->getOperator() == clang::OO_Equal && c->getNumArgs() == 2) take(c->getArg(0), c->getArg(1));
    return true;
  }

  const clang::Expr* valueOf(llvm::StringRef field) const {
    auto known = values_.find(field.str());
    return known == values_.end() || known->second.size() != 1 ? nullptr : known->second[0];
  }
  bool isSet(llvm::StringRef field) const { return values_.count(field.str()) > 0; }

 private:
  void take(const clang::Expr* to, const clang::Expr* value) {
    auto* member = llvm::dyn_cast<clang::MemberExpr>(to->IgnoreParenImpCasts());
    auto* base =
        member ? llvm::dyn_cast<clang::DeclRefExpr>(member->getBase()->IgnoreParenImpCasts()) : nullptr;
    if (base && base->getDecl() == &config_)
      values_[member->getMemberDecl()->getNameAsString()].push_back(value);
  }

  const clang::VarDecl& config_;
  std::map<std::string, std::vector<const clang::Expr*>> values_;
};

const clang::VarDecl* variableBehind(const clang::Expr* e) {
  e = e->IgnoreParenCasts();
  if (auto* u = llvm::dyn_cast<clang::UnaryOperator>(e); u && u->getOpcode() == clang::UO_AddrOf)
    e = u->getSubExpr()->IgnoreParenCasts();
  auto* name = llvm::dyn_cast<clang::DeclRefExpr>(e);
  return name ? llvm::dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
}

// Each launch as it stands, and the calls of host functions.
class Launches : public Visitor {
 public:
  explicit Launches(const Unit& unit) : unit_(unit) {}
  bool shouldVisitTemplateInstantiations() const override { return true; }

  bool VisitCallExpr(clang::CallExpr* call) override {
    if (auto* kernelCall = llvm::dyn_cast<clang::CUDAKernelCallExpr>(call)) {
      takeChevrons(*kernelCall);
      return true;
    }
    auto* callee = call->getDirectCallee();
    if (!callee || !callee->getIdentifier()) return true;
    if (callee->getName() == "cudaLaunchKernel" || callee->getName() == "cudaLaunchCooperativeKernel")
      takeRuntimeCall(*call);
    else if (callee->getName() == "cudaLaunchKernelEx") takeExtendedCall(*call);
    else if (callee->getNumParams() > 0) calls[callee->getCanonicalDecl()].push_back(call);
    return true;
  }

  std::vector<LaunchSite> found;
  std::map<const clang::FunctionDecl*, std::vector<const clang::CallExpr*>> calls;

 private:
  void add(LaunchSite site, const clang::CallExpr& call, const clang::Expr* kernel) {
    site.call = &call;
    site.instance = kernelNamedBy(kernel);
    site.kernel = asWritten(site.instance);
    site.caller = hostFunctionAround(unit_, &call);
    found.push_back(site);
  }

  static const clang::Expr* argument(const clang::CallExpr& call, unsigned i) {
    bool isGiven = i < call.getNumArgs() && !llvm::isa<clang::CXXDefaultArgExpr>(call.getArg(i));
    return isGiven ? call.getArg(i) : nullptr;
  }

  void takeChevrons(const clang::CUDAKernelCallExpr& call) {
    if (!call.getConfig()) return;  // around an error
    LaunchSite site;
    auto& config = *call.getConfig();
    site.grid = argument(config, 0), site.block = argument(config, 1);
    site.sharedBytes = argument(config, 2), site.stream = argument(config, 3);
    add(site, call, call.getCallee());
  }

  void takeRuntimeCall(const clang::CallExpr& call) {
    if (call.getNumArgs() < 3) return;
    LaunchSite site;
    site.grid = argument(call, 1), site.block = argument(call, 2);
    site.sharedBytes = argument(call, 4), site.stream = argument(call, 5);
    add(site, call, call.getArg(0));
  }

  void takeExtendedCall(const clang::CallExpr& call) {
    auto* variable = call.getNumArgs() >= 2 ? variableBehind(call.getArg(0)) : nullptr;
    auto* function = variable ? llvm::dyn_cast<clang::FunctionDecl>(variable->getDeclContext()) : nullptr;
    if (!function || !function->getBody()) return;
    ConfigFields fields(*variable);
    fields.TraverseStmt(function->getBody());
    LaunchSite site;
    site.grid = fields.valueOf("gridDim"), site.block = fields.valueOf("blockDim");
    site.sharedBytes = fields.valueOf("dynamicSmemBytes"), site.stream = fields.valueOf("stream");
    auto* list = llvm::dyn_cast_or_null<clang::InitListExpr>(variable->getInit());
    auto initial = [&](unsigned i) { return list && i < list->getNumInits() ? list->getInit(i) : nullptr; };
    const char* names[] = {"gridDim", "blockDim", "dynamicSmemBytes", "stream"};
    const clang::Expr** values[] = {&site.grid, &site.block, &site.sharedBytes, &site.stream};
    for (unsigned i = 0; i < 4; ++i)
      if (!fields.isSet(names[i])) *values[i] = initial(i);
    site.hasOpenBytes = !site.sharedBytes;
    add(site, call, call.getArg(1));
  }

  const Unit& unit_;
};

void evaluate(const Unit& unit, const Arguments& arguments, LaunchSite& site) {
  site.gridExtent = extentOf(unit, site.grid, arguments);
  site.blockExtent = extentOf(unit, site.block, arguments);
  if (site.sharedBytes) site.constantSharedBytes = constantOf(unit, site.sharedBytes, arguments);
  else if (!site.hasOpenBytes) site.constantSharedBytes = 0;
}

bool hangsOnParameters(const Unit& unit, const LaunchSite& site) {
  for (auto* e : {site.grid, site.block, site.sharedBytes})
    for (auto* p : parametersIn(unit, e))
      if (p->getParentFunctionOrMethod() == site.caller) return true;
  return false;
}

Arguments argumentsAt(const clang::CallExpr& call, const clang::FunctionDecl& f) {
  Arguments out;
  for (unsigned i = 0; i < f.getNumParams() && i < call.getNumArgs(); ++i)
    out[f.getParamDecl(i)] = call.getArg(i);
  return out;
}

}  // namespace

std::vector<LaunchSite> launchSitesOf(const Unit& unit) {
  Launches visitor(unit);
  for (auto* d : unit.declarations) visitor.TraverseDecl(d);
  std::vector<LaunchSite> out;
  for (auto& site : visitor.found) {
    evaluate(unit, {}, site);
    auto calls = site.caller ? visitor.calls.find(site.caller->getCanonicalDecl()) : visitor.calls.end();
    if (calls == visitor.calls.end() || !hangsOnParameters(unit, site)) {
      out.push_back(site);
      continue;
    }
    std::size_t count = 0;
    for (auto* call : calls->second) {
      if (++count > kMostCalls) break;
      LaunchSite called = site;
      called.through = call;
      evaluate(unit, argumentsAt(*call, *site.caller), called);
      out.push_back(called);
    }
  }
  return out;
}

}  // namespace kadvise::source
