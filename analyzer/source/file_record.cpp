#include "analyzer/source/file_record.h"

#include <set>

#include "analyzer/source/device_code.h"
#include "analyzer/source/function_names.h"
#include "analyzer/source/host_facts.h"
#include "analyzer/source/host_functions.h"
#include "analyzer/source/launch_words.h"
#include "analyzer/source/narrow_arguments.h"
#include "analyzer/source/same_memory.h"
#include "analyzer/source/size_multiples.h"
#include "analyzer/source/visitor.h"

namespace kadvise::source {
namespace {

// A record stays small whatever the file holds.
constexpr std::size_t kMostLaunches = 256, kMostFunctions = 512, kMostCalls = 64, kMostArguments = 24,
                      kMostKernels = 1024, kLongestName = 300;

std::string shortened(std::string name) {
  if (name.size() > kLongestName) name.clear();
  return name;
}

// "256" and "float"; "" where a template around leaves it open.
std::vector<std::string> templateArgumentsOf(const Unit& unit, const clang::FunctionDecl& instance) {
  std::vector<std::string> out;
  auto* arguments = instance.getTemplateSpecializationArgs();
  if (!arguments) return out;
  for (auto& a : arguments->asArray()) {
    std::string text;
    if (a.getKind() == clang::TemplateArgument::Integral) text = llvm::toString(a.getAsIntegral(), 10);
    if (a.getKind() == clang::TemplateArgument::Type && !a.getAsType()->isDependentType())
      text = a.getAsType().getCanonicalType().getAsString(unit.context.getPrintingPolicy());
    out.push_back(shortened(text));
    if (out.size() >= kMostArguments) break;
  }
  return out;
}

int lineOf(const Unit& unit, clang::SourceLocation at) {
  return static_cast<int>(unit.sources.getSpellingLineNumber(unit.sources.getFileLoc(at)));
}

std::string streamOf(const Unit& unit, const LaunchSite& site) {
  return !site.stream ||
                 site.stream->isNullPointerConstant(unit.context, clang::Expr::NPC_ValueDependentIsNotNull)
             ? "default"
             : "given";
}

LaunchRecord launchOf(const Unit& unit, const LaunchSite& site, NarrowArguments& narrow) {
  LaunchRecord out;
  out.kernel = nameForOthers(unit, *site.kernel);
  out.line = lineOf(unit, site.call->getBeginLoc());
  if (site.caller) out.caller = shortened(asWritten(site.caller)->getQualifiedNameAsString());
  out.grid = site.gridExtent, out.block = site.blockExtent, out.sharedBytes = site.constantSharedBytes;
  for (int axis = 0; axis < 3; ++axis)
    out.isRoundedUp[static_cast<std::size_t>(axis)] = isRoundedUp(unit, axisOf(unit, site.grid, axis));
  out.stream = streamOf(unit, site);
  if (site.instance) out.templateArguments = templateArgumentsOf(unit, *site.instance);
  if (llvm::isa<clang::CUDAKernelCallExpr>(site.call)) {
    out.overlaps = overlapsOf(*site.call);
    auto multiples = multipleArgumentsOf(unit, site);
    out.ofBlocks = std::move(multiples.ofBlocks), out.ofWarps = std::move(multiples.ofWarps);
    out.narrow = narrow.of(*site.call, *site.kernel);
  }
  return out;
}

bool isOfTheUser(const Unit& unit, const clang::FunctionDecl& f) {
  return f.getIdentifier() && !f.getBuiltinID() && !f.isImplicit() &&
         !unit.sources.isInSystemHeader(f.getLocation());
}

// What one host function calls, and hands out.
class Body : public Visitor {
 public:
  Body(const Unit& unit, NarrowArguments& narrow, FunctionRecord& out, std::vector<FunctionName>& requested)
      : unit_(unit), narrow_(narrow), out_(out), requested_(requested) {}

  bool VisitCallExpr(clang::CallExpr* call) override {
    if (llvm::isa<clang::CUDAKernelCallExpr>(call)) {
      out_.launches = true;
      return true;
    }
    const clang::FunctionDecl* f = call->getDirectCallee();
    if (!f) f = functionNamedBy(call->getCallee());
    auto* method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(f);
    if (f && f->getIdentifier()) takeApi(*call, f->getName());
    if (method && !method->isStatic()) takeBindings(*call);
    else if (f && isOfTheUser(unit_, *f) && !llvm::isa<clang::CXXOperatorCallExpr>(call))
      add(*call, *asWritten(f));
    return true;
  }

  bool VisitVarDecl(clang::VarDecl* v) override {
    if (auto* record = v->getType()->getAsCXXRecordDecl(); record && record->getIdentifier())
      out_.guardsDevice |= record->getName().contains("Guard") && !record->getName().contains("Grad") &&
                           !record->getName().contains("Dispatch");
    return true;
  }

