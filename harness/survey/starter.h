#pragma once
#include "survey/survey.h"

#include <string>
#include <utility>
#include <vector>

namespace mpsgate {

/// Where the protocol will lie.
struct StarterPlace {
  std::string name;       ///< of the protocol; empty: made from the folder's
  std::string file;       ///< as comments name it: "mpsgate.yaml"
  bool inside = true;     ///< in the checkout itself
  std::string up;         ///< from the protocol's folder to the top of the checkout: "" or "../"
  std::string local_url;  ///< of the checkout, where no remote serves: "." or "file:///…"
};

struct Starter {
  std::string text;                                        ///< a protocol that validates as it is
  std::vector<std::pair<std::string, std::string>> found;  ///< what and what was made of it, for the terminal
  std::size_t open = 0;                                    ///< words FILL-ME-IN in it
};

/// Writes the first protocol of a repository; its comments say what only the lab can decide. Pure.
Starter write_starter(const Survey& survey, const StarterPlace& place);

/// Stands for what the repository does not tell.
inline constexpr const char* kFillMeIn = "FILL-ME-IN";

}  // namespace mpsgate
