// The user's module, loaded and brought to normal form, with the user's own names for everything in it.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "analyzer/core/types.h"
#include "analyzer/graph/exported_guards.h"
#include "analyzer/graph/file_tensors.h"
#include "analyzer/graph/torch.h"

namespace kadvise::graph {

// What a node was in the user's program. The id is the node's position in the normal form; it survives save
// and load as the node's source range ("node", id), see nodeId().
struct NodeInfo {
  int id = 0;
  std::string op;
  Location where;                 // the user's line, and the module path as scope
  torch::jit::SourceRange range;  // as loaded, put back when the optimised module is written
};

struct Subject {
  torch::jit::Module
      original;               // frozen with parameters kept, forward as the user wrote it: the truth in fp64
  torch::jit::Module module;  // the same with forward in normal form
  std::string format;         // "scripted", "traced" or "exported"
  std::optional<torch::jit::Module>
      converted;                           // of an exported program: what runs in its place, weights included
  std::vector<c10::IValue> samples;        // the arguments that an exported program brings along, else empty
  std::vector<SizeGuard> guards;           // of an exported program
  std::vector<std::string> guessedInputs;  // where there are no samples, see guess_inputs.h
  std::string
      savedDevice;  // where the file says its weights belong: "cpu" or "cuda:0"; here all are on the CPU
  bool hasTensors = true;                             // as attributes, else savedDevice says nothing
  FileTensors fileTensors;                            // where all of them lie on savedDevice, else none
  std::vector<NodeInfo> nodes;                        // by id
  std::vector<torch::jit::SourceRange> unsafePieces;  // as loaded, see unsafe_pieces.h
  std::vector<std::string> notes;
  std::map<std::string, std::string>
      classes;  // module path -> the user's class, "BertLayer"; "" is the module itself
  std::size_t parameters = 0, parameterBytes = 0;

  std::shared_ptr<torch::jit::Graph> graph() const { return module.get_method("forward").graph(); }
};

// Loads a TorchScript module or an exported program onto the CPU. Throws Error with one sentence: not such an
// archive, damaged, an operator that nobody registered (naming it), no forward, not in a state that can be
// analysed.
Subject loadSubject(const std::string& path);

// The id written into the node's source range, or -1 for a node without one.
int nodeId(const torch::jit::Node*);
void setNodeId(torch::jit::Node*, int id);

// A node that a replacement brought may have an id as well (made_nodes.h), and is still none of the user's.
void setMadeId(torch::jit::Node*, int id);
bool isMade(const torch::jit::Node*);
// One that kadvise put in, with an id or without.
inline bool isInserted(const torch::jit::Node* n) { return nodeId(n) < 0 || isMade(n); }

// A node in front of another one, with one result and no id: it is not a node of the user's.
torch::jit::Value* insertedBefore(torch::jit::Node* before, c10::Symbol,
                                  at::ArrayRef<torch::jit::Value*> inputs,
                                  const c10::TypePtr& = c10::TensorType::get());

// LibTorch's half for the device, "cpu" or "cuda:0": false where it is not there. LibTorch asks once whether
// it is, in the first norm that it runs, say, and keeps the answer; so it is loaded with the file. It costs a
// tenth of a second and 350 MiB.
bool loadHalfFor(const std::string& device);

// The user's line and module path of a node; unknown for one that kadvise made.
Location locate(const torch::jit::Node*, const std::vector<NodeInfo>&);

// "17.0": output 0 of node 17; "in.1": the second input after self. "" where there is no name.
std::string valueId(const torch::jit::Value*);

// The name under which kadvise-measure has seen the value: its id, or for lists and tuples, whose nodes have
// no line of their own in a saved module, the place of an operand: "17:1" is the second operand of node 17.
std::string traceName(const torch::jit::Value*);

}  // namespace kadvise::graph
