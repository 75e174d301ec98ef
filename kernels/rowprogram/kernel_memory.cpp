// Where tensors lie, and how their vectors and elements are read and written.
#include "kernels/rowprogram/kernel.h"
#include "kernels/rowprogram/words.h"

#include <algorithm>

namespace kadvise::rowprogram {
namespace {

// "c * 3" for one dimension, else the coordinates taken apart by division, the fastest dimension first.
std::string walked(Numbers& numbers, const Dims& sizes, const Dims& strides, const std::string& index) {
  std::string lines, sum, rest = index;
  for (std::size_t d = sizes.size(); d-- > 0;) {
    std::string at = rest;
    if (d > 0) {
      const std::string size = cat("(uindex)", numbers.fixed(sizes[d])), next = cat("i", d);
      lines += cat("const index ", next, " = (index)((uindex)", rest, " / ", size, "); ");
      at = cat("(", rest, " - ", next, " * (index)", size, ")");
      rest = next;
    }
    if (strides[d] != 0) sum += cat(sum.empty() ? "" : " + ", at, " * (index)", numbers.fixed(strides[d]));
  }
  return cat(lines, "return ", sum.empty() ? std::string("0") : sum, ";");
}

}  // namespace

std::string Numbers::literal(std::int64_t value) { return value > INT32_MAX ? cat(value, "ll") : cat(value); }

std::string Numbers::given(std::int64_t value) {
  values_.push_back(value);
  return cat("n", values_.size() - 1);
}

int Kernel::words(Element e) const { return std::max(1, plan.vector * bytesOf(e) / 4); }

bool Kernel::readsVector(int i) const {
  return program.statements[i].kind == Statement::Kind::Input && plan.inputs[i] != Reach::Same;
}

bool Kernel::liesInRows(int i) const { return program.statements[i].kind != Statement::Kind::Table; }

bool Kernel::hasRow(bool output, int i) const {
  return !dense(output, i) && !sameForAllRows(access(output, i));
}

// A vector lies within the last of several inner dimensions, which have gaps between them.
bool Kernel::walksColumns(bool output, int i) const {
  const bool hasGaps = reach(output, i) == Reach::Vector && plan.problem.inner.size() > 1;
  return (reach(output, i) == Reach::Element || hasGaps) && !dense(output, i);
}

// Functions from a row to the offset of its first element, and from a column to what is added.
void Kernel::offsets() {
  const Problem& p = plan.problem;
  const auto both = [&](bool output, int i, const char* row, const char* column) {
    if (!output && !liesInRows(i)) return;
    const Access& a = access(output, i);
    if (hasRow(output, i))
      line("  const auto ", row, i, " = [=](index row) -> index { ", walked(numbers, p.outer, a.outer, "row"),
           " };");
    if (walksColumns(output, i))
      line("  const auto ", column, i, " = [=](index c) -> index { ", walked(numbers, p.inner, a.inner, "c"),
           " };");
  };
  for (std::size_t i = 0; i < p.inputs.size(); ++i) both(false, static_cast<int>(i), "rows", "columns");
  for (std::size_t i = 0; i < p.outputs.size(); ++i)
    both(true, static_cast<int>(i), "out_rows", "out_columns");
}

std::string Kernel::rowOffset(bool output, int i, const std::string& row) const {
  return hasRow(output, i) ? cat(output ? "out_rows" : "rows", i, "(", row, ")") : std::string("0");
}

void Kernel::rowBases(const std::string& suffix, const std::string& row) {
  const auto base = [&](bool output, int i) {
    if (hasRow(output, i))
      line("  ", suffix.empty() ? "const index " : "", output ? "e" : "b", i, suffix, " = ",
           rowOffset(output, i, row), ";");
  };
  for (std::size_t i = 0; i < plan.inputs.size(); ++i)
    if (liesInRows(static_cast<int>(i))) base(false, static_cast<int>(i));
  for (std::size_t i = 0; i < plan.outputs.size(); ++i) base(true, static_cast<int>(i));
}

std::string Kernel::base(bool output, int i, const Place& place) const {
  return hasRow(output, i) ? cat(output ? "e" : "b", i, place.row, " + ") : std::string();
}

std::string Kernel::offset(bool output, int i, const Place& place, const std::string& j) const {
  const std::string more = j.empty() ? "" : cat(" + ", j);
  const std::string column =
      walksColumns(output, i) ? cat(output ? "out_columns" : "columns", i) : std::string();
  if (dense(output, i)) return cat(place.point, more);
  if (!place.wraps.empty() && !column.empty()) {
    const std::string at = cat("(", place.column, more, ")"), next = cat(at, " >= columns ? ");
    return cat(rowOffset(output, i, cat("(", next, place.wraps, " + 1 : ", place.wraps, ")")), " + ", column,
               "(", next, at, " - columns : ", at, ")");
  }
  if (plan.flat() && plan.ragged && !column.empty()) {  // a vector may lie in many rows
    const std::string point = cat("(uindex)(", place.point, more, ")");
    return cat(rowOffset(output, i, cat("(index)(", point, " / (uindex)columns)")), " + ", column,
               "((index)(", point, " % (uindex)columns))");
  }
  if (reach(output, i) == Reach::Same) return cat(base(output, i, place), "0");
  return column.empty() ? cat(base(output, i, place), place.column, more)
                        : cat(base(output, i, place), column, "(", place.column, more, ")");
}

// The accesses of `each` bytes that cover a vector: "once16(r3[k] + 4, p + 16); "
std::string pieces(const std::string& name, const std::string& words, const std::string& at, int total,
                   int each, bool put) {
  std::string all;
  for (int done = 0; done < total; done += each) {
    const std::string w = cat(words, " + ", done / 4), p = cat(at, " + ", done);
    all += put ? cat(name, each, "(", p, ", ", w, "); ") : cat(name, each, "(", w, ", ", p, "); ");
  }
  return all;
}

int Kernel::pieceBytes(bool output, int i) const {
  const Access& a = access(output, i);
  const int total = plan.vector * bytesOf(a.element);
  if (shifts()) return std::min(16, total);
  return std::min({16, total, dense(output, i) ? a.address : a.alignment});
}

std::string Kernel::oneByOne(int i, const Place& place) const {
  const Access& a = access(false, i);
  return cat("#pragma unroll\n  for (int j = 0; j < ", plan.vector, "; ++j) set_", 8 * bytesOf(a.element),
             "(r", i, place.words, ", j, ", place.inside.empty() ? "" : cat(place.inside, " ? "),
             "once((const ", storedName(a.element), "*)p", i, " + (", offset(false, i, place, "j"), "))",
             place.inside.empty() ? "" : " : 0", ");");
}

void Kernel::loadTurned(int i, const Place& place) {
  line("#pragma unroll\n  for (int j = 0; j < ", plan.vector, "; ++j) set_",
       8 * bytesOf(access(false, i).element), "(r", i, place.words, ", j, turned", i, "[turned_at + j]);");
}

// Fast where the vector is whole and begins at a multiple of its size, else element by element.
void Kernel::load(int i, const Place& place) {
  if (plan.turned[i]) return loadTurned(i, place);
  if (readingOf(i) != Reading::Aligned) {
    loadRagged(i, place);
    return;
  }
  const Access& a = access(false, i);
  const int size = bytesOf(a.element);
  const std::string at = cat("(const char*)p", i, " + (u64)(", offset(false, i, place, ""), ") * ", size),
                    fast = pieces(plan.overwritten[i] ? "first" : "once", cat("r", i, place.words), at,
                                  plan.vector * size, pieceBytes(false, i), false);
  std::string condition = place.whole;
  if (shifts()) {  // what a vector holds beside its row is nobody's, as long as it lies within the tensor
    const std::string first = offset(false, i, place, "");
    condition = cat(first, " >= 0 && ", first, " + ", plan.vector, " <= (index)",
                    numbers.given(extentOf(a, plan.problem)));
  }
  if (condition.empty()) line("  ", fast);
  else line("  if (", condition, ") { ", fast, "}\n  else {\n", oneByOne(i, place), "\n  }");
}

// An index outside of its table ends the kernel with an error, as torch.embedding does.
void Kernel::indexOfTake(int s) {
  const Statement& take = program.statements[s];
  const int table = program.statements[take.operands[0].statement].input;
  line("  const i64 t", s, " = ", operand(take.operands[1], Type::Int), ";\n  if ((u64)t", s, " >= (u64)",
       numbers.given(plan.problem.bounds[table]), ") stop();");
}

// A row of a table, chosen by an index that the whole row shares.
void Kernel::loadTake(int s, const Place& place) {
  const Statement& take = program.statements[s];
  const int table = program.statements[take.operands[0].statement].input;
  const Access& a = plan.problem.inputs[table];
  const int size = bytesOf(a.element), total = plan.vector * size;
  const std::string index = cat("t", s);
  line("  ", pieces("once", cat("r", s, place.words),
                    cat("(const char*)p", table, " + ((u64)", index, " * (u64)", numbers.fixed(a.inner[0]),
                        " + (u64)", place.column, ") * ", size),
                    total, std::min(16, total), false));
}

std::string Kernel::element(int i, const std::string& offset) const {
  const Access& a = access(false, i);
  if (a.isNumber) return cat("get_", elementName(a.element), "(bits_of(p", i, ").words, 0)");
  return cat("get_", elementName(a.element), "_at(p", i, ", (u64)(", offset, "))");
}

void Kernel::loadSame(int i, const std::string& declaration, const std::string& row) {
  line("  ", declaration, " = ", element(i, rowOffset(false, i, row)), ";");
}

void Kernel::storeTurned(int i) {
  line("#pragma unroll\n  for (int j = 0; j < ", plan.vector, "; ++j) out_turned", i,
       "[turned_at + j] = bits_", elementName(access(true, i).element), "(o", i, "[j]);");
}

// From the values o1[j] of the vector.
void Kernel::store(int i, const Place& place) {
  if (plan.turnedOut[i]) return storeTurned(i);
  const Access& a = access(true, i);
  const int size = bytesOf(a.element), total = plan.vector * size;
  const bool vector = reach(true, i) == Reach::Vector || dense(true, i);
  const int each = pieceBytes(true, i);
  const std::string name = elementName(a.element),
                    at = cat("(char*)q", i, " + (u64)(", offset(true, i, place, ""), ") * ", size);
  const std::string one = cat("#pragma unroll\n  for (int j = 0; j < ", plan.vector, "; ++j) ",
                              place.inside.empty() ? "" : cat("if (", place.inside, ") "), "put((",
                              storedName(a.element), "*)q", i, " + (", offset(true, i, place, "j"), "), (",
                              storedName(a.element), ")bits_", name, "(o", i, "[j]));");
  if (!vector || each < 4 || total % each) {
    line(one);
    return;
  }
  std::string condition = place.whole;
  if (shifts() && !follows(true, i))
    condition += cat(condition.empty() ? "" : " && ", "(u64)(", at, ") % ", each, " == 0");
  if (!condition.empty()) line("  if (", condition, ") {");
  line("  u32 w[", words(a.element), "];");
  const bool pairs = a.element == Element::Half || a.element == Element::BFloat16;
  line("#pragma unroll\n  for (int j = 0; j < ", plan.vector, "; j += ", pairs ? 2 : 1, ") ",
       pairs ? cat("w[j >> 1] = ", a.element == Element::Half ? "halves" : "bfloats", "(o", i, "[j], o", i,
                   "[j + 1]);")
             : cat("set_", 8 * size, "(w, j, bits_", name, "(o", i, "[j]));"));
  line("  ", pieces("put", "w", at, total, each, true));
  if (!condition.empty()) line("  } else {\n", one, "\n  }");
}

void Kernel::storeRow(int i, const Place& place, const std::string& condition) {
  const Access& a = access(true, i);
  const int s = program.outputs[i].statement;
  line("  if (", condition, ") put((", storedName(a.element), "*)q", i, " + (", offset(true, i, place, ""),
       "), (", storedName(a.element), ")bits_", elementName(a.element), "(", converted(s, typeOf(a.element)),
       "));");
}

}  // namespace kadvise::rowprogram
