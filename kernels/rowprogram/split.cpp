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
    for (std::size_t round = 0; round < plan_.rounds.size(); ++round) {
      const bool last = round + 1 == plan_.rounds.size();
      Kernel kernel(plan_, numbers_);
      if (!last && !works(kernel, plan_.rounds[round])) continue;
      write(kernel, round, last);
      const std::string name = "row_program_" + std::to_string(plan_.rounds[round].front());
      bodies.push_back({name, kernel.text(), s_.block, 0, 1, true});
      if (rows > 0)
        source.launches.push_back(
            {name, {last && !works(kernel, plan_.rounds[round]) ? 1 : s_.parts, rows, 1}, s_.block, 1, 0});
    }
    source.text = assemble(plan_, numbers_, bodies);
    source.scratchBytes = scratchBytes_;
    source.numbers = numbers_.values();
    return source;
  }

 private:
  using Round = std::vector<int>;

  std::vector<char> needed(const Round& round) const {
    std::vector<char> all(program_.statements.size(), 0);
    for (const int stage : round) {
      const std::vector<char> need = plan_.needed(stage, true);
      for (std::size_t i = 0; i < all.size(); ++i) all[i] |= need[i];
    }
    return all;
  }

  bool works(const Kernel& kernel, const Round& round) const {
    const std::vector<char> need = needed(round);
    return std::any_of(need.begin(), need.end(), [](char n) { return n; }) ||
           !kernel.roundPartials(round).empty();
  }

  // Of each partial result, one for each part of each row.
  void layOutScratch() {
    Kernel kernel(plan_, numbers_);
    for (const Round& round : plan_.rounds)
      for (const Partial& p : kernel.roundPartials(round)) {
        places_[p.name] = numbers_.given(static_cast<std::int64_t>(scratchBytes_));
        scratchBytes_ += static_cast<std::size_t>((plan_.problem.rows() * s_.parts * 16 + 15) / 16 * 16);
      }
    scratchBytes_ = std::max<std::size_t>(scratchBytes_, 16);
  }

  std::string slot(const Partial& p, const std::string& part) const {
    return cat("((", p.type, "*)((char*)scratch + ", places_.at(p.name), "))[(i64)row * ", parts_, " + ",
               part, "]");
  }

  void write(Kernel& k, std::size_t number, bool last) {
    head(k, number % 2 == 1);
    rowPhase(k, 0, last);
    for (std::size_t i = 0; i < number; ++i) {
      const Round& done = plan_.rounds[i];
      merge(k, done);
      k.finishRound(done, "(float)columns");
      for (const int stage : done)
        if (stage % 2 == 1) rowPhase(k, stage / 2 + 1, last);
    }
    const Round& round = plan_.rounds[number];
    if (!works(k, round)) return;
    for (const Partial& p : k.roundPartials(round)) declare(k, p);
    pass(k, round);
    join(k, round);
    for (const Partial& p : k.roundPartials(round))
      k.line("  if (t == 0) put(&", slot(p, "part"), ", ", p.name, ");");
  }

  void declare(Kernel& k, const Partial& p) const {
    k.line("  ", p.type, " ", p.name, " = ", p.none, ";");
    if (p.sums()) k.line("  float ", p.folded(), " = 0.f;");
  }

  // Every other kernel goes through the rows backwards: what the one before read last is still in the cache.
  void head(Kernel& k, bool backwards) {
    k.line("  const index columns = (index)", numbers_.fixed(plan_.problem.columns()), ";");
    k.line("  const int t = threadIdx.x; const i64 part = ", backwards ? "gridDim.x - 1 - " : "",
           "blockIdx.x; const index row = (index)(", backwards ? "gridDim.y - 1 - " : "", "blockIdx.y);");
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

  void merge(Kernel& k, const Round& round) {
    for (const Partial& p : k.roundPartials(round)) {
      k.line("  ", p.type, " ", p.name, " = ", p.none, ";\n  for (int i = t; i < (int)", parts_,
             "; i += ", s_.block, ") ", p.name, " = ", p.op, "::join(", p.name, ", once(&", slot(p, "i"),
             "));");
    }
    join(k, round);
  }

  Place place() const {
    Place at{"[k]", "", "c[k]", "", "", "", "", ""};
    if (!plan_.ragged) return at;
    at.whole = cat("c[k] >= 0 && c[k] + ", plan_.vector, " <= columns");
    at.inside = "(uindex)(c[k] + j) < (uindex)columns";
    return at;
  }

  // Results that are joined with others are those of the vectors at hand, joined to what was before.
  void pass(Kernel& k, const Round& round) {
    const std::string unroll = cat("#pragma unroll\n  for (int k = 0; k < ", s_.vectors, "; ++k) {");
    const std::vector<char> need = needed(round);
    k.line("  const i64 end = (part + 1) * ", chunk_, ";\n  for (i64 first = part * ", chunk_,
           "; first < end; first += ", s_.block * s_.vectors, ") {");
    const bool joins = round.size() > 1;
    for (const int stage : round)
      for (const Partial& p : k.partials(stage))
        if (plan_.jointOf(p.statement) != nullptr) k.line("  ", p.type, " ", p.name, " = ", p.none, ";");
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
    bool isFirst = true;
    if (joins) held(k, unroll);
    for (const int stage : round) {
      if (!isFirst) k.line(unroll, "\n  if (c[k] >= columns) continue;");
      isFirst = false;
      k.vectorBody(stage, place(), true);
      k.line("  }");
      k.localReferences(stage, 1);
    }
    fold(k, round, false);
    if (joins) {
      k.packJoints(round, 1, "h");
      for (const Partial& p : k.roundPartials(round))
        if (p.op == "Joint") k.line("  ", p.name, " = Joint::join(", p.name, ", h", p.statement, ");");
    }
    k.line("  }");
    fold(k, round, true);
  }

  void held(Kernel& k, const std::string& unroll) const {
    k.line("  }\n  float held = 0.f;\n", unroll, "\n  held += ", k.heldElements("c[k]"), ";\n  }\n", unroll,
           "\n  if (c[k] >= columns) continue;");
  }

  void fold(Kernel& k, const Round& round, bool last) {
    for (const Partial& p : k.roundPartials(round)) {
      if (!p.sums()) continue;
      if (last) k.line("  ", p.name, " = ", p.folded(), " + ", p.name, ";");
      else k.line("  ", p.folded(), " = ", p.folded(), " + ", p.name, "; ", p.name, " = 0.f;");
    }
  }

  void join(Kernel& k, const Round& round) {
    k.joinBlock(k.roundPartials(round), s_.block, cat("_", round.front()), "0");
  }

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
