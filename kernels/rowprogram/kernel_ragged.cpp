// Rows that begin or end within vectors. Vectors are those of one tensor's memory, the leader's: `lead`
// elements of a row's first vector belong to what lies before the row.
#include "kernels/rowprogram/kernel.h"

#include <algorithm>

namespace kadvise::rowprogram {

bool Kernel::shifts() const { return plan.ragged && !plan.flat(); }

bool Kernel::leads(const Tensor& one) const {
  if (!one.output && program.statements[one.number].kind != Statement::Kind::Input) return false;
  return reach(one.output, one.number) == Reach::Vector && hasRow(one.output, one.number);
}

// Where the vectors of one tensor begin at a multiple of their size, those of the other do too.
bool Kernel::beside(const Tensor& leader, const Tensor& other) const {
  if (plan.schedule.generic || !leads(other)) return false;
  const Access &a = access(leader.output, leader.number), &b = access(other.output, other.number);
  const auto elements = [&](const Access& access) {  // of an aligned piece
    return std::min(16, plan.vector * bytesOf(access.element)) / bytesOf(access.element);
  };
  if (a.address < plan.vector * bytesOf(a.element) || b.address < elements(b) * bytesOf(b.element))
    return false;
  for (std::size_t d = 0; d < a.outer.size(); ++d)
    if (plan.problem.outer[d] > 1 && (a.outer[d] - b.outer[d]) % elements(b)) return false;
  return true;
}

// The tensor beside which most bytes lie; among equals that of the widest elements.
Kernel::Tensor Kernel::leader() const {
  std::vector<Tensor> all;
  for (int i = 0; i < program.inputs; ++i) all.push_back({false, i});
  for (std::size_t o = 0; o < plan.outputs.size(); ++o) all.push_back({true, static_cast<int>(o)});
  std::erase_if(all, [&](const Tensor& one) { return !leads(one); });
  Tensor best;
  int most = -1;
  const auto bytes = [&](const Tensor& one) { return bytesOf(access(one.output, one.number).element); };
  for (const Tensor& one : all) {
    int weight = bytes(one);
    for (const Tensor& other : all)
      if (beside(one, other)) weight += 16 * bytes(other);
    if (weight < most) continue;
    most = weight;
    best = one;
  }
  return best;
}

bool Kernel::follows(bool output, int i) const {
  const Tensor first = leader(), one{output, i};
  return first.number >= 0 && ((first.output == output && first.number == i) || beside(first, one));
}

void Kernel::lead() {
  const Tensor first = leader();
  if (first.number < 0) {
    line("  const int lead = 0;");
    return;
  }
  line("  const int lead = (int)(((u64)", first.output ? "q" : "p", first.number, " / ",
       bytesOf(access(first.output, first.number).element), " + (u64)", first.output ? "e" : "b",
       first.number, ") % ", plan.vector, ");");
}

Kernel::Reading Kernel::readingOf(int i) const {
  const Access& a = access(false, i);
  const int total = plan.vector * bytesOf(a.element);
  const bool vector = reach(false, i) == Reach::Vector || dense(false, i);
  if (shifts() && vector && total >= 4) return follows(false, i) ? Reading::Aligned : Reading::Shifted;
  if (vector && pieceBytes(false, i) >= 4 && total % pieceBytes(false, i) == 0) return Reading::Aligned;
  if (!wraps() || vector) return Reading::Elements;
  if (sameAlongRow(a)) return Reading::TwoRows;
  return a.inner.back() == 1 && total >= 4 ? Reading::Shifted : Reading::Elements;
}

// Beside a vector's words r3 its pieces y3, or the two elements of rows that it lies in.
void Kernel::declareInput(int i, const std::string& size) {
  const Element e = plan.problem.inputs[i].element;
  line("  u32 r", i, size, "[", words(e), "];");
  const Reading reading = readingOf(i);
  if (reading == Reading::Shifted) line("  u32 y", i, size, "[", words(e) + std::min(4, words(e)), "];");
  if (reading == Reading::TwoRows) line("  ", storedName(e), " y", i, size, "[2];");
}

// Where the vector begins, in bytes.
std::string Kernel::shiftedAt(int i, const Place& place) const {
  return cat("(i64)(",
             place.wraps.empty() ? offset(false, i, place, "")
                                 : cat(rowOffset(false, i, place.wraps), " + ", place.column),
             ") * ", bytesOf(access(false, i).element));
}

void Kernel::loadRagged(int i, const Place& place) {
  const Access& a = access(false, i);
  const int count = words(a.element);
  const std::string stored = storedName(a.element);
  switch (readingOf(i)) {
    case Reading::Shifted:
      if (!place.wraps.empty()) line("  if (", place.column, " + ", plan.vector, " <= columns)");
      line("  pieces_of<", count, ", ", std::min(4, count), ", ", bytesOf(a.element), ">(y", i, place.words,
           ", (const char*)p", i, " + (", shiftedAt(i, place), "), (const char*)p", i, ", (const char*)p", i,
           " + ", numbers.given(extentOf(a, plan.problem)), " * ", bytesOf(a.element), ");");
      return;
    case Reading::TwoRows:
      line("  y", i, place.words, "[0] = once((const ", stored, "*)p", i, " + ",
           rowOffset(false, i, place.wraps), ");\n  if (", place.column, " + ", plan.vector, " > columns && ",
           place.point, " + ", plan.vector, " <= total) y", i, place.words, "[1] = once((const ", stored,
           "*)p", i, " + ", rowOffset(false, i, cat("(", place.wraps, " + 1)")), ");");
      return;
    default:
      line(oneByOne(i, place));
  }
}

void Kernel::settle(int i, const Place& place) {
  const Access& a = access(false, i);
  const int count = words(a.element);
  const std::string r = cat("r", i, place.words), y = cat("y", i, place.words);
  switch (readingOf(i)) {
    case Reading::Shifted:
      if (!place.wraps.empty()) line("  if (", place.column, " + ", plan.vector, " <= columns)");
      line("  shifted<", count, ", ", std::min(4, count), ">(", r, ", ", y, ", (u32)((u64)p", i, " + (u64)(",
           shiftedAt(i, place), ")) % ", 4 * std::min(4, count), ");");
      if (!place.wraps.empty()) line("  else {\n", oneByOne(i, place), "\n  }");
      return;
    case Reading::TwoRows:
      line("#pragma unroll\n  for (int j = 0; j < ", plan.vector, "; ++j) set_", 8 * bytesOf(a.element), "(",
           r, ", j, ", place.column, " + j >= columns ? ", y, "[1] : ", y, "[0]);");
      return;
    default:
      return;
  }
}

bool Kernel::settles(int i) const {
  return readsVector(i) && (readingOf(i) == Reading::Shifted || readingOf(i) == Reading::TwoRows);
}

std::vector<int> Kernel::settling() const {
  std::vector<int> all;
  for (int i = 0; i < program.inputs; ++i)
    if (plan.stage[i] >= 0 && settles(i)) all.push_back(i);
  return all;
}

// Rows are no shorter than a vector, so that it lies in two of them at most.
bool Kernel::wraps() const {
  return plan.flat() && plan.ragged && !plan.schedule.generic && plan.problem.columns() >= plan.vector;
}

}  // namespace kadvise::rowprogram
