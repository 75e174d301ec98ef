// Split: several blocks share a row. Each pass over the row that ends in reductions is a kernel, which leaves
// a partial result for each part in scratch memory; the next one joins them, in order, and goes on.
#include "kernels/rowprogram/kernel.h"

#include <algorithm>
#include <map>

namespace kadvise::rowprogram {
namespace {

using Kind = Statement::Kind;

class Split {
 public:
  explicit Split(const Plan& plan)
      : plan_(plan), program_(plan.program), s_(plan.schedule), numbers_(s_.generic) {}

  Source emit() {
    const std::int64_t rows = plan_.problem.rows(), v = plan_.vector;
    const std::int64_t vectors = (plan_.problem.columns() + (plan_.ragged ? 2 * v - 2 : v - 1)) / v;
    parts_ = numbers_.given(s_.parts);
    chunk_ = numbers_.given((vectors + s_.parts - 1) / s_.parts);
    layOutScratch();
    Source source;
    std::vector<Body> bodies;
    for (int stage = 0; stage < plan_.stages; ++stage) {
      const bool last = stage == plan_.finalStage();
      Kernel kernel(plan_, numbers_);
      if (!last && !works(kernel, stage)) continue;
      write(kernel, stage, last);
      const std::string name = "row_program_" + std::to_string(stage);
      bodies.push_back({name, kernel.text(), s_.block, 0, 1, true});
      if (rows > 0)
        source.launches.push_back(
            {name, {last && !works(kernel, stage) ? 1 : s_.parts, rows, 1}, s_.block, 1, 0});
    }
    source.text = assemble(plan_, numbers_, bodies);
    source.scratchBytes = scratchBytes_;
    source.numbers = numbers_.values();
    return source;
  }

 private:
  bool works(const Kernel& kernel, int stage) const {
    const std::vector<char> need = plan_.needed(stage, true);
    return std::any_of(need.begin(), need.end(), [](char n) { return n; }) || !kernel.partials(stage).empty();
  }

  // Of each partial result, one for each part of each row.
  void layOutScratch() {
    Kernel kernel(plan_, numbers_);
    for (int stage = 0; stage < plan_.stages; ++stage)
      for (const Partial& p : kernel.partials(stage)) {
        places_[p.name] = numbers_.given(static_cast<std::int64_t>(scratchBytes_));
        scratchBytes_ += static_cast<std::size_t>((plan_.problem.rows() * s_.parts * 16 + 15) / 16 * 16);
      }
    scratchBytes_ = std::max<std::size_t>(scratchBytes_, 16);
  }

  std::string slot(const Partial& p, const std::string& part) const {
    return cat("((", p.type, "*)((char*)scratch + ", places_.at(p.name), "))[(i64)blockIdx.y * ", parts_,
               " + ", part, "]");
  }

  void write(Kernel& k, int stage, bool last) {
    head(k);
    rowPhase(k, 0, last);
    for (int done = 0; done < stage; ++done) {
      merge(k, done);
      k.finishPartials(done, "(float)columns");
      if (done % 2 == 1) rowPhase(k, done / 2 + 1, last);
    }
    if (!works(k, stage)) return;
    k.declarePartials(stage);
    pass(k, stage);
    join(k, stage);
    for (const Partial& p : k.partials(stage))
      k.line("  if (t == 0) put(&", slot(p, "part"), ", ", p.name, ");");
  }

  void head(Kernel& k) {
    k.line("  const index columns = (index)", numbers_.fixed(plan_.problem.columns()), ";");
    k.line("  const int t = threadIdx.x; const i64 part = blockIdx.x; const index row = (index)blockIdx.y;");
    k.offsets();
    k.rowBases("", "row");
    if (plan_.ragged) k.lead();
    for (int i = 0; i < program_.inputs; ++i)
      if (program_.statements[i].kind == Kind::Input && plan_.stage[i] >= 0 && !k.readsVector(i))
        k.loadSame(i, cat("const ", typeName(program_.statements[i].type), " v", i), "row");
  }

  // Values of the row are stored by the last kernel, which has them all.
  void rowPhase(Kernel& k, int phase, bool last) {
    k.rowValues(phase);
    for (std::size_t o = 0; o < plan_.outputs.size() && last; ++o) {
      const Statement& s = program_.statements[program_.outputs[o].statement];
      if (plan_.outputs[o] == Reach::Same && s.phase + (s.kind == Kind::Reduce ? 1 : 0) == phase)
        k.storeRow(static_cast<int>(o), place(), "t == 0 && part == 0");
    }
  }

  void merge(Kernel& k, int stage) {
    for (const Partial& p : k.partials(stage)) {
      k.line("  ", p.type, " ", p.name, " = ", p.none, ";\n  for (int i = t; i < (int)", parts_,
             "; i += ", s_.block, ") ", p.name, " = ", p.op, "::join(", p.name, ", once(&", slot(p, "i"),
             "));");
    }
    join(k, stage);
  }

  Place place() const {
    Place at{"[k]", "", "c[k]", "", "", "", "", ""};
    if (!plan_.ragged) return at;
    at.whole = cat("c[k] >= 0 && c[k] + ", plan_.vector, " <= columns");
    at.inside = "(uindex)(c[k] + j) < (uindex)columns";
    return at;
  }

  void pass(Kernel& k, int stage) {
    const std::string unroll = cat("#pragma unroll\n  for (int k = 0; k < ", s_.vectors, "; ++k) {");
    const std::vector<char> need = plan_.needed(stage, true);
    k.line("  const i64 end = (part + 1) * ", chunk_, ";\n  for (i64 first = part * ", chunk_,
           "; first < end; first += ", s_.block * s_.vectors, ") {");
    k.line("  index c[", s_.vectors, "];\n", unroll, "\n  const i64 v = first + k * ", s_.block,
           " + t;\n  c[k] = v < end && v * ", plan_.vector, " < (i64)columns + ", plan_.vector,
           " ? (index)v * ", plan_.vector, plan_.ragged ? " - lead" : "", " : columns;\n  }");
    for (int i = 0; i < program_.inputs; ++i)
      if (need[i]) k.declareInput(i, cat("[", s_.vectors, "]"));
    k.line(unroll, "\n  if (c[k] >= columns) continue;");
    for (int i = 0; i < program_.inputs; ++i)
      if (need[i]) k.load(i, place());
    k.line("  }\n", unroll, "\n  if (c[k] >= columns) continue;");
    for (int i = 0; i < program_.inputs; ++i)
      if (need[i] && k.settles(i)) k.settle(i, place());
    k.vectorBody(stage, place(), true);
    k.line("  }");
    k.foldSums(stage, false);
    k.line("  }");
    k.foldSums(stage, true);
  }

  void join(Kernel& k, int stage) { k.joinBlock(k.partials(stage), s_.block, cat("_", stage), "0"); }

  const Plan& plan_;
  const Program& program_;
  const Schedule& s_;
  Numbers numbers_;
  std::string parts_, chunk_;
  std::map<std::string, std::string> places_;
  std::size_t scratchBytes_ = 0;
};

}  // namespace

Source emitSplit(const Plan& plan, const Gpu&) { return Split(plan).emit(); }

}  // namespace kadvise::rowprogram
