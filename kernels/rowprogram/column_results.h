// Columns: what threads gather of the rows of a vector, and how it becomes the rows' values.
//
// A round that is more than one stage joins variances: those of the vectors at hand are measured from their
// own mean, and joined to those before.
//
// Names: joined_a7 a partial result of each row j; near_m7 and near_a7 the sum and the squares of the vectors
// at hand, `held` how many they are; sum_7, far_7 and `seen` those of all before them.
#pragma once

#include "kernels/rowprogram/row_vectors.h"

namespace kadvise::rowprogram {

class ColumnResults {
 public:
  using Round = std::vector<int>;

  ColumnResults(const Plan& plan, Numbers& numbers, const RowVectors& vectors)
      : plan_(plan), s_(plan.schedule), numbers_(numbers), vectors_(vectors), vector_(plan.vector) {}

  // ---- a pass
  void declare(Kernel&, const Round&) const;
  void beginVectors(Kernel&, const Round&, bool all) const;  // all: no vector is beyond the end
  void nameHere(Kernel&, int stage) const;                   // what a stage adds to, of row j
  void endVectors(Kernel&, const Round&) const;
  void gather(Kernel&, const Round&) const;

  // ---- across threads and parts
  void join(Kernel&, const Round&) const;  // of the block; with one part, the rows' values, too
  void layOutScratch(std::int64_t groups, const std::string& groupsName);
  std::size_t scratchBytes() const { return scratchBytes_; }
  void keep(Kernel&, const Round&) const;   // what the block has, for the kernels behind it
  void merge(Kernel&, const Round&) const;  // what all parts have kept, to the rows' values

 private:
  std::string slot(const Partial&, const std::string& part) const;
  void finish(Kernel&, const Round&) const;
  bool isJoint(const Partial& p) const { return plan_.jointOf(p.statement) != nullptr; }
  std::vector<int> variancesOf(const Round&) const;

  const Plan& plan_;
  const Schedule& s_;
  Numbers& numbers_;
  const RowVectors& vectors_;
  int vector_;
  std::string parts_, groups_;
  std::map<std::string, std::string> places_;
  std::size_t scratchBytes_ = 0;
};

}  // namespace kadvise::rowprogram
