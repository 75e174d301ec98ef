#include "kernels/rowprogram/row_vectors.h"

#include <algorithm>

namespace kadvise::rowprogram {

const Access& RowVectors::access(bool output, int i) const {
  return output ? problem_.outputs[i] : problem_.inputs[i];
}

// Of row j of the vector, column c.
std::string RowVectors::offset(const Kernel& k, bool output, int i, const std::string& c,
                               const std::string& j) {
  const Access& a = access(output, i);
  std::string text = cat(output ? "e" : "b", i);
  if (!j.empty() && a.outer.back() != 0)
    text += cat(" + ", j, " * (index)",
                k.plan.schedule.generic ? stride(output, i) : Numbers::literal(a.outer.back()));
  return sameAlongRow(a) ? text : cat(text, " + ", output ? "out_columns" : "columns", i, "(", c, ")");
}

std::string RowVectors::stride(bool output, int i) {
  auto [at, added] = strides_.try_emplace({output, i});
  if (added) at->second = numbers_.given(access(output, i).outer.back());
  return at->second;
}

// Bytes of one access to a whole vector of rows; 0: element by element.
int RowVectors::pieceBytes(const Access& a) const {
  const int size = bytesOf(a.element), total = vector_ * size;
  if (a.outer.back() != 1 || s_.generic) return 0;
  int each = std::min(16, total);
  const auto fit = [&](std::int64_t stride) {
    while (each > 1 && stride * size % each) each /= 2;
  };
  while (a.address % each) each /= 2;
  for (std::size_t d = 0; d + 1 < a.outer.size(); ++d) fit(a.outer[d]);
  for (const std::int64_t stride : a.inner) fit(stride);
  return each < 4 ? 0 : each;
}

bool RowVectors::tail() const { return s_.generic || problem_.outer.back() % vector_ != 0; }
std::string RowVectors::inside() const { return tail() ? "begin + j < last" : ""; }

std::string RowVectors::putElement(const Kernel& k, int o, const std::string& c, const std::string& value) {
  const Access& a = problem_.outputs[o];
  return cat("put((", storedName(a.element), "*)q", o, " + (", offset(k, true, o, c, "j"), "), (",
             storedName(a.element), ")bits_", elementName(a.element), "(", value, "));");
}

std::string RowVectors::overRows() const {
  return cat("#pragma unroll\n  for (int j = 0; j < ", vector_, "; ++j) {");
}

void RowVectors::load(Kernel& k, int i) {
  const Access& a = problem_.inputs[i];
  const int each = pieceBytes(a), size = bytesOf(a.element), total = vector_ * size;
  const std::string one =
      cat("#pragma unroll\n  for (int j = 0; j < ", vector_, "; ++j) set_", 8 * size, "(r", i, "[k], j, ",
          tail() ? cat(inside(), " ? ") : std::string(), "once((const ", storedName(a.element), "*)p", i,
          " + (", offset(k, false, i, "c", "j"), "))", tail() ? " : 0" : "", ");");
  if (!each) {
    k.line(one);
    return;
  }
  std::string fast;
  for (int done = 0; done < total; done += each)
    fast += cat("once", each, "(r", i, "[k] + ", done / 4, ", (const char*)p", i, " + (u64)(",
                offset(k, false, i, "c", ""), ") * ", size, " + ", done, "); ");
  if (!tail()) k.line("  ", fast);
  else k.line("  if (begin + ", vector_, " <= last) { ", fast, "}\n  else {\n", one, "\n  }");
}

void RowVectors::store(Kernel& k, int o) {
  const Access& a = problem_.outputs[o];
  const int each = pieceBytes(a), size = bytesOf(a.element), total = vector_ * size;
  const std::string one =
      cat(overRows(), tail() ? cat(" if (!(", inside(), ")) continue; ") : std::string(" "),
          putElement(k, o, "c", cat("o", o, "[j]")), " }");
  k.line("  if (live) {");
  if (!each) {
    k.line(one, "\n  }");
    return;
  }
  if (tail()) k.line("  if (begin + ", vector_, " <= last) {");
  k.line("  u32 w[", k.words(a.element), "];\n", overRows(), " set_", 8 * size, "(w, j, bits_",
         elementName(a.element), "(o", o, "[j])); }");
  for (int done = 0; done < total; done += each)
    k.line("  put", each, "((char*)q", o, " + (u64)(", offset(k, true, o, "c", ""), ") * ", size, " + ", done,
           ", w + ", done / 4, ");");
  k.line(tail() ? cat("  } else {\n", one, "\n  }\n  }") : std::string("  }"));
}

}  // namespace kadvise::rowprogram
