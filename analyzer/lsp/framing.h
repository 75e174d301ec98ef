// Messages out of a stream of bytes: "Content-Length: N", an empty line, and N bytes of JSON. What is no such
// thing is skipped up to the next header, and said once.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "analyzer/core/json.h"

namespace kadvise::lsp {

struct Frame {
  std::string body;
  std::string fault;           // why there is no body; "" when there is one
  bool isLostMessage = false;  // there was one, and nobody knows what it said
};

class Framing {
 public:
  void feed(std::string_view bytes) { buffer_ += bytes; }
  // The next message, or fault; none until more bytes have come.
  std::optional<Frame> next();

 private:
  std::optional<Frame> nextOf();
  std::optional<Frame> skipGarbage();

  std::string buffer_;
  std::size_t toSkip_ = 0;  // of a body that is too long to be kept
  bool isLost_ = false;     // a length was absurd: what comes now may be anything, and is complained of once
};

std::string framed(const Json& message);

// Throws Error for what is no JSON, and for what is nested so deeply that walking through it would use up the
// stack.
Json parseMessage(const std::string& body);

}  // namespace kadvise::lsp
