#include <algorithm>

#include "analyzer/source/addresses.h"
#include "analyzer/source/block_simulator.h"
#include "analyzer/source/integer_operators.h"
#include "analyzer/source/place.h"

namespace kadvise::source {
namespace {

using Kind = BlockValue::Kind;

constexpr std::size_t kDeepest = 6;
constexpr std::int64_t kWholeWarp = 0xffffffff;
constexpr int kLanes = 32;
constexpr llvm::StringRef kSync = "_sync";

std::string nameOf(const clang::CallExpr& c) {
  if (auto* f = c.getDirectCallee()) return f->getIdentifier() ? f->getName().str() : "";
  const clang::Expr* callee = c.getCallee()->IgnoreParenImpCasts();
  if (auto* open = llvm::dyn_cast<clang::OverloadExpr>(callee)) return open->getName().getAsString();
  if (auto* open = llvm::dyn_cast<clang::CXXDependentScopeMemberExpr>(callee))
    return open->getMember().getAsString();
  return "";
}

bool isVote(llvm::StringRef name) { return name == "__ballot" || name == "__any" || name == "__all"; }

bool isWithoutMask(llvm::StringRef name) {
  return isVote(name) || name == "__shfl" || name == "__shfl_up" || name == "__shfl_down" ||
         name == "__shfl_xor";
}

// Of the language and its libraries, outside of all classes: it computes, and orders nothing.
bool isPlainFunction(const Unit& unit, const clang::FunctionDecl& f) {
  if (llvm::isa<clang::CXXMethodDecl>(f)) return f.isOverloadedOperator();
  if (f.getBuiltinID()) return true;
  auto* around = f.getDeclContext()->getEnclosingNamespaceContext();
  bool isGlobal = around->isTranslationUnit() || f.getDeclContext()->isExternCContext();
  auto* space = llvm::dyn_cast<clang::NamespaceDecl>(around);
  bool isStandard =
      space && (f.isInStdNamespace() || space->getName() == "cuda" || space->getName() == "detail");
  return (isGlobal && unit.sources.isInSystemHeader(f.getLocation())) || isStandard;
}

}  // namespace

Lanes BlockSimulator::call(const clang::CallExpr& c, const Mask& mask) {
  bool isOutermost = !outermost_;
  if (isOutermost) outermost_ = &c;
  std::string name = nameOf(c);
  std::optional<Lanes> out;
  // Of vectors and halves, whose operators are functions.
  auto* assigns = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&c);
  if (assigns && assigns->isAssignmentOp() && c.getNumArgs() == 2) {
    if (assigns->getOperator() != clang::OO_Equal) evaluate(c.getArg(0), mask);
    out = evaluate(c.getArg(1), mask);
    store(c.getArg(0), *out, mask);
  }
  if (!out) out = callConversion(c, mask);
  if (!out && !name.empty()) out = callKnown(c, name, mask);
  if (!out && !name.empty()) out = callOfGroup(c, name, mask);
  if (!out && !name.empty()) out = callCopy(c, name, mask);
  if (!out) {
    const clang::FunctionDecl* f = c.getDirectCallee();
    const clang::FunctionDecl* whole = nullptr;
    bool hasBody = f && f->hasBody(whole) && whole && whole->getBody() && !whole->isVariadic();
    bool isRecursive = hasBody && std::find(inside_.begin(), inside_.end(), whole) != inside_.end();
    bool isIn = hasBody && isOfProject(*whole);
    unsigned first =
        llvm::isa<clang::CXXOperatorCallExpr>(c) && llvm::isa_and_nonnull<clang::CXXMethodDecl>(f);
    out = isIn && !isRecursive && inside_.size() < kDeepest ? callInline(c, *whole, first, mask)
                                                            : callOpaque(c, f, mask);
  }
  forgetGivenAway(c, mask);
  if (isOutermost) outermost_ = nullptr;
  return *out;
}

// "swap((void**)&p, (void**)&q)": through its address a function may set what is a variable of the thread.
void BlockSimulator::forgetGivenAway(const clang::CallExpr& c, const Mask& mask) {
  for (auto* a : c.arguments()) {
    auto* address = llvm::dyn_cast<clang::UnaryOperator>(a->IgnoreParenCasts());
    if (!address || address->getOpcode() != clang::UO_AddrOf) continue;
    auto* of = plainVariable(address->getSubExpr());
    if (!of || !variables_.count(of)) continue;
    Lanes unknown = murky(&c);
    for (std::size_t i = 0; i < threads_; ++i)
      if (mask[i] != Runs::No) variables_[of][i] = unknown[i];
  }
}

