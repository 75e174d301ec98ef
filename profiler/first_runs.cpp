#include "profiler/first_runs.h"

#include <algorithm>

#include "profiler/attributes.h"
#include "profiler/equivalence.h"
#include "profiler/failure.h"
#include "profiler/forked.h"
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

// The same shapes and whole numbers, with other fractions.
Values otherInputs(const Values& batch) {
  return mapTensors(cloneOf(batch),
                    [](const at::Tensor& t) { return t.is_floating_point() ? t * -0.5 + 0.25 : t; });
}

using Dictionary = c10::impl::GenericDict;

bool holdTheSame(const Dictionary& a, const Dictionary& b) {
  auto one = leavesOf(a, ""), other = leavesOf(b, "");
  if (structureOf(a) != structureOf(b) || one.size() != other.size()) return false;
  for (std::size_t i = 0; i < one.size(); ++i) {
    const c10::IValue &x = one[i].value, &y = other[i].value;
    bool areTensors = x.isTensor() && y.isTensor() && x.toTensor().defined() && y.toTensor().defined();
    if (areTensors ? !sameBits(x.toTensor(), y.toTensor()) : describe(x) != describe(y)) return false;
  }
  return true;
}

// Of dictionaries that the first call filled, the first in which a call with other inputs puts something
// else.
std::optional<std::string> filledByInputs(Module& module, const std::vector<std::string>& filled,
                                          const Values& batch) {
  if (filled.empty()) return std::nullopt;
  std::vector<Dictionary> first;
  for (auto& name : filled) {
    Dictionary dictionary = attributeOf(module, name).toGenericDict();
    first.push_back(dictionary.copy());
    dictionary.clear();
  }
  try {
    forward(module, otherInputs(batch));
  } catch (const std::exception&) {  // it may refuse such inputs
    return filled.front();
  }
  for (std::size_t i = 0; i < filled.size(); ++i)
    if (!holdTheSame(first[i], attributeOf(module, filled[i]).toGenericDict())) return filled[i];
  return std::nullopt;
}

// Its name, where the call changes what cannot be put back and is no cache that inputs have no part in.
std::optional<std::string> learnFrom(Module& module, const Values& batch, const Device& device,
                                     OwnState& state, Settled& times) {
  const ModuleState was(module);
  const Remembered kept(module);
  const auto empty = emptyDictionaries(module);
  c10::IValue output = timedCall(module, batch, device, times);
  std::vector<std::string> names, filled;
  for (auto& name : writtenSince(kept, was, module)) {
    if (kept.has(name)) names.push_back(name);
    else if (std::count(empty.begin(), empty.end(), name)) filled.push_back(name);
    else return name;
  }
  state = kept.stateOf(names);
  state.filledOnce = filled;
  state.outputs = output.isTuple() ? output.toTupleRef().elements().size() : 1;
  auto byInputs = filledByInputs(module, filled, batch);
  kept.putBack(names);
  return byInputs;
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

bool hasFilled(const Module& module, const std::string& name) {
  return isDictionary(module, name) && !attributeOf(module, name).toGenericDict().empty();
}

std::optional<Ending> endingOfCandidate(Module& module, const Module& original, const Values& batch,
                                        const Device& device, const OwnState& state, Settled& times) {
  if (auto name = missingIn(module, state.asLoaded); !name.empty())
    return Ending{Outcome::WrongOutput,
                  "the candidate has no " + name + " of its own, which the original writes"};
  const ModuleState was(module);
  const auto empty = emptyDictionaries(module);
  const ProcessState process(device);
  runWith(state.asLoaded, kSettlingRuns, module, batch, device, times);
  if (auto changed = was.changedIn(ModuleState(module))) {
    // Keeping what the original keeps is no fault, but what its first call gives was not compared.
    bool isCache = std::count(empty.begin(), empty.end(), *changed) && hasFilled(original, *changed);
    if (isCache) return Ending{Outcome::NotRun, undecidedFor(*changed)};
    return Ending{Outcome::WrongOutput,
                  "the candidate changes its own " + *changed + " when it runs, the original does not"};
  }
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

Settled settleCandidate(Module& module, const Module& original, const Values& batch, const Device& device,
                        const OwnState& state) {
  return settled("the candidate", [&](Settled& times) {
    return endingOfCandidate(module, original, batch, device, state, times);
  });
}

}  // namespace kadvise
