#include "analyzer/source/tensor_values.h"

#include <algorithm>
#include <set>
#include <utility>

#include "analyzer/source/tensor_words.h"
#include "analyzer/source/visitor.h"

namespace kadvise::source {
namespace {

using Current = std::map<const clang::VarDecl*, int>;
constexpr std::size_t kMostValues = 20000;
constexpr int kDeepest = 200;
// Tensors that a statement gives another value.
class Written : public Visitor {
 public:
  bool VisitCXXOperatorCallExpr(clang::CXXOperatorCallExpr* call) override {
    if (call->isAssignmentOp() && call->getNumArgs() == 2) take(call->getArg(0));
    return true;
  }
  bool VisitCXXMemberCallExpr(clang::CXXMemberCallExpr* call) override {
    auto known = tensorCallOf(call);
    if (known && known->isInPlace) take(known->operands[0]);
    return true;
  }
  std::set<const clang::VarDecl*> found;

 private:
  void take(const clang::Expr* e) {
    if (auto* v = variableOf(bareExpr(e)); v && isTensor(v->getType())) found.insert(v);
  }
};

class Reader {
 public:
  explicit Reader(const Unit& unit) : unit_(unit) {}

  void read(const clang::Stmt* s) { walk(s); }
  TensorValues out;

 private:
  struct Deeper {
    explicit Deeper(int& depth) : depth_(depth) { ++depth_; }
    ~Deeper() { --depth_; }
    int& depth_;
  };

  int made(TensorValue v) {
    v.loops = loops_;
    out.values.push_back(std::move(v));
    return static_cast<int>(out.values.size()) - 1;
  }
  TensorValue& at(int id) { return out.values[static_cast<std::size_t>(id)]; }

  int unknown(const clang::Expr* e, bool tensor) {
    TensorValue v;
    v.written = e;
    v.isTensor = tensor;
    return made(std::move(v));
  }

  int used(int id) {
    at(id).uses += loops_ > at(id).loops ? 2 : 1;
    return id;
  }

  void forget(const clang::VarDecl* v) { current_[v] = unknown(nullptr, true); }

  // A value whose memory somebody else may write from now on.
  void escapes(int id, const clang::VarDecl* variable) {
    at(id).uses += 2;
    if (!variable) return;
    writtenInPlace(variable, id);
    forget(variable);
  }

  int ofVariable(const clang::VarDecl* v) {
    auto [known, isNew] = current_.try_emplace(v, 0);
    if (isNew) known->second = unknown(nullptr, true);
    return known->second;
  }

  // Variables that share memory with one that is written hold something else now.
  void writtenInPlace(const clang::VarDecl* v, int before) {
    bool shares = isView(at(before).word);
    for (auto& [other, id] : current_)
      if (other != v && (shares || id == before || isView(at(id).word))) id = unknown(nullptr, true);
  }

  int ofCall(const TensorCall& call, const clang::Expr* e) {
    TensorValue v;
    v.word = call.word;
    v.written = e;
    v.isTensor = isTensor(e->getType());
    v.isInPlace = call.isInPlace;
    for (auto* o : call.operands) {
      int id = valueOf(o);
      v.operands.push_back(used(id));
      v.spelt.push_back(bareExpr(o));
    }
    auto* target = variableOf(bareExpr(call.operands[0]));
    int before = v.operands[0];
    bool asks = isQuestion(call.word);
    // data_ptr and its like: what is done there is not seen.
    if (!v.isTensor && !asks && !isTensor(e->getType()) && call.isMethod) escapes(before, target);
    if (asks) at(before).uses -= loops_ > at(before).loops ? 2 : 1;
    int id = made(std::move(v));
    if (call.isInPlace) {
      if (!target) at(id).uses += 2;
      else {
        writtenInPlace(target, before);
        current_[target] = id;
        at(id).isKept = true;
      }
    }
    return id;
  }

  std::optional<int> assigned(const clang::CXXOperatorCallExpr& call) {
    if (call.getOperator() != clang::OO_Equal || call.getNumArgs() != 2 || !isTensor(call.getType()))
      return std::nullopt;
    int id = valueOf(call.getArg(1));
    auto* target = variableOf(bareExpr(call.getArg(0)));
    if (!target) {
      walk(call.getArg(0));
      at(id).uses += 2;
      return id;
    }
    // x[i] = …, and a reference that stands for another variable.
    if (target->getType()->isReferenceType() && !llvm::isa<clang::ParmVarDecl>(target)) current_.clear();
    current_[target] = id;
    at(id).isKept = true;
    return id;
  }

  int valueOf(const clang::Expr* e) {
    e = bareExpr(e);
    Deeper deeper(depth_);
    if (depth_ > kDeepest || out.values.size() > kMostValues) return unknown(e, isTensor(e->getType()));
    if (auto* call = llvm::dyn_cast<clang::CXXOperatorCallExpr>(e))
      if (auto id = assigned(*call)) return *id;
    if (auto call = tensorCallOf(e)) return ofCall(*call, e);
    if (auto* v = variableOf(e); v && isTensor(v->getType())) return ofVariable(v);
    if (e->getType().isNull() || e->getType()->isDependentType()) return unknown(e, true);
    bool tensor = isTensor(e->getType());
    auto number = tensor ? std::nullopt : numberOf(unit_, e);
    if (!number && !tensor)
      if (auto* list = listOf(e)) return ofList(*list, e);
    if (!number) walkChildren(e);
    int id = unknown(e, tensor);
    at(id).number = number;
    return id;
  }

