// Lanes, Block, Shared and Cluster: threads share a row, which stays with them (in registers or in
// shared memory) from one pass over it to the next.
#include "kernels/rowprogram/cost.h"
#include "kernels/rowprogram/shared_rows.h"

#include <algorithm>

namespace kadvise::rowprogram {
namespace {

using Kind = Statement::Kind;

constexpr int kChain = 4;  // vectors whose sums are added one to the other

class Rows {
 public:
  Rows(const Plan& plan, const Gpu& gpu)
      : plan_(plan),
        program_(plan.program),
        s_(plan.schedule),
        gpu_(gpu),
        numbers_(s_.generic),
        kernel_(plan, numbers_),
        sharedRows_(kernel_),
        shared_(keepsInShared(plan, s_)),
        rowsOfBlock_(s_.form == Form::Lanes ? s_.block / s_.threads : 1),
        parts_(s_.form == Form::Cluster ? s_.parts : 1) {}

  Source emit() {
    head();
    std::string whichRow = rowOf();
    if (s_.persistent) {
      hoisted();
      kernel_.line("  int turn = 0;\n  for (i64 first = ", firstRow(), "; first < rows; first += ", step(),
                   ", turn ^= 1) {");
    }
    row(whichRow);
    if (!shared_) loads(false);
    for (std::size_t i = 0; i < plan_.rounds.size(); ++i) {
      round(plan_.rounds[i]);
      if (parts_ > 1 && i == lastJoined()) kernel_.line("  peers_leave();");
    }
    if (parts_ > 1) kernel_.line("  peers_left();");  // what peers may still read
    if (s_.persistent) kernel_.line("  }");
    return source();
  }

 private:
  Source source() const {
    Source source;
    const int perSm = s_.persistent ? blocksPerSm(s_, plan_, trafficOf(plan_), gpu_) : s_.blocks;
    source.text = assemble(plan_, numbers_, {{"row_program", kernel_.text(), s_.block, perSm}});
    const std::int64_t rows = plan_.problem.rows();
    std::int64_t blocks = (rows + rowsOfBlock_ - 1) / rowsOfBlock_ * parts_;
    if (s_.persistent) blocks = std::min(blocks, blocksAtOnce(perSm));
    if (rows > 0)
      source.launches.push_back({"row_program", {blocks, 1, 1}, s_.block, parts_, sharedRows_.bytes()});
    source.numbers = numbers_.values();
    return source;
  }

  // A cluster lies within one group of SMs, of which some have room left for less than a cluster.
  std::int64_t blocksAtOnce(int perSm) const {
    constexpr int kOfGroup = 16;
    const int sms = parts_ > 1 && gpu_.sms > kOfGroup ? gpu_.sms / kOfGroup * kOfGroup : gpu_.sms;
    return static_cast<std::int64_t>(std::max(sms * perSm / parts_, 1)) * parts_;
  }

  void head() {
    kernel_.line("  const i64 rows = ", numbers_.given(plan_.problem.rows()), "; (void)rows;");
    kernel_.line("  const index columns = (index)", numbers_.fixed(plan_.problem.columns()), ";");
    // The compiler then knows which vectors are inside in all threads.
    const bool says =
        s_.form == Form::Lanes || (!shared_ && !exact() && (s_.threads & (s_.threads - 1)) == 0);
    kernel_.line("  const int t = threadIdx.x", says ? cat(" % ", s_.threads) : std::string(), ";");
    if (parts_ > 1) kernel_.line("  const int part = blockIdx.x % ", parts_, ";");
    if (shared_) kernel_.line("  SHARED_BYTES;");
    kernel_.offsets();
    if (!s_.persistent) kernel_.line("  const int turn = 0; (void)turn;");
  }

  std::string firstRow() const {
    return parts_ > 1 ? cat("(i64)(blockIdx.x / ", parts_, ")") : cat("(i64)blockIdx.x * ", rowsOfBlock_);
  }
  std::string step() const {
    return parts_ > 1 ? cat("(i64)(gridDim.x / ", parts_, ")") : cat("(i64)gridDim.x * ", rowsOfBlock_);
  }

  std::string rowOf() const {
    const std::string first = s_.persistent ? "first" : firstRow();
    return rowsOfBlock_ > 1 ? cat(first, " + threadIdx.x / ", s_.threads) : first;
  }

