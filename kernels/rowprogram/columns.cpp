// Columns: rows lie beside each other in memory, so a thread takes a vector of adjacent rows and walks along
// them; other threads of the block take other columns of the same rows. Where the reduced dimension is short
// enough, it stays in registers from one pass to the next; where it is not, a variance and its mean are one
// pass. With several parts, blocks share it: each pass is then a kernel.
#include "kernels/rowprogram/column_results.h"

#include <algorithm>
#include <numeric>

namespace kadvise::rowprogram {
namespace {

using Kind = Statement::Kind;

class Columns {
 public:
  explicit Columns(const Plan& plan)
      : plan_(plan),
        problem_(plan.problem),
        program_(plan.program),
        s_(plan.schedule),
        numbers_(s_.generic),
        vector_(plan.vector),
        lanes_(s_.block / s_.threads),
        held_(keepsColumns(plan, s_)),
        even_(!s_.generic && problem_.columns() % tile() == 0 && ofPart() % tile() == 0),
        vectors_(plan, numbers_),
        results_(plan, numbers_, vectors_) {}

  Source emit() {
    const std::int64_t rows = problem_.rows(), last = problem_.outer.back(),
                       groups = rows / std::max<std::int64_t>(last, 1) * ((last + vector_ - 1) / vector_);
    groups_ = numbers_.given(groups);
    rows_ = numbers_.given(rows);
    if (s_.parts > 1) {
      chunk_ = numbers_.given(ofPart());
      results_.layOutScratch(groups, groups_);
    }
    Source source;
    std::vector<Body> bodies;
    const std::int64_t blocks = (groups + lanes_ - 1) / lanes_;
    for (std::size_t number = 0; number < plan_.rounds.size(); ++number) {
      const Round& round = plan_.rounds[number];
      const bool final = number + 1 == plan_.rounds.size();
      Kernel kernel(plan_, numbers_);
      if (s_.parts == 1 ? number > 0 : !final && !works(kernel, round)) continue;
      if (s_.parts == 1) whole(kernel);
      else part(kernel, number, final);
      const std::string name = "row_program_" + std::to_string(round.front());
      bodies.push_back({name, kernel.text(), s_.block, 0, 1, s_.parts > 1});
      if (rows > 0)
        source.launches.push_back(
            {name, {blocks, s_.parts > 1 && works(kernel, round) ? s_.parts : 1, 1}, s_.block, 1, 0});
    }
    source.text = assemble(plan_, numbers_, bodies);
    source.scratchBytes = results_.scratchBytes();
    source.numbers = numbers_.values();
    return source;
  }

 private:
  using Round = std::vector<int>;

  // Columns that the threads of a block have at once.
  std::int64_t tile() const { return static_cast<std::int64_t>(s_.threads) * s_.vectors; }
  std::int64_t ofPart() const {
    return s_.parts == 1 ? problem_.columns() : (problem_.columns() + s_.parts - 1) / s_.parts;
  }

  // ---- what there is to do

  bool alive(std::size_t s) const { return plan_.stage[s] >= 0; }
  std::vector<char> needed(const Round& round) const {
    std::vector<char> all(program_.statements.size(), 0);
    for (const int stage : round) {
      const std::vector<char> need = plan_.needed(stage, true);
      for (std::size_t s = 0; s < all.size(); ++s) all[s] |= need[s];
    }
    return all;
  }
  bool works(const Kernel& kernel, const Round& round) const {
    const std::vector<char> need = needed(round);
    return std::any_of(need.begin(), need.end(), [](char n) { return n; }) ||
           !kernel.roundPartials(round).empty();
  }
  bool rowValue(std::size_t s) const {
    const Kind kind = program_.statements[s].kind;
    return alive(s) && plan_.perRow[s] && kind != Kind::Table;
  }
  std::string type(std::size_t s) const { return typeName(program_.statements[s].type); }

