// Flat: no reductions. Threads take vectors of the points in their order in memory, several in flight each.
#include "kernels/rowprogram/kernel.h"

#include <algorithm>

namespace kadvise::rowprogram {
namespace {

using Kind = Statement::Kind;

class Flat {
 public:
  explicit Flat(const Plan& plan)
      : plan_(plan),
        numbers_(plan.schedule.generic),
        kernel_(plan, numbers_),
        total_(plan.problem.rows() * plan.problem.columns()) {}

  Source emit() {
    kernel_.line("  const i64 own_block = blockIdx.x;");
    walk();
    Source source;
    const int block = plan_.schedule.block;
    source.text = assemble(plan_, numbers_, {{"row_program", kernel_.text(), block}});
    if (total_ > 0) source.launches.push_back({"row_program", {blocks(), 1, 1}, block, 1, 0});
    source.numbers = numbers_.values();
    return source;
  }

  Part part() {
    walk();
    return {parametersOf(plan_, numbers_), bodyOf(plan_, kernel_.text()), blocks(), numbers_.values()};
  }

 private:
  void walk() {
    head();
    if (rows()) rowsOfVectors();
    if (wraps()) beginsOfVectors();
    declare();
    loads();
    compute();
  }

  std::int64_t blocks() const {
    const Schedule& s = plan_.schedule;
    const std::int64_t each = static_cast<std::int64_t>(s.block) * s.vectors * plan_.vector;
    return (total_ + each - 1) / each;
  }

  bool rows() const { return !plan_.ragged && !plan_.problem.outer.empty(); }
  bool wraps() const { return kernel_.wraps(); }
  std::string loop() const {
    return cat("#pragma unroll\n  for (int k = 0; k < ", plan_.schedule.vectors, "; ++k) {");
  }
  Place place() const {
    Place at{"[k]", rows() ? "[k]" : "", rows() || wraps() ? "c[k]" : "point[k]", "point[k]", "", "", "", ""};
    if (wraps()) at.wraps = "row[k]";
    if (total_ % plan_.vector == 0) return at;
    at.whole = cat("point[k] + ", plan_.vector, " <= total");
    at.inside = "point[k] + j < total";
    return at;
  }

  void head() {
    const Schedule& s = plan_.schedule;
    kernel_.line("  const index total = (index)", numbers_.given(total_), ";");
    if (!plan_.problem.outer.empty())
      kernel_.line("  const index columns = (index)", numbers_.fixed(plan_.problem.columns()),
                   "; (void)columns;");
    kernel_.offsets();
    kernel_.line("  index point[", s.vectors, "];");
    kernel_.line(loop());
    kernel_.line("  point[k] = (((index)own_block * ", s.vectors, " + k) * ", s.block,
                 " + (index)threadIdx.x) * ", plan_.vector, ";\n  }");
  }

  // Vectors may lie in two rows: the row and the column of the first element.
  void beginsOfVectors() {
    const int vectors = plan_.schedule.vectors;
    kernel_.line("  index row[", vectors, "], c[", vectors, "];\n", loop());
    kernel_.line(
        "  row[k] = (index)((uindex)point[k] / (uindex)columns);\n  c[k] = point[k] - row[k] * columns;\n  "
        "}");
  }

  // Each vector lies in one row.
  void rowsOfVectors() {
    const std::string size = cat("[", plan_.schedule.vectors, "]");
    std::string names = cat("c", size);
    for (int i = 0; i < program().inputs; ++i)
      if (kernel_.liesInRows(i)) names += cat(", b", i, size);
    for (std::size_t o = 0; o < plan_.outputs.size(); ++o) names += cat(", e", o, size);
    kernel_.line("  index ", names, ";\n", loop());
    kernel_.line(
        "  const index row = (index)((uindex)point[k] / (uindex)columns);\n  c[k] = point[k] - row * "
        "columns;");
    kernel_.rowBases("[k]", "row");
    kernel_.line("  }");
  }

  bool alive(int s) const { return plan_.stage[s] >= 0; }

  void declare() {
    const int vectors = plan_.schedule.vectors;
    for (int i = 0; i < program().inputs; ++i) {
      if (!alive(i)) continue;
      if (kernel_.readsVector(i)) kernel_.declareInput(i, cat("[", vectors, "]"));
      else if (program().statements[i].kind == Kind::Input)
        kernel_.line("  ", typeName(program().statements[i].type), " x", i, "[", vectors, "];");
    }
    for (std::size_t s = 0; s < program().statements.size(); ++s)
      if (plan_.takesVector[s] && alive(static_cast<int>(s)))
        kernel_.line("  u32 r", s, "[", vectors, "][", kernel_.words(table(s).element), "];");
  }

  const Access& table(std::size_t take) const {
    return plan_.problem.inputs[program().statements[program().statements[take].operands[0].statement].input];
  }

  // All of a thread's loads stand before what it computes: first what the row shares, then whole vectors, and
  // at last those that are made of what is loaded. An index is loaded before the table.
  void loads() {
    for (const int turn : {0, 1, 2}) {
      std::vector<int> inputs;
      for (int i = 0; i < program().inputs; ++i)
        if (alive(i) && program().statements[i].kind == Kind::Input && turnOf(i) == turn) inputs.push_back(i);
      const bool takesLast = turn == 2 && takesVectors();
      if (inputs.empty() && !takesLast) continue;
      kernel_.line(loop(), "\n  if (point[k] >= total) continue;");
      for (const int i : inputs) {
        if (kernel_.readsVector(i)) kernel_.load(i, place());
        else kernel_.loadSame(i, cat("x", i, "[k]"), "(index)((uindex)point[k] / (uindex)columns)");
      }
      if (takesLast) takes();
      kernel_.line("  }");
    }
    settle();
  }

  void settle() {
    if (kernel_.settling().empty()) return;
    kernel_.line(loop(), "\n  if (point[k] >= total) continue;");
    for (const int i : kernel_.settling()) kernel_.settle(i, place());
    kernel_.line("  }");
  }

  int turnOf(int i) const {
    if (!kernel_.readsVector(i)) return 0;
    return plan_.ragged && !plan_.dense[static_cast<std::size_t>(i)] ? 2 : 1;
  }

  bool takesVectors() const {
    return std::any_of(plan_.takesVector.begin(), plan_.takesVector.end(), [](char t) { return t; });
  }

  void takes() {
    rowValues();
    for (std::size_t s = 0; s < program().statements.size(); ++s) {
      if (!plan_.takesVector[s] || !alive(static_cast<int>(s))) continue;
      kernel_.indexOfTake(static_cast<int>(s));
      kernel_.loadTake(static_cast<int>(s), place());
    }
  }

  void rowValues() {
    for (int i = 0; i < program().inputs; ++i)
      if (alive(i) && program().statements[i].kind == Kind::Input && !kernel_.readsVector(i))
        kernel_.line("  const ", typeName(program().statements[i].type), " v", i, " = x", i, "[k];");
    kernel_.rowValues(0);
  }

  void compute() {
    kernel_.line(loop(), "\n  if (point[k] >= total) continue;");
    rowValues();
    kernel_.vectorBody(0, place(), false);
    kernel_.line("  }");
  }

  const Program& program() const { return plan_.program; }

  const Plan& plan_;
  Numbers numbers_;
  Kernel kernel_;
  std::int64_t total_;
};

}  // namespace

Source emitFlat(const Plan& plan, const Gpu&) { return Flat(plan).emit(); }
Part partOfFlat(const Plan& plan) { return Flat(plan).part(); }

}  // namespace kadvise::rowprogram
