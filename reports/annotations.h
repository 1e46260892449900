#pragma once
#include "base/result.h"
#include "reports/model.h"

#include <string>
#include <string_view>
#include <vector>

namespace mpsgate {

/// One workflow command of GitHub Actions that marks a place: "::error file=…,line=…,title=…::message".
struct Annotation {
  enum class Level { error, warning, notice } level = Level::notice;
  Place place;  ///< from the top of the annotated repository; without a file the annotation has no place
  std::string title, message;
};

/// The last reasons first to go: GitHub shows this many of each level for a step.
inline constexpr std::size_t kMostAnnotations = 10;

/// The verdict as a notice; what stops as errors, doubts and gaps as warnings, notes as notices. `repository`
/// is the URL of the annotated repository ("https://github.com/lab/tones"), empty where it is unknown: a
/// place in the lab's code is marked there only if the lab is that repository, or a folder of the protocol's
/// own; else the mark stands on the protocol, and the message names the place.
std::vector<Annotation> annotations_of(const Report& report, std::string_view repository);

/// A line each, in order; at most kMostAnnotations of each level, the last of which then counts the rest.
/// Whatever the texts hold, a line is one command and nothing in it is another.
std::string write_annotations(const std::vector<Annotation>& annotations);

}  // namespace mpsgate
