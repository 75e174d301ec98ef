#include "kernels/rowprogram/ring.h"

namespace kadvise::rowprogram {

bool streams(const Plan& plan, int i) {
  const Access& a = plan.problem.inputs[i];
  return plan.program.statements[i].kind == Statement::Kind::Input && plan.stage[i] >= 0 &&
         plan.inputs[i] == Reach::Vector && !sameForAllRows(a) && plan.problem.inner.size() == 1 &&
         a.alignment == 16 && plan.vector * bytesOf(a.element) % 16 == 0;
}

namespace {

int vectorBytes(const Plan& plan, int i) { return plan.vector * bytesOf(plan.problem.inputs[i].element); }

}  // namespace

int placeBytes(const Plan& plan, const Schedule& s) {
  int bytes = 0;
  for (int i = 0; i < plan.program.inputs; ++i)
    if (streams(plan, i)) bytes += vectorBytes(plan, i) * s.threads * s.vectors;
  return bytes;
}

int Ring::offsetOf(int input) const {
  int offset = 0;
  for (int i = 0; i < input; ++i)
    if (streams(plan_, i)) offset += vectorBytes(plan_, i) * s_.threads * s_.vectors;
  return offset;
}

// Of a row, by one thread.
void Ring::ask(const std::string& row, const std::string& place) {
  const int each = s_.threads * s_.vectors * plan_.vector;  // columns of a block
  int size = 0;
  for (int i = 0; i < program_.inputs; ++i)
    if (streams(plan_, i)) size += bytesOf(plan_.problem.inputs[i].element);
  kernel_.line("  {\n  const index from = ", s_.parts > 1 ? cat("(index)part * ", each) : std::string("0"),
               ";\n  const u32 count = (u32)(from >= columns ? 0 : columns - from < ", each,
               " ? columns - from : ", each, ");\n  expect(&there[", place, "], count * ", size, ");");
  for (int i = 0; i < program_.inputs; ++i) {
    if (!streams(plan_, i)) continue;
    const int bytes = bytesOf(plan_.problem.inputs[i].element);
    kernel_.line("  fetch(shared_bytes + ", place, " * ", placeBytes(plan_, s_), " + ", offsetOf(i),
                 ", (const char*)p", i, " + (u64)(", kernel_.rowOffset(false, i, cat("(index)(", row, ")")),
                 " + from) * ", bytes, ", count * ", bytes, ", &there[", place, "]);");
  }
  kernel_.line("  }");
}

void Ring::begin(const std::string& firstRow, const std::string& step) {
  kernel_.line("  SHARED u64 there[", s_.stages, "];\n  int place = 0; u32 round = 0;\n  if (t == 0) {\n",
               "  for (int i = 0; i < ", s_.stages, "; ++i) expects(&there[i]);\n  expected();\n",
               "  for (int i = 0; i < ", s_.stages, "; ++i) {\n  const i64 early = ", firstRow, " + i * ",
               step, ";\n  if (early >= rows) break;");
  ask("early", "i");
  kernel_.line("  }\n  }\n  __syncthreads();");
}

void Ring::wait() { kernel_.line("  await(&there[place], round);"); }

void Ring::read(int i) {
  const int bytes = vectorBytes(plan_, i);
  for (int done = 0; done < bytes; done += 16)
    kernel_.line("  near16(r", i, "[k] + ", done / 4, ", shared_bytes + place * ", placeBytes(plan_, s_),
                 " + ", offsetOf(i) + done, " + (k * ", s_.threads, " + t) * ", bytes, ");");
}

void Ring::next(const std::string& step) {
  kernel_.line("  if (t == 0 && row_number + ", s_.stages, " * ", step, " < rows) {");
  ask(cat("row_number + ", s_.stages, " * ", step), "place");
  kernel_.line("  }");
}

void Ring::turn() { kernel_.line("  if (++place == ", s_.stages, ") { place = 0; round ^= 1; }"); }

}  // namespace kadvise::rowprogram
