#include <algorithm>
#include <cctype>
#include <map>

#include "analyzer/source/build_words.h"
#include "analyzer/source/compile_command.h"
#include "analyzer/source/macro_lines.h"

namespace kadvise::source {
namespace {

constexpr std::size_t kMostWords = 2000, kLongestNumber = 9, kLongestLine = 400;

bool isWordPart(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
bool isDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)); }

class Reader {
 public:
  explicit Reader(const std::string& text) : text_(text) {}

  std::vector<BuildWord> run() {
    takeNumbers();
    bool isLineStart = true;
    while (at_ < text_.size() && out_.size() < kMostWords) {
      if (isLineStart && depth_ == 0) takeLineStart();
      isLineStart = false;
      if (at_ >= text_.size()) break;
      char c = text_[at_];
      if (c == '\n') ++at_, isLineStart = true, endAssignment();
      else if (c == '#') at_ = std::min(text_.find('\n', at_), text_.size());
      else if (c == '"' || c == '\'') takeString("");
      else if (isWordPart(c)) takeName();
      else takeSign(c), ++at_;
    }
    return std::move(out_);
  }

 private:
  struct Block {
    std::size_t indent;
    bool isConditional;
  };
  // A pair of define_macros; what is no constant spoils it.
  struct Pair {
    int depth = 0;
    std::vector<std::string> parts;
    bool isSpoiled = false;
  };

  // "T_MAX = 1024", "B, T = 8, 4096"; of several the largest: small ones are for trying things out.
  void takeNumbers() {
    for (std::size_t at = 0; at < text_.size(); at = std::min(text_.find('\n', at), text_.size() - 1) + 1) {
      std::string line = text_.substr(at, std::min(text_.find_first_of("\n#", at), text_.size()) - at);
      auto equals = line.find('=');
      if (equals == std::string::npos || line.size() > kLongestLine) continue;
      auto names = listed(line.substr(0, equals)), values = listed(line.substr(equals + 1));
      if (names.size() != values.size()) continue;
      for (std::size_t i = 0; i < names.size(); ++i) {
        bool isNumber = !values[i].empty() && values[i].size() <= kLongestNumber &&
                        std::all_of(values[i].begin(), values[i].end(), isDigit);
        if (isNumber && isMacroName(names[i]))
          numbers_[names[i]] = std::max(numbers_[names[i]], std::stol(values[i]));
      }
    }
  }

  // The parts between commas, without blanks.
  static std::vector<std::string> listed(const std::string& text) {
    std::vector<std::string> out(1);
    for (char c : text) {
      if (c == ',') out.emplace_back();
      else if (!std::isspace(static_cast<unsigned char>(c))) out.back() += c;
    }
    return out;
  }

  void takeLineStart() {
    std::size_t first = std::min(text_.find_first_not_of(" \t", at_), text_.size());
    if (first == text_.size() || text_[first] == '\n' || text_[first] == '#') return void(at_ = first);
    std::size_t indent = first - at_;
    while (!blocks_.empty() && blocks_.back().indent >= indent) blocks_.pop_back();
    at_ = first;
    std::size_t last = first;
    while (last < text_.size() && isWordPart(text_[last])) ++last;
    std::string word = text_.substr(first, last - first);
    bool isConditional = word == "if" || word == "elif" || word == "else" || word == "except";
    blocks_.push_back({indent, isConditional});
  }

  void takeName() {
    std::size_t first = at_;
    while (at_ < text_.size() && isWordPart(text_[at_])) ++at_;
    std::string name = text_.substr(first, at_ - first);
    bool isPrefix = at_ < text_.size() && (text_[at_] == '"' || text_[at_] == '\'') && name.size() <= 2;
    if (isPrefix) return takeString(name);
    if (name.find("macros") != std::string::npos) assignmentDepth_ = depth_;
    auto known = numbers_.find(name);
    if (name == "None") takePart("");
    else if (isDigit(name[0])) takePart(name);
    else if (known != numbers_.end()) takePart(std::to_string(known->second));
    else if (!pairs_.empty()) pairs_.back().isSpoiled = true;
  }

  void takeSign(char c) {
    if (c == '(' || c == '[' || c == '{') {
      ++depth_;
      if (c == '(' && assignmentDepth_ >= 0) pairs_.push_back({depth_, {}, false});
    } else if (c == ')' || c == ']' || c == '}') {
      if (!pairs_.empty() && pairs_.back().depth == depth_) takePair(), pairs_.pop_back();
      depth_ = std::max(depth_ - 1, 0);
      if (depth_ < assignmentDepth_) assignmentDepth_ = -1, pairs_.clear();
    } else if (c == ',' && depth_ == assignmentDepth_) {
      assignmentDepth_ = -1, pairs_.clear();  // the next argument
    } else if (c != ',' && !std::isspace(static_cast<unsigned char>(c)) && !pairs_.empty()) {
      pairs_.back().isSpoiled = true;
    }
  }

