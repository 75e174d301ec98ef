#include "analyzer/lsp/framing.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "analyzer/core/error.h"
#include "analyzer/core/foreign_json.h"
#include "analyzer/lsp/surrogates.h"

namespace kadvise::lsp {
namespace {

constexpr std::size_t kMostHeaderBytes = 4096;
constexpr std::size_t kMostBodyBytes = 64u << 20;
constexpr std::size_t kMostSkippedBytes = std::size_t{1} << 30;  // more nobody sends: the header is wrong
constexpr std::string_view kLength = "content-length:";

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::size_t findLast(std::string_view text, std::string_view wanted) {
  auto same = [](char a, char b) { return lower(a) == b; };
  auto at = std::find_end(text.begin(), text.end(), wanted.begin(), wanted.end(), same);
  return at == text.end() ? std::string_view::npos : static_cast<std::size_t>(at - text.begin());
}

// Of a block of headers; none where no length is in it.
std::optional<std::size_t> lengthIn(std::string_view headers) {
  auto at = findLast(headers, kLength);
  if (at == std::string_view::npos) return std::nullopt;
  at = headers.find_first_not_of(" \t", at + kLength.size());
  if (at == std::string_view::npos) return std::nullopt;
  std::size_t out = 0;
  auto [end, error] = std::from_chars(headers.data() + at, headers.data() + headers.size(), out);
  if (error == std::errc::result_out_of_range) return std::numeric_limits<std::size_t>::max();
  if (error != std::errc{}) return std::nullopt;
  return out;
}

}  // namespace

// Bytes that go on and on without an empty line hold no header; the end of them may be the beginning of one.
std::optional<Frame> Framing::skipGarbage() {
  if (buffer_.size() <= kMostHeaderBytes) return std::nullopt;
  auto at = findLast(buffer_, kLength);
  bool isAhead = at != std::string::npos && at > 0;
  buffer_.erase(0, isAhead ? at : buffer_.size() - kLength.size());
  return Frame{"", "there is no header in this", false};
}

std::optional<Frame> Framing::next() {
  bool wasLost = isLost_;
  while (auto frame = nextOf()) {
    if (frame->fault.empty()) isLost_ = false;
    if (frame->fault.empty() || !wasLost) return frame;
  }
  return std::nullopt;
}

std::optional<Frame> Framing::nextOf() {
  if (toSkip_ > 0) {
    auto skipped = std::min(toSkip_, buffer_.size());
    buffer_.erase(0, skipped), toSkip_ -= skipped;
    if (toSkip_ > 0) return std::nullopt;
  }
  auto end = buffer_.find("\r\n\r\n");
  std::size_t behind = 4;
  // Only ahead of that: a long body that is still coming would be searched again with each piece of it.
  auto bare = std::string_view(buffer_).substr(0, end).find("\n\n");
  if (bare != std::string_view::npos) end = bare, behind = 2;
  if (end == std::string::npos) return skipGarbage();
  auto length = lengthIn(std::string_view(buffer_).substr(0, end));
  if (!length) {
    buffer_.erase(0, end + behind);
    return Frame{"", "a header without Content-Length", false};
  }
  if (*length > kMostBodyBytes) {
    buffer_.erase(0, end + behind);
    if (*length > kMostSkippedBytes) isLost_ = true;
    else toSkip_ = *length;
    return Frame{"", "a message of " + std::to_string(*length) + " bytes is too long", true};
  }
  if (buffer_.size() - end - behind < *length) return std::nullopt;
  Frame out{buffer_.substr(end + behind, *length), "", false};
  buffer_.erase(0, end + behind + *length);
  return out;
}

std::string framed(const Json& message) {
  std::string body = message.dump(-1, ' ', false, Json::error_handler_t::replace);
  return "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

Json parseMessage(const std::string& body) {
  if (isNestedTooDeeply(body)) throw Error("", "the message is nested too deeply");
  Json out = Json::parse(withoutLoneSurrogates(body), nullptr, false);
  if (out.is_discarded()) throw Error("", "the message is no JSON");
  return out;
}

}  // namespace kadvise::lsp
