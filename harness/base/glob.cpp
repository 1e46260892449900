#include "base/glob.h"

#include <utility>
#include <vector>

namespace mpsgate {

bool is_glob(std::string_view text) {
  return text.find_first_of("*?") != std::string_view::npos;
}

bool glob_matches(std::string_view pattern, std::string_view text) {
  // reached[i]: the pattern up to here matches the first i bytes of the text.
  std::vector<bool> reached(text.size() + 1);
  reached[0] = true;
  while (!pattern.empty()) {
    std::vector<bool> next(text.size() + 1);
    const bool deep = pattern.starts_with("**"), any = pattern.front() == '*';
    const bool folders = pattern.starts_with("**/");
    bool began = false;
    for (std::size_t i = 0; i <= text.size(); ++i) {
      if (folders) {
        // From a reached place on to the start of any later part.
        next[i] = reached[i] || (i > 0 && text[i - 1] == '/' && began);
        began = began || reached[i];
      } else if (any) {
        next[i] = reached[i] || (i > 0 && next[i - 1] && (deep || text[i - 1] != '/'));
      } else if (i > 0 && reached[i - 1]) {
        next[i] = pattern.front() == text[i - 1] || (pattern.front() == '?' && text[i - 1] != '/');
      }
    }
    reached = std::move(next);
    pattern.remove_prefix(folders ? 3 : deep ? 2 : 1);
  }
  return reached[text.size()];
}

}  // namespace mpsgate
