// How a local variable changes: set once, or stepped through by a loop.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
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

// The variables of one function, whose body is walked through once.
class Courses {
 public:
  explicit Courses(const clang::FunctionDecl&);

  // Of a local variable. One write beside the initialiser makes a loop's variable, more make Unknown.
  Course of(const clang::VarDecl&) const;
  // Of a parameter: it has the value that the caller gave wherever it is read.
  bool isNeverWritten(const clang::VarDecl&) const;
  const clang::FunctionDecl& function() const { return function_; }
  // As constantOf, asked once for each expression: every thread asks again.
  std::optional<std::int64_t> constant(const Unit&, const clang::Expr*) const;

  struct Write {
    clang::BinaryOperatorKind op = clang::BO_Assign;
    const clang::Expr* operand = nullptr;  // null: by one
  };

 private:
  const clang::FunctionDecl& function_;
  std::map<const clang::VarDecl*, std::vector<Write>> writes_;
  mutable std::map<const clang::Expr*, std::optional<std::int64_t>> constants_;
  std::set<const clang::VarDecl*> escaped_;  // something else may write them
};

}  // namespace kadvise::source
