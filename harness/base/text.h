#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mpsgate {

std::string_view trim(std::string_view text);
/// Splits at every `separator`; keeps empty pieces.
std::vector<std::string> split(std::string_view text, char separator);
/// Lines without their ends; "\r\n" and "\n" both end one; no empty last line.
std::vector<std::string> lines_of(std::string_view text);
std::string join(const std::vector<std::string>& pieces, std::string_view separator);
std::string replace_all(std::string text, std::string_view from, std::string_view to);
std::string lowercase(std::string_view text);

/// Strict UTF-8: every invalid byte, surrogate and overlong form becomes U+FFFD.
std::string to_utf8(std::string_view bytes);
bool is_utf8(std::string_view bytes);
/// Removes terminal escape sequences (CSI, OSC, others) and keeps of a progress bar's line the last state
/// ("\r").
std::string strip_terminal(std::string_view text);
/// Text of a lab as one harmless line: valid UTF-8, no escape sequences, no control characters, runs of white
/// space folded, at most `limit` code points (then "…").
std::string one_line(std::string_view text, std::size_t limit = 300);
/// The last `count` lines, each made harmless and at most `width` code points long.
std::vector<std::string> last_lines(std::string_view text, std::size_t count, std::size_t width = 200);

/// The candidate nearest to `name` by edit distance, if near enough to be a likely slip; else empty.
std::string nearest(std::string_view name, const std::vector<std::string>& candidates);

/// "0.8 s", "12.3 s", "4 min 05 s", "2 h 03 min".
std::string format_seconds(double seconds);
/// "512 B", "1.5 KiB", "12.0 GiB".
std::string format_bytes(std::uint64_t bytes);
/// Shortest decimal text that reads back as `value`, at most `digits` significant ones; "nan", "inf".
std::string format_number(double value, int digits = 6);

/// An argv as a person can paste it into a POSIX shell. For showing only: nothing is ever started from it.
std::string shell_quoted(const std::vector<std::string>& argv);

}  // namespace mpsgate
