// Columns: rows lie beside each other in memory, so a thread takes a vector of adjacent rows and walks along
// them; other threads of the block take other columns of the same rows. Where the reduced dimension is short
// enough, it stays in registers from one pass to the next. With several parts, blocks share it: each pass is
// then a kernel.
#include "kernels/rowprogram/row_vectors.h"

#include <algorithm>
#include <bit>
#include <map>

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
        held_(s_.parts == 1 && !s_.generic &&
              problem_.columns() <= static_cast<std::int64_t>(s_.threads) * s_.vectors),
        vectors_(plan, numbers_, held_) {}

  Source emit() {
    const std::int64_t rows = problem_.rows(), last = problem_.outer.back(),
                       groups = rows / std::max<std::int64_t>(last, 1) * ((last + vector_ - 1) / vector_);
    groups_ = numbers_.given(groups);
    rows_ = numbers_.given(rows);
    if (s_.parts > 1) layOutScratch(groups);
    Source source;
    std::vector<Body> bodies;
    const std::int64_t blocks = (groups + lanes_ - 1) / lanes_;
    for (int stage = 0; stage < plan_.stages; ++stage) {
      const bool final = stage == plan_.finalStage();
      Kernel kernel(plan_, numbers_);
      if (s_.parts == 1 ? stage > 0 : !final && !works(kernel, stage)) continue;
      if (s_.parts == 1) whole(kernel);
      else part(kernel, stage, final);
      const std::string name = "row_program_" + std::to_string(stage);
      bodies.push_back({name, kernel.text(), s_.block, 0, 1, s_.parts > 1});
      if (rows > 0)
        source.launches.push_back(
            {name, {blocks, s_.parts > 1 && works(kernel, stage) ? s_.parts : 1, 1}, s_.block, 1, 0});
    }
    source.text = assemble(plan_, numbers_, bodies);
    source.scratchBytes = scratchBytes_;
    source.numbers = numbers_.values();
    return source;
  }

 private:
  // ---- what there is to do

  bool alive(std::size_t s) const { return plan_.stage[s] >= 0; }
  bool works(const Kernel& kernel, int stage) const {
    const std::vector<char> need = plan_.needed(stage, true);
    return std::any_of(need.begin(), need.end(), [](char n) { return n; }) || !kernel.partials(stage).empty();
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
    for (int stage = 0; stage < plan_.stages; ++stage) {
      if (works(k, stage)) {
        pass(k, stage);
        join(k, stage);
      }
      if (stage % 2 == 1) rowPhase(k, stage / 2 + 1, true);
    }
  }

  void part(Kernel& k, int stage, bool final) {
    head(k, cat("(index)blockIdx.y * (index)", chunk_),
         cat("(index)smaller((i64)first + (i64)", chunk_, ", (i64)columns)"));
    rowPhase(k, 0, final);
    for (int done = 0; done < stage; ++done) {
      merge(k, done);
      if (done % 2 == 1) rowPhase(k, done / 2 + 1, final);
    }
    if (!works(k, stage)) return;
    pass(k, stage);
    join(k, stage);
    for (const Partial& p : k.partials(stage))
      k.line("  if (live && y == 0)\n", vectors_.overRows(), " put(", slot(p, "blockIdx.y"), ", joined_",
             p.name, "[j]); }");
  }

  void layOutScratch(std::int64_t groups) {
    parts_ = numbers_.given(s_.parts);
    chunk_ = numbers_.given((problem_.columns() + s_.parts - 1) / s_.parts);
    Kernel kernel(plan_, numbers_);
    for (int stage = 0; stage < plan_.stages; ++stage)
      for (const Partial& p : kernel.partials(stage)) {
        places_[p.name] = numbers_.given(static_cast<std::int64_t>(scratchBytes_));
        scratchBytes_ += static_cast<std::size_t>(groups * vector_ * s_.parts * 16);
      }
  }

  std::string slot(const Partial& p, const std::string& part) const {
    return cat("(", p.type, "*)((char*)scratch + ", places_.at(p.name), ") + (((i64)(", part, ") * (i64)",
               groups_, " + group) * ", vector_, " + j)");
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
        k.line("  s", s, "[j] = get_", elementName(problem_.inputs[statement.input].element), "_at(p", s,
               ", (u64)(", vectors_.offset(k, false, static_cast<int>(s), "0", "j"), "));");
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

  // ---- passes

  std::vector<char> allNeeded() const {
    std::vector<char> all(program_.statements.size(), 0);
    for (int stage = 0; stage < plan_.stages; ++stage) {
      const auto need = plan_.needed(stage, true);
      for (std::size_t s = 0; s < all.size(); ++s) all[s] |= need[s];
    }
    return all;
  }

  void loads(Kernel& k, const std::vector<char>& need, const std::string& first) {
    for (int i = 0; i < program_.inputs; ++i)
      if (need[i]) k.line("  u32 r", i, "[", s_.vectors, "][", k.words(problem_.inputs[i].element), "];");
    k.line("#pragma unroll\n  for (int k = 0; k < ", s_.vectors, "; ++k) {\n  const index c = ", first,
           " + k * ", s_.threads, ";\n  if (c >= end) continue;");
    for (int i = 0; i < program_.inputs; ++i)
      if (need[i]) vectors_.load(k, i);
    k.line("  }");
  }

  void pass(Kernel& k, int stage) {
    for (const Partial& p : k.partials(stage))
      k.line("  ", p.type, " joined_", p.name, "[", vector_, "];\n", vectors_.overRows(), " joined_", p.name,
             "[j] = ", p.none, "; }");
    if (!held_) {
      k.line("  for (index c0 = first + y; c0 < end; c0 += ", s_.threads * s_.vectors, ") {");
      loads(k, plan_.needed(stage, true), "c0");
    }
    k.line("#pragma unroll\n  for (int k = 0; k < ", s_.vectors,
           "; ++k) {\n  const index c = ", held_ ? "y" : "c0", " + k * ", s_.threads,
           ";\n  if (c >= end) continue;");
    for (int o : k.storesAt(stage))
      k.line("  ", typeName(typeOf(problem_.outputs[o].element)), " o", o, "[", vector_, "];");
    k.line(vectors_.overRows());
    if (vectors_.tail()) k.line("  if (!(", vectors_.inside(), ")) continue;");
    for (std::size_t s = 0; s < program_.statements.size(); ++s)
      if (rowValue(s) && availableAt(s) <= stage)
        k.line("  const ", type(s), " v", s, " = s", s, "[j]; (void)v", s, ";");
    for (const Partial& p : k.partials(stage))
      k.line("  ", p.type, "& ", p.name, " = joined_", p.name, "[j];");
    means(k, stage);
    k.elements(stage, {"[k]", "", "c", "", "", "", "c", ""}, true);
    k.line("  }");
    for (int o : k.storesAt(stage)) vectors_.store(k, o);
    k.line("  }");
    if (!held_) k.line("  }");
  }

  // Where var measures from, if the program has no mean of its own.
  void means(Kernel& k, int stage) const {
    if (stage == 0) return;
    for (const Partial& p : k.partials(stage - 1))
      if (p.mean) k.line("  const float u", p.statement, " = means_", p.statement, "[j];");
  }

  int availableAt(std::size_t s) const {
    const Statement& statement = program_.statements[s];
    return statement.kind == Kind::Reduce ? plan_.reduceStage(static_cast<int>(s)) + 1 : 2 * statement.phase;
  }

  // ---- joining

  // The threads of a block that share rows, in the order of their columns.
  void join(Kernel& k, int stage) {
    for (const Partial& p : k.partials(stage)) {
      if (s_.threads > 1) {
        k.line("  {\n  SHARED ", p.type, " shared_", p.name, "_", stage, "[", s_.threads, "][", vector_, "][",
               lanes_, "];\n", vectors_.overRows(), " shared_", p.name, "_", stage, "[y][j][lane] = joined_",
               p.name, "[j]; }\n  __syncthreads();");
        for (unsigned half = std::bit_ceil(static_cast<unsigned>(s_.threads)) / 2; half > 0; half /= 2)
          k.line("  if (y < ", half, " && y + ", half, " < ", s_.threads, ")\n", vectors_.overRows(),
                 " shared_", p.name, "_", stage, "[y][j][lane] = ", p.op, "::join(shared_", p.name, "_",
                 stage, "[y][j][lane], shared_", p.name, "_", stage, "[y + ", half,
                 "][j][lane]); }\n  __syncthreads();");
        k.line(vectors_.overRows(), " joined_", p.name, "[j] = shared_", p.name, "_", stage,
               "[0][j][lane]; }\n  }");
      }
    }
    if (s_.parts == 1) finish(k, stage);
  }

  void finish(Kernel& k, int stage) {
    const auto partials = k.partials(stage);
    if (partials.empty()) return;
    for (const Partial& p : partials)
      if (p.mean) k.line("  float means_", p.statement, "[", vector_, "];");
    k.line(vectors_.overRows());
    for (const Partial& p : partials) k.line("  const ", p.type, " ", p.name, " = joined_", p.name, "[j];");
    k.finishPartials(stage, "(float)columns");
    for (const Partial& p : partials)
      k.line(p.mean ? cat("  means_", p.statement, "[j] = u", p.statement, ";")
                    : cat("  s", p.statement, "[j] = v", p.statement, ";"));
    k.line("  }");
  }

  void merge(Kernel& k, int stage) {
    for (const Partial& p : k.partials(stage)) {
      k.line("  ", p.type, " joined_", p.name, "[", vector_, "];\n", vectors_.overRows(), " joined_", p.name,
             "[j] = ", p.none, "; }");
      k.line("  for (int i = y; i < (int)", parts_, "; i += ", s_.threads, ")\n", vectors_.overRows(),
             " joined_", p.name, "[j] = ", p.op, "::join(joined_", p.name, "[j], once(", slot(p, "i"),
             ")); }");
    }
    join(k, stage);
    finish(k, stage);
  }

  const Plan& plan_;
  const Problem& problem_;
  const Program& program_;
  const Schedule& s_;
  Numbers numbers_;
  int vector_, lanes_;
  bool held_;
  RowVectors vectors_;
  std::string groups_, rows_, parts_, chunk_;
  std::map<std::string, std::string> places_;
  std::size_t scratchBytes_ = 0;
};

}  // namespace

Source emitColumns(const Plan& plan, const Gpu&) { return Columns(plan).emit(); }

}  // namespace kadvise::rowprogram
