#pragma once
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace mpsgate {

/// MPSGATE_FUZZ_SEED, else 1: the same texts each time.
inline unsigned fuzz_seed() {
  const char* seed = std::getenv("MPSGATE_FUZZ_SEED");
  return seed ? static_cast<unsigned>(std::atoi(seed)) : 1;
}

/// Damages texts in ways that parsers meet: bytes flipped, cut out, put in, repeated, cut short, two texts
/// joined. The same seed gives the same texts.
class Mutator {
 public:
  explicit Mutator(std::vector<std::string> seeds, unsigned seed = fuzz_seed())
      : seeds_(std::move(seeds)), random_(seed) {}

  std::string next() {
    std::string text = seeds_[random_() % seeds_.size()];
    const int edits = 1 + static_cast<int>(random_() % 4);
    for (int i = 0; i < edits; ++i)
      edit(text);
    return text;
  }

 private:
  std::size_t upto(std::size_t limit) { return random_() % (limit + 1); }
  void edit(std::string& text) {
    static constexpr std::string_view pieces[] = {
        "\n", "\r", "\"", "'",  "{",    "}",    "[",        "]",   "(",     ")",
        ",",  ":",  ";",  "=",  "-",    "#",    "\\",       "/",   "%",     "0",
        "9",  " ",  "\t", "..", "\xff", "\xC3", "\x1b[31m", "nan", "1e999", "99999999999999999999"};
    const std::size_t at = upto(text.size());
    switch (random_() % 6) {
      case 0:
        if (at < text.size()) text[at] = static_cast<char>(random_() % 256);
        break;
      case 1:
        text.erase(at, upto(16));
        break;
      case 2:
        text.insert(at, pieces[random_() % std::size(pieces)]);
        break;
      case 3:
        text.insert(at, text.substr(upto(text.size()), upto(64)));
        break;
      case 4:
        text.resize(at);
        break;
      default: {
        const std::string& other = seeds_[random_() % seeds_.size()];
        text = text.substr(0, at) + other.substr(upto(other.size()));
      }
    }
  }

  std::vector<std::string> seeds_;
  std::mt19937 random_;
};

/// How long one fuzz test goes on: MPSGATE_FUZZ_SECONDS, or MPSGATE_FUZZ_ROUNDS rounds, or few enough for
/// every run of the tests. `share` of the rounds where one of them costs more than usual.
class FuzzRounds {
 public:
  explicit FuzzRounds(double share = 1) {
    const char* rounds = std::getenv("MPSGATE_FUZZ_ROUNDS");
    const char* seconds = std::getenv("MPSGATE_FUZZ_SECONDS");
    left_ = static_cast<long>((rounds ? std::atof(rounds) : 1'000) * share);
    seconds_ = seconds ? std::atof(seconds) : 0;
  }
  ~FuzzRounds() {
    if (seconds_ > 0) std::printf("%ld rounds in %.0f s\n", done_, seconds_);
  }
  bool next() {
    ++done_;
    if (seconds_ <= 0) return left_-- > 0;
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count() < seconds_;
  }

 private:
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  double seconds_ = 0;
  long left_ = 0, done_ = 0;
};

}  // namespace mpsgate
