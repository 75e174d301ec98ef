#include <algorithm>
#include <set>

#include "analyzer/source/device_code.h"
#include "analyzer/source/kernel_pointers.h"
#include "analyzer/source/launch_words.h"
#include "analyzer/source/place.h"
#include "analyzer/source/tensor_calls.h"
#include "analyzer/source/tensor_words.h"
#include "analyzer/source/torch_operators.h"
#include "analyzer/source/torch_rules.h"
#include "analyzer/source/visitor.h"

namespace kadvise::source {
namespace {

constexpr int kDeepest = 6;

bool isPointerTaken(llvm::StringRef word) {
  return word == "data_ptr" || word == "mutable_data_ptr" || word == "const_data_ptr" || word == "data";
}

// The tensor whose memory the expression points at: x.data_ptr<T>(), behind casts and local pointers.
struct Pointed {
  const clang::VarDecl* tensor = nullptr;
  const clang::Expr* call = nullptr;
  bool byAccessor = false;
};

Pointed pointedBy(const clang::Expr* e, int depth = 0) {
  e = bareExpr(e);
  if (!e || depth > kDeepest) return {};
  if (auto* cast = llvm::dyn_cast<clang::ExplicitCastExpr>(e))
    return pointedBy(cast->getSubExpr(), depth + 1);
  if (auto call = tensorCallOf(e)) {
    auto* tensor = variableOf(bareExpr(call->operands[0]));
    bool byAccessor = llvm::StringRef(call->word).starts_with("packed_accessor");
    if (!tensor || !(isPointerTaken(call->word) || byAccessor)) return {};
    return {tensor, e, byAccessor};
  }
  auto* v = variableOf(e);
  if (!v || !v->getInit() || !v->getType()->isPointerType()) return {};
  return pointedBy(v->getInit(), depth + 1);
}

// What one function does with one of its tensors.
class TensorUses : public Visitor {
 public:
  TensorUses(const Unit& unit, const clang::VarDecl& tensor) : unit_(unit), tensor_(tensor) {}

  bool VisitDeclRefExpr(clang::DeclRefExpr* use) override {
    if (use->getDecl() == &tensor_) uses.push_back(use);
    return true;
  }
  // The nearest call around a use, with the use as one of its operands.
  const clang::CallExpr* callAround(const clang::Expr* use) const {
    auto node = clang::DynTypedNode::create<clang::Stmt>(*use);
    for (int i = 0; i < 8; ++i) {
      auto parents = unit_.context.getParents(node);
      if (parents.empty()) return nullptr;
      node = parents[0];
      if (auto* call = node.get<clang::CallExpr>()) return call;
      bool isAround = node.get<clang::MemberExpr>() || node.get<clang::ParenExpr>() ||
                      node.get<clang::CastExpr>() || node.get<clang::CXXConstructExpr>() ||
                      node.get<clang::MaterializeTemporaryExpr>() || node.get<clang::CXXBindTemporaryExpr>();
      if (!isAround) return nullptr;
    }
    return nullptr;
  }
  bool isReturned(const clang::Expr* use) const {
    auto node = clang::DynTypedNode::create<clang::Stmt>(*use);
    for (int i = 0; i < 24; ++i) {
      auto parents = unit_.context.getParents(node);
      if (parents.empty()) return false;
      node = parents[0];
      if (node.get<clang::ReturnStmt>()) return true;
      if (node.get<clang::CXXMemberCallExpr>() || node.get<clang::CompoundStmt>()) return false;
    }
    return false;
  }
  std::vector<const clang::Expr*> uses;

 private:
  const Unit& unit_;
  const clang::VarDecl& tensor_;
};

// Whether something in the function, or in those of the file that are handed the tensor, says how it lies.
class LayoutChecks {
 public:
  LayoutChecks(const Unit& unit, const HostFunctions& functions) : unit_(unit), functions_(functions) {}

  bool speakOf(const clang::FunctionDecl& f, const clang::VarDecl& tensor, int depth = 0) {
    if (depth > kDeepest) return true;
    TensorUses uses(unit_, tensor);
    uses.TraverseStmt(f.getBody());
    return std::any_of(uses.uses.begin(), uses.uses.end(),
                       [&](auto* use) { return speaks(uses.callAround(use), use, depth); });
  }

 private:
  static bool saysLayout(llvm::StringRef word) {
    return word == "is_contiguous" || word == "contiguous" || word == "stride" || word == "strides" ||
           word == "suggest_memory_format" || word == "is_non_overlapping_and_dense" || word == "is_sparse" ||
           word == "view" || word == "accessor" || word.starts_with("packed_accessor");
  }

  bool speaks(const clang::CallExpr* call, const clang::Expr* use, int depth) {
    if (!call || llvm::isa<clang::CUDAKernelCallExpr>(call)) return false;
    if (auto known = tensorCallOf(call)) return saysLayout(known->word);
    if (auto* op = llvm::dyn_cast<clang::CXXOperatorCallExpr>(call)) return op->isAssignmentOp();
    if (llvm::isa<clang::CXXMemberCallExpr>(call)) return false;
    auto* f = asWritten(calleeOf(call));
    if (!f || !f->getIdentifier()) return true;
    if (f->getName() == "device_of" || f->isInStdNamespace()) return false;
    const clang::FunctionDecl* definition = nullptr;
    bool isSeen = f->hasBody(definition) && functions_.count(definition) > 0;
    if (!isSeen) return true;  // it may check
    for (unsigned i = 0; i < call->getNumArgs() && i < definition->getNumParams(); ++i)
      if (variableOf(bareExpr(call->getArg(i))) == llvm::cast<clang::DeclRefExpr>(use)->getDecl())
        return speakOf(*definition, *definition->getParamDecl(i), depth + 1);
    return true;
  }

