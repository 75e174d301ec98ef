// The lines of one generated kernel: what every form is put together of. A form writes the loops and says by
// a Place how they name the vector at hand.
//
// Names in the text: p3 input 3, q1 output 1, r3 an input's words as they lie in memory, b3 and e1 the offset
// of a row in input 3 and output 1, v7 the value of statement 7, k7 the same kept for a later stage, a7 a
// reduction's partial result, n2 a number of the call.
#pragma once

#include "kernels/rowprogram/emit.h"
#include "kernels/rowprogram/plan.h"

#include <string>
#include <type_traits>
#include <vector>

namespace kadvise::rowprogram {

// Strings and whole numbers, one after the other.
template <class... Parts>
std::string cat(const Parts&... parts) {
  std::string all;
  const auto add = [&](const auto& part) {
    if constexpr (std::is_arithmetic_v<std::decay_t<decltype(part)>>) all += std::to_string(part);
    else all += part;
  };
  (add(parts), ...);
  return all;
}

// Sizes and strides as literals, or as parameters of the kernel where a call decides them.
class Numbers {
 public:
  explicit Numbers(bool generic) : generic_(generic) {}
  std::string fixed(std::int64_t value) { return generic_ ? given(value) : literal(value); }
  std::string given(std::int64_t value);
  static std::string literal(std::int64_t value);
  const std::vector<std::int64_t>& values() const { return values_; }

 private:
  bool generic_;
  std::vector<std::int64_t> values_;
};

struct Place {
  std::string words = "[k]";    // behind r3 and k7: which of a thread's vectors
  std::string row;              // behind b3: "[k]" where a thread's vectors lie in several rows
  std::string column = "c[k]";  // of the vector's first element
  std::string point;            // Flat: its number among all points
  std::string whole;            // true where all of its elements are inside; empty: they always are
  std::string inside;           // true where element j is
  std::string element;          // the column of element j; empty: column + j
  std::string live;             // false in threads that only keep others company
  bool gathers = false;         // sums gather a vector's terms in t7[j], to add them in pairs
  std::string wraps = "";       // Flat: the row of a vector whose last elements may lie in the next one
};

// A reduction that a stage completes.
struct Partial {
  int statement = -1;
  bool mean = false;  // the mean that a var of the same statement measures from
  std::string name, op, type, none;
  bool ofWarps = false;  // all lanes of a warp have the same already
  bool sums() const { return op == "Sum" && type == "float"; }
  std::string term() const { return "t" + name; }
  std::string folded() const { return "s" + name; }
};

class Kernel {
 public:
  Kernel(const Plan& plan, Numbers& numbers);

  template <class... Parts>
  void line(const Parts&... parts) {
    text_ += cat(parts...);
    text_ += '\n';
  }
  const std::string& text() const { return text_; }

  // ---- where things lie
  void offsets();                    // functions from rows and columns to offsets
  bool liesInRows(int input) const;  // not a table
  std::string rowOffset(bool output, int i, const std::string& row) const;
  void rowBases(const std::string& suffix, const std::string& row);  // b3, e1 of all that have rows
  void lead();  // ragged rows: elements from the begin of a vector to the row
  std::string offset(bool output, int i, const Place&, const std::string& j) const;

  // ---- memory
  bool readsVector(int input) const;  // r3 exists: not Same, not a table
  void declareInput(int input, const std::string& size);
  void load(int input, const Place&);
  bool settles(int input) const;         // its words are made of what is loaded,
  void settle(int input, const Place&);  // behind all loads
  std::vector<int> settling() const;
  bool wraps() const;               // Flat: vectors may lie in two rows
  void indexOfTake(int statement);  // t7, checked against the table
  void loadTake(int statement, const Place&);
  std::string element(int input, const std::string& offset) const;  // of one that is the same for a row
  void loadSame(int input, const std::string& declaration, const std::string& row);
  void store(int output, const Place&);
  void storeRow(int output, const Place&, const std::string& condition);
  int words(Element e) const;  // of 32 bits in a vector
  Element keptElement(int statement) const;
  bool keeps(std::size_t statement) const;  // in k7; not an input, which is kept as it lies
  const Access& tableOf(std::size_t take) const;

  // ---- values
  void value(int statement, const Place&);               // const float v7 = …;
  void rowValues(int phase);                             // per-row values that the phase makes available
  std::vector<int> storesAt(int stage) const;            // full outputs that the stage computes
  void elements(int stage, const Place&, bool again);    // a stage on element j
  void vectorBody(int stage, const Place&, bool again);  // a stage on one vector: values, partials, stores
  void forgetEarlier(int stage);
  bool feedsSum(int statement) const;  // of exponentials, which is joined with its maximum
  std::string expression(int statement) const;
  std::string operand(const Operand&, Type) const;
  std::string converted(int statement, Type) const;

