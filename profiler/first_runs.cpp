#include "profiler/first_runs.h"

#include <algorithm>

#include "profiler/equivalence.h"
#include "profiler/failure.h"
#include "profiler/residue.h"
#include "profiler/values.h"
#include "profiler/warm_up.h"

namespace kadvise {
namespace {

using torch::jit::Module;

c10::IValue timedCall(Module& module, const Values& batch, const Device& device, Settled& times) {
  Values inputs = cloneOf(batch);
  double startUs = steadyUs();
  c10::IValue output = forward(module, inputs);
  synchronize(device);
  double ms = (steadyUs() - startUs) / 1000;
  if (times.allMs == 0) times.firstCallMs = ms;
  times.allMs += ms;
  return output;
}

void runWith(const Attributes& state, int runs, Module& module, const Values& batch, const Device& device,
             Settled& times) {
  for (int i = 0; i < runs; ++i) {
    const WithState own(module, state);
    timedCall(module, batch, device, times);
  }
}

// What can be written, by the graph or by its contents, and what was written with what it held before.
std::vector<std::string> writtenSince(const Remembered& kept, const ModuleState& was, const Module& module) {
  auto names = kept.writable();
  for (auto& name : was.changesIn(ModuleState(module)))
    if (!std::count(names.begin(), names.end(), name)) names.push_back(name);
  return names;
}

bool isAmong(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Its name, where the call changes what cannot be put back, and does not fill it for all calls.
std::optional<std::string> learnFrom(Module& module, const Values& batch, const Device& device,
                                     OwnState& state, Settled& times) {
  const ModuleState was(module);
  const Remembered kept(module);
  const auto empty = emptyDictionaries(module);
  c10::IValue output = timedCall(module, batch, device, times);
  auto names = writtenSince(kept, was, module);
  std::vector<std::string> filled;
  for (auto& name : names)
    if (!kept.has(name) && isAmong(empty, name)) filled.push_back(name);
    else if (!kept.has(name)) return name;
  std::erase_if(names, [&](const std::string& name) { return isAmong(filled, name); });
  state = kept.stateOf(names);
  state.filledOnce = filled;
  state.emptyAfter = emptyDictionaries(module);
  state.outputs = output.isTuple() ? output.toTupleRef().elements().size() : 1;
  kept.putBack(names);
  return std::nullopt;
}

std::optional<Ending> endingOfOriginal(Module& module, const Values& batch, const Device& device,
                                       OwnState& state, Settled& times) {
  auto changed = learnFrom(module, batch, device, state, times);
  if (!changed) {
    const ModuleState was(module);
    runWith(state.asLoaded, kSettlingRuns - 1, module, batch, device, times);
    changed = was.changedIn(ModuleState(module));
  }
  if (!changed) return std::nullopt;
  return Ending{Outcome::NotRun, undecidedFor(*changed)};
}

std::optional<Ending> endingOfCandidate(Module& module, const Values& batch, const Device& device,
                                        const OwnState& state, Settled& times) {
  if (auto name = missingIn(module, state.asLoaded); !name.empty())
    return Ending{Outcome::WrongOutput,
                  "the candidate has no " + name + " of its own, which the original writes"};
  const ModuleState asLoaded(module);
  const auto empty = emptyDictionaries(module);
  const ProcessState process(device);
  runWith(state.asLoaded, 1, module, batch, device, times);
  const ModuleState was(module);
  auto changed = asLoaded.changesIn(was);
  std::erase_if(changed, [&](const std::string& name) {
    return isAmong(empty, name) && !isAmong(state.emptyAfter, name);  // as the original does, or did before
  });
  runWith(state.asLoaded, kSettlingRuns - 1, module, batch, device, times);
  if (changed.empty()) changed = was.changesIn(ModuleState(module));
  if (!changed.empty())
    return Ending{Outcome::WrongOutput, "the candidate changes its own " + changed.front() +
                                            " when it runs, the original does not"};
  if (auto changed = process.changedIn(ProcessState(device)))
    return Ending{Outcome::WrongOutput, "the candidate changes " + *changed + ", which outlives the call"};
  return std::nullopt;
}

template <class Runs>
Settled settled(const char* who, Runs runs) {
  Settled out;
  try {
    out.ending = runs(out);
  } catch (const std::exception& e) {
    out.ending = Ending{Outcome::Failed, std::string(who) + " fails: " + reasonOf(e)};
  }
  return out;
}

}  // namespace

Settled settleOriginal(Module& module, const Values& batch, const Device& device, OwnState& state) {
  return settled("the original",
                 [&](Settled& times) { return endingOfOriginal(module, batch, device, state, times); });
}

Settled settleCandidate(Module& module, const Values& batch, const Device& device, const OwnState& state) {
  return settled("the candidate",
                 [&](Settled& times) { return endingOfCandidate(module, batch, device, state, times); });
}

}  // namespace kadvise