  // {a, b} and {mask}, whatever they are converted to.
  static const clang::InitListExpr* listOf(const clang::Expr* e) {
    for (int i = 0; e && i < 8; ++i) {
      e = bareExpr(e);
      if (auto* list = llvm::dyn_cast<clang::InitListExpr>(e)) return list;
      e = llvm::isa<clang::CXXConstructExpr, clang::CXXStdInitializerListExpr>(e) ? onlyPart(e) : nullptr;
    }
    return nullptr;
  }

  int ofList(const clang::InitListExpr& list, const clang::Expr* e) {
    TensorValue v;
    v.word = "list";
    v.written = e;
    for (auto* part : list.inits()) {
      auto* inner = onlyPart(bareExpr(part));  // a TensorIndex around a tensor
      v.operands.push_back(used(valueOf(inner ? inner : part)));
      v.spelt.push_back(part);
    }
    return made(std::move(v));
  }

  void declare(const clang::VarDecl* v) {
    if (!v->getInit()) return;
    if (!isTensor(v->getType())) return walk(v->getInit());
    int id = valueOf(v->getInit());
    current_[v] = id;
    at(id).isKept = true;
  }

  // Runs any number of times, or not at all.
  void branch(const clang::Stmt* s) {
    if (!s) return;
    Current before = current_;
    atStatement_ = true;
    walk(s);
    for (auto& [v, id] : before)
      if (current_.count(v) && current_[v] != id) id = unknown(nullptr, true);
    current_ = std::move(before);
  }

  void loop(const clang::Stmt* s) {
    Written written;
    written.TraverseStmt(const_cast<clang::Stmt*>(s));
    for (auto* v : written.found) forget(v);
    Deeper deeper(loops_);
    walkChildren(s);
    for (auto* v : written.found) forget(v);
  }

  // A call of something else may write the tensors that it is given.
  void otherCall(const clang::CallExpr* call) {
    for (auto* a : call->arguments()) {
      if (!isTensor(a->IgnoreParenImpCasts()->getType())) {
        walk(a);
        continue;
      }
      int id = valueOf(a);
      escapes(id, variableOf(bareExpr(a)));
    }
    walk(call->getCallee());
  }

  void walkChildren(const clang::Stmt* s) {
    auto* call = llvm::dyn_cast<clang::CallExpr>(s);
    bool isOther = call && !tensorCallOf(call);
    if (isOther) return otherCall(call);
    for (auto* child : s->children()) walk(child);
  }

  void walk(const clang::Stmt* s) {
    if (!s) return;
    Deeper deeper(depth_);
    if (depth_ > kDeepest || out.values.size() > kMostValues) return;
    bool isStatement = std::exchange(atStatement_, false);
    if (auto* declaration = llvm::dyn_cast<clang::DeclStmt>(s)) {
      for (auto* d : declaration->decls())
        if (auto* v = llvm::dyn_cast<clang::VarDecl>(d)) declare(v);
      return;
    }
    if (auto* choice = llvm::dyn_cast<clang::IfStmt>(s)) {
      walk(choice->getInit());
      walk(choice->getCond());
      branch(choice->getThen());
      return branch(choice->getElse());
    }
    if (llvm::isa<clang::ForStmt, clang::WhileStmt, clang::DoStmt, clang::CXXForRangeStmt>(s)) return loop(s);
    if (auto* lambda = llvm::dyn_cast<clang::LambdaExpr>(s)) return branch(lambda->getBody());
    if (llvm::isa<clang::SwitchStmt>(s)) {
      Current before = current_;
      walkChildren(s);
      return forgetChanged(before);
    }
    if (auto* e = llvm::dyn_cast<clang::Expr>(s)) {
      auto* bare = bareExpr(e);
      bool isKnown = tensorCallOf(bare) || isTensor(bare->getType());
      if (!isKnown || llvm::isa<clang::LambdaExpr>(bare)) return walkChildren(bare);
      int id = valueOf(bare);
      // The end of a statement is no use; anything else around it is.
      if (!isStatement) used(id);
      return;
    }
    for (auto* child : s->children()) {
      atStatement_ = llvm::isa<clang::CompoundStmt>(s);
      walk(child);
    }
    atStatement_ = false;
  }

  void forgetChanged(const Current& before) {
    for (auto& [v, id] : before)
      if (current_[v] != id) forget(v);
  }

  const Unit& unit_;
  Current current_;
  int loops_ = 0, depth_ = 0;
  bool atStatement_ = false;  // what is walked next is a statement: nothing uses its value
};

llvm::FoldingSetNodeID shapeOf(const Unit& unit, const clang::Expr* e) {
  llvm::FoldingSetNodeID out;
  e->Profile(out, unit.context, true);
  return out;
}

}  // namespace

bool TensorValues::areEqual(const Unit& unit, int a, int b) const {
  if (a == b) return true;
  const TensorValue &x = at(a), &y = at(b);
  if (x.isTensor != y.isTensor || x.word != y.word || x.isInPlace || y.isInPlace) return false;
  if (x.number || y.number) return x.number == y.number;
  if (x.word.empty()) return x.written && y.written && shapeOf(unit, x.written) == shapeOf(unit, y.written);
  return std::equal(x.operands.begin(), x.operands.end(), y.operands.begin(), y.operands.end(),
                    [&](int i, int j) { return areEqual(unit, i, j); });
}

TensorValues tensorValuesOf(const Unit& unit, const clang::FunctionDecl& f) {
  Reader reader(unit);
  reader.read(f.getBody());
  return std::move(reader.out);
}

}  // namespace kadvise::source
