#include "compare/compare.h"

#include "base/files.h"
#include "base/text.h"
#include "compare/array.h"
#include "compare/statistics.h"

#include <algorithm>
#include <set>

namespace mpsgate {
namespace {

Comparison without_numbers(const std::string& name, const std::string& status, const std::string& message) {
  Comparison comparison;
  comparison.name = name;
  comparison.status = status;
  comparison.message = message;
  return comparison;
}

void compare_files(const std::string& name, const fs::path& actual, const fs::path& expected,
                   const Tolerance& tolerance, std::vector<Comparison>& found) {
  const auto a = read_arrays(actual.string());
  const auto b = read_arrays(expected.string());
  if (!a || !b) {
    found.push_back(without_numbers(
        name, "unreadable", (a ? "what it is compared with: " + b.error().message : a.error().message)));
    return;
  }
  const auto named = [&](const Array& array) { return array.name.empty() ? name : name + ":" + array.name; };
  for (const auto& array : *a) {
    const auto other = std::find_if(b->begin(), b->end(),
                                    [&](const Array& candidate) { return candidate.name == array.name; });
    if (other == b->end()) {
      found.push_back(without_numbers(named(array), "extra", "it is not in what it is compared with"));
      continue;
    }
    Comparison comparison;
    comparison.name = named(array);
    // Bytes mean nothing by themselves: no tolerance applies.
    compare_arrays(array, *other, array.dtype.name == kBytes ? Tolerance{} : tolerance, comparison);
    found.push_back(std::move(comparison));
  }
  for (const auto& array : *b) {
    const bool there = std::any_of(a->begin(), a->end(),
                                   [&](const Array& candidate) { return candidate.name == array.name; });
    if (!there) found.push_back(without_numbers(named(array), "missing", "it is expected, and absent"));
  }
}

std::string kind_of(const fs::path& path) {
  std::error_code error;
  const auto status = fs::status(path, error);
  return fs::is_directory(status) ? "folder" : fs::is_regular_file(status) ? "file" : "";
}

}  // namespace

std::vector<Comparison> compare_paths(const std::string& name, const fs::path& actual,
                                      const fs::path& expected, const Tolerance& tolerance) {
  std::vector<Comparison> found;
  const std::string kind = kind_of(actual), other = kind_of(expected);
  if (kind.empty() || other.empty()) {
    found.push_back(without_numbers(name, "missing",
                                    kind.empty() ? "it is absent" : "what it is compared with is absent"));
  } else if (kind != other) {
    found.push_back(without_numbers(name, "shape", "one is a " + kind + ", the other a " + other));
  } else if (kind == "file") {
    compare_files(name, actual, expected, tolerance, found);
  } else {
    std::set<std::string> names;
    const auto a = list_files(actual), b = list_files(expected);
    for (const auto& files : {a, b}) {
      for (const auto& [file, state] : files)
        names.insert(file);
    }
    for (const auto& file : names) {
      const std::string full = name + "/" + one_line(file);
      if (!a.contains(file)) {
        found.push_back(without_numbers(full, "missing", "it is expected, and absent"));
      } else if (!b.contains(file)) {
        found.push_back(without_numbers(full, "extra", "it is not in what it is compared with"));
      } else if (fs::is_symlink(actual / file) || fs::is_symlink(expected / file)) {
        // Links are not followed: "latest" that names the same file on both sides says nothing new.
        std::error_code error;
        const std::string to = fs::read_symlink(actual / file, error).string();
        if (error || to != fs::read_symlink(expected / file, error).string() || error)
          found.push_back(without_numbers(full, "unreadable",
                                          "it is a symbolic link to " +
                                              one_line(to.empty() ? "nothing" : to, 60) +
                                              ", and not on both sides"));
      } else {
        compare_files(full, actual / file, expected / file, tolerance, found);
      }
    }
    if (found.empty())
      found.push_back(without_numbers(name, "empty", "neither folder has a file: nothing was compared"));
  }
  return found;
}

Result<std::string> describe_path(const fs::path& path) {
  const std::string kind = kind_of(path);
  if (kind.empty()) return unreadable_result("it is absent");
  if (kind == "folder") {
    const auto files = list_files(path);
    if (files.empty()) return unreadable_result("the folder is empty");
    for (const auto& [name, state] : files) {
      if (fs::is_symlink(path / name)) continue;
      if (const auto inner = describe_path(path / name); !inner)
        return fail(inner.error().code, one_line(name) + ": " + inner.error().message);
    }
    return "folder of " + std::to_string(files.size()) + (files.size() == 1 ? " file" : " files");
  }
  MPSGATE_ASSIGN(const std::vector<Array> arrays, read_arrays(path.string()));
  std::vector<std::string> parts;
  for (const auto& array : arrays) {
    std::string extents;
    for (const auto extent : array.shape)
      extents += (extents.empty() ? "" : "x") + std::to_string(extent);
    parts.push_back((array.name.empty() ? "" : array.name + ": ") + array.dtype.name +
                    (extents.empty() ? "" : " " + extents));
    if (parts.size() == 4 && arrays.size() > 4) {
      parts.push_back("and " + std::to_string(arrays.size() - 4) + " more");
      break;
    }
  }
  return join(parts, ", ");
}

}  // namespace mpsgate
