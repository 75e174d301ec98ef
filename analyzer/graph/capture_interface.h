// What a captured part of forward is handed and hands out.
#pragma once

#include <optional>
#include <string>

#include "analyzer/graph/capture_pieces.h"
#include "analyzer/graph/capture_values.h"

namespace kadvise::graph {

// A node whose result cannot be handed out.
struct NotHandedOut {
  torch::jit::Node* node = nullptr;
  std::string reason;
};

// Fills in everything of a piece but its body.
std::optional<NotHandedOut> completePiece(CapturePiece&, const CaptureValues&, const Aliases&);

}  // namespace kadvise::graph