 private:
  void takeApi(const clang::CallExpr& call, llvm::StringRef name) {
    if (name.starts_with("cudaLaunch")) out_.launches = true;
    if (name == "cudaSetDevice" || name == "set_device") out_.guardsDevice = true;
    if (name != "cudaFuncSetAttribute" || call.getNumArgs() < 1 || requested_.size() >= kMostKernels) return;
    auto* kernel = functionNamedBy(call.getArg(0));
    requested_.push_back(kernel ? nameForOthers(unit_, *asWritten(kernel)) : FunctionName{"*", 0, ""});
  }

  void add(const clang::CallExpr& call, const clang::FunctionDecl& f) {
    if (out_.calls.size() >= kMostCalls) return;
    CallRecord record;
    record.callee = nameForOthers(unit_, f);
    record.line = lineOf(unit_, call.getBeginLoc());
    auto before = statementsBefore(unit_, &call);
    record.guardsDevice = isDeviceGuarded(before), record.guardsStream = isStreamGuarded(before);
    for (auto* argument : call.arguments()) {
      if (record.arguments.size() >= kMostArguments) break;
      record.arguments.push_back(tensorFacts(before, argument));
    }
    record.overlaps = overlapsOf(call);
    record.narrow = narrow_.of(call, f);
    out_.calls.push_back(std::move(record));
  }

  // m.def("scale", &scale) and m.impl("scale", &scale).
  void takeBindings(const clang::CallExpr& call) {
    auto* method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(call.getDirectCallee());
    if (!method || !method->getIdentifier() || (method->getName() != "def" && method->getName() != "impl"))
      return;
    for (auto* argument : call.arguments()) {
      auto* f = functionNamedBy(argument);
      if (!f || !isOfTheUser(unit_, *f) || out_.calls.size() >= kMostCalls) continue;
      CallRecord record;
      record.callee = nameForOthers(unit_, *asWritten(f));
      record.line = lineOf(unit_, call.getBeginLoc());
      record.isBinding = true;
      out_.calls.push_back(std::move(record));
    }
  }

  const Unit& unit_;
  NarrowArguments& narrow_;
  FunctionRecord& out_;
  std::vector<FunctionName>& requested_;
};

FunctionRecord functionOf(const Unit& unit, NarrowArguments& narrow, const clang::FunctionDecl& f,
                          std::vector<FunctionName>& requested) {
  FunctionRecord out;
  out.name = nameForOthers(unit, f);
  out.line = lineOf(unit, f.getLocation());
  out.isInternal = f.getFormalLinkage() != clang::Linkage::External;
  for (auto* p : f.parameters()) out.takesTensor |= isTensor(p->getType());
  out.checksLaunches = looksForErrors(unit, f);
  Body body(unit, narrow, out, requested);
  body.TraverseStmt(f.getBody());
  return out;
}

void markEntries(SourceRecord& record) {
  for (auto& binder : record.functions)
    for (auto& call : binder.calls)
      for (auto& f : record.functions)
        if (call.isBinding && isSame(call.callee, f.name)) f.isEntry = true;
}

}  // namespace

SourceRecord recordOf(Analyses& analyses) {
  auto& unit = analyses.unit();
  SourceRecord out;
  for (auto* f : unit.deviceFunctions)
    if (isKernel(*f) && out.kernels.size() < kMostKernels)
      out.kernels.push_back(nameForOthers(unit, *asWritten(f)));
  NarrowArguments narrow(unit.context);
  std::set<std::string> seen;
  for (auto& site : analyses.launches()) {
    if (!site.kernel || out.launches.size() >= kMostLaunches) continue;
    LaunchRecord launch = launchOf(unit, site, narrow);
    if (seen.insert(Json(launch).dump(-1, ' ', false, Json::error_handler_t::replace)).second)
      out.launches.push_back(std::move(launch));
  }
  for (auto* f : hostFunctionsOf(unit, {.withBoth = true}))
    if (out.functions.size() < kMostFunctions)
      out.functions.push_back(functionOf(unit, narrow, *f, out.requested));
  markEntries(out);
  return out;
}

void addHostPass(SourceRecord ofHost, SourceRecord& out) {
  std::set<int> functions, launches;
  for (auto& f : out.functions) functions.insert(f.line);
  for (auto& l : out.launches) launches.insert(l.line);
  for (auto& f : ofHost.functions)
    if (functions.count(f.line) == 0) out.functions.push_back(std::move(f));
  for (auto& l : ofHost.launches)
    if (launches.count(l.line) == 0) out.launches.push_back(std::move(l));
  if (out.requested.empty()) out.requested = std::move(ofHost.requested);
  markEntries(out);
}

}  // namespace kadvise::source