  void whole(Kernel& k) {
    head(k, "0", "columns");
    rowPhase(k, 0, true);
    if (held_) loads(k, allNeeded(), "t");
    for (const Round& round : plan_.rounds) {
      if (works(k, round)) {
        pass(k, round);
        results_.join(k, round);
      }
      rowPhases(k, round, true);
    }
  }

  void part(Kernel& k, std::size_t number, bool final) {
    head(k, cat("(index)blockIdx.y * (index)", chunk_),
         cat("(index)smaller((i64)first + (i64)", chunk_, ", (i64)columns)"));
    rowPhase(k, 0, final);
    for (std::size_t done = 0; done < number; ++done) {
      results_.merge(k, plan_.rounds[done]);
      rowPhases(k, plan_.rounds[done], final);
    }
    const Round& round = plan_.rounds[number];
    if (!works(k, round)) return;
    pass(k, round);
    results_.join(k, round);
    results_.keep(k, round);
  }

  // ---- where a thread stands

  void head(Kernel& k, const std::string& first, const std::string& end) {
    const Dims& outer = problem_.outer;
    k.line("  const index columns = (index)", numbers_.fixed(problem_.columns()),
           "; const i64 rows = ", rows_, "; (void)rows;");
    k.line("  const int lane = threadIdx.x % ", lanes_, ", y = threadIdx.x / ", lanes_, ", t = y; (void)t;");
    k.line("  const i64 own = (i64)blockIdx.x * ", lanes_, " + lane; const bool live = own < ", groups_,
           ";\n  const index group = live ? (index)own : 0;");
    const std::string last = outer.size() > 1 ? numbers_.fixed(outer.back()) : numbers_.given(outer.back());
    k.line("  const index last = (index)", last, ", perPrefix = (last + ", vector_ - 1, ") / ", vector_, ";");
    k.line(
        "  const index prefix = (index)((uindex)group / (uindex)perPrefix), begin = (group - prefix * "
        "perPrefix) * ",
        vector_, ", row0 = prefix * last + begin;");
    k.offsets();
    for (int i = 0; i < program_.inputs; ++i)
      if (program_.statements[i].kind == Kind::Input && alive(static_cast<std::size_t>(i))) base(k, false, i);
    for (std::size_t o = 0; o < plan_.outputs.size(); ++o) base(k, true, static_cast<int>(o));
    k.line("  const index first = ", first, ", end = ", end, "; (void)first; (void)end;");
    for (std::size_t s = 0; s < program_.statements.size(); ++s)
      if (rowValue(s)) k.line("  ", type(s), " s", s, "[", vector_, "];");
  }

  void base(Kernel& k, bool output, int i) const {
    k.line("  const index ", output ? "e" : "b", i, " = ", k.rowOffset(output, i, "row0"), ";");
  }

  // ---- values of rows

  void rowPhase(Kernel& k, int phase, bool stores) {
    k.line(vectors_.overRows());
    if (vectors_.tail()) k.line("  if (!(", vectors_.inside(), ")) continue;");
    for (std::size_t s = 0; s < program_.statements.size(); ++s) {
      const Statement& statement = program_.statements[s];
      if (!rowValue(s)) continue;
      const bool now = statement.kind != Kind::Reduce && statement.phase == phase;
      if (!now && statement.phase + (statement.kind == Kind::Reduce ? 1 : 0) > phase) continue;
      if (now && statement.kind == Kind::Input)
        k.line("  s", s, "[j] = ",
               k.element(static_cast<int>(s), vectors_.offset(k, false, static_cast<int>(s), "0", "j")), ";");
      const bool computed = now && statement.kind != Kind::Input;
      k.line("  const ", type(s), " v", s, " = ",
             computed ? k.expression(static_cast<int>(s)) : cat("s", s, "[j]"), ";",
             computed ? cat(" s", s, "[j] = v", s, ";") : std::string());
    }
    for (std::size_t o = 0; o < plan_.outputs.size() && stores; ++o) {
      const int s = program_.outputs[o].statement;
      const Statement& statement = program_.statements[s];
      if (plan_.outputs[o] != Reach::Same ||
          statement.phase + (statement.kind == Kind::Reduce ? 1 : 0) != phase)
        continue;
      k.line("  if (live && y == 0", s_.parts > 1 ? " && blockIdx.y == 0" : "", ") ",
             vectors_.putElement(k, static_cast<int>(o), "0",
                                 k.converted(s, typeOf(problem_.outputs[o].element))));
    }
    k.line("  }");
  }

