#include "analyzer/source/host_memory_rules.h"

#include <map>

#include "analyzer/source/constants.h"
#include "analyzer/source/host_functions.h"
#include "analyzer/source/visitor.h"

namespace kadvise::source {
namespace {

constexpr std::int64_t kMostStaged = 64 << 10;  // bytes of a copy that the driver keeps for itself

const clang::VarDecl* namedBy(const clang::Expr* e) {
  auto* name = llvm::dyn_cast<clang::DeclRefExpr>(e->IgnoreParenCasts());
  return name ? llvm::dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
}

// x of &x, of (void**)&x.
const clang::VarDecl* addressedBy(const clang::Expr* e) {
  auto* u = llvm::dyn_cast<clang::UnaryOperator>(e->IgnoreParenCasts());
  return u && u->getOpcode() == clang::UO_AddrOf ? namedBy(u->getSubExpr()) : nullptr;
}

bool isPageable(const clang::Expr* value) {
  value = value->IgnoreParenCasts();
  if (auto* made = llvm::dyn_cast<clang::CXXNewExpr>(value)) return made->isArray();
  auto* call = llvm::dyn_cast<clang::CallExpr>(value);
  auto name = call ? calleeName(*call) : llvm::StringRef();
  return name == "malloc" || name == "calloc" || name == "aligned_alloc";
}

bool isVector(clang::QualType type) {
  auto* record = type.getNonReferenceType()->getAsCXXRecordDecl();
  if (!record || !record->getIdentifier() || record->getName() != "vector" || !record->isInStdNamespace())
    return false;
  auto* instance = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(record);
  if (!instance || instance->getTemplateArgs().size() < 2) return true;
  auto& second = instance->getTemplateArgs()[1];
  if (second.getKind() != clang::TemplateArgument::Type) return false;  // somebody's own class
  auto* allocator = second.getAsType()->getAsCXXRecordDecl();
  return !allocator || allocator->isInStdNamespace();
}

bool isNothing(const Unit& unit, const clang::Expr* e) {
  return e->isNullPointerConstant(unit.context, clang::Expr::NPC_ValueDependentIsNotNull) !=
         clang::Expr::NPCK_NotNull;
}

// Where one function gets its host memory, and what it copies.
class Copies : public Visitor {
 public:
  bool VisitVarDecl(clang::VarDecl* v) override {
    if (v->getInit() && v->getType()->isPointerType()) values[v].push_back(v->getInit());
    return true;
  }
  bool VisitBinaryOperator(clang::BinaryOperator* b) override {
    auto* v = b->isAssignmentOp() ? namedBy(b->getLHS()) : nullptr;
    if (v) values[v].push_back(b->getRHS());
    return true;
  }
  bool VisitCallExpr(clang::CallExpr* call) override {
    auto name = calleeName(*call);
    if (name == "cudaMemcpyAsync" && call->getNumArgs() >= 5) copies.push_back(call);
    if (name == "cudaHostRegister") isRegistered = true;
    // cudaMallocHost(&x, …): whoever gets its address sets it.
    for (auto* a : call->arguments())
      if (auto* v = addressedBy(a)) values[v].push_back(nullptr);
    return true;
  }
  std::map<const clang::VarDecl*, std::vector<const clang::Expr*>> values;  // null: set in an unknown way
  std::vector<const clang::CallExpr*> copies;
  bool isRegistered = false;
};

// What pageable memory a pointer of the host is in; null where it may be pinned.
const char* pageableHost(const Unit& unit, const Copies& copies, const clang::Expr* host) {
  host = host->IgnoreParenCasts();
  if (auto* call = llvm::dyn_cast<clang::CXXMemberCallExpr>(host)) {
    auto* method = call->getMethodDecl();
    bool isData = method && method->getIdentifier() && method->getName() == "data";
    return isData && isVector(call->getImplicitObjectArgument()->getType()) ? "a std::vector" : nullptr;
  }
  auto* v = namedBy(host);
  auto known = v ? copies.values.find(v) : copies.values.end();
  if (known == copies.values.end() || !v->isLocalVarDecl()) return nullptr;
  bool isAny = false;
  for (auto* e : known->second) {
    if (!e || (!isPageable(e) && !isNothing(unit, e))) return nullptr;
    isAny |= isPageable(e);
  }
  return isAny ? "memory of malloc or new" : nullptr;
}

// The pointer of the host in a copy between host and device.
const clang::Expr* hostSideOf(const Unit& unit, const clang::CallExpr& copy) {
  constexpr std::int64_t kHostToDevice = 1, kDeviceToHost = 2;
  auto kind = constantOf(unit, copy.getArg(3));
  if (!kind) return nullptr;
  return *kind == kHostToDevice ? copy.getArg(1) : *kind == kDeviceToHost ? copy.getArg(0) : nullptr;
}

// The driver takes it along in a buffer of its own and returns.
bool isSmall(const Unit& unit, const clang::CallExpr& copy) {
  auto bytes = copy.getNumArgs() > 2 ? constantOf(unit, copy.getArg(2)) : std::nullopt;
  return bytes && *bytes <= kMostStaged;
}

// In the default stream a copy is not meant to overlap with anything.
bool hasStream(const clang::CallExpr& copy) {
  constexpr unsigned kStream = 4;
  if (copy.getNumArgs() <= kStream || copy.getArg(kStream)->isDefaultArgument()) return false;
  auto* stream = copy.getArg(kStream)->IgnoreParenCasts();
  return !llvm::isa<clang::IntegerLiteral>(stream) && !llvm::isa<clang::CXXNullPtrLiteralExpr>(stream);
}

class Waits : public Visitor {
 public:
  bool VisitCallExpr(clang::CallExpr* call) override {
    auto name = calleeName(*call);
    waits |= name == "cudaStreamSynchronize" || name == "cudaDeviceSynchronize";
    copies |= name == "cudaMemcpyAsync";
    return true;
  }
  bool waits = false, copies = false;
};

// Of a macro that checks the call: "do { … } while (0)".
bool isOfOneTurn(const Unit& unit, const clang::Stmt& s) {
  auto* loop = llvm::dyn_cast<clang::DoStmt>(&s);
  return loop && loop->getCond()->EvaluateKnownConstInt(unit.context).isZero();
}

// What comes behind it, but for further copies, is the wait for it.
bool isWaitedFor(const clang::CompoundStmt& block, const clang::Stmt* child) {
  bool isBehind = false;
  for (auto* s : block.body()) {
    if (isBehind && llvm::isa<clang::ForStmt, clang::WhileStmt, clang::CXXForRangeStmt>(s)) return false;
    if (isBehind) {
      Waits visitor;
      visitor.TraverseStmt(const_cast<clang::Stmt*>(s));
      if (visitor.waits) return true;
      if (!visitor.copies) return false;
    }
    isBehind |= s == child;
  }
  return false;
}

// Outside of all loops, and waited for at once: nothing was to overlap with it, and it runs once.
bool isLone(const Unit& unit, const clang::CallExpr& copy) {
  auto node = clang::DynTypedNode::create<clang::Stmt>(copy);
  const clang::Stmt* child = &copy;
  bool waits = false;
  while (true) {
    auto parents = unit.context.getParents(node);
    if (parents.empty() || parents[0].get<clang::FunctionDecl>()) return waits;
    node = parents[0];
    auto* parent = node.get<clang::Stmt>();
    if (!parent) continue;
    bool isLoop = llvm::isa<clang::ForStmt, clang::WhileStmt, clang::DoStmt, clang::CXXForRangeStmt>(parent);
    if (isLoop && !isOfOneTurn(unit, *parent)) return false;
    if (auto* block = llvm::dyn_cast<clang::CompoundStmt>(parent)) waits |= isWaitedFor(*block, child);
    child = parent;
  }
}

}  // namespace

void pageableCopy(Analyses& analyses, const RulePage& page, Findings& findings) {
  auto& unit = analyses.unit();
  for (auto* f : analyses.hostFunctions()) {
    Copies copies;
    copies.TraverseStmt(f->getBody());
    if (copies.isRegistered) continue;
    for (auto* copy : copies.copies) {
      auto* host = hostSideOf(unit, *copy);
      auto* memory = host ? pageableHost(unit, copies, host) : nullptr;
      if (!memory || isSmall(unit, *copy) || !hasStream(*copy) || isLone(unit, *copy)) continue;
      Site site;
      site.range = copy->getSourceRange();
      site.function = f;
      site.message = std::string("an asynchronous copy from or to ") + memory +
                     ", which is not pinned: it goes through a buffer, and mostly holds the host up";
      findings.add(page, std::move(site));
    }
  }
}

}  // namespace kadvise::source