bool BlockSimulator::isOfProject(const clang::FunctionDecl& f) const {
  return source::isOfProject(unit_.sources, unit_.folders, f.getLocation());
}

// "(float)halves[i]" reads the half, and computes.
std::optional<Lanes> BlockSimulator::callConversion(const clang::CallExpr& c, const Mask& mask) {
  auto* conversion = llvm::dyn_cast_or_null<clang::CXXConversionDecl>(c.getDirectCallee());
  auto* method = llvm::dyn_cast<clang::CXXMemberCallExpr>(&c);
  bool isInFile = conversion && offsetOf(unit_, conversion->getLocation());
  if (!conversion || !method || isInFile) return std::nullopt;
  const clang::Expr* object = method->getImplicitObjectArgument()->IgnoreParenImpCasts();
  Lanes out = object->isGLValue() && !plainVariable(object) ? load(object, place(object, mask), mask)
                                                            : evaluate(object, mask);
  return combine(clang::BO_Comma, shared(mixed(5, numberOf(conversion))), out, c.getType(), mask);
}

// What CUDA itself declares.
std::optional<Lanes> BlockSimulator::callKnown(const clang::CallExpr& c, llvm::StringRef name,
                                               const Mask& mask) {
  std::vector<Lanes> arguments;
  auto evaluateAll = [&] {
    for (auto* a : c.arguments()) arguments.push_back(evaluate(a, mask));
  };
  if (name.starts_with("__syncthreads")) {
    evaluateAll();
    atBlockBarrier(c, mask);
    return shared(mixed(numberOf(&c), log_.interval()));
  }
  if (name == "__barrier_sync" || name == "__named_barrier_sync") {
    opaqueBarrier();
    return known(0);
  }
  if (name == "__syncwarp" || (name.starts_with("__") && name.ends_with("_sync"))) {
    evaluateAll();
    bool isWhole = arguments.empty() || (arguments[0][0].kind == Kind::Known &&
                                         (arguments[0][0].number & kWholeWarp) == kWholeWarp);
    atWarpBarrier(c, kLanes, isWhole && name != "__match_any_sync", mask);
    return spread(c, name.drop_back(kSync.size()), arguments, mask);
  }
  // Of before Volta: nobody waits there, but what the lanes get is the same.
  if (isWithoutMask(name)) {
    arguments.push_back(known(kWholeWarp));
    evaluateAll();
    return spread(c, name, arguments, mask);
  }
  if (name.starts_with("atomic") && c.getNumArgs() >= 1 && c.getArg(0)->getType()->isPointerType()) {
    evaluateAll();
    auto type = c.getArg(0)->getType()->getPointeeType();
    touch(c.getArg(0), arguments[0], nullptr, TouchKind::Atomic, bytesOf(unit_, type), mask);
    return murky(&c);
  }
  if ((name == "min" || name == "max" || name == "__mul24" || name == "__umul24") && c.getNumArgs() == 2) {
    evaluateAll();
    auto op = name == "min" ? clang::BO_LT : name == "max" ? clang::BO_GT : clang::BO_Mul;
    Lanes out = combine(op, arguments[0], arguments[1], c.getType(), mask);
    for (std::size_t i = 0; op != clang::BO_Mul && i < threads_; ++i)
      if (out[i].kind == Kind::Known)
        out[i] = arguments[0][i].number == arguments[1][i].number ||
                         appliedTo(op, arguments[0][i].number, arguments[1][i].number).value_or(0)
                     ? arguments[0][i]
                     : arguments[1][i];
    return out;
  }
  return std::nullopt;
}

// What the lanes of a warp have from each other. name: without "_sync"; arguments: the mask before the
// others.
Lanes BlockSimulator::spread(const clang::CallExpr& c, llvm::StringRef name,
                             const std::vector<Lanes>& arguments, const Mask& mask) {
  bool isBroadcast = name == "__shfl" && arguments.size() == 3 && isUniform(arguments[2], mask);
  return isVote(name) || name.starts_with("__reduce") || isBroadcast ? ofWarps(c, kLanes)
                                                                     : exchanged(c, arguments);
}

