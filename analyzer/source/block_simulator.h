// The simulation behind block_run.h: all threads of a block take each step together. Its parts are
// block_statements.cpp, block_control.cpp, block_expressions.cpp, block_memory.cpp,
// block_calls.cpp, block_groups.cpp and block_barriers.cpp.
#pragma once

#include <optional>
#include <set>
#include <unordered_map>

#include "analyzer/source/block_run.h"
#include "analyzer/source/block_value.h"

namespace kadvise::source {

class BlockSimulator {
 public:
  BlockSimulator(const Unit&, const clang::FunctionDecl& kernel, const BlockSetting&);
  BlockRun run();

 private:
  enum class Stop { No, Tired, LeftArray, Broken, Unsupported, Parted };
  struct Flow {  // of one call: who is done with it, with a turn, with a loop
    Mask returned, broken, continued;
    std::vector<const clang::Stmt*> exits;  // the statement by which each left
    Lanes result;
    int region = 0;  // in which it was called
  };
  // A part of the program that the same threads run, loose ones among them: those who are in it run all of
  // it, and what a variable of their own becomes there they know.
  struct Regions {
    int now = 0, newest = 0, leavings = 0;
  };
  struct Guard {
    const clang::Expr* condition = nullptr;
    bool parts = false;
  };
  struct Reference {
    const clang::VarDecl* variable = nullptr;  // of another local variable, or
    Lanes place;                               // of memory
  };

  // Statements.
  void execute(const clang::Stmt*, const Mask&);
  void executeIf(const clang::IfStmt&, const Mask&);
  bool endsLoop(const clang::IfStmt&) const;
  void executeSwitch(const clang::SwitchStmt&, const Mask&);
  void executeLoop(const clang::Stmt& loop, const clang::Expr* condition, const clang::Expr* step,
                   const clang::Stmt* body, const Mask&, bool testsFirst);
  void executeRange(const clang::CXXForRangeStmt&, const Mask&);
  void leave(const clang::Stmt& exit, Mask& leavers, const Mask&);
  void enterRegion() { regions_.now = ++regions_.newest; }
  void comeBackTo(const Regions& before);
  bool isExact(Runs, int since) const;  // of what is set now, in a variable or result that began in a region
  void comeBack(Mask& leavers);
  void executeReturn(const clang::ReturnStmt&, const Mask&);
  void declare(const clang::VarDecl&, const Mask&);
  void forget(const clang::Stmt& written, const Mask&);     // variables that it assigns
  bool isTired();                                           // counts a step
  Mask left(const Mask&) const;                             // of these, those who did not leave
  bool isGuess(const Lanes& condition, const Mask&) const;  // what is made up or unknown decides
  // Of a guess that decided about the statement; who is still there behind one with a way out is a guess,
  // too.
  void endGuess(bool isGuess, const clang::Stmt&);
  std::pair<Mask, Mask> split(const Lanes& condition, const Mask&);
  std::pair<Mask, Mask> splitOn(const clang::Expr* condition, const Mask&);

  // Expressions.
  Lanes evaluate(const clang::Expr*, const Mask&);
  Lanes evaluateOther(const clang::Expr*, const Mask&);
  Lanes evaluateCast(const clang::CastExpr&, const Mask&);
  Lanes evaluateBinary(const clang::BinaryOperator&, const Mask&);
  Lanes evaluateLogical(const clang::BinaryOperator&, const Mask&);
  Lanes evaluateUnary(const clang::UnaryOperator&, const Mask&);
  Lanes evaluateChoice(const clang::ConditionalOperator&, const Mask&);
  Lanes evaluateVariable(const clang::DeclRefExpr&, const Mask&);
  Lanes combine(clang::BinaryOperatorKind, const Lanes&, const Lanes&, clang::QualType, const Mask&);
  std::optional<bool> withinLoaded(clang::BinaryOperatorKind, const BlockValue& place,
                                   const BlockValue& count);
  Lanes combinePointer(clang::BinaryOperatorKind, const Lanes& pointer, const Lanes& by, std::int64_t bytes,
                       const Mask&) const;
  std::optional<std::int64_t> constant(const clang::Expr*);
  Lanes all(BlockValue v) const { return Lanes(threads_, v); }
  Lanes known(std::int64_t n) const { return all({BlockValue::Kind::Known, false, n, nullptr}); }
  Lanes shared(std::int64_t symbol) const { return all({BlockValue::Kind::Loaded, false, symbol, nullptr}); }
  Lanes murky(const void* of);
  Lanes ofWarps(const clang::Expr&, int lanes);  // one unknown value in each warp or tile
  Lanes spread(const clang::CallExpr&, llvm::StringRef name, const std::vector<Lanes>& arguments,
               const Mask&);
  Lanes exchanged(const clang::CallExpr& shuffle, const std::vector<Lanes>& arguments);
  Lanes madeUp(const std::string& text);
  std::int64_t numberOf(const void*);  // of what is unknown: by order of appearance, so that runs agree
  bool isUniform(const Lanes&, const Mask&) const;

