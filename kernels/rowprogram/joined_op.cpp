// kadvise::joined_row_programs: the concatenation of what several row programs give, each of which writes to
// its own place in the result.
//
// `programs` are texts as row_program takes them (program.h), one behind the other, of one output each;
// `inputs` those of the first, of the second and so on. What it equals is the composition, in shapes, dtypes,
// strides and errors: torch.cat of the programs' outputs along `dim`.
#include "kernels/common/dispatch.h"
#include "kernels/rowprogram/call_problem.h"
#include "kernels/rowprogram/call_shapes.h"
#include "kernels/rowprogram/interpret.h"
#include "kernels/rowprogram/run.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <c10/core/DeviceGuard.h>

#include <algorithm>

namespace kadvise {
namespace {

using Tensors = std::vector<Tensor>;
using rowprogram::Layout;
using rowprogram::Program;

struct Piece {
  std::shared_ptr<const Program> program;
  at::TensorList inputs;
};

std::vector<Piece> piecesOf(std::string_view texts, at::TensorList inputs) {
  constexpr std::string_view kVersion = "row_program 1";
  std::vector<Piece> pieces;
  std::size_t given = 0;
  while (!texts.empty()) {
    const auto next = texts.find("\nrow_program 1", kVersion.size());
    const auto size = next == std::string_view::npos ? texts.size() : next + 1;
    auto program = rowprogram::parsed(texts.substr(0, size));
    texts.remove_prefix(size);
    const auto count = static_cast<std::size_t>(program->inputs);
    TORCH_CHECK(program->outputs.size() == 1, "kadvise::joined_row_programs: program ", pieces.size() + 1,
                " has ", program->outputs.size(), " outputs, a piece is one");
    TORCH_CHECK(given + count <= inputs.size(), "kadvise::joined_row_programs: ", inputs.size(),
                " inputs are too few for the programs");
    pieces.push_back({std::move(program), inputs.slice(given, count)});
    given += count;
    rowprogram::checkCall(*pieces.back().program, pieces.back().inputs);
  }
  TORCH_CHECK(!pieces.empty(), "kadvise::joined_row_programs: there is no program");
  TORCH_CHECK(given == inputs.size(), "kadvise::joined_row_programs: the programs have ", given, " inputs, ",
              inputs.size(), " were given");
  return pieces;
}

Tensor interpreted(const std::vector<Piece>& pieces, std::int64_t dim) {
  Tensors outputs;
  for (const Piece& piece : pieces)
    outputs.push_back(rowprogram::interpret(*piece.program, piece.inputs).front());
  return at::cat(outputs, dim);
}

Tensor composition(c10::string_view texts, at::TensorList inputs, std::int64_t dim) {
  return interpreted(piecesOf({texts.data(), texts.size()}, inputs), dim);
}

// ---- on a GPU

c10::MemoryFormat formatOf(const Layout<std::int64_t>& form) {
  const at::IntArrayRef sizes(form.sizes), strides(form.strides);
  if (sizes.size() == 4 && c10::is_channels_last_strides_2d(sizes, strides))
    return at::MemoryFormat::ChannelsLast;
  if (sizes.size() == 5 && c10::is_channels_last_strides_3d(sizes, strides))
    return at::MemoryFormat::ChannelsLast3d;
  return at::MemoryFormat::Contiguous;
}

bool areAlikeBut(std::size_t dim, const Layout<std::int64_t>& a, const Layout<std::int64_t>& b) {
  if (a.sizes.size() != b.sizes.size()) return false;
  for (std::size_t d = 0; d < a.sizes.size(); ++d)
    if (d != dim && a.sizes[d] != b.sizes[d]) return false;
  return true;
}

// The result, uninitialised, and the place of each piece in it. Undefined where it is for torch to say what
// is wrong, or there is nothing to compute.
Tensor emptyResult(const std::vector<Piece>& pieces, std::int64_t dim, at::Device device, Tensors& places) {
  std::vector<Layout<std::int64_t>> forms;
  for (const Piece& piece : pieces)
    forms.push_back(
        rowprogram::layoutOf<std::int64_t>(*piece.program, piece.inputs, piece.program->outputs[0]));
  const auto rank = static_cast<std::int64_t>(forms[0].sizes.size());
  if (dim < -rank || dim >= rank) return {};
  const auto along = static_cast<std::size_t>(dim < 0 ? dim + rank : dim);
  const auto element = pieces[0].program->outputs[0].element;
  auto sizes = forms[0].sizes;
  sizes[along] = 0;
  for (std::size_t i = 0; i < forms.size(); ++i) {
    if (!areAlikeBut(along, forms[i], forms[0]) || pieces[i].program->outputs[0].element != element)
      return {};
    sizes[along] += forms[i].sizes[along];
  }
  const auto format = formatOf(forms[0]);
  const bool isOne =
      std::all_of(forms.begin(), forms.end(), [&](auto& form) { return formatOf(form) == format; });
  const auto options = at::TensorOptions(device).dtype(rowprogram::scalarType(element));
  Tensor result = at::empty(sizes, options, isOne ? format : at::MemoryFormat::Contiguous);
  std::int64_t start = 0;
  for (const auto& form : forms) {
    places.push_back(result.narrow(static_cast<std::int64_t>(along), start, form.sizes[along]));
    start += form.sizes[along];
  }
  return result;
}

void computePiece(const Piece& piece, Tensor& place, at::Device device) {
  const auto problem = rowprogram::problemOf(*piece.program, piece.inputs, {place});
  if (problem && rowprogram::runOnCuda(*piece.program, *problem, piece.inputs, {&place, 1}, device)) return;
  place.copy_(rowprogram::interpret(*piece.program, piece.inputs).front());
}

Tensor onCuda(c10::string_view texts, at::TensorList inputs, std::int64_t dim) {
  const auto pieces = piecesOf({texts.data(), texts.size()}, inputs);
  const at::Device device = rowprogram::deviceOf(inputs);
  const c10::DeviceGuard guard(device);
  if (rowprogram::isWide(inputs)) return interpreted(pieces, dim);
  Tensors places;
  Tensor result = emptyResult(pieces, dim, device, places);
  if (!result.defined()) return interpreted(pieces, dim);
  std::vector<rowprogram::Problem> problems;
  for (std::size_t i = 0; i < pieces.size(); ++i)
    if (auto problem = rowprogram::problemOf(*pieces[i].program, pieces[i].inputs, {places[i]}))
      problems.push_back(std::move(*problem));
  if (problems.size() == pieces.size() && rowprogram::runJoinedOnCuda(problems, inputs, places, device))
    return result;
  for (std::size_t i = 0; i < pieces.size(); ++i)
    if (places[i].numel() > 0) computePiece(pieces[i], places[i], device);
  return result;
}

Tensor onMeta(c10::string_view texts, at::TensorList inputs, std::int64_t dim) {
  Tensors outputs;
  for (const Piece& piece : piecesOf({texts.data(), texts.size()}, inputs))
    outputs.push_back(rowprogram::emptyOutputs(*piece.program, piece.inputs).front());
  return at::cat(outputs, dim);
}

struct JoinedRowPrograms {
  static constexpr const char* kName = "joined_row_programs";
  static constexpr const char* kQualifiedName = "kadvise::joined_row_programs";
  static constexpr const char* kSchema =
      "joined_row_programs(str programs, Tensor[] inputs, int dim) -> Tensor";
  // The texts say every dtype.
  static constexpr UnderAutocast kAutocast = UnderAutocast::ChangesNothing;
  static constexpr auto& composition = kadvise::composition;
  static constexpr auto& onCpu = kadvise::composition;
  static constexpr auto& onCuda = kadvise::onCuda;
  static constexpr auto& onMeta = kadvise::onMeta;
};

}  // namespace

extern const Operator kJoinedRowPrograms;
const Operator kJoinedRowPrograms = Dispatch<JoinedRowPrograms>::entry();

}  // namespace kadvise
