#include "reports/annotations.h"

#include "base/text.h"
#include "reports/escape.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

namespace mpsgate {
namespace {

using Level = Annotation::Level;

/// GitHub cuts a message at 4096 characters; this many bytes are never more, and leave room for the end.
constexpr std::size_t kLongestMessage = 3900;

const char* name_of(Level level) {
  return level == Level::error ? "error" : level == Level::warning ? "warning" : "notice";
}

/// GitHub's own rules, for the text after "::".
std::string message_text(std::string text) {
  text = replace_all(std::move(text), "%", "%25");
  text = replace_all(std::move(text), "\r", "%0D");
  return replace_all(std::move(text), "\n", "%0A");
}

/// And for what stands between commas before it.
std::string property_text(std::string_view text) {
  std::string property = message_text(harmless(text, 500));
  property = replace_all(std::move(property), ":", "%3A");
  return replace_all(std::move(property), ",", "%2C");
}

std::string line_of(const Annotation& annotation) {
  std::string properties;
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) properties += (properties.empty() ? " " : ",") + std::string(name) + "=" + value;
  };
  const Place& place = annotation.place;
  add("file", property_text(place.file));
  if (!place.file.empty() && place.line > 0) {
    add("line", std::to_string(place.line));
    if (place.column > 0) add("col", std::to_string(place.column));
  }
  add("title", property_text(annotation.title));
  std::string message;
  for (const auto& line : lines_of(annotation.message))
    message += (message.empty() ? "" : "\n") + harmless(line, kLongestMessage / 2);
  if (message.size() > kLongestMessage) message = to_utf8(message.substr(0, kLongestMessage)) + "…";
  return "::" + std::string(name_of(annotation.level)) + properties + "::" + message_text(message) + "\n";
}

/// "file:line:column" as Place::text() writes it.
Place read_place(const std::string& text) {
  Place place{text, 0, 0};
  const auto take_number = [&] {
    const auto colon = place.file.rfind(':');
    int number = 0;
    if (colon == std::string::npos || colon == 0) return 0;
    const char* end = place.file.data() + place.file.size();
    const auto [stop, error] = std::from_chars(place.file.data() + colon + 1, end, number);
    if (error != std::errc() || stop != end || number <= 0) return 0;
    place.file.resize(colon);
    return number;
  };
  const int last = take_number();
  const int before = last > 0 ? take_number() : 0;
  place.line = before > 0 ? before : last;
  place.column = before > 0 ? last : 0;
  return place;
}

/// "github.com/lab/tones" of each way to write it: what two URLs of one repository have in common.
std::string plain_url(std::string_view url) {
  std::string plain(url);
  if (const auto scheme = plain.find("://"); scheme != std::string::npos) {
    plain.erase(0, scheme + 3);
  } else if (const auto colon = plain.find(':'); colon != std::string::npos) {
    plain[colon] = '/';  // git@host:path
  }
  if (const auto at = plain.find('@'); at != std::string::npos && at < plain.find('/'))
    plain.erase(0, at + 1);
  while (plain.ends_with('/'))
    plain.pop_back();
  if (plain.ends_with(".git")) plain.resize(plain.size() - 4);
  std::transform(plain.begin(), plain.end(), plain.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return plain;
}

class AnnotationWriter {
 public:
  AnnotationWriter(const Report& report, std::string_view repository) : report_(report) {
    const std::string url = string_at(value_at(report.protocol, "repository"), "url");
    const bool elsewhere = url.find(':') != std::string::npos || url.starts_with('/');
    if (!url.empty() && !elsewhere) {
      lab_is_here_ = true;
      lab_folder_ = url == "." ? "" : url + "/";
    } else {
      lab_is_here_ = !repository.empty() && plain_url(url) == plain_url(repository);
    }
  }

  std::vector<Annotation> write() {
    const Verdict& verdict = report_.verdict;
    Annotation whole{Level::notice, {report_.protocol_file, 0, 0}, title(verdict.word), {}};
    whole.message = line_of_verdict() + "\n";
    for (const auto& sentence : verdict.next)
      whole.message += "next: " + sentence + "\n";
    annotations_.push_back(std::move(whole));
    const bool stops = verdict.decision == Decision::abort;
    add(verdict.reasons, stops ? Level::error : Level::warning);
    add(verdict.unproven, Level::warning);
    add(verdict.notes, Level::notice);
    return std::move(annotations_);
  }

 private:
  std::string title(const std::string& what) const {
    return (report_.name.empty() ? "mpsgate" : "mpsgate " + report_.name) + ": " + what;
  }
  std::string line_of_verdict() const { return mpsgate::line_of(report_.verdict); }

  void add(const std::vector<Reason>& reasons, Level level) {
    for (const auto& reason : reasons)
      annotations_.push_back({level, place_of(reason), title(reason.title.empty() ? reason.id : reason.title),
                              message_of(reason)});
  }

  bool in_protocol(const Place& place) const {
    return !report_.protocol_file.empty() && place.file == report_.protocol_file;
  }

  Place place_of(const Reason& reason) const {
    Place place = read_place(reason.place);
    if (in_protocol(place)) return place;
    if (!place.file.empty() && lab_is_here_) {
      place.file = lab_folder_ + place.file;
      return place;
    }
    const auto step = std::find_if(report_.steps.begin(), report_.steps.end(),
                                   [&](const auto& one) { return one.id == reason.step; });
    return {report_.protocol_file, step == report_.steps.end() ? 0 : step->line, 0};
  }

  std::string message_of(const Reason& reason) const {
    std::string message = reason.message + "\n";
    if (!reason.remedy.empty()) message += "what to do: " + reason.remedy + "\n";
    if (!reason.place.empty() && !in_protocol(read_place(reason.place)))
      message += "in the lab's code: " + reason.place + "\n";
    return message + reason.id + " (" + reason.standing + ")";
  }

  const Report& report_;
  bool lab_is_here_ = false;
  std::string lab_folder_;
  std::vector<Annotation> annotations_;
};

}  // namespace

std::vector<Annotation> annotations_of(const Report& report, std::string_view repository) {
  return AnnotationWriter(report, repository).write();
}

std::string write_annotations(const std::vector<Annotation>& annotations) {
  std::array<std::size_t, 3> count{}, written{};
  for (const auto& annotation : annotations)
    ++count[static_cast<std::size_t>(annotation.level)];
  std::string text;
  for (const auto& annotation : annotations) {
    const auto level = static_cast<std::size_t>(annotation.level);
    if (written[level] == kMostAnnotations) continue;
    const std::size_t left = count[level] - written[level];
    const bool last = ++written[level] == kMostAnnotations && left > 1;
    text += line_of(last ? Annotation{annotation.level,
                                      {},
                                      "mpsgate: " + std::to_string(left) + " more",
                                      "GitHub shows " + std::to_string(kMostAnnotations) +
                                          " of a kind; the report has the other " + std::to_string(left)}
                         : annotation);
  }
  return text;
}

}  // namespace mpsgate
