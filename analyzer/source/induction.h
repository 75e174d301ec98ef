// How a local variable changes: set once, or stepped through by a loop.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "analyzer/source/unit.h"

namespace kadvise::source {

struct Course {
  enum class Kind { Fixed, Stepped, Scaled, Unknown };
  Kind kind = Kind::Unknown;
  const clang::Expr* start = nullptr;
  const clang::Expr* step = nullptr;  // added each turn (Stepped), or multiplied with (Scaled); null: 1
  bool isDown = false;                // subtracted, or divided by
};

// What a variable holds at one use of it, where straight code writes it more often than a Course can say.
struct Past {
  struct Step {
    const clang::Expr* by = nullptr;  // null: one
    bool isDown = false;
  };
  const clang::Expr* start = nullptr;  // null: a parameter as the caller gave it
  std::vector<Step> once;              // taken before the use
  std::vector<Step> eachTurn;          // of a loop around the step
};

// The variables of one function, whose body is walked through once.
class Courses {
 public:
  explicit Courses(const clang::FunctionDecl&);
  Courses(const Courses&) = delete;

  // Of a local variable. One write beside the initialiser makes a loop's variable, more make Unknown.
  Course of(const clang::VarDecl&) const;
  // Of a local variable or a parameter; none where a write stands behind a condition, or changes it in
  // another way.
  const std::optional<Past>& pastAt(const Unit&, const clang::DeclRefExpr& use) const;
  // Of a parameter: it has the value that the caller gave wherever it is read.
  bool isNeverWritten(const clang::VarDecl&) const;
  const clang::FunctionDecl& function() const { return function_; }
  // Those of a function that this one calls, or one that it calls: walked through once, however many accesses
  // and samples lead there.
  const Courses& ofCallee(const clang::FunctionDecl&) const;
  // As constantOf, asked once for each expression: every thread asks again.
  std::optional<std::int64_t> constant(const Unit&, const clang::Expr*) const;

  struct Write {
    clang::BinaryOperatorKind op = clang::BO_Assign;
    const clang::Expr* operand = nullptr;  // null: by one
    const clang::Expr* at = nullptr;
  };

 private:
  const clang::FunctionDecl& function_;
  std::map<const clang::VarDecl*, std::vector<Write>> writes_;
  mutable std::unordered_map<const clang::Expr*, std::optional<std::int64_t>> constants_;
  mutable std::map<const clang::DeclRefExpr*, std::optional<Past>> pasts_;
  std::set<const clang::VarDecl*> escaped_;   // something else may write them
  std::set<const clang::VarDecl*> circular_;  // their initialisers mention them
  const Courses* outermost_ = this;           // keeps those of all callees
  mutable std::map<const clang::FunctionDecl*, std::unique_ptr<Courses>> callees_;
};

}  // namespace kadvise::source
