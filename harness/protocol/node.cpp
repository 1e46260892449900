#include "protocol/node.h"

#include "base/text.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

namespace mpsgate {
namespace {

constexpr std::size_t kLargest = 1 << 20;
constexpr std::size_t kDeepest = 32;
constexpr std::size_t kLongestText = 2'000;
constexpr std::size_t kMostNodes = 50'000;

/// Leaves yaml-cpp's parser after a fault that makes the rest meaningless.
struct Stop {};

class TreeBuilder : public YAML::EventHandler {
 public:
  explicit TreeBuilder(Faults& faults) : faults_(faults) {}

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    Node node = begin(mark, "", anchor, Node::Kind::null);
    place(std::move(node));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    faults_.add(mark.line + 1, mark.column + 1, path(), "aliases are not part of a protocol",
                "write the value again");
    throw Stop{};
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    Node node = begin(mark, tag, anchor, Node::Kind::scalar);
    node.text = value;
    node.quoted = tag == "!";
    if (!node.quoted && (value == "~" || value == "null" || value.empty())) node.kind = Node::Kind::null;
    place(std::move(node));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(begin(mark, tag, anchor, Node::Kind::list));
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(begin(mark, tag, anchor, Node::Kind::map));
  }
  void OnMapEnd() override { close(); }

  Node take() { return std::move(root_); }

 private:
  struct Level {
    Node node;
    bool wants_key = true;  ///< of a map
  };

  Node begin(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, Node::Kind kind) {
    Node node;
    node.kind = kind;
    node.line = mark.line + 1;
    node.column = mark.column + 1;
    if (anchor != 0) {
      faults_.add(node, path(), "anchors are not part of a protocol", "write the value where it is needed");
      throw Stop{};
    }
    if (!tag.empty() && tag != "?" && tag != "!") {
      faults_.add(node, path(), "the tag \"" + one_line(tag, 60) + "\" is not part of a protocol",
                  "leave it out");
      throw Stop{};
    }
    if (++count_ > kMostNodes || levels_.size() >= kDeepest) {
      faults_.add(
          node, path(),
          count_ > kMostNodes ? "the protocol has too many values" : "the protocol is nested too deeply");
      throw Stop{};
    }
    return node;
  }

  void open(Node node) { levels_.push_back({std::move(node), true}); }

  void close() {
    Node node = std::move(levels_.back().node);
    levels_.pop_back();
    place(std::move(node));
  }

  void place(Node node) {
    if (levels_.empty()) {
      root_ = std::move(node);
      return;
    }
    Level& level = levels_.back();
    if (level.node.kind == Node::Kind::list) {
      level.node.items.push_back(std::move(node));
      return;
    }
    if (level.wants_key) {
      if (node.kind == Node::Kind::list || node.kind == Node::Kind::map) {
        faults_.add(node, path(), "a key must be a word, found " + describe(node),
                    "quote words that hold braces");
        node.text = "?";
      }
      for (const auto& entry : level.node.entries) {
        if (entry.key != node.text) continue;
        faults_.add(node, path(),
                    "the key \"" + one_line(node.text, 60) +
                        "\" is here a second time; the first is in line " + std::to_string(entry.line));
      }
      level.node.entries.push_back({node.text, node.line, node.column, {}});
      // What follows a key without a value has the key's place.
      level.node.entries.back().value.line = node.line;
      level.node.entries.back().value.column = node.column;
    } else {
      if (node.kind == Node::Kind::null && node.line == 0) node.line = level.node.entries.back().line;
      level.node.entries.back().value = std::move(node);
    }
    level.wants_key = !level.wants_key;
  }

  std::string path() const {
    std::string text;
    for (const auto& level : levels_) {
      if (level.node.kind == Node::Kind::list) {
        text += "[" + std::to_string(level.node.items.size()) + "]";
      } else if (!level.wants_key) {
        text += (text.empty() ? "" : ".") + level.node.entries.back().key;
      }
    }
    return one_line(text, 120);
  }

