// The outputs of two runs on the same inputs: equal enough? Keeps the worst of what it sees.
#pragma once

#include <torch/script.h>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/core/types.h"
#include "profiler/accuracy.h"
#include "profiler/case_table.h"
#include "profiler/cases.h"
#include "profiler/contract.h"
#include "profiler/instability.h"
#include "profiler/other_draws.h"
#include "profiler/values.h"

namespace kadvise {

class OutputJudge {
 public:
  // truth: the leaves of the float64 reference's output on these inputs; none when there is no reference.
  using Truth = std::function<std::vector<Leaf>(const Case&)>;
  struct Allowed {
    DomainDifference domain;
    bool approximates = false;
    std::string original = "the original";  // its name in what is said
  };
  // What an original that can be run again tells of its own errors: other draws of them, what TF32 makes of
  // its convolutions, and how many terms its longest sum has on these inputs.
  struct Original {
    Redraw redraw;
    std::function<std::optional<std::vector<Leaf>>(const Case&)> inTf32;
    std::function<std::int64_t(const Case&)> longestSum;
  };
  OutputJudge(Truth truth, Allowed allowed, Original original = {})
      : truth_(std::move(truth)), allowed_(allowed), original_(std::move(original)) {}

  // The contract has been kept but for the unstable leaves, which say nothing. Answers why the outputs
  // differ, or nothing. `state`: words for what the calls begin with, of which each is asked by itself.
  std::optional<std::string> judge(const Case&, const Run& original, const Run& candidate,
                                   const UnstableLeaves& unstable = {}, const std::string& state = "");

  // A case that says nothing, and why.
  void leaveOut(const Case&, const std::string& why);

  Grade grade() const;
  const Accuracy& accuracy() const { return accuracy_; }  // of the worst case and output
  const std::vector<CaseErrors>& cases() const { return table_.rows(); }
  const Values& worstInputs() const { return worstInputs_; }
  std::size_t countedCases() const { return counted_; }  // of those that could show a difference
  std::string degenerate() const;  // the others with their reasons, "" where there are none
  std::string notes() const;       // what a reader of the verdict has to know
  // Why the outputs are neither equal nor different, "output 1 differs and is judged in no case: ..."; "".
  std::string undecided() const;

 private:
  // What became of one output over all cases.
  struct Record {
    bool judged = false;                 // in a case that says something
    bool isJudgedApart = false;          // in one in which bits differ
    bool isOpenInOwn = false;            // not judged with the inputs that were given, in which they differ
    std::string unjudged;                // why it differs and was not judged, in the last such case
    std::string doubt;                   // about a case in which the original is wrong itself, if any
    std::int64_t decidedByRounding = 0;  // the most elements of whole numbers that differ in one case
  };
  std::optional<std::string> judgeTensor(const Case&, const Leaf&, std::size_t place, const at::Tensor& x,
                                         const at::Tensor& y, at::Tensor y64);
  std::optional<std::string> judgeApproximation(const Case&, const std::string& at, const at::Tensor& x,
                                                const Errors&);
  at::Tensor truthOf(const std::vector<Leaf>& truth, std::size_t i, const at::Tensor& original);
  // What the errors may be; another bound holds for what is declared to approximate.
  MostErrors mostHere(const Bounds&, const Errors& candidate, const Errors& original, c10::ScalarType) const;
  void note(const Case&, const std::string& at, Grade, const MostErrors&, const Errors&);

  Truth truth_;
  Allowed allowed_;
  Original original_;
  Accuracy accuracy_;
  Values worstInputs_;
  Grade grade_ = Grade::Bitwise;
  double severity_ = 0, approximation_ = 0;
  std::size_t counted_ = 0;
  std::map<std::string, std::vector<std::string>> degenerate_;  // by reason
  CaseTable table_;
  std::map<std::string, Record> records_;  // by Leaf::at and the state
  std::string shapeNote_, zeroNote_, tf32Note_;
};

}  // namespace kadvise
