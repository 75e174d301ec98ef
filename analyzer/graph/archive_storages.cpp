#include "analyzer/graph/archive_storages.h"

#include <algorithm>
#include <sstream>
#include <unordered_map>

#include "analyzer/core/error.h"

namespace kadvise::graph {
namespace {

constexpr char kProtocol = 2;
constexpr std::size_t kStorageFields = 5;  // "storage", its dtype's class, key, device, number of elements

// What a storage is named with; whatever else is on the pickle's stack is nothing here.
struct Atom {
  enum class Kind { Other, Text, Number } kind = Kind::Other;
  std::string_view text;
  std::int64_t number = 0;
};

struct Unreadable {};

// 0 for a class that is no storage.
std::size_t itemBytes(std::string_view storageClass) {
#define KADVISE_STORAGE(_, name) \
  if (storageClass == #name "Storage") return c10::elementSize(c10::ScalarType::name);
  AT_FORALL_SCALAR_TYPES_WITH_COMPLEX_AND_QINTS(KADVISE_STORAGE)
#undef KADVISE_STORAGE
  return storageClass == "UntypedStorage" ? 1 : 0;
}

class Walker {
 public:
  explicit Walker(std::string_view pickle) : rest_(pickle) {}

  std::vector<DeclaredStorage> walk() {
    while (true) {
      auto code = static_cast<unsigned char>(take(1)[0]);
      if (code == '.') return std::move(found_);
      step(code);
    }
  }

 private:
  std::string_view take(std::uint64_t count) {
    if (count > rest_.size()) throw Unreadable{};
    auto out = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return out;
  }

  std::string_view line() {
    auto end = rest_.find('\n');
    if (end == std::string_view::npos) throw Unreadable{};
    auto out = take(end);
    take(1);
    return out;
  }

  // Numbers are little-endian.
  std::uint64_t unsignedNumber(std::size_t width) {
    auto bytes = take(width);
    std::uint64_t out = 0;
    for (std::size_t i = 0; i < width; ++i)
      out |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
    return out;
  }

  std::int64_t signedNumber(std::size_t width) {
    if (width > 8) throw Unreadable{};
    if (width == 0) return 0;
    auto shift = 64 - 8 * width;
    return static_cast<std::int64_t>(unsignedNumber(width) << shift) >> shift;
  }

  void push(Atom atom) {
    if (isOpen_) fields_.push_back(atom);
    top_ = atom;
  }
  void pushNumber(std::int64_t number) { push({Atom::Kind::Number, {}, number}); }
  void pushText(std::string_view text) { push({Atom::Kind::Text, text, 0}); }

  // Anything that a storage is not named with.
  void other() {
    top_ = {};
    isOpen_ = isTuple_ = false;
  }

  void mark() {
    other();
    fields_.clear();
    isOpen_ = true;
  }

  void tuple() {
    bool whole = isOpen_;
    other();
    isTuple_ = whole;
  }

  void remember(std::uint64_t index) { memo_[index] = top_; }
  void recall(std::uint64_t index) {
    auto known = memo_.find(index);
    push(known == memo_.end() ? Atom{} : known->second);
  }

  void storage() {
    bool named = isTuple_ && fields_.size() == kStorageFields && fields_[0].text == "storage" &&
                 fields_[1].kind == Atom::Kind::Text && fields_[2].kind == Atom::Kind::Text &&
                 fields_[4].kind == Atom::Kind::Number;
    if (!named) throw Unreadable{};
    auto item = itemBytes(fields_[1].text);
    std::uint64_t bytes = 0;
    if (item == 0 || fields_[4].number < 0 ||
        __builtin_mul_overflow(static_cast<std::uint64_t>(fields_[4].number), item, &bytes))
      throw Unreadable{};
    found_.push_back({std::string(fields_[2].text), bytes, std::string(fields_[3].text)});
    other();
  }

  // A tuple that a storage is named by may be remembered; what else comes between it and its use unmakes it.
  void step(unsigned char code) {
    bool keepsTuple = code == 'q' || code == 'r' || code == 'Q';
    if (!keepsTuple) isTuple_ = false;
    if (!atom(code) && !structure(code)) throw Unreadable{};
  }

  bool atom(unsigned char code) {
    switch (code) {
      case 'K':
        return pushNumber(static_cast<std::int64_t>(unsignedNumber(1))), true;
      case 'M':
        return pushNumber(static_cast<std::int64_t>(unsignedNumber(2))), true;
      case 'J':
        return pushNumber(signedNumber(4)), true;
      case 0x8a:
        return pushNumber(signedNumber(unsignedNumber(1))), true;
      case 'X':
        return pushText(take(unsignedNumber(4))), true;
      case 'c': {
        auto module = line(), name = line();
        return module == "torch" ? pushText(name) : push({}), true;
      }
      case 'h':
        return recall(unsignedNumber(1)), true;
      case 'j':
        return recall(unsignedNumber(4)), true;
      case 'q':
        return remember(unsignedNumber(1)), true;
      case 'r':
        return remember(unsignedNumber(4)), true;
      case '(':
        return mark(), true;
      case 't':
        return tuple(), true;
      case 'Q':
        return storage(), true;
      default:
        return false;
    }
  }

  bool structure(unsigned char code) {
    constexpr std::string_view kOnStack = ")]}NaeldusbR0\x81\x85\x86\x87\x88\x89";
    if (code == 0x80 && take(1)[0] != kProtocol) throw Unreadable{};
    if (code == 'G') take(8);
    else if (code != 0x80 && kOnStack.find(static_cast<char>(code)) == std::string_view::npos) return false;
    other();
    return true;
  }

  std::string_view rest_;
  std::vector<Atom> fields_;
  bool isOpen_ = false, isTuple_ = false;  // fields_ is being filled; is the tuple on top of the stack
  Atom top_;
  std::unordered_map<std::uint64_t, Atom> memo_;
  std::vector<DeclaredStorage> found_;
};

using Reader = caffe2::serialize::PyTorchStreamReader;

constexpr const char* kFolders[] = {"data", "constants"};  // each with its pickle beside it

// None where there is no such pickle; nullopt where it cannot be read.
std::optional<std::vector<DeclaredStorage>> declaredIn(Reader& reader, const std::string& folder) {
  auto pickle = folder + ".pkl";
  if (!reader.hasRecord(pickle)) return std::vector<DeclaredStorage>();
  auto [bytes, count] = reader.getRecord(pickle);
  return declaredStorages({static_cast<const char*>(bytes.get()), count});
}

}  // namespace

std::optional<std::vector<DeclaredStorage>> declaredStorages(std::string_view pickle) {
  try {
    return Walker(pickle).walk();
  } catch (const Unreadable&) {
    return std::nullopt;
  }
}

void requireWholeRecords(const std::string& path, Reader& reader) {
  for (std::string folder : kFolders) {
    auto declared = declaredIn(reader, folder);
    if (!declared) throw Error(path, "is damaged: its structure (" + folder + ".pkl) cannot be read");
    for (auto& storage : *declared) {
      if (storage.device == "meta" && storage.bytes > 0)
        throw Error(path,
                    "holds tensors of the meta device, which have sizes and no values; give the module its "
                    "weights (to_empty() and load_state_dict) before you save it");
      auto record = folder + "/" + storage.key;
      auto holds = reader.hasRecord(record) ? reader.getRecordSize(record) : 0;
      if (holds < storage.bytes)
        throw Error(path, "is damaged: its entry " + record + " holds " + std::to_string(holds) + " of " +
                              std::to_string(storage.bytes) + " bytes; copy or save the file again");
    }
  }
}

void requireWholeRecords(const std::string& path, const std::string& pickled) {
  std::istringstream bytes(pickled);
  Reader reader(&bytes);
  requireWholeRecords(path, reader);
}

LiesThere whatLiesOn(const std::string& path, const std::string& device) {
  Reader reader(path);
  bool all = true, anyConstant = false, numbersTellThemApart = true;
  for (std::string folder : kFolders) {
    auto declared = declaredIn(reader, folder);
    if (!declared) return LiesThere::Others;
    for (auto& storage : *declared) {
      bool isThere = storage.device == device, isConstant = folder == "constants";
      if (!isThere && (storage.device != "cpu" || !isConstant)) return LiesThere::Others;
      if (!isThere) all = false;
      if (!isConstant) continue;
      if (isThere) anyConstant = true;
      if (isThere == (storage.bytes <= kBytesOfNumber)) numbersTellThemApart = false;
    }
  }
  if (all) return LiesThere::All;
  if (!anyConstant) return LiesThere::AllButConstants;
  return numbersTellThemApart ? LiesThere::AllButNumbers : LiesThere::Others;
}

}  // namespace kadvise::graph