  const Unit& unit_;
  const HostFunctions& functions_;
};

// Kernel parameters that are given the memory of a tensor, over all launches of the file.
struct Handed {
  const LaunchSite* launch;
  unsigned parameter;
  Pointed from;
};

// What the caller in another file knows of the argument.
bool isUnchecked(const CallElsewhere& call, unsigned parameter) {
  if (call.call.isBinding) return true;
  auto& arguments = call.call.arguments;
  if (parameter >= arguments.size()) return false;
  auto& facts = arguments[parameter];
  auto says = [&](const char* word) { return std::find(facts.begin(), facts.end(), word) != facts.end(); };
  return says("tensor") && !says("contiguous") && !says("fresh");
}

// Not in an instance of a template, whose variables are others than those of the template as it is written.
bool isOfTheFunction(const Unit& unit, const LaunchSite& launch, const Pointed& from) {
  return from.tensor && from.tensor->getParentFunctionOrMethod() == namedFunctionAround(unit, launch.call);
}

std::vector<Handed> handedTensors(Analyses& analyses) {
  std::vector<Handed> out;
  for (auto& launch : analyses.launches())
    for (unsigned i = 0; i < launch.call->getNumArgs(); ++i)
      if (auto from = pointedBy(launch.call->getArg(i)); isOfTheFunction(analyses.unit(), launch, from))
        out.push_back({&launch, i, from});
  return out;
}

// A local that at::empty makes, which nobody touches but this launch, questions and return.
bool isLeftUnwritten(const Unit& unit, const clang::FunctionDecl& f, const Handed& handed) {
  auto* tensor = handed.from.tensor;
  auto made = tensor->getInit() ? tensorCallOf(bareExpr(tensor->getInit())) : std::nullopt;
  if (!made || !isUnwritten(made->word)) return false;
  TensorUses uses(unit, *tensor);
  uses.TraverseStmt(f.getBody());
  auto place = unit.sources.getFileLoc(handed.from.call->getExprLoc());
  return std::all_of(uses.uses.begin(), uses.uses.end(), [&](const clang::Expr* use) {
    auto* call = uses.callAround(use);
    auto known = call ? tensorCallOf(call) : std::nullopt;
    if (known && isQuestion(known->word)) return true;
    bool isThis = known && unit.sources.getFileLoc(call->getExprLoc()) == place;
    return isThis || uses.isReturned(use);
  });
}

}  // namespace

void uncheckedDataPointer(Analyses& analyses, const RulePage& page, Findings& findings) {
  auto& unit = analyses.unit();
  auto functions = torchOperatorsOf(analyses);
  LayoutChecks checks(unit, functions);
  std::set<const clang::VarDecl*> reported;
  for (auto& handed : handedTensors(analyses)) {
    auto* f = namedFunctionAround(unit, handed.launch->call);
    auto known = functions.find(f);
    auto* tensor = llvm::dyn_cast<clang::ParmVarDecl>(handed.from.tensor);
    if (!tensor || known == functions.end() || handed.from.byAccessor) continue;
    if (!isCalledFromAnywhere(known->second, isUnchecked, tensor->getFunctionScopeIndex())) continue;
    if (!reported.insert(tensor).second || checks.speakOf(*f, *tensor)) continue;
    Site site;
    site.range = handed.from.call->getSourceRange();
    site.function = f;
    site.message =
        kernelNameOf(*handed.launch, "a kernel") + " reads " + tensor->getNameAsString() +
        " by its address, and nothing checks that it is contiguous: a transposed or sliced tensor gives "
        "wrong results without an error";
    findings.add(page, std::move(site));
  }
}

void emptyThenAccumulate(Analyses& analyses, const RulePage& page, Findings& findings) {
  auto& unit = analyses.unit();
  for (auto& handed : handedTensors(analyses)) {
    auto* f = namedFunctionAround(unit, handed.launch->call);
    if (!f || !handed.launch->kernel || !isLeftUnwritten(unit, *f, handed)) continue;
    auto use = useOf(unit, *handed.launch->kernel, handed.parameter);
    if (!use.accumulates || use.stores || use.isUnknown) continue;
    Site site;
    site.range = handed.from.call->getSourceRange();
    site.function = f;
    site.message = kernelNameOf(*handed.launch, "a kernel") + " only adds to " +
                   handed.from.tensor->getNameAsString() +
                   ", which at::empty leaves with whatever was in its memory";
    site.related.push_back(placeOf(unit, handed.from.tensor->getSourceRange()));
    site.related.back().note = "made here; at::zeros sets it to 0";
    findings.add(page, std::move(site));
  }
}

}  // namespace kadvise::source
