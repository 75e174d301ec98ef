#include "reports/sarif_words.h"

#include <string_view>

namespace kadvise {
namespace {

constexpr const char* kSourceRoot = "%SRCROOT%";

}  // namespace

const char* sarifLevel(Severity severity) {
  if (severity == Severity::Error) return "error";
  return severity == Severity::Warning ? "warning" : "note";
}

std::string sarifAddress(const std::string& path) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/";
  constexpr const char* kHex = "0123456789ABCDEF";
  std::string out = path.starts_with("/") ? "file://" : "";
  for (char c : path) {
    auto byte = static_cast<unsigned char>(c);
    if (kPlain.find(c) != std::string_view::npos) out += c;
    else ((out += '%') += kHex[byte >> 4]) += kHex[byte & 15];
  }
  return out;
}

Json sarifArtifact(const std::string& path) {
  bool isRelative = !path.empty() && path[0] != '/';
  Json out = {{"uri", sarifAddress(path)}};
  if (isRelative) out["uriBaseId"] = kSourceRoot;
  return out;
}

Json sarifBases() { return {{kSourceRoot, {{"description", {{"text", "the folder that kadvise ran in"}}}}}}; }

}  // namespace kadvise