  void endAssignment() {
    if (depth_ == 0) assignmentDepth_ = -1, pairs_.clear();
  }

  void takePart(const std::string& part) {
    if (!pairs_.empty()) pairs_.back().parts.push_back(part);
  }

  void takePair() {
    auto& [depth, parts, isSpoiled] = pairs_.back();
    if (isSpoiled || parts.size() != 2 || !isMacroName(parts[0])) return;
    add("-D" + parts[0] + (parts[1].empty() ? "" : "=" + parts[1]));
  }

  void takeString(const std::string& prefix) {
    std::string quote(3, text_[at_]);
    if (text_.compare(at_, 3, quote) == 0) {  // a description: of no use, and it may be long
      auto end = text_.find(quote, at_ + 3);
      at_ = end == std::string::npos ? text_.size() : end + 3;
      return;
    }
    char mark = text_[at_++];
    std::string value;
    for (; at_ < text_.size() && text_[at_] != mark && text_[at_] != '\n'; ++at_) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
      value += text_[at_];
    }
    if (at_ < text_.size() && text_[at_] == mark) ++at_;
    if (prefix.find_first_of("fF") != std::string::npos) value = formatted(value);
    takePart(value);
    takeFlags(value);
  }

  // {NAME} as far as it is a number; of anything else no one knows the value.
  std::string formatted(const std::string& value) const {
    std::string out;
    for (std::size_t at = 0; at < value.size(); ++at) {
      auto close = value[at] == '{' ? value.find('}', at) : std::string::npos;
      if (close == std::string::npos) {
        out += value[at];
        continue;
      }
      auto known = numbers_.find(value.substr(at + 1, close - at - 1));
      out += known == numbers_.end() ? "$" : std::to_string(known->second);
      at = close;
    }
    return out;
  }

  void takeFlags(const std::string& value) {
    if (value.find("-D") == std::string::npos && value.find("use_fast_math") == std::string::npos) {
      if (isOpen_) add("-D" + value);
      isOpen_ = false;
      return;
    }
    // "-DN=" + str(n), "-DN=%d" % n
    std::size_t next = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size());
    bool isPart = next < text_.size() && (text_[next] == '+' || text_[next] == '%' || text_[next] == '.');
    if (isPart && value.find('=') != std::string::npos) return;
    for (auto& word : shellWords(value)) {
      if (!isOpen_ && word != "-D") add(word);
      else if (word != "-D") add("-D" + word);
      isOpen_ = word == "-D";
    }
  }

  // "-DUSE_X=ON" is for CMake, and so is whatever stands in a line about it.
  bool isForCMake(const std::string& word) {
    return isInLineOfCMake() || word.starts_with("-DCMAKE_") || word.ends_with("=ON") ||
           word.ends_with("=OFF");
  }

  // Asked once for each line, of which one may have thousands of words.
  bool isInLineOfCMake() {
    if (at_ >= line_.first && at_ <= line_.last) return line_.isOfCMake;
    auto before = at_ == 0 ? std::string::npos : text_.rfind('\n', at_ - 1);
    line_.first = before == std::string::npos ? 0 : before + 1;
    line_.last = std::min(text_.find('\n', at_), text_.size());
    std::string line = text_.substr(line_.first, line_.last - line_.first);
    for (auto& c : line) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return line_.isOfCMake = line.find("cmake") != std::string::npos;
  }

  void add(std::string word) {
    if (isForCMake(word)) return;
    bool isConditional =
        std::any_of(blocks_.begin(), blocks_.end(), [](const Block& b) { return b.isConditional; });
    out_.push_back({std::move(word), isConditional});
  }

  const std::string& text_;
  std::size_t at_ = 0;
  int depth_ = 0;             // of brackets
  int assignmentDepth_ = -1;  // of the brackets around the name of a list of macros, -1 for none
  bool isOpen_ = false;       // "-D" stood alone: the next string is what is defined
  struct Line {
    std::size_t first = 1, last = 0;  // the newline, or the end of the text
    bool isOfCMake = false;
  };
  Line line_;  // the last that was asked about
  std::vector<Block> blocks_;
  std::vector<Pair> pairs_;
  std::map<std::string, long> numbers_;
  std::vector<BuildWord> out_;
};

}  // namespace

std::vector<BuildWord> wordsOfPython(const std::string& text) { return Reader(text).run(); }

}  // namespace kadvise::source
