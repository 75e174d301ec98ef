#include "profiler/own_state.h"

#include <algorithm>

#include "profiler/attributes.h"
#include "profiler/inputs.h"
#include "profiler/values.h"
#include "profiler/writable_attributes.h"

namespace kadvise {
namespace {

using c10::IValue;
using torch::jit::Module;

constexpr std::size_t kMostBytes = std::size_t{1} << 30;

struct Slot {
  std::string name;
  IValue value;
  bool isParameter;
};

void addSlots(const c10::intrusive_ptr<c10::ivalue::Object>& object, const std::string& prefix,
              std::vector<Slot>& out) {
  const auto& type = object->type();
  for (std::size_t i = 0; i < type->numAttributes(); ++i) {
    const IValue& value = object->getSlot(i);
    std::string name = prefix + type->getAttributeName(i);
    if (value.isModule()) addSlots(value.toObject(), name + ".", out);
    else out.push_back({name, value, type->is_parameter(i)});
  }
}

bool isTensor(const IValue& v) { return v.isTensor() && v.toTensor().defined(); }

bool isPlain(const IValue& v) {
  return v.isNone() || v.isInt() || v.isDouble() || v.isBool() || v.isString() || v.isIntList() ||
         v.isDoubleList() || v.isBoolList();
}

const void* memoryOf(const IValue& v) {
  return isTensor(v) && v.toTensor().has_storage() ? v.toTensor().storage().data() : nullptr;
}

IValue copyOf(const IValue& v) { return isTensor(v) ? IValue(cloneOf(v.toTensor())) : v.deepcopy(); }

bool isSame(const IValue& a, const IValue& b) {
  if (isTensor(a) != isTensor(b)) return false;
  return isTensor(a) ? sameBits(a.toTensor(), b.toTensor()) : isPlain(b) && describe(a) == describe(b);
}

}  // namespace

std::string OwnState::named(std::string text) const {
  for (std::size_t i = 0; i < asLoaded.size(); ++i) {
    std::string place = "output " + std::to_string(outputs) + "[" + std::to_string(i) + "]";
    std::string words = "its own " + asLoaded[i].first;
    for (auto at = text.find(place); at != std::string::npos; at = text.find(place, at + words.size()))
      text.replace(at, place.size(), words);
  }
  return text;
}

Attributes OwnState::changing() const {
  Attributes out;
  for (std::size_t i = 0; i < asLoaded.size(); ++i)
    if (!isSame(asLoaded[i].second, afterACall[i].second)) out.push_back(asLoaded[i]);
  return out;
}

void OwnState::leaveOutUnwritten(const Module& module) {
  const Attributes changed = changing();
  for (std::string name = missingIn(module, asLoaded); !name.empty(); name = missingIn(module, asLoaded)) {
    auto isIt = [&](const auto& attribute) { return attribute.first == name; };
    if (std::any_of(changed.begin(), changed.end(), isIt)) return;
    std::erase_if(asLoaded, isIt);
    std::erase_if(afterACall, isIt);
  }
}

std::string OwnState::note() const {
  if (!empty())
    return "what the module keeps from call to call is compared, too, after calls that begin with it as "
           "loaded and as one call leaves it";
  if (filledOnce.empty()) return "";
  std::size_t others = filledOnce.size() - 1;
  return "the first call of the original fills its own " + filledOnce.front() +
         (others == 0 ? "" : " and " + std::to_string(others) + " more") + "; calls after it are compared";
}

std::string undecidedFor(const std::string& attribute) {
  return "the module changes its own " + attribute + " when it runs; equality of such modules is not decided";
}

std::string missingIn(const Module& module, const Attributes& state) {
  std::vector<Slot> slots;
  addSlots(module._ivalue(), "", slots);
  for (const auto& [name, value] : state)
    if (std::none_of(slots.begin(), slots.end(), [&](const Slot& s) { return s.name == name; })) return name;
  return "";
}

Attributes widened(const Attributes& state) {
  Attributes out = state;
  for (auto& [name, value] : out) value = toDouble(value);
  return out;
}

WithState::WithState(Module module, const Attributes& state) : module_(std::move(module)) {
  Attributes copies;  // all of them first: there may be no memory for one
  for (const auto& [name, value] : state) {
    own_.emplace_back(name, attributeOf(module_, name));
    copies.emplace_back(name, copyOf(value));
  }
  for (const auto& [name, value] : copies) setAttribute(module_, name, value);
}

WithState::~WithState() {
  for (const auto& [name, value] : own_) setAttribute(module_, name, value);
}

IValue WithState::behind(const IValue& output) const {
  if (own_.empty()) return output;
  std::vector<IValue> all{output}, now;
  if (output.isTuple()) all = output.toTupleRef().elements().vec();
  for (const auto& [name, value] : own_) now.push_back(attributeOf(module_, name));
  all.push_back(c10::ivalue::Tuple::create(std::move(now)));
  return c10::ivalue::Tuple::create(std::move(all));
}

Attributes rememberable(const Module& module) {
  const WritableAttributes writable(module);
  std::vector<Slot> slots;
  addSlots(module._ivalue(), "", slots);
  std::map<const void*, int> names;  // of each memory
  for (const Slot& s : slots)
    for (const Leaf& leaf : leavesOf(s.value, "")) ++names[memoryOf(leaf.value)];
  Attributes out;
  std::size_t bytes = 0;
  for (const Slot& s : slots) {
    if (writable.of(s.name) == Writes::None) continue;
    if (isPlain(s.value)) out.emplace_back(s.name, s.value);
    if (!isTensor(s.value) || s.isParameter) continue;
    const at::Tensor& t = s.value.toTensor();
    const void* memory = memoryOf(s.value);
    bool isAlone = t.layout() == c10::kStrided && (!memory || names[memory] == 1);
    if (!isAlone || bytes + t.nbytes() > kMostBytes) continue;
    bytes += t.nbytes();
    out.emplace_back(s.name, s.value);
  }
  return out;
}

std::vector<std::string> emptyDictionaries(const Module& module) {
  std::vector<Slot> slots;
  addSlots(module._ivalue(), "", slots);
  std::vector<std::string> out;
  for (const Slot& s : slots)
    if (s.value.isGenericDict() && s.value.toGenericDict().empty()) out.push_back(s.name);
  return out;
}

bool isDictionary(const Module& module, const std::string& name) {
  return missingIn(module, {{name, {}}}).empty() && attributeOf(module, name).isGenericDict();
}

Remembered::Remembered(const Module& module) : module_(module) {
  for (const auto& [name, value] : rememberable(module)) {
    try {
      kept_.insert_or_assign(name, Kept{value, copyOf(value)});
    } catch (const c10::OutOfMemoryError&) {
      continue;  // a GPU may be nearly full of the module itself
    }
  }
}

std::vector<std::string> Remembered::writable() const {
  const WritableAttributes writable(module_);
  std::vector<std::string> out;
  for (const auto& [name, kept] : kept_) {
    IValue now = attributeOf(module_, name);
    bool isOther = isTensor(kept.held) && isTensor(now) && !now.toTensor().is_same(kept.held.toTensor());
    if (writable.of(name) == Writes::Declared || isOther || !isSame(kept.copy, now)) out.push_back(name);
  }
  return out;
}

OwnState Remembered::stateOf(const std::vector<std::string>& names) const {
  OwnState out;
  for (const auto& name : names) {
    out.asLoaded.emplace_back(name, kept_.at(name).copy);
    out.afterACall.emplace_back(name, copyOf(attributeOf(module_, name)));
  }
  return out;
}

void Remembered::putBack(const std::vector<std::string>& names) const {
  for (const auto& name : names) {
    const Kept& kept = kept_.at(name);
    if (!isTensor(kept.held)) {
      setAttribute(module_, name, copyOf(kept.copy));
      continue;
    }
    kept.held.toTensor().copy_(kept.copy.toTensor());
    setAttribute(module_, name, kept.held);
  }
}

}  // namespace kadvise
