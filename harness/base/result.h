#pragma once
#include <string>
#include <utility>

#include <tl/expected.hpp>

namespace mpsgate {

/// Where something stands in a file. Lines and columns count from 1; 0 means unknown.
struct Place {
  std::string file;
  int line = 0;
  int column = 0;

  /// "file:line:column", leaving out what is unknown; empty when the file is.
  std::string text() const;
  bool operator==(const Place&) const = default;
};

/// What a lab, a network or a disk can cause. Carried by Result, never thrown.
struct Error {
  std::string code;     ///< stable, dotted: "file.unreadable", "source.commit-unknown"
  std::string message;  ///< what happened, one sentence, no full stop
  std::string advice;   ///< what to do about it, one sentence; may be empty
  Place place;

  /// "place: message (advice)" on one line, for the terminal and logs.
  std::string text() const;
};

template <class T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> fail(std::string code, std::string message, std::string advice = {},
                                  Place place = {}) {
  return tl::unexpected<Error>(
      Error{std::move(code), std::move(message), std::move(advice), std::move(place)});
}

}  // namespace mpsgate

/// Leaves the calling function with the error of `expression`, if it has one.
#define MPSGATE_TRY(expression)                                                    \
  do {                                                                             \
    if (auto result_of_try = (expression); !result_of_try)                         \
      return ::tl::unexpected<::mpsgate::Error>(std::move(result_of_try).error()); \
  } while (false)

#define MPSGATE_JOIN_(a, b) a##b
#define MPSGATE_JOIN(a, b) MPSGATE_JOIN_(a, b)
/// `MPSGATE_ASSIGN(auto text, read_file(path))`: declares with the value, or leaves with the error.
#define MPSGATE_ASSIGN(declaration, expression) \
  MPSGATE_ASSIGN_(declaration, expression, MPSGATE_JOIN(result_of_assign_, __LINE__))
#define MPSGATE_ASSIGN_(declaration, expression, name)                           \
  auto name = (expression);                                                      \
  if (!name) return ::tl::unexpected<::mpsgate::Error>(std::move(name).error()); \
  declaration = std::move(*name)
