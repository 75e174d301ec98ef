// LibTorch's alias analysis, made precise where containers defeat it, and sound where it trusts too much.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "analyzer/graph/torch.h"

namespace kadvise::graph {

// Whether it assigns an attribute of the module, and not of what forward itself makes, such as
// torch.no_grad().
bool assignsOwnAttribute(const torch::jit::Node*);

// Whether the graph assigns the attribute that this value is read from: two reads of it may be two values,
// and what it holds when the module is loaded is no constant.
bool isAssigned(const torch::jit::Value*);

// A tensor that passes through a list or a dictionary may be any tensor to jit::AliasDb, so that one write in
// place anywhere makes half of a detection model "written". Here a write is followed to the allocation that
// it changes, and two values in different allocations are told apart.
class Aliases : public torch::jit::AliasDb {
 public:
  // module: whose attributes the graph reads, to tell their memories apart; may be nullptr.
  Aliases(const std::shared_ptr<torch::jit::Graph>&, bool isFrozen, const torch::jit::Module* module);

  // True where something in the graph may write to the value's memory. Hides the coarser answer of the base
  // class.
  bool hasWriters(const torch::jit::Value*) const;

  // The same, but for writes that are over when the node first runs: a batch is filled image by image, then
  // only read.
  bool hasWritersFrom(const torch::jit::Value*, const torch::jit::Node* first) const;
  // Those in `but` do not count.
  bool hasWritersUntil(const torch::jit::Value*, const torch::jit::Node* last,
                       const std::set<const torch::jit::Node*>& but) const;

  // Of such writes, where none is known to reach this value: the memory that one of them does write, which
  // may be the value's, a buffer given as an input, say. nullptr where one reaches it, or anything at all.
  const torch::jit::Value* otherWrittenFrom(const torch::jit::Value*, const torch::jit::Node* first) const;

  // Says of a value that was made since that it is in the old one's place, so that questions about it, and
  // about views of it, are answered as before.
  void standIn(const torch::jit::Value* made, const torch::jit::Value* old);

 private:
  struct Write {
    const torch::jit::Node* node;
    const torch::jit::Value* allocation;  // what the written value is a view of; nullptr: anything
    bool isOwn;                           // made by forward, and no container has held a view of it
    const void* storage = nullptr;        // of an attribute, where it is known
  };
  template <class Counts>
  bool anyWrite(const torch::jit::Value*, const Counts&) const;
  template <class Counts>
  bool findWrite(const torch::jit::Value*, const Counts&) const;
  static bool isOverlooked(const torch::jit::Value* allocation, const Write&);
  bool mayShare(const torch::jit::Value* allocation, const void* storage, const Write&) const;
  const void* storageOf(const torch::jit::Value* attribute) const;

  const torch::jit::Value* originalOf(const torch::jit::Value*) const;
  const torch::jit::Value* allocationOf(const torch::jit::Value*) const;

  std::vector<Write> writes_;
  std::unordered_map<const torch::jit::Value*, const torch::jit::Value*> standsFor_;
  std::set<std::string> assigned_;  // names of attributes
  const torch::jit::Module* module_;
};

// The argument whose memory the value is or may be a view of; nullptr where there is none, or none is known.
const torch::jit::Value* mayView(const torch::jit::Value*);

// The node that makes the value makes its memory too, whatever its inputs are.
bool isFresh(const torch::jit::Value*);

// Nobody can get at the memory through the value but by the views that the schemas name: not out of a list
// that is handed on, a block or a call, nor as a result.
bool isOwn(const torch::jit::Value*);

// Of the graph as it is now: a change of the graph may make it wrong. Parameters that the module only reads
// are known not to alias anything; where one of them is written to, two reads of one attribute must count as
// the same memory.
std::unique_ptr<Aliases> aliasesOf(const std::shared_ptr<torch::jit::Graph>&,
                                   const torch::jit::Module* = nullptr);

}  // namespace kadvise::graph
