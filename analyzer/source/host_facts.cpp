#include "analyzer/source/host_facts.h"

#include <algorithm>
#include <set>

#include "analyzer/source/device_code.h"
#include "analyzer/source/visitor.h"

namespace kadvise::source {
namespace {

constexpr std::size_t kMostStatements = 2000;

llvm::StringRef nameOf(clang::QualType type) {
  if (type.isNull()) return {};
  auto* record = type.getNonReferenceType()->getAsCXXRecordDecl();
  return record && record->getIdentifier() ? record->getName() : llvm::StringRef();
}

bool isOneOf(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool declares(const clang::Stmt* s, llvm::ArrayRef<llvm::StringRef> types) {
  auto* declaration = llvm::dyn_cast<clang::DeclStmt>(s);
  if (!declaration) return false;
  return std::any_of(declaration->decl_begin(), declaration->decl_end(), [&](auto* d) {
    auto* variable = llvm::dyn_cast<clang::VarDecl>(d);
    return variable && isOneOf(nameOf(variable->getType()), types);
  });
}

class Calls : public Visitor {
 public:
  explicit Calls(llvm::ArrayRef<llvm::StringRef> names) : names_(names) {}
  bool VisitCallExpr(clang::CallExpr* call) override {
    auto* f = call->getDirectCallee();
    found |= f && f->getIdentifier() && isOneOf(f->getName(), names_);
    return !found;
  }
  bool found = false;

 private:
  llvm::ArrayRef<llvm::StringRef> names_;
};

// Not in a branch: there it may not have run.
bool calls(const clang::Stmt* s, llvm::ArrayRef<llvm::StringRef> names) {
  if (llvm::isa<clang::IfStmt, clang::ForStmt, clang::WhileStmt, clang::SwitchStmt>(s)) return false;
  Calls visitor(names);
  visitor.TraverseStmt(const_cast<clang::Stmt*>(s));
  return visitor.found;
}

const clang::VarDecl* rootOf(const clang::Expr* e) {
  for (int i = 0; e && i < 8; ++i) {
    e = e->IgnoreUnlessSpelledInSource()->IgnoreParenCasts();
    if (auto* name = llvm::dyn_cast<clang::DeclRefExpr>(e))
      return llvm::dyn_cast<clang::VarDecl>(name->getDecl());
    auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(e);
    if (!made || made->getNumArgs() != 1) return nullptr;
    e = made->getArg(0);
  }
  return nullptr;
}

// Which methods of a variable are called.
class Methods : public Visitor {
 public:
  explicit Methods(const clang::VarDecl& variable) : variable_(variable) {}
  bool VisitCXXMemberCallExpr(clang::CXXMemberCallExpr* call) override {
    auto* method = call->getMethodDecl();
    if (method && method->getIdentifier() && rootOf(call->getImplicitObjectArgument()) == &variable_)
      found.insert(method->getName().str());
    return true;
  }
  std::set<std::string> found;

 private:
  const clang::VarDecl& variable_;
};

// The outermost call that makes a value: contiguous of x.contiguous(), empty of at::empty(…).
std::string makerOf(const clang::Expr* e) {
  for (int i = 0; e && i < 8; ++i) {
    e = e->IgnoreUnlessSpelledInSource()->IgnoreParenCasts();
    if (auto* call = llvm::dyn_cast<clang::CallExpr>(e)) {
      auto* f = call->getDirectCallee();
      return f && f->getIdentifier() ? f->getName().str() : "";
    }
    auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(e);
    if (!made || made->getNumArgs() != 1) return "";
    e = made->getArg(0);
  }
  return "";
}

class ErrorChecks : public Visitor {
 public:
  ErrorChecks(const Unit& unit, std::set<const clang::FunctionDecl*>* callees)
      : unit_(unit), callees_(callees) {}
  bool VisitCallExpr(clang::CallExpr* call) override {
    auto* f = call->getDirectCallee();
    if (auto* open = llvm::dyn_cast<clang::OverloadExpr>(call->getCallee()->IgnoreParenCasts()); open && !f)
      return take(open->getName().getAsString());
    if (!f || !f->getIdentifier()) return true;
    bool isSynchronisation = isOneOf(f->getName(), {"cudaDeviceSynchronize", "cudaThreadSynchronize",
                                                    "cudaStreamSynchronize", "cudaEventSynchronize"});
    if (isSynchronisation) found |= isUsed(call);
    return take(f->getName().str());
  }
  // Called, or given to somebody who calls it.
  bool VisitDeclRefExpr(clang::DeclRefExpr* e) override {
    auto* f = llvm::dyn_cast<clang::FunctionDecl>(e->getDecl());
    if (f && callees_) callees_->insert(asWritten(f)->getCanonicalDecl());
    return true;
  }
  bool found = false;

 private:
  bool take(const std::string& name) {
    std::string lower = llvm::StringRef(name).lower();
    bool isPlain = isOneOf(name, {"cudaGetErrorString", "cudaGetErrorName"});
    found |=
        !isPlain && (lower.find("check") != std::string::npos || lower.find("error") != std::string::npos);
    return true;
  }
  bool isUsed(const clang::Expr* call) const {
    auto parents = unit_.context.getParents(*call);
    return !parents.empty() && !parents[0].get<clang::CompoundStmt>() && !parents[0].get<clang::ForStmt>();
  }
  const Unit& unit_;
  std::set<const clang::FunctionDecl*>* callees_;
};

void addMade(const std::string& maker, std::set<std::string>& out) {
  if (isOneOf(maker, {"contiguous", "empty", "zeros", "ones", "full", "clone"}))
    out.insert({"fresh", "contiguous"});
}

}  // namespace

std::vector<const clang::Stmt*> statementsBefore(const Unit& unit, const clang::Stmt* s) {
  std::vector<const clang::Stmt*> out;
  auto node = clang::DynTypedNode::create(*s);
  const clang::Stmt* child = s;
  while (out.size() < kMostStatements) {
    auto parents = unit.context.getParents(node);
    if (parents.empty()) return out;
    node = parents[0];
    if (auto* f = node.get<clang::FunctionDecl>()) {
      auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(f);
      if (!method || !method->getParent()->isLambda()) return out;
    }
    auto* parent = node.get<clang::Stmt>();
    if (!parent) continue;
    if (auto* block = llvm::dyn_cast<clang::CompoundStmt>(parent))
      for (auto* before : block->body()) {
        if (before == child) break;
        out.push_back(before);
      }
    child = parent;
  }
  return out;
}

bool isDeviceGuarded(const std::vector<const clang::Stmt*>& before) {
  return std::any_of(before.begin(), before.end(), [](auto* s) {
    return declares(s, {"CUDAGuard", "OptionalCUDAGuard", "DeviceGuard", "OptionalDeviceGuard", "HIPGuard",
                        "CUDAStreamGuard", "OptionalCUDAStreamGuard", "HIPGuardMasqueradingAsCUDA",
                        "OptionalHIPGuardMasqueradingAsCUDA"}) ||
           calls(s, {"cudaSetDevice", "set_device", "hipSetDevice"});
  });
}

bool isStreamGuarded(const std::vector<const clang::Stmt*>& before) {
  return std::any_of(before.begin(), before.end(), [](auto* s) {
    return declares(s, {"CUDAStreamGuard", "OptionalCUDAStreamGuard", "CUDAMultiStreamGuard", "StreamGuard"});
  });
}

bool looksForErrors(const Unit& unit, const clang::FunctionDecl& f,
                    std::set<const clang::FunctionDecl*>* callees) {
  ErrorChecks checks(unit, callees);
  checks.TraverseStmt(f.getBody());
  return checks.found;
}

std::vector<std::string> tensorFacts(const std::vector<const clang::Stmt*>& before,
                                     const clang::Expr* argument) {
  if (!isTensor(argument->getType())) return {};
  std::set<std::string> out = {"tensor"};
  addMade(makerOf(argument), out);
  if (auto* variable = rootOf(argument)) {
    if (variable->getInit()) addMade(makerOf(variable->getInit()), out);
    Methods methods(*variable);
    for (auto* s : before)
      if (llvm::isa<clang::IfStmt, clang::DoStmt>(s)) methods.TraverseStmt(const_cast<clang::Stmt*>(s));
    if (methods.found.count("is_contiguous")) out.insert("contiguous");
    if (methods.found.count("is_cuda") || methods.found.count("device") || methods.found.count("get_device"))
      out.insert("cuda");
    if (methods.found.count("scalar_type") || methods.found.count("dtype")) out.insert("dtype");
    if (methods.found.count("numel") || methods.found.count("size") || methods.found.count("sizes"))
      out.insert("size");
  }
  return {out.begin(), out.end()};
}

}  // namespace kadvise::source