  bool alive(std::size_t s) const { return plan_.stage[s] >= 0; }
  bool isInput(int i) const { return program_.statements[i].kind == Kind::Input; }
  bool forAllRows(int i) const { return sameForAllRows(plan_.problem.inputs[i]); }

  std::string columnOf(const std::string& k) const {
    const std::string part = parts_ > 1 ? cat("part * ", s_.vectors, " + ") : std::string();
    return cat("((index)(", part, k, ") * ", s_.threads, " + t) * ", plan_.vector,
               plan_.ragged ? " - lead" : "");
  }

  bool exact() const {
    return !s_.generic && !plan_.ragged &&
           plan_.problem.columns() ==
               static_cast<std::int64_t>(parts_) * s_.threads * s_.vectors * plan_.vector;
  }

  Place place() const {
    const std::string column = shared_ ? "c" : "c[k]";
    Place at{shared_ ? "" : "[k]", "", column, "", "", "", "", rowsOfBlock_ > 1 ? "live" : ""};
    if (!plan_.ragged) return at;
    at.whole = cat(column, " >= 0 && ", column, " + ", plan_.vector, " <= columns");
    at.inside = cat("(uindex)(", column, " + j) < (uindex)columns");
    return at;
  }

  void loop() {
    kernel_.line(shared_ ? "#pragma unroll 4\n" : "#pragma unroll\n", "  for (int k = 0; k < ", s_.vectors,
                 "; ++k) {");
    if (shared_) kernel_.line("  const index c = ", columnOf("k"), ";");
    if (!exact()) kernel_.line("  if (", place().column, " >= columns) continue;");
  }

  void columns() {
    if (shared_) return;
    kernel_.line("  index c[", s_.vectors, "];\n#pragma unroll\n  for (int k = 0; k < ", s_.vectors,
                 "; ++k) c[k] = ", columnOf("k"), ";");
  }

  // What all rows read alike stays in registers.
  bool hoists(int i) const {
    return s_.persistent && !shared_ && !plan_.ragged && kernel_.readsVector(i) && forAllRows(i) && alive(i);
  }

  void hoisted() {
    if (!plan_.ragged) columns();
    loads(true);
  }

  void row(const std::string& which) {
    kernel_.line("  const i64 row_number = ", which, ";");
    if (rowsOfBlock_ > 1)
      kernel_.line(
          "  const bool live = row_number < rows;\n  const index row = (index)(live ? row_number : 0);");
    else kernel_.line("  const index row = (index)row_number;");
    kernel_.rowBases("", "row");
    if (plan_.ragged) kernel_.lead();
    if (!s_.persistent || plan_.ragged) columns();
    kernel_.heldByBlock(exact());
    for (int i = 0; i < program_.inputs; ++i)
      if (isInput(i) && alive(i) && !kernel_.readsVector(i))
        kernel_.loadSame(i, cat("const ", typeName(program_.statements[i].type), " v", i), "row");
    rowPhase(0);
    for (std::size_t s = 0; s < program_.statements.size(); ++s)
      if (plan_.takesVector[s] && alive(s)) kernel_.indexOfTake(static_cast<int>(s));
  }

  std::string registers(const std::string& name, Element e) const {
    return cat("  u32 ", name, "[", s_.vectors, "][", kernel_.words(e), "];");
  }

  // Inputs that lie in the row first, then those that rows share: before any reduction, so that all are in
  // flight.
  void loads(bool before) {
    for (const bool all : {false, true}) {
      std::vector<int> loaded;
      for (int i = 0; i < program_.inputs; ++i)
        if (alive(i) && kernel_.readsVector(i) && forAllRows(i) == all && hoists(i) == before &&
            !readsLate(plan_, s_, i))
          loaded.push_back(i);
      for (int i : loaded) kernel_.declareInput(i, cat("[", s_.vectors, "]"));
      std::vector<int> takes;
      for (std::size_t s = 0; s < program_.statements.size() && !before && !all; ++s)
        if (plan_.takesVector[s] && alive(s)) takes.push_back(static_cast<int>(s));
      for (int s : takes) kernel_.line(registers(cat("r", s), kernel_.tableOf(s).element));
      if (loaded.empty() && takes.empty()) continue;
      loop();
      for (int i : loaded) kernel_.load(i, place());
      for (int s : takes) kernel_.loadTake(s, place());
      kernel_.line("  }");
    }
    if (!before) settle();
    for (std::size_t s = 0; s < program_.statements.size() && !before; ++s)
      if (kernel_.keeps(s)) kernel_.line(registers(cat("k", s), kernel_.keptElement(static_cast<int>(s))));
  }