  void rowPhases(Kernel& k, const Round& done, bool stores) {
    for (const int stage : done)
      if (stage % 2 == 1) rowPhase(k, stage / 2 + 1, stores);
  }

  // ---- passes

  std::vector<char> allNeeded() const {
    Round all(static_cast<std::size_t>(plan_.stages));
    std::iota(all.begin(), all.end(), 0);
    return needed(all);
  }

  void loads(Kernel& k, const std::vector<char>& need, const std::string& first) {
    for (int i = 0; i < program_.inputs; ++i)
      if (need[i]) k.line("  u32 r", i, "[", s_.vectors, "][", k.words(problem_.inputs[i].element), "];");
    k.line("#pragma unroll\n  for (int k = 0; k < ", s_.vectors, "; ++k) {\n  const index c = ", first,
           " + k * ", s_.threads, ";", outside());
    for (int i = 0; i < program_.inputs; ++i)
      if (need[i]) vectors_.load(k, i);
    k.line("  }");
  }

  // Ends a turn of the loop over a thread's vectors at one that is no column.
  std::string outside() const { return even_ ? "" : "\n  if (c >= end) continue;"; }

  void pass(Kernel& k, const Round& round) {
    results_.declare(k, round);
    if (!held_) {
      k.line("  for (index c0 = first + y; c0 < end; c0 += ", tile(), ") {");
      loads(k, needed(round), "c0");
    }
    results_.beginVectors(k, round, even_);
    for (const int stage : round)
      if (works(k, {stage}) || !k.partials(stage).empty()) vectors(k, stage);
    results_.endVectors(k, round);
    if (!held_) k.line("  }");
    results_.gather(k, round);
  }

  // A stage on the vectors at hand.
  void vectors(Kernel& k, int stage) {
    k.line("#pragma unroll\n  for (int k = 0; k < ", s_.vectors,
           "; ++k) {\n  const index c = ", held_ ? "y" : "c0", " + k * ", s_.threads, "; (void)c;",
           outside());
    for (int o : k.storesAt(stage))
      k.line("  ", typeName(typeOf(problem_.outputs[o].element)), " o", o, "[", vector_, "];");
    k.line(vectors_.overRows());
    if (vectors_.tail()) k.line("  if (!(", vectors_.inside(), ")) continue;");
    for (std::size_t s = 0; s < program_.statements.size(); ++s)
      if (rowValue(s) && availableAt(s) <= stage)
        k.line("  const ", type(s), " v", s, " = s", s, "[j]; (void)v", s, ";");
    results_.nameHere(k, stage);
    k.elements(stage, {"[k]", "", "c", "", "", "", "c", ""}, true);
    k.line("  }");
    for (int o : k.storesAt(stage)) vectors_.store(k, o);
    k.line("  }");
  }

  int availableAt(std::size_t s) const {
    const Statement& statement = program_.statements[s];
    return statement.kind == Kind::Reduce ? plan_.reduceStage(static_cast<int>(s)) + 1 : 2 * statement.phase;
  }

  const Plan& plan_;
  const Problem& problem_;
  const Program& program_;
  const Schedule& s_;
  Numbers numbers_;
  int vector_, lanes_;
  bool held_, even_;  // even: threads and parts have as many columns each
  RowVectors vectors_;
  ColumnResults results_;
  std::string groups_, rows_, chunk_;
};

}  // namespace

Source emitColumns(const Plan& plan, const Gpu&) { return Columns(plan).emit(); }

}  // namespace kadvise::rowprogram
