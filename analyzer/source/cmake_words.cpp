#include <algorithm>
#include <cctype>
#include <map>

#include "analyzer/source/build_words.h"
#include "analyzer/source/compile_command.h"

namespace kadvise::source {
namespace {

constexpr std::size_t kMostWords = 2000, kLongestValue = 4096;
constexpr int kDeepestVariable = 8, kMostExpansions = 20000;
// Commands with flags among their arguments; others give "-D" to other programs.
constexpr const char* kWithFlags[] = {
    "add_definitions", "add_compile_options", "set", "target_compile_options", "list", "string"};
constexpr const char* kKeywords[] = {"PUBLIC", "PRIVATE", "INTERFACE", "BEFORE"};

template <std::size_t N>
bool isAmong(const char* const (&names)[N], const std::string& name) {
  return std::any_of(std::begin(names), std::end(names), [&](auto* n) { return name == n; });
}

class Reader {
 public:
  explicit Reader(const std::string& text) : text_(text) {}

  std::vector<BuildWord> run() {
    while (at_ < text_.size() && out_.size() < kMostWords) {
      char c = text_[at_];
      if (c == '#') skipComment();
      else if (std::isalpha(static_cast<unsigned char>(c)) || c == '_') takeCommand();
      else ++at_;
    }
    return std::move(out_);
  }

 private:
  void skipComment() {
    bool isLong = text_.compare(at_, 3, "#[[") == 0;
    auto end = isLong ? text_.find("]]", at_) : text_.find('\n', at_);
    at_ = end == std::string::npos ? text_.size() : end + 1;
  }

  void takeCommand() {
    std::string name;
    for (; at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_');
         ++at_)
      name += static_cast<char>(std::tolower(static_cast<unsigned char>(text_[at_])));
    at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size());
    if (at_ == text_.size() || text_[at_] != '(') return;
    ++at_;
    auto arguments = takeArguments();
    if (name == "if") ++conditions_;
    if (name == "endif") conditions_ = std::max(conditions_ - 1, 0);
    if (name == "set" && arguments.size() == 2 && conditions_ == 0)
      variables_.try_emplace(arguments[0], arguments[1].substr(0, kLongestValue));
    if (name == "target_compile_definitions" || name == "add_compile_definitions")
      takeDefinitions(arguments, name[0] == 't' ? 1 : 0);
    else if (isAmong(kWithFlags, name)) takeFlags(arguments);
  }

  std::vector<std::string> takeArguments() {
    std::vector<std::string> out;
    std::string word;
    bool isOpen = false;
    auto close = [&] {
      if (isOpen) out.push_back(std::move(word));
      word.clear(), isOpen = false;
    };
    for (int depth = 1; at_ < text_.size(); ++at_) {
      char c = text_[at_];
      if (c == '"') {
        isOpen = true;
        for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
          if (text_[at_] == '\\' && at_ + 1 < text_.size()) word += text_[at_++];
          word += text_[at_];
        }
      } else if (c == '#') {
        close(), skipComment(), --at_;
      } else if (std::isspace(static_cast<unsigned char>(c))) {
        close();
      } else {
        depth += c == '(' ? 1 : c == ')' ? -1 : 0;
        if (depth == 0) break;
        word += c, isOpen = true;
      }
    }
    close();
    if (at_ < text_.size()) ++at_;
    return out;
  }

  // ${NAME} as far as it was set; what only a run of CMake would tell stays as it is written.
  std::string expanded(const std::string& text, int depth) {
    std::string out;
    for (std::size_t at = 0; at < text.size() && out.size() < kLongestValue; ++at) {
      auto close = text.compare(at, 2, "${") == 0 ? text.find('}', at) : std::string::npos;
      auto known = close == std::string::npos ? variables_.end()
                                              : variables_.find(text.substr(at + 2, close - at - 2));
      if (known == variables_.end() || depth >= kDeepestVariable || ++expansions_ > kMostExpansions) {
        out += text[at];
        continue;
      }
      out += expanded(known->second, depth + 1);
      at = close;
    }
    return out;
  }

  void takeDefinitions(const std::vector<std::string>& arguments, std::size_t first) {
    for (std::size_t i = first; i < arguments.size(); ++i) {
      std::string word = expanded(arguments[i], 0);
      if (isAmong(kKeywords, word) || word.empty()) continue;
      std::erase(word, '\\');  // VERSION=\"1.0\"
      add(word.starts_with("-D") ? word : "-D" + word);
    }
  }

  void takeFlags(const std::vector<std::string>& arguments) {
    for (auto& argument : arguments)
      for (auto& word : shellWords(expanded(argument, 0))) {
        if (word.starts_with("-D") && word.size() > 2) add(word);
        else if (word.find("--use_fast_math") != std::string::npos) add("--use_fast_math");
      }
  }

  void add(std::string word) { out_.push_back({std::move(word), conditions_ > 0}); }

  const std::string& text_;
  std::size_t at_ = 0;
  int conditions_ = 0, expansions_ = 0;
  std::map<std::string, std::string> variables_;
  std::vector<BuildWord> out_;
};

}  // namespace

std::vector<BuildWord> wordsOfCMake(const std::string& text) { return Reader(text).run(); }

}  // namespace kadvise::source