  // ---- reductions
  std::vector<Partial> partials(int stage) const;
  void declarePartials(int stage);
  void foldSums(int stage, bool last);  // a7 into s7, so that no sum is a long chain; `last`: s7 into a7
  void joinBlock(const std::vector<Partial>&, int threads, const std::string& suffix,
                 const std::string& turn);
  void joinPeers(const std::vector<Partial>&, int peers, const std::string& suffix, const std::string& turn);
  void finishPartials(int stage, const std::string& count);  // v7 from a7
  // A round: what it joins, of a single reduction or of two; what a stage leaves for the next one of its
  // round, whose threads measure from their own m7 (`lanes` of them together from a maximum); both as one g7;
  // v7 from g7.
  std::vector<Partial> roundPartials(const std::vector<int>& round) const;
  void localReferences(int stage, int lanes);
  void packJoints(const std::vector<int>& round, int lanes, const std::string& prefix);
  void heldByBlock(bool exact);
  std::vector<Partial> momentsOf(int stage) const;
  std::string heldElements(const std::string& column) const;  // of the vector that begins there
  void finishRound(const std::vector<int>& round, const std::string& count);
  bool declareLocal(int stage);  // v7 of a maximum, in the pass that measures from a warp's own

  const Plan& plan;
  const Program& program;
  Numbers& numbers;

 private:
  struct Tensor {
    bool output = false;
    int number = -1;
  };
  std::string base(bool output, int i, const Place&) const;
  bool hasRow(bool output, int i) const;
  bool walksColumns(bool output, int i) const;  // its columns do not lie one after the other
  bool shifts() const;                          // ragged rows, whose vectors are those of the leader's memory
  bool leads(const Tensor&) const;
  bool beside(const Tensor& leader, const Tensor& other) const;
  Tensor leader() const;
  bool follows(bool output, int i) const;  // its vectors are aligned as the leader's are
  enum class Reading : std::uint8_t { Aligned, Elements, Shifted, TwoRows };  // of a vector
  Reading readingOf(int input) const;
  int pieceBytes(bool output, int i) const;  // of one access, where vectors are aligned
  void loadRagged(int input, const Place&);
  std::string oneByOne(int input, const Place&) const;
  void loadTurned(int input, const Place&);  // from the tile, at turned_at
  void storeTurned(int output);              // to its tile
  std::string shiftedAt(int input, const Place&) const;
  void accumulate(int stage, const Place&);
  void addTerms(int stage);
  void gathered(int statement, const Place&, const std::string& from, std::int64_t step);
  void take(int statement, const Place&);
  void pick(int statement, const Place&);
  static Type resultOf(const Statement&);  // of its operator, before it is made the statement's type
  const Access& access(bool output, int i) const {
    return output ? plan.problem.outputs[i] : plan.problem.inputs[i];
  }
  Reach reach(bool output, int i) const { return output ? plan.outputs[i] : plan.inputs[i]; }
  bool dense(bool output, int i) const {
    return plan.flat() && plan.dense[i + (output ? plan.inputs.size() : 0)];
  }
  std::string text_;
  bool sumsExp_ = false;  // in the pass at hand
};

const char* typeName(Type);                  // float, i64, bool
std::string elementName(Element);            // bfloat16, as in get_bfloat16
const char* storedName(Element);             // u16, what a pointer to it points at
std::string numberText(double value, Type);  // a literal

// A statement's operator on operands that have been converted to what it takes.
std::string operation(const Statement&, const std::vector<std::string>& operands, bool exact);

// The whole text: the prelude, what the text is, and the kernels' signatures around their lines.
struct Body {
  std::string name, lines;
  int block = 128, perSm = 0, cluster = 1;
  bool scratch = false;
};
std::string assemble(const Plan&, const Numbers&, const std::vector<Body>&);

// What stands between a kernel's parentheses: addresses of inputs, of outputs, then the numbers. And between
// its braces.
std::string parametersOf(const Plan&, const Numbers&, bool scratch = false);
std::string bodyOf(const Plan&, const std::string& lines);

// A program as a part of a larger kernel, for its blocks own_block = 0, 1, …
struct Part {
  std::string parameters, body;
  std::int64_t blocks = 0;
  std::vector<std::int64_t> numbers;
};
Part partOfFlat(const Plan&);

// The forms.
Source emitFlat(const Plan&, const Gpu&);
Source emitRows(const Plan&, const Gpu&);  // Lanes, Block, Shared, Cluster
Source emitSplit(const Plan&, const Gpu&);
Source emitColumns(const Plan&, const Gpu&);
Source emitTiles(const Plan&, const Gpu&);

}  // namespace kadvise::rowprogram