  Faults& faults_;
  std::vector<Level> levels_;
  Node root_;
  std::size_t count_ = 0;
};

/// Faults of the bytes, before YAML is asked. Gives the place of the first.
bool acceptable_bytes(const std::string& text, Faults& faults) {
  if (text.size() > kLargest) {
    faults.add(1, 1, "", "the protocol is larger than 1 MiB");
    return false;
  }
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) {
    faults.add(1, 1, "", "the file is UTF-16", "save it as UTF-8");
    return false;
  }
  int line = 1;
  for (const auto& one : split(text, '\n')) {
    if (const auto nul = one.find('\0'); nul != std::string::npos) {
      faults.add(line, static_cast<int>(nul) + 1, "", "a NUL byte is not text");
      return false;
    }
    if (!is_utf8(one)) {
      faults.add(line, 1, "", "the line is not valid UTF-8", "save the file as UTF-8");
      return false;
    }
    const auto indent = one.find_first_not_of(" ");
    if (indent != std::string::npos && one[indent] == '\t' &&
        one.find_first_not_of(" \t") != std::string::npos) {
      faults.add(line, static_cast<int>(indent) + 1, "", "a tab indents this line",
                 "YAML indents with spaces only");
      return false;
    }
    ++line;
  }
  return true;
}

}  // namespace

const Node::Entry* Node::find(std::string_view key) const {
  const auto found =
      std::find_if(entries.begin(), entries.end(), [&](const Entry& entry) { return entry.key == key; });
  return found == entries.end() ? nullptr : &*found;
}

std::string describe(const Node& node) {
  switch (node.kind) {
    case Node::Kind::null:
      return "nothing";
    case Node::Kind::list:
      return "a list";
    case Node::Kind::map:
      return "a mapping";
    case Node::Kind::scalar:
      return "\"" + one_line(node.text, 60) + "\"";
  }
  return "?";
}

Faults::Faults(const std::string& text, std::string file) : lines_(lines_of(text)), file_(std::move(file)) {}

void Faults::add(int line, int column, const std::string& path, const std::string& message,
                 const std::string& hint) {
  // Keys and values of the file are repeated in all of them.
  Diagnostic diagnostic{place(line, column),
                        one_line(path, kLongestText),
                        one_line(message, kLongestText),
                        one_line(hint, kLongestText),
                        {}};
  if (line >= 1 && static_cast<std::size_t>(line) <= lines_.size()) {
    std::string source = lines_[static_cast<std::size_t>(line) - 1];
    for (char& c : source) {
      const auto code = static_cast<unsigned char>(c);
      if (code < 0x20 || code == 0x7F) c = c == '\t' ? ' ' : '?';
    }
    // Columns count bytes; the caret stands below a character.
    std::size_t before = 0;
    for (std::size_t i = 0; i + 1 < static_cast<std::size_t>(std::max(column, 1)) && i < source.size(); ++i) {
      if ((static_cast<unsigned char>(source[i]) & 0xC0) != 0x80) ++before;
    }
    if (is_utf8(source) && source.size() < 200)
      diagnostic.excerpt = "    " + source + "\n    " + std::string(before, ' ') + "^";
  }
  found_.push_back(std::move(diagnostic));
}

std::vector<Diagnostic> Faults::take() {
  std::stable_sort(found_.begin(), found_.end(), [](const Diagnostic& a, const Diagnostic& b) {
    return std::pair(a.place.line, a.place.column) < std::pair(b.place.line, b.place.column);
  });
  return std::move(found_);
}

std::optional<Node> parse_yaml(const std::string& text, Faults& faults) {
  if (!acceptable_bytes(text, faults)) return std::nullopt;
  std::istringstream stream(text);
  TreeBuilder builder(faults);
  try {
    YAML::Parser parser(stream);
    if (!parser.HandleNextDocument(builder)) {
      faults.add(1, 1, "", "the file is empty", "mpsgate: 1 is the first line of a protocol");
      return std::nullopt;
    }
    Node root = builder.take();
    TreeBuilder second(faults);
    if (parser.HandleNextDocument(second)) {
      faults.add(second.take(), "", "a second document begins here",
                 "a protocol is one document: one file each");
      return std::nullopt;
    }
    return root;
  } catch (const Stop&) {
    return std::nullopt;
  } catch (const YAML::Exception& error) {
    faults.add(error.mark.line + 1, error.mark.column + 1, "",
               "this is not YAML: " + one_line(error.msg, 120));
    return std::nullopt;
  }
}

}  // namespace mpsgate
