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

const Artefact* Protocol::artefact(const std::string& id) const {
  for (const auto& candidate : artefacts) {
    if (candidate.id() == id) return &candidate;
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

std::set<std::string> artefacts_of(const Protocol& protocol, const Command& command) {
  std::vector<std::string> words = command.argv;
  for (const auto* texts : {&command.environment, &command.parameters}) {
    for (const auto& [name, text] : *texts)
      words.push_back(text);
  }
  std::set<std::string> ids;
  for (const auto& word : words) {
    const auto parts = split_word(word);
    if (!parts) continue;
    for (const auto& part : *parts) {
      if (part.placeholder && protocol.artefact(part.text)) ids.insert(part.text);
    }
  }
  return ids;
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
