#include "protocol/protocol.h"

#include "base/text.h"
#include "protocol/command_line.h"

namespace mpsgate {

std::string Protocol::shown_file() const {
  return file.lexically_relative(root).generic_string();
}

const Command* Protocol::command(const std::string& wanted) const {
  for (const auto& candidate : commands) {
    if (candidate.name == wanted) return &candidate;
  }
  return nullptr;
}

std::vector<const Output*> Protocol::outputs_of(const std::string& command_name) const {
  std::vector<const Output*> found;
  for (const auto& output : outputs) {
    if (output.of == command_name) found.push_back(&output);
  }
  return found;
}

Place Protocol::place_of(const std::string& path) const {
  for (std::string at = path; !at.empty();) {
    if (const auto found = places.find(at); found != places.end()) return found->second;
    const auto dot = at.rfind('.');
    at = dot == std::string::npos ? "" : at.substr(0, dot);
  }
  return {shown_file(), 0, 0};
}

std::string text_of(const Diagnostic& diagnostic) {
  std::string text = diagnostic.place.text() + ": ";
  if (!diagnostic.path.empty()) text += diagnostic.path + ": ";
  text += diagnostic.message;
  if (!diagnostic.hint.empty()) text += "; " + diagnostic.hint;
  if (!diagnostic.excerpt.empty()) text += "\n" + diagnostic.excerpt;
  return text;
}

std::vector<std::string> expand(const std::vector<std::string>& argv, const Placeholders& placeholders) {
  std::vector<std::string> words;
  for (const auto& word : argv) {
    if (word == "{device_args}") {
      words.insert(words.end(), placeholders.device_args.begin(), placeholders.device_args.end());
      continue;
    }
    std::string expanded;
    if (const auto parts = split_word(word)) {
      for (const auto& part : *parts) {
        const auto value = part.placeholder ? placeholders.words.find(part.text) : placeholders.words.end();
        expanded += part.placeholder ? (value == placeholders.words.end() ? "" : value->second) : part.text;
      }
    }
    words.push_back(std::move(expanded));
  }
  return words;
}

}  // namespace mpsgate
