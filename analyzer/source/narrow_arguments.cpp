#include "analyzer/source/narrow_arguments.h"

#include <algorithm>

#include "analyzer/source/device_code.h"
#include "analyzer/source/fixed_numbers.h"
#include "analyzer/source/function_names.h"
#include "analyzer/source/host_functions.h"
#include "analyzer/source/visitor.h"

namespace kadvise::source {
namespace {

constexpr unsigned kNarrowBits = 32;
constexpr std::int64_t kTile = 32;
constexpr int kDeepest = 16;  // calls that hand a size on, one inside of the other
constexpr const char kNarrowElsewhere[] = "kadvise: narrow elsewhere",
                     kWideElsewhere[] = "kadvise: wide elsewhere";

using CallsOf = std::map<const clang::FunctionDecl*, std::vector<const clang::CallExpr*>>;

const clang::FunctionDecl* keyOf(const clang::FunctionDecl& f) { return asWritten(&f)->getCanonicalDecl(); }

// Every call by the functions that it may mean, of templates as they are written; of a kernel its launches.
class Calls : public Visitor {
 public:
  bool VisitCallExpr(clang::CallExpr* call) override {
    auto* e = call->getCallee()->IgnoreParenImpCasts();
    if (auto* name = llvm::dyn_cast<clang::DeclRefExpr>(e)) take(*name->getDecl(), *call);
    if (auto* names = llvm::dyn_cast<clang::OverloadExpr>(e))
      for (auto* d : names->decls()) take(*d->getUnderlyingDecl(), *call);
    return true;
  }
  CallsOf found;

