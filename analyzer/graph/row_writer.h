// The text of a row program while it is written: `kadvise::row_program` in kernels/rowprogram/program.h says
// what its statements mean.
#pragma once

#include <initializer_list>
#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "analyzer/graph/torch.h"
#include "analyzer/graph/values.h"

namespace kadvise::graph {

// What the language computes with: the widths of dtypes matter where something is read, cast or stored.
enum class RowType { Bool, Int, Float };

RowType rowTypeOf(c10::ScalarType);
// A dtype that the language has a word for; float64 has none.
bool isRowDtype(c10::ScalarType);

// The name of a statement, or a number.
struct RowTerm {
  std::string text;
  RowType type = RowType::Float;
  bool isNumber = false;
};

// How the program reads a value: an element for each point; rows of a table, which is in no space; or one
// element of each list, of which the last dimension is in none.
enum class RowRead { Elements, Table, Lists };

// How the program gives a value out.
struct RowStored {
  c10::ScalarType dtype;
  bool dropsReduced = false;
  bool isContiguous = false;  // whatever the inputs are
  std::string over = "";      // the input in whose memory it may be
};

class RowWriter {
 public:
  explicit RowWriter(const TracedValues& traced) : traced_(traced) {}

  // What a value of the graph is in the text: a statement's name, or a constant's number. The dtype of what
  // is no constant has to be known.
  RowTerm termOf(const torch::jit::Value*) const;
  // The same, rounded as the module rounds what it stores there: for what tells neighbouring numbers apart.
  RowTerm roundedTermOf(const torch::jit::Value*);

  // One more statement, unless an equal one is there.
  RowTerm say(RowType, const std::string& word, std::initializer_list<RowTerm> operands);
  RowTerm cast(const RowTerm&, c10::ScalarType);
  // As a float, an int or a bool; numbers are what their reader makes of them.
  RowTerm as(RowType, const RowTerm&);

  void define(const torch::jit::Value*, const RowTerm&);

  RowTerm declareInput(c10::ScalarType, RowRead);
  // The term of a value for the node that is written next only: one value may be read in several places of
  // the iteration space.
  void read(const torch::jit::Value* v, const RowTerm& t) { names_[v] = t; }
  void storeAs(const torch::jit::Value*, const RowStored&);

  std::size_t statements() const { return count_; }
  const std::string& text() const { return text_; }
  const TracedValues& traced() const { return traced_; }

 private:
  RowTerm line(RowType, const std::string& statement);

  const TracedValues& traced_;
  std::unordered_map<const torch::jit::Value*, RowTerm> names_;
  std::map<std::string, RowTerm> said_;       // statement -> its name
  std::unordered_set<std::string> asStored_;  // names of what is rounded to its dtype already
  std::string text_;
  std::size_t count_ = 0;
};

RowTerm rowNumber(double);

}  // namespace kadvise::graph
