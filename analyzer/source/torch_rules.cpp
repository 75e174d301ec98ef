#include "analyzer/source/torch_rules.h"

#include <algorithm>
#include <set>

#include "analyzer/source/device_code.h"
#include "analyzer/source/kernel_pointers.h"
#include "analyzer/source/launch_words.h"
#include "analyzer/source/place.h"
#include "analyzer/source/torch_operators.h"
#include "analyzer/source/visitor.h"

namespace kadvise::source {
namespace {

bool takesTensor(const clang::FunctionDecl& f) {
  return std::any_of(f.param_begin(), f.param_end(), [](auto* p) { return isTensor(p->getType()); });
}

// How a function takes its tensors: whose memory it asks for, and which it reads on the host.
class TensorUses : public Visitor {
 public:
  bool VisitMemberExpr(clang::MemberExpr* e) override {
    auto* name = llvm::dyn_cast<clang::DeclRefExpr>(e->getBase()->IgnoreParenImpCasts());
    auto* of = name ? llvm::dyn_cast<clang::ParmVarDecl>(name->getDecl()) : nullptr;
    if (!of || !e->getMemberDecl()->getDeclName().isIdentifier()) return true;
    llvm::StringRef asked = e->getMemberDecl()->getName();
    if (asked.contains("data_ptr") || asked.contains("packed_accessor")) given.insert(of);
    if (asked == "item" || asked == "cpu" || asked == "accessor") readHere.insert(of);
    return true;
  }
  std::set<const clang::ParmVarDecl*> given, readHere;
};

// Of the tensors the first that kernels seem to work on: lengths and offsets may well be on the host.
const clang::ParmVarDecl* firstTensor(const clang::FunctionDecl& f) {
  TensorUses uses;
  uses.TraverseStmt(f.getBody());
  auto first = [&](auto&& fits) -> const clang::ParmVarDecl* {
    for (auto* p : f.parameters())
      if (isTensor(p->getType()) && p->getIdentifier() && fits(p)) return p;
    return nullptr;
  };
  if (auto* p = first([&](auto* p) { return uses.given.count(p) && !uses.readHere.count(p); })) return p;
  if (auto* p = first([&](auto* p) { return !uses.readHere.count(p); })) return p;
  return first([](auto*) { return true; });
}

bool mentions(const Unit& unit, llvm::StringRef what) {
  return unit.sources.getBufferData(unit.sources.getMainFileID()).contains(what);
}

// A guard as the first statement, where the file has its header.
std::optional<Fix> guardAt(const Unit& unit, const clang::FunctionDecl& f, const clang::ParmVarDecl& tensor) {
  auto* body = llvm::dyn_cast<clang::CompoundStmt>(f.getBody());
  if (!body || body->body_empty() || !mentions(unit, "c10/cuda/CUDAGuard.h")) return std::nullopt;
  auto at = body->getLBracLoc();
  auto edit = editOf(unit, clang::CharSourceRange::getTokenRange(at, at),
                     "{\n  const c10::cuda::OptionalCUDAGuard device_guard(at::device_of(" +
                         tensor.getNameAsString() + "));");
  if (!edit) return std::nullopt;
  return Fix{"guard the device", Safety::Unsafe, std::vector<Edit>{std::move(*edit)}};
}

std::string kernelOf(const ReachedLaunch& launch) {
  if (launch.here) return kernelNameOf(*launch.here, "a kernel");
  auto& name = launch.elsewhere->kernel.name;
  return name.substr(name.rfind(':') + 1);
}

Location placeOfLaunch(const Unit& unit, const ReachedLaunch& launch) {
  Location out;
  if (launch.here) out = placeOf(unit, launch.here->call->getSourceRange());
  else out.file = launch.elsewhere->file, out.line = launch.elsewhere->line;
  out.note = "the launch";
  return out;
}

// Of nested macros the one that is written in the file.
std::string macroAt(const Unit& unit, clang::SourceLocation at) {
  std::string name;
  for (int i = 0; at.isMacroID() && i < 32; ++i) {
    name = clang::Lexer::getImmediateMacroName(at, unit.sources, unit.context.getLangOpts()).str();
    at = unit.sources.getImmediateMacroCallerLoc(at);
  }
  return name;
}

class Switches : public Visitor {
 public:
  bool VisitSwitchStmt(clang::SwitchStmt* s) override {
    if (s->getSwitchLoc().isMacroID()) found.push_back(s);
    return true;
  }
  std::vector<const clang::SwitchStmt*> found;
};

}  // namespace

void missingDeviceGuard(Analyses& analyses, const RulePage& page, Findings& findings) {
  auto functions = torchOperatorsOf(analyses);
  auto& unit = analyses.unit();
  for (auto* f : analyses.hostFunctions()) {
    auto& known = functions.at(f);
    auto* tensor = firstTensor(*f);
    if (!tensor || !isReachedUnguarded(known)) continue;
    auto launch = unguardedLaunch(functions, f);
    if (!launch) continue;
    Site site;
    site.range = f->getNameInfo().getSourceRange();
    site.function = f;
    site.message = f->getNameAsString() + " launches " + kernelOf(launch) +
                   " on the current device, whatever device " + tensor->getNameAsString() +
                   " is on: nothing sets it on the way";
    site.related.push_back(placeOfLaunch(unit, launch));
    if (auto fix = guardAt(unit, *f, *tensor)) site.fixes.push_back(std::move(*fix));
    findings.add(page, std::move(site));
  }
}

void nondeterministicAtomic(Analyses& analyses, const RulePage& page, Findings& findings) {
  auto& unit = analyses.unit();
  if (mentions(unit, "alertNotDeterministic") || mentions(unit, "eterministicAlgorithms")) return;
  for (auto& launch : analyses.launches()) {
    auto* f = namedFunctionAround(unit, launch.call);
    if (!launch.kernel || !f || !takesTensor(*f)) continue;
    bool adds = false;
    for (unsigned i = 0; i < launch.kernel->getNumParams(); ++i) {
      auto use = useOf(unit, *launch.kernel, i);
      adds |= use.adds && use.isFloating;
    }
    if (!adds) continue;
    Site site;
    site.range = launch.call->getSourceRange();
    site.function = f;
    site.message = kernelNameOf(launch, "a kernel") +
                   " adds floating numbers with atomics, in an order that differs from run to run, and " +
                   f->getNameAsString() + " does not tell who asked for deterministic algorithms";
    findings.add(page, std::move(site));
  }
}

void dispatchWithoutHalf(Analyses& analyses, const RulePage& page, Findings& findings) {
  auto& unit = analyses.unit();
  for (auto* f : analyses.hostFunctions()) {
    Switches switches;
    switches.TraverseStmt(f->getBody());
    for (auto* s : switches.found) {
      if (macroAt(unit, s->getSwitchLoc()) != "AT_DISPATCH_FLOATING_TYPES") continue;
      Site site;
      site.range = {s->getSwitchLoc(), s->getSwitchLoc()};
      site.function = f;
      site.message = f->getNameAsString() +
                     " has kernels for float and double only: in float16 and bfloat16, as "
                     "under autocast, the call fails";
      findings.add(page, std::move(site));
    }
  }
}

}  // namespace kadvise::source
