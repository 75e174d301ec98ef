// Columns: how vectors of adjacent rows are read and written.
#pragma once

#include "kernels/rowprogram/kernel.h"

#include <map>

namespace kadvise::rowprogram {

class RowVectors {
 public:
  RowVectors(const Plan& plan, Numbers& numbers)
      : problem_(plan.problem), s_(plan.schedule), numbers_(numbers), vector_(plan.vector) {}

  std::string overRows() const;  // the loop over the rows j of a vector
  bool tail() const;             // some vectors reach beyond the last row
  std::string inside() const;
  // Of row j of the vector, column c.
  std::string offset(const Kernel&, bool output, int i, const std::string& c, const std::string& j);
  void load(Kernel&, int input);
  void store(Kernel&, int output);  // from the values o1[j]
  std::string putElement(const Kernel&, int output, const std::string& c, const std::string& value);

 private:
  const Access& access(bool output, int i) const;
  std::string stride(bool output, int i);
  int pieceBytes(const Access& a) const;

  const Problem& problem_;
  const Schedule& s_;
  Numbers& numbers_;
  int vector_;
  std::map<std::pair<bool, int>, std::string> strides_;
};

}  // namespace kadvise::rowprogram
