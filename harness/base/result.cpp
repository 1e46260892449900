#include "base/result.h"

namespace mpsgate {

std::string Place::text() const {
  std::string text = file;
  if (!file.empty() && line > 0) {
    text += ":" + std::to_string(line);
    if (column > 0) text += ":" + std::to_string(column);
  }
  return text;
}

std::string Error::text() const {
  std::string text = place.text();
  if (!text.empty()) text += ": ";
  text += message;
  if (!advice.empty()) text += " (" + advice + ")";
  return text;
}

}  // namespace mpsgate