// Copies to shared memory that go on while the thread does.
std::optional<Lanes> BlockSimulator::callCopy(const clang::CallExpr& c, llvm::StringRef name,
                                              const Mask& mask) {
  if (name == "__pipeline_memcpy_async" && c.getNumArgs() >= 3) {
    Lanes to = evaluate(c.getArg(0), mask), bytes = evaluate(c.getArg(2), mask);
    evaluate(c.getArg(1), mask);
    for (std::size_t i = 0; i < threads_; ++i) {
      auto* base = to[i].base;
      bool isSeen = mask[i] == Runs::Yes && base && base->hasAttr<clang::CUDASharedAttr>() &&
                    to[i].kind == Kind::Known && bytes[i].kind == Kind::Known;
      if (isSeen)
        log_.beginCopy({c.getArg(0), static_cast<int>(i), TouchKind::Write, false, false,
                        mixed(numberOf(&c), static_cast<std::int64_t>(i))},
                       base, to[i].number, bytes[i].number);
    }
    return known(0);
  }
  if (name == "__pipeline_commit") {
    log_.commitCopies();
    return known(0);
  }
  if (name == "__pipeline_wait_prior") {
    Lanes left = evaluate(c.getArg(0), mask);
    // A number that is not known is read as the one that is right.
    log_.endCopies(left[0].kind == Kind::Known ? left[0].number : 0, &c);
    return known(0);
  }
  return std::nullopt;
}

BlockSimulator::Reference BlockSimulator::bound(const clang::ParmVarDecl& p, const clang::Expr* argument,
                                                const Mask& mask) {
  if (!p.getType()->isReferenceType()) return {nullptr, evaluate(argument, mask)};
  auto* of = plainVariable(argument);
  return of ? Reference{of, {}} : Reference{nullptr, place(argument, mask)};
}

Lanes BlockSimulator::callInline(const clang::CallExpr& c, const clang::FunctionDecl& f, unsigned first,
                                 const Mask& mask) {
  // All are evaluated before one is bound: an argument may be a call of the same function.
  std::vector<Reference> values;
  for (unsigned i = 0; i < f.getNumParams() && first + i < c.getNumArgs(); ++i)
    values.push_back(bound(*f.getParamDecl(i), c.getArg(first + i), mask));
  for (unsigned i = 0; i < values.size(); ++i) {
    auto* p = f.getParamDecl(i);
    references_.erase(p);
    variables_.erase(p);
    if (p->getType()->isReferenceType()) references_[p] = std::move(values[i]);
    else variables_[p] = std::move(values[i].place), declaredIn_[p] = regions_.now;
  }
  Flow before = std::move(flow_);
  Mask nobody(threads_, Runs::No);
  flow_ = {nobody, nobody, nobody, std::vector<const clang::Stmt*>(threads_), murky(&c), regions_.now};
  int guesses = guesses_;
  auto regions = regions_;
  inside_.push_back(&f);
  execute(f.getBody(), mask);
  inside_.pop_back();
  guesses_ = guesses;
  regions_.now = regions.now, regions_.leavings = regions.leavings;  // who returned is back
  Lanes out = std::move(flow_.result);
  flow_ = std::move(before);
  return out;
}

// A function whose body is elsewhere: one of CUDA computes, of any other nobody knows what it waits for.
Lanes BlockSimulator::callOpaque(const clang::CallExpr& c, const clang::FunctionDecl* f, const Mask& mask) {
  // Made of nothing that is given, it is made of what the thread is: "laneId()".
  Lanes out = c.getNumArgs() == 0 ? murky(&c) : shared(mixed(5, numberOf(f)));
  for (auto& v : out) v.mayBeEqual = c.getNumArgs() == 0;
  bool seesShared = false;
  for (auto* a : c.arguments()) {
    Lanes value = evaluate(a, mask);
    for (auto& v : value) seesShared |= v.base && v.base->hasAttr<clang::CUDASharedAttr>();
    out = combine(clang::BO_Comma, out, value, unit_.context.VoidTy, mask);
  }
  if (!f || seesShared || !isPlainFunction(unit_, *f)) opaqueBarrier();
  return out;
}

}  // namespace kadvise::source
