#include "kernels/rowprogram/emit.h"

#include "kernels/rowprogram/kernel.h"
#include "kernels/rowprogram/prelude.h"

#include <c10/util/Exception.h>

namespace kadvise::rowprogram {
std::string parametersOf(const Plan& plan, const Numbers& numbers, bool scratch) {
  const Program& program = plan.program;
  std::string all, comma;
  const auto add = [&](const std::string& parameter) {
    all += comma + parameter;
    comma = ", ";
  };
  const auto restricted = [&](int input) {
    return input < 0 || !plan.overwritten[input] ? " __restrict__" : "";
  };
  for (int i = 0; i < program.inputs; ++i) add(cat("const void*", restricted(i), " p", i));
  for (std::size_t o = 0; o < program.outputs.size(); ++o)
    add(cat("void*", restricted(program.outputs[o].over), " q", o));
  if (scratch) add("void* __restrict__ scratch");
  for (std::size_t n = 0; n < numbers.values().size(); ++n) add(cat("i64 n", n));
  return all;
}

std::string bodyOf(const Plan& plan, const std::string& lines) {
  return cat("{\n  typedef ", plan.wide ? "i64" : "int", " index; typedef ", plan.wide ? "u64" : "u32",
             " uindex;\n", lines, "}\n");
}

Kernel::Kernel(const Plan& p, Numbers& n) : plan(p), program(p.program), numbers(n) {}

std::string assemble(const Plan& plan, const Numbers& numbers, const std::vector<Body>& bodies) {
  std::string text =
      cat("// ", toText(plan.schedule), plan.schedule.generic ? ", for any sizes up to its capacity" : "",
          plan.ragged ? ", rows within vectors" : "", "\n", prelude());
  for (const Body& body : bodies) {
    text +=
        cat("KERNEL __launch_bounds__(", body.block, body.perSm ? cat(", ", body.perSm) : std::string(), ") ",
            body.name, "(", parametersOf(plan, numbers, body.scratch), ") ", bodyOf(plan, body.lines));
  }
  return text;
}

namespace {

Source emitForm(const Plan& plan, const Gpu& gpu) {
  switch (plan.schedule.form) {
    case Form::Flat:
      return emitFlat(plan, gpu);
    case Form::Lanes:
    case Form::Block:
    case Form::Shared:
    case Form::Cluster:
      return emitRows(plan, gpu);
    case Form::Split:
      return emitSplit(plan, gpu);
    case Form::Columns:
      return emitColumns(plan, gpu);
    case Form::Tiles:
      return emitTiles(plan, gpu);
  }
  TORCH_INTERNAL_ASSERT(false, "a form without an emitter");
}

}  // namespace

Source emit(const Problem& problem, const Schedule& schedule, const Gpu& gpu) {
  const Plan plan(problem, schedule);
  Source source = emitForm(plan, gpu);
  source.overwritten = plan.overwritten;
  return source;
}

}  // namespace kadvise::rowprogram