  // Memory.
  Lanes place(const clang::Expr*, const Mask&);
  Lanes placeOfVariable(const clang::DeclRefExpr&);
  Lanes placeOfElement(const clang::ArraySubscriptExpr&, const Mask&);
  std::int64_t bytesOfArray(const clang::ValueDecl*) const;
  void leaveArray(const clang::Expr& site, const Lanes& place, std::int64_t bytes, const Mask&);
  bool isOverrun(const clang::ValueDecl* array) const;
  Lanes load(const clang::Expr*, const Lanes& place, const Mask&);
  Lanes update(clang::BinaryOperatorKind, const clang::Expr* target, const Lanes& by,
               const Mask&);  // the value before
  std::optional<std::int64_t> elementOfConstant(const clang::ValueDecl* array, std::int64_t offset,
                                                clang::QualType) const;
  void store(const clang::Expr* target, const Lanes& values, const Mask&);
  void touch(const clang::Expr* site, const Lanes& place, const Lanes* values, TouchKind, std::int64_t bytes,
             const Mask&);
  const clang::VarDecl* plainVariable(const clang::Expr*) const;

  // Calls.
  Lanes call(const clang::CallExpr&, const Mask&);
  std::optional<Lanes> callConversion(const clang::CallExpr&, const Mask&);
  std::optional<Lanes> callKnown(const clang::CallExpr&, llvm::StringRef name, const Mask&);
  std::optional<Lanes> callOfGroup(const clang::CallExpr&, llvm::StringRef name, const Mask&);
  std::optional<Lanes> callCopy(const clang::CallExpr&, llvm::StringRef name, const Mask&);
  Lanes callInline(const clang::CallExpr&, const clang::FunctionDecl&, unsigned firstArgument, const Mask&);
  void forgetGivenAway(const clang::CallExpr&, const Mask&);
  Lanes callOpaque(const clang::CallExpr&, const clang::FunctionDecl*, const Mask&);
  Reference bound(const clang::ParmVarDecl&, const clang::Expr* argument, const Mask&);
  void atBlockBarrier(const clang::Expr&, const Mask&);
  void atWarpBarrier(const clang::Expr&, int lanes, bool isForAll, const Mask&);
  void opaqueBarrier();
  bool keepsTogether(const Lanes& condition, const clang::Stmt& body, const Mask&) const;
  bool isOfProject(const clang::FunctionDecl&) const;

  const Unit& unit_;
  const clang::FunctionDecl& kernel_;
  BlockSetting setting_;
  std::size_t threads_;
  SharedLog log_;
  Stop stop_ = Stop::No;
  bool isAddressed_ = false;  // an element is only pointed at
  int guesses_ = 0;     // conditions around the statement, and around ways out before it, that were guessed
  bool polls_ = false;  // a loop's condition waits for what another thread writes
  std::int64_t steps_ = 0;
  Flow flow_;
  Mask everyone_;
  std::vector<const clang::Stmt*> returnedBy_;  // from the kernel itself; null: not yet
  std::vector<Guard> guards_;
  std::vector<Turn> turnsNow_;
  std::vector<const clang::FunctionDecl*> inside_;
  const clang::CallExpr* outermost_ = nullptr;
  std::unordered_map<const void*, std::int64_t> numbers_;
  std::unordered_map<const clang::Stmt*, std::vector<const clang::VarDecl*>> assigned_;  // in loops
  std::unordered_map<const clang::Stmt*, bool> unevenSteps_;                             // of loops
  std::unordered_map<const clang::Stmt*, bool> haveExit_;
  std::unordered_map<const clang::VarDecl*, Lanes> variables_;
  std::unordered_map<const clang::VarDecl*, int> declaredIn_;  // regions
  Regions regions_;
  std::unordered_map<const clang::VarDecl*, Reference> references_;
  std::unordered_map<const clang::Expr*, std::optional<std::int64_t>> constants_;
  BlockRun out_;
};

}  // namespace kadvise::source