 private:
  void take(const clang::NamedDecl& d, const clang::CallExpr& call) {
    auto* f = d.getAsFunction();
    if (f && f->hasAttr<clang::CUDAGlobalAttr>() == llvm::isa<clang::CUDAKernelCallExpr>(call))
      found[keyOf(*f)].push_back(&call);
  }
};

CallsOf callsIn(clang::ASTContext& context) {
  Calls calls;
  for (auto* d : context.getTraversalScope()) calls.TraverseDecl(d);
  return std::move(calls.found);
}

// None when nothing calls it; the question is not asked for calls without that argument.
template <class Question>
std::optional<bool> eachCallGives(const CallsOf& calls, const clang::ParmVarDecl& parameter, Question asks) {
  auto* f = llvm::dyn_cast<clang::FunctionDecl>(parameter.getDeclContext());
  auto known = f ? calls.find(keyOf(*f)) : calls.end();
  if (known == calls.end()) return std::nullopt;
  unsigned index = parameter.getFunctionScopeIndex();
  return llvm::all_of(known->second,
                      [&](auto* c) { return index < c->getNumArgs() && asks(*c->getArg(index)); });
}

bool isNoted(const clang::ParmVarDecl& parameter, const char* note) {
  return llvm::any_of(parameter.specific_attrs<clang::AnnotateAttr>(),
                      [&](auto* a) { return a->getAnnotation() == note; });
}

bool isOpen(const clang::Expr& e) { return e.isTypeDependent() || e.isValueDependent(); }

bool beginsWide(const clang::ASTContext& context, const clang::Expr& e) {
  auto* name = llvm::dyn_cast<clang::DeclRefExpr>(&e);
  auto* v = name ? llvm::dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
  auto value = v && v->getInit() ? v->getInit()->getIntegerConstantExpr(context) : std::nullopt;
  return value && value->getSignificantBits() > kNarrowBits;
}

bool isSmall(clang::ASTContext& context, const clang::Expr& argument) {
  auto* e = argument.IgnoreParenImpCasts();
  auto* name = llvm::dyn_cast<clang::DeclRefExpr>(e);
  if (name && llvm::isa<clang::NonTypeTemplateParmDecl>(name->getDecl())) return true;
  auto value = isOpen(*e) ? std::nullopt : e->getIntegerConstantExpr(context);
  return value && value->getExtValue() <= kTile;
}

bool isWideInteger(const clang::ASTContext& context, clang::QualType type) {
  return !type->isDependentType() && type->isIntegerType() && context.getTypeSize(type) > kNarrowBits;
}

// "bytes / sizeof(float)" and "bytes >> 2" count no further than bytes.
const clang::Expr* dividend(const clang::Expr& e) {
  auto* b = llvm::dyn_cast<clang::BinaryOperator>(&e);
  bool isLess = b && (b->getOpcode() == clang::BO_Div || b->getOpcode() == clang::BO_Shr);
  return isLess ? b->getLHS() : nullptr;
}

// narrow: of each call of it, which arguments are.
void note(const Unit& unit, const clang::FunctionDecl& f,
          const std::vector<const std::vector<int>*>& narrow) {
  for (auto* p : asWritten(&f)->parameters()) {
    if (!isWideInteger(unit.context, p->getType())) continue;
    int index = static_cast<int>(p->getFunctionScopeIndex());
    bool isNarrow = llvm::all_of(narrow, [&](auto* n) { return llvm::is_contained(*n, index); });
    const_cast<clang::ParmVarDecl*>(p)->addAttr(clang::AnnotateAttr::CreateImplicit(
        unit.context, isNarrow ? kNarrowElsewhere : kWideElsewhere, nullptr, 0));
  }
}

}  // namespace

NarrowArguments::NarrowArguments(clang::ASTContext& context) : context_(context), calls_(callsIn(context)) {}

bool NarrowArguments::isNarrow(const clang::Expr& argument) {
  auto* e = argument.IgnoreParenImpCasts();
  while (auto* divided = isOpen(*e) ? nullptr : dividend(*e)) {
    if (context_.getTypeSize(e->getType()) <= kNarrowBits) break;
    e = divided->IgnoreParenImpCasts();
  }
  if (isOpen(*e)) return false;
  if (auto value = e->getIntegerConstantExpr(context_)) return value->getSignificantBits() <= kNarrowBits;
  if (!e->getType()->isIntegralOrEnumerationType()) return false;
  if (context_.getTypeSize(e->getType()) <= kNarrowBits) return true;
  // The size that a loop makes of constants is the one the program has been run with.
  if (!beginsWide(context_, *e) && isFixed(context_, *e)) return true;
  auto* name = llvm::dyn_cast<clang::DeclRefExpr>(e);
  auto* v = name ? llvm::dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
  return v && isNarrowValue(*v);
}

bool NarrowArguments::isNarrowValue(const clang::VarDecl& v) {
  if (depth_ >= kDeepest) return false;
  auto [known, isNew] = known_.insert({&v, false});
  if (!isNew) return known->second;
  ++depth_;
  auto* parameter = llvm::dyn_cast<clang::ParmVarDecl>(&v);
  auto values = parameter ? std::nullopt : valuesOf(v);
  bool isNarrowThroughout = parameter
                                ? isGivenNarrow(*parameter)
                                : values && llvm::all_of(*values, [&](auto* e) { return isNarrow(*e); });
  --depth_;
  return known_[&v] = isNarrowThroughout;
}

bool NarrowArguments::isGivenNarrow(const clang::ParmVarDecl& parameter) {
  auto here = eachCallGives(calls_, parameter, [&](auto& given) { return isNarrow(given); });
  auto* f = llvm::dyn_cast<clang::FunctionDecl>(parameter.getDeclContext());
  auto* written = f ? asWritten(f) : nullptr;
  unsigned index = parameter.getFunctionScopeIndex();
  if (!written || index >= written->getNumParams() || isNoted(*written->getParamDecl(index), kWideElsewhere))
    return false;
  return here.value_or(isNoted(*written->getParamDecl(index), kNarrowElsewhere));
}

std::vector<int> NarrowArguments::of(const clang::CallExpr& call, const clang::FunctionDecl& callee) {
  std::vector<int> out;
  for (unsigned i = 0; i < call.getNumArgs() && i < callee.getNumParams(); ++i)
    if (isWideInteger(context_, callee.getParamDecl(i)->getType()) && isNarrow(*call.getArg(i)))
      out.push_back(static_cast<int>(i));
  return out;
}

void noteGivenElsewhere(const Unit& unit) {
  if (!unit.surroundings) return;
  std::map<std::pair<std::string, int>, std::vector<const std::vector<int>*>> given;
  auto take = [&](const FunctionName& f, const std::vector<int>& narrow) {
    given[{f.name, f.parameters}].push_back(&narrow);
  };
  for (auto& l : unit.surroundings->launches) take(l.launch.kernel, l.launch.narrow);
  for (auto& c : unit.surroundings->calls) take(c.call.callee, c.call.narrow);
  if (given.empty()) return;
  auto noteAt = [&](const clang::FunctionDecl& f) {
    FunctionName name = nameForOthers(unit, *asWritten(&f));
    if (auto known = given.find({name.name, name.parameters}); known != given.end())
      note(unit, f, known->second);
  };
  for (auto* f : unit.deviceFunctions)
    if (isKernel(*f)) noteAt(*f);
  for (auto* f : hostFunctionsOf(unit)) noteAt(*f);
}

bool isGivenSmall(clang::ASTContext& context, const clang::ParmVarDecl& parameter) {
  return eachCallGives(callsIn(context), parameter, [&](auto& given) { return isSmall(context, given); })
      .value_or(false);
}

}  // namespace kadvise::source
