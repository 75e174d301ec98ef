// A table of rows, read by index.
#include <ATen/ATen.h>

#include "profiler/component.h"
#include "profiler/failure.h"

namespace kadvise {
namespace {

using at::Tensor;
using Status = Property::Status;

constexpr std::int64_t kMostRows = 65536;  // of a large table only so many are compared, evenly spread

// The one 2-d table whose rows are as long as the output's.
Tensor tableOf(const Specimen& s, std::int64_t width, std::string& trouble) {
  Tensor table;
  for (auto& [name, tensor] : s.tensors()) {
    if (!tensor.is_floating_point() || tensor.dim() != 2 || tensor.size(1) != width) continue;
    if (table.defined()) trouble = "more than one parameter has rows of " + std::to_string(width);
    table = tensor;
  }
  if (!table.defined()) trouble = "no parameter is a table with rows of " + std::to_string(width);
  return table;
}

// In the shape of the user's input as far as they fit, so that a traced module accepts them.
Tensor rowsAt(const Specimen& s, const Tensor& ids, std::int64_t width) {
  auto length = s.input().numel();
  Tensor out = at::empty({ids.numel(), width}, ids.options().dtype(s(s.input()).scalar_type()));
  for (std::int64_t at = 0; at < ids.numel(); at += length) {
    auto n = std::min(length, ids.numel() - at);
    Tensor piece = ids.narrow(0, at, n);
    if (n < length) piece = at::cat({piece, piece.select(0, 0).expand({length - n})});
    Tensor rows = s(piece.reshape(s.input().sizes()).to(s.input().scalar_type())).reshape({-1, width});
    out.narrow(0, at, n).copy_(rows.narrow(0, 0, n));
  }
  return out;
}

Property rowsEqual(const Specimen& s, const Tensor& table) {
  auto count = std::min(table.size(0), kMostRows);
  Tensor ids = at::linspace(0, table.size(0) - 1, count, at::TensorOptions().dtype(at::kDouble))
                   .to(at::kLong)
                   .to(table.device());
  Tensor rows = rowsAt(s, ids, table.size(1)), wanted = table.index_select(0, ids);
  auto wrong = rows.ne(wanted.to(rows.scalar_type())).any(1).sum().item<std::int64_t>();
  std::string figures = wrong ? std::to_string(wrong) + " of " + std::to_string(count) + " rows differ"
                              : std::to_string(count) + " rows are equal bit by bit";
  if (wrong && wanted.square().sum().item<double>() > 0) {
    Tensor y = rows.to(at::kDouble), w = wanted.to(at::kDouble);
    double factor = (y.mul(w).sum() / w.square().sum()).item<double>();
    if (relativeDifference(y, w * factor) < roundingOf(rows.scalar_type()))
      figures += "; they are the rows times " + number(factor);
  }
  return passOrFail("each output is its row of the table", wrong == 0, figures);
}

// On a GPU such an index ends the process's context, so this is asked on the CPU only.
Property raises(const Specimen& s, const std::string& name, std::int64_t index) {
  if (s.session().device.isCuda())
    return {name, Status::Skipped, "not tried on a GPU, where it would end the run; --device cpu tries it"};
  Tensor ids = at::zeros_like(s.input());
  ids.view({-1}).select(0, ids.numel() - 1).fill_(index);
  try {
    s(ids);
  } catch (const std::exception& e) {
    return {name, Status::Pass, reasonOf(e)};
  }
  return {name, Status::Fail, "index " + std::to_string(index) + " is accepted"};
}

Property padding(const Tensor& table) {
  Tensor zero = table.eq(0).all(1).nonzero().view({-1});
  if (!zero.numel())
    return {"padding", Status::Pass,
            "no row is zero: the table has no padding index, or has lost it in training"};
  if (zero.numel() == 1)
    return {"padding", Status::Pass, "row " + std::to_string(zero[0].item<std::int64_t>()) + " is zero"};
  return {"padding", Status::Fail,
          std::to_string(zero.numel()) + " rows are zero, and one padding index is usual"};
}

}  // namespace

std::vector<Property> examineEmbedding(const Specimen& s) {
  if (!c10::isIntegralType(s.input().scalar_type(), false) || s.input().numel() == 0)
    return {{"table", Status::Unknown,
             "the input is not a tensor of integers; give one such as --input 'int64[2,7]<100'"}};
  Tensor y = s(s.input());
  auto wanted = s.input().sizes().vec();
  wanted.push_back(y.dim() ? y.size(-1) : 0);
  if (y.sizes().vec() != wanted)
    return {
        {"table", Status::Unknown, "the output has not one row for each index: it is no plain embedding"}};
  std::string trouble;
  Tensor table = tableOf(s, wanted.back(), trouble);
  if (!trouble.empty()) return {{"table", Status::Unknown, trouble}};
  return {
      {"table", Status::Pass, std::to_string(table.size(0)) + " rows of " + std::to_string(table.size(1))},
      rowsEqual(s, table),
      raises(s, "an index beyond the table raises", table.size(0)),
      raises(s, "a negative index raises", -1),
      padding(table)};
}

}  // namespace kadvise
