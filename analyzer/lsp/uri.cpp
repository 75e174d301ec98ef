#include "analyzer/lsp/uri.h"

#include <cctype>

namespace kadvise::lsp {
namespace {

int digitOf(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  c = static_cast<char>(c | 0x20);
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool isPlain(unsigned char c) {
  return c < 0x80 && (std::isalnum(c) || std::string_view("/-._~").find(static_cast<char>(c)) < 6);
}

}  // namespace

std::filesystem::path pathOf(const std::string& uri) {
  constexpr std::string_view kScheme = "file://";
  if (uri.rfind(kScheme, 0) != 0) return {};
  auto slash = uri.find('/', kScheme.size());  // behind an authority, which is "" or this machine
  if (slash == std::string::npos) return {};
  std::string out;
  for (std::size_t i = slash; i < uri.size(); ++i) {
    if (uri[i] == '?' || uri[i] == '#') break;
    bool isCoded =
        uri[i] == '%' && i + 2 < uri.size() && digitOf(uri[i + 1]) >= 0 && digitOf(uri[i + 2]) >= 0;
    if (isCoded) out += static_cast<char>(digitOf(uri[i + 1]) * 16 + digitOf(uri[i + 2])), i += 2;
    else out += uri[i];
  }
  if (out.find('\0') != std::string::npos) return {};
  return std::filesystem::path(out).lexically_normal();
}

std::string uriOf(const std::filesystem::path& path) {
  constexpr const char* kDigits = "0123456789ABCDEF";
  std::string out = "file://";
  for (unsigned char c : std::filesystem::absolute(path).lexically_normal().string()) {
    if (isPlain(c)) out += static_cast<char>(c);
    else out += '%', out += kDigits[c >> 4], out += kDigits[c & 15];
  }
  return out;
}

}  // namespace kadvise::lsp
