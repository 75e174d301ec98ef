// Tiles: no reductions, and operands whose memory runs along another dimension than the columns, as between
// images with channels first and last. A block reads its tile of those along their own memory into shared
// memory, computes along the columns, and writes such outputs from shared memory, along their own, too.
#include "kernels/common/ceil_div.h"
#include "kernels/rowprogram/kernel.h"
#include "kernels/rowprogram/turned.h"

#include <algorithm>

namespace kadvise::rowprogram {
namespace {

class Tiles {
 public:
  explicit Tiles(const Plan& plan)
      : plan_(plan),
        problem_(plan.problem),
        numbers_(false),
        kernel_(plan, numbers_),
        s_(plan.schedule),
        tile_(tileOf(plan)),
        turned_(static_cast<std::size_t>(plan.turnedDim)) {}

  Source emit() {
    head();
    fill();
    compute();
    drain();
    Source source;
    source.text = assemble(plan_, numbers_, {{"row_program", kernel_.text(), s_.block}});
    const std::int64_t depth = problem_.outer[turned_], others = problem_.rows() / depth;
    const std::int64_t blocks =
        ceilDiv(problem_.columns(), tile_.along) * ceilDiv(depth, tile_.deep) * others;
    source.launches.push_back({"row_program", {blocks, 1, 1}, s_.block, 1, 0});
    source.numbers = numbers_.values();
    return source;
  }

 private:
  // Rows of one tile are `step` apart; `first` is that of depth 0.
  void head() {
    std::int64_t step = 1;
    for (std::size_t d = turned_ + 1; d < problem_.outer.size(); ++d) step *= problem_.outer[d];
    const std::int64_t depth = problem_.outer[turned_], columns = problem_.columns();
    kernel_.line("  const index columns = ", columns, ", depth = ", depth, "; (void)columns;");
    kernel_.offsets();
    kernel_.line("  index rest = (index)blockIdx.x;");
    const auto taken = [&](const char* name, std::int64_t count) {
      kernel_.line("  const index ", name, " = (index)((uindex)rest % ", count,
                   "u); rest = (index)((uindex)rest / ", count, "u);");
    };
    taken("tile_along", ceilDiv(columns, tile_.along));
    taken("tile_deep", ceilDiv(depth, tile_.deep));
    taken("low", step);
    kernel_.line("  const index first = rest * ", depth * step, " + low;");
    kernel_.line("  const index along0 = tile_along * ", tile_.along, ", deep0 = tile_deep * ", tile_.deep,
                 ";");
    kernel_.line("  const index step = ", step, ";");
  }

  // A line for each turned operand on the points that a thread takes of a tile along their memory.
  template <class Body>
  void onTile(const std::vector<char>& turned, const Body& body) {
    kernel_.line("#pragma unroll\n  for (int k = 0; k < ", each(), "; ++k) {\n  const int e = k * ", s_.block,
                 " + (int)threadIdx.x, deep = e % ", tile_.deep, ", along = e / ", tile_.deep, ";");
    for (std::size_t i = 0; i < turned.size(); ++i)
      if (turned[i]) body(static_cast<int>(i));
    kernel_.line("  }");
  }
  int each() const { return tile_.along * tile_.deep / s_.block; }
  std::string words() const { return cat("[", tile_.deep * pitchOf(tile_), "]"); }
  std::string at() const { return cat("[deep * ", pitchOf(tile_), " + along]"); }

  // All loads of a thread stand before what they are kept in.
  void fill() {
    for (int i = 0; i < plan_.program.inputs; ++i)
      if (plan_.turned[i])
        kernel_.line("  SHARED u32 turned", i, words(), "; u32 w", i, "[", each(), "];\n  const index begin",
                     i, " = ", kernel_.rowOffset(false, i, "first"), " + deep0;");
    onTile(plan_.turned, [&](int i) {
      kernel_.line("  w", i, "[k] = ", inside(), " ? (u32)once((const ",
                   storedName(problem_.inputs[i].element), "*)p", i, " + (begin", i, " + deep + columns", i,
                   "(along0 + along))) : 0;");
    });
    onTile(plan_.turned, [&](int i) { kernel_.line("  turned", i, at(), " = w", i, "[k];"); });
    for (std::size_t i = 0; i < plan_.turnedOut.size(); ++i)
      if (plan_.turnedOut[i]) kernel_.line("  SHARED u32 out_turned", i, words(), ";");
    kernel_.line("  __syncthreads();");
  }
  static const char* inside() { return "deep0 + deep < depth && along0 + along < columns"; }

  void drain() {
    if (std::none_of(plan_.turnedOut.begin(), plan_.turnedOut.end(), [](char is) { return is != 0; })) return;
    kernel_.line("  __syncthreads();");
    onTile(plan_.turnedOut, [&](int i) {
      const char* stored = storedName(problem_.outputs[static_cast<std::size_t>(i)].element);
      kernel_.line("  if (", inside(), ") put((", stored, "*)q", i, " + (",
                   kernel_.rowOffset(true, i, "first"), " + deep0 + deep + out_columns", i,
                   "(along0 + along)), (", stored, ")out_turned", i, at(), ");");
    });
  }

  void compute() {
    const int ofRow = tile_.along / plan_.vector;
    kernel_.line("#pragma unroll\n  for (int k = 0; k < ", s_.vectors, "; ++k) {\n  const int e = k * ",
                 s_.block, " + (int)threadIdx.x, deep = e / ", ofRow, ", along = e % ", ofRow, " * ",
                 plan_.vector, ";");
    kernel_.line("  if (deep0 + deep >= depth || along0 + along >= columns) continue;");
    kernel_.line(
        "  const index row = first + (deep0 + deep) * step, c = along0 + along, point = row * columns + c;",
        " (void)point;");
    kernel_.line("  const int turned_at = deep * ", pitchOf(tile_), " + along;");
    kernel_.rowBases("", "row");
    const Place place{"", "", "c", "point", "", "", "", ""};
    for (int i = 0; i < plan_.program.inputs; ++i) {
      if (plan_.stage[i] < 0) continue;
      if (!kernel_.readsVector(i)) {
        kernel_.loadSame(i, cat("const ", typeName(plan_.program.statements[i].type), " v", i), "row");
        continue;
      }
      kernel_.declareInput(i, "");
      kernel_.load(i, place);
    }
    kernel_.rowValues(0);
    kernel_.vectorBody(0, place, false);
    kernel_.line("  }");
  }

  const Plan& plan_;
  const Problem& problem_;
  Numbers numbers_;
  Kernel kernel_;
  const Schedule& s_;
  const Tile tile_;
  const std::size_t turned_;
};

}  // namespace

Source emitTiles(const Plan& plan, const Gpu&) { return Tiles(plan).emit(); }

}  // namespace kadvise::rowprogram
