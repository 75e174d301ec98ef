// What the threads of a block compute: an expression's value in each of them, by evaluating it. What no
// source says (a size that the host passes, a block's index) is the same in all threads and gets a made-up
// value, several times over: what holds for every such sample holds for the code, not for one number.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "analyzer/source/induction.h"
#include "analyzer/source/launch_sites.h"
#include "analyzer/source/unit.h"

namespace kadvise::source {

struct Thread {
  std::array<int, 3> index{};  // threadIdx
};

// One choice of everything that is not in the source.
struct Sample {
  std::array<int, 3> block{256, 1, 1};
  std::uint64_t seed = 1;
  int turn = 0;            // of each loop
  bool isEven = false;     // made-up sizes are multiples of 256, as those of well-formed problems are
  bool isSwapped = false;  // threadIdx.x and threadIdx.y stand for each other
};

std::vector<Thread> threadsOf(const Sample&);  // in the order of their numbers: the first 32 are a warp

// Samples for a kernel: with the block of its launches, here and in other files, where they agree on a
// constant one, else with several usual ones.
std::vector<Sample> samplesFor(const Unit&, const clang::FunctionDecl& kernel,
                               const std::vector<LaunchSite>&);

struct Value {
  std::int64_t number = 0;
  bool isMadeUp = false;  // depends on a made-up value
};

// The values of integer expressions in one function, for one sample.
class Threads {
 public:
  Threads(const Unit& unit, const Courses& courses, Sample sample)
      : unit_(unit), courses_(courses), sample_(sample) {}
  Threads(const Threads&) = delete;

  // None where it may differ between threads in a way that is not known, such as what was loaded.
  std::optional<Value> valueOf(const clang::Expr*, const Thread&);
  const Sample& sample() const { return sample_; }
  const Unit& unit() const { return unit_; }
  const Courses& courses() const { return courses_; }
  const clang::FunctionDecl& function() const { return courses_.function(); }
  // The function that a call in this one runs, with the parameters that it is given here; null where that is
  // not known, or calls are nested too deep.
  Threads* inside(const clang::CallExpr&);
  // Null in a kernel, whose parameters nobody in the file computes.
  Threads* caller() const { return caller_; }
  const clang::Expr* argumentFor(const clang::ParmVarDecl&) const;
  // Of what is the same in all threads of the block, whatever it is.
  Value madeUp(const clang::Expr*);

 private:
  std::optional<Value> compute(const clang::Expr*, const Thread&);
  std::optional<Value> ofParameter(const clang::DeclRefExpr&, const clang::ParmVarDecl&, const Thread&);
  std::optional<Value> ofPast(const clang::DeclRefExpr&, const Thread&);
  std::optional<Value> ofVariable(const clang::DeclRefExpr&, const Thread&);
  std::optional<Value> ofOperator(const clang::UnaryOperator&, const Thread&);
  std::optional<Value> ofOperator(const clang::BinaryOperator&, const Thread&);
  std::optional<Value> ofCall(const clang::CallExpr&, const Thread&);
  bool isKernelObject(const clang::Expr*);
  bool isSameInAll(const clang::Expr*);

  const Unit& unit_;
  const Courses& courses_;
  Sample sample_;
  int depth_ = 0;
  int ownSteps_ = 0;
  int* steps_ = &ownSteps_;  // of the outermost question, through all functions that it leads to
  struct Inside;
  Threads* caller_ = nullptr;
  const clang::CallExpr* call_ = nullptr;
  std::map<const clang::CallExpr*, std::shared_ptr<Inside>> inside_;
  std::map<const clang::Expr*, std::int64_t> made_;
};

// What a function returns that only names values before it does; null for any other.
const clang::Expr* onlyReturned(const clang::FunctionDecl&);

}  // namespace kadvise::source