  void settle() {
    if (kernel_.settling().empty()) return;
    loop();
    for (const int i : kernel_.settling()) kernel_.settle(i, place());
    kernel_.line("  }");
  }

  // ---- a pass

  bool works(int stage) const {
    const std::vector<char> need = plan_.needed(stage, false);
    return std::any_of(need.begin(), need.end(), [](char n) { return n; }) ||
           !kernel_.partials(stage).empty();
  }

  std::vector<int> lateAt(int stage) const {
    const std::vector<char> need = plan_.needed(stage, false);
    std::vector<int> late;
    for (int i = 0; i < program_.inputs; ++i)
      if (need[i] && readsLate(plan_, s_, i)) late.push_back(i);
    return late;
  }

  void pass(int stage) {
    if (works(stage)) {
      kernel_.declarePartials(stage);
      const std::vector<int> late = lateAt(stage);
      for (int i : late)
        if (plan_.stage[i] == stage) kernel_.declareInput(i, cat("[", s_.vectors, "]"));
      loop();
      for (int i : late) kernel_.load(i, place());
      if (shared_) sharedRows_.fetch(stage, place());
      else kernel_.forgetEarlier(stage);
      kernel_.vectorBody(stage, place(), false);
      if (shared_) sharedRows_.keep(stage);
      if (s_.vectors > kChain) {
        kernel_.line("  if (k % ", kChain, " == ", kChain - 1, ") {");
        kernel_.foldSums(stage, false);
        kernel_.line("  }");
      }
      kernel_.line("  }");
      kernel_.foldSums(stage, true);
    }
  }

  void round(const std::vector<int>& stages) {
    for (const int stage : stages) {
      pass(stage);
      kernel_.joinBlock(kernel_.momentsOf(stage), s_.threads, cat("_block_", stage), "turn");
      kernel_.localReferences(stage, lanes());
    }
    kernel_.packJoints(stages, lanes(), "g");
    join(stages);
    kernel_.finishRound(stages, "(float)columns");
    for (const int stage : stages)
      if (stage % 2 == 1 && stage + 1 < plan_.stages) rowPhase(stage / 2 + 1);
  }

  std::size_t lastJoined() const {
    std::size_t last = 0;
    for (std::size_t i = 0; i < plan_.rounds.size(); ++i)
      if (!kernel_.roundPartials(plan_.rounds[i]).empty()) last = i;
    return last;
  }

  int lanes() const { return std::min(32, s_.threads); }

  // Per-row values that are known now, and those that are stored.
  void rowPhase(int phase) {
    kernel_.rowValues(phase);
    std::string who = rowsOfBlock_ > 1 ? "t == 0 && live" : "t == 0";
    if (parts_ > 1) who += " && part == 0";
    for (std::size_t o = 0; o < plan_.outputs.size(); ++o)
      if (plan_.outputs[o] == Reach::Same && availableFrom(program_.outputs[o].statement) == phase)
        kernel_.storeRow(static_cast<int>(o), place(), who);
  }

  int availableFrom(int s) const {
    const Statement& statement = program_.statements[s];
    return statement.phase + (statement.kind == Kind::Reduce ? 1 : 0);
  }

  // ---- joining

  void join(const std::vector<int>& round) {
    const auto all = kernel_.roundPartials(round);
    if (all.empty()) return;
    std::vector<Partial> ofBlock = all;
    std::erase_if(ofBlock, [](const Partial& p) { return p.type == "Moments"; });
    for (Partial& p : ofBlock) p.ofWarps = p.type == "Peak";
    const std::string suffix = cat("_", round.front());
    kernel_.joinBlock(ofBlock, s_.threads, suffix, "turn");
    if (parts_ > 1) kernel_.joinPeers(all, parts_, suffix, "turn");
  }

  const Plan& plan_;
  const Program& program_;
  const Schedule& s_;
  const Gpu& gpu_;
  Numbers numbers_;
  Kernel kernel_;
  SharedRows sharedRows_;
  bool shared_;
  int rowsOfBlock_, parts_;
};

}  // namespace

Source emitRows(const Plan& plan, const Gpu& gpu) { return Rows(plan, gpu).emit(); }

}  // namespace kadvise::rowprogram
