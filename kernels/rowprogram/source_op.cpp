// kadvise::row_program_source: the CUDA text that serves a call of row_program, for people and tests. Meta
// tensors do; without a GPU among the inputs the text is the one for an H200.
#include "kernels/common/operator.h"
#include "kernels/rowprogram/call_problem.h"
#include "kernels/rowprogram/call_shapes.h"
#include "kernels/rowprogram/emit.h"
#include "kernels/rowprogram/gpu.h"

namespace kadvise {
namespace {

constexpr const char* kName = "row_program_source";
constexpr const char* kSchema = "row_program_source(str program, Tensor[] inputs, str schedule=\"\") -> str";

// By its name, or the likely best.
rowprogram::Schedule scheduleNamed(const std::string& name, const rowprogram::Problem& problem,
                                   const rowprogram::Gpu& gpu) {
  if (!name.empty()) {
    const auto schedule = rowprogram::scheduleOf(name);
    TORCH_CHECK(schedule.has_value(), "kadvise::row_program_source: '", name,
                "' is no schedule; one is lanes/t8/k2/b128");
    TORCH_CHECK(rowprogram::runs(*schedule, problem, gpu), "kadvise::row_program_source: ", name,
                " cannot run this call");
    return *schedule;
  }
  std::string whyNot;
  const auto schedules = rowprogram::schedulesFor(problem, gpu, &whyNot);
  TORCH_CHECK(!schedules.empty(), "kadvise::row_program_source: no kernel serves this call: ", whyNot);
  return schedules.front();
}

std::string source(c10::string_view text, at::TensorList inputs, c10::string_view schedule) {
  const auto program = rowprogram::parsed({text.data(), text.size()});
  rowprogram::checkCall(*program, inputs);
  const char* whyNot = "";
  const auto problem =
      rowprogram::problemOf(*program, inputs, rowprogram::emptyOutputs(*program, inputs), &whyNot);
  TORCH_CHECK(problem.has_value(), "kadvise::row_program_source: no kernel serves this call: ", whyNot);
  const at::Device device = rowprogram::deviceOf(inputs);
  const auto gpu = device.is_cuda() ? rowprogram::gpuOfDevice(device.index()).gpu : rowprogram::Gpu{};
  return rowprogram::emit(*problem, scheduleNamed({schedule.data(), schedule.size()}, *problem, gpu), gpu)
      .text;
}

void implement(torch::Library& library) { library.impl(kName, TORCH_FN(source)); }

}  // namespace

extern const Operator kRowProgramSource;
const Operator kRowProgramSource = {kName, kSchema, &implement};

}  // namespace kadvise
