#include "survey/survey.h"

#include "base/files.h"
#include "base/hash.h"
#include "base/text.h"
#include "base/units.h"

#include <algorithm>
#include <array>
#include <deque>

namespace mpsgate {
namespace {

constexpr std::size_t kLongestPath = 200;
constexpr std::size_t kMostNotebooks = 50;
constexpr std::uint64_t kLargestPointer = 1024;
constexpr std::uint64_t kSmallestBinary = 1 << 20;

bool one_of(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

/// Folders that hold nothing of the lab's own.
bool is_foreign(const fs::path& folder, const std::string& name) {
  std::error_code error;
  return name.starts_with('.') || name.ends_with(".egg-info") ||
         one_of(name, {"node_modules", "__pycache__", "site-packages", "venv", "build", "dist", "wandb",
                       "mlruns", "mpsgate-runs"}) ||
         fs::exists(folder / "pyvenv.cfg", error) || fs::exists(folder / "conda-meta", error) ||
         fs::exists(folder / ".git", error);
}

bool is_weights(const std::string& name, std::uint64_t bytes) {
  const std::string ending = lowercase(fs::path(name).extension().string());
  return one_of(ending, {".pt", ".pth", ".ckpt", ".safetensors", ".onnx", ".npz", ".h5"}) ||
         (ending == ".bin" && (bytes >= kSmallestBinary || bytes <= kLargestPointer));
}

struct File {
  std::string path;
  std::uint64_t bytes = 0;
};

class Surveyor {
 public:
  Surveyor(const fs::path& folder, const SurveyLimits& limits) : folder_(folder), limits_(limits) {}

  Result<Survey> look() {
    MPSGATE_ASSIGN(found_.git, read_git_checkout(folder_));
    std::error_code error;
    found_.folder_name = to_utf8(fs::weakly_canonical(folder_, error).filename().string());
    walk();
    found_.packaging = read_packaging(folder_, paths_);
    for (const auto& file : files_) {
      const std::string ending = fs::path(file.path).extension().string();
      if (ending == ".py") look_at_python(file);
      if (ending == ".ipynb" && found_.notebooks.size() < kMostNotebooks)
        found_.notebooks.push_back(file.path);
      if (is_weights(file.path, file.bytes)) look_at_weights(file);
    }
    for (const auto& path : paths_) {
      const fs::path file(path);
      const auto depth = std::distance(file.begin(), file.end());
      if (file.filename() == "__init__.py" && (depth == 2 || (depth == 3 && path.starts_with("src/"))))
        found_.packages.push_back(file.parent_path().generic_string());
    }
    return std::move(found_);
  }

 private:
  /// Breadth first, in the order of names: where a limit cuts, the top has been seen.
  void walk() {
    struct Folder {
      std::string path;
      int depth;
    };
    std::deque<Folder> open = {{"", 0}};
    std::size_t entries = 0;
    for (; !open.empty(); open.pop_front()) {
      std::error_code error;
      std::vector<fs::directory_entry> listed;
      for (fs::directory_iterator
               at(folder_ / open.front().path, fs::directory_options::skip_permission_denied, error),
           end;
           !error && at != end; at.increment(error)) {
        if (++entries > limits_.entries) {
          found_.truncated = true;
          break;
        }
        listed.push_back(*at);
      }
      std::sort(listed.begin(), listed.end());
      for (const auto& entry : listed) {
        const std::string name = entry.path().filename().string();
        const std::string path = open.front().path.empty() ? name : open.front().path + "/" + name;
        const auto kind = entry.symlink_status(error).type();
        if (kind == fs::file_type::directory) {
          if (is_foreign(entry.path(), name)) continue;
          if (open.front().depth >= limits_.depth) {
            found_.truncated = true;
          } else if (speakable(path)) {
            open.push_back({path, open.front().depth + 1});
          }
        } else if (kind == fs::file_type::regular && speakable(path)) {
          files_.push_back({path, entry.file_size(error)});
          paths_.insert(path);
        }
      }
      if (found_.truncated && entries > limits_.entries) return;
    }
  }

  /// A protocol is text: it cannot name every file.
  bool speakable(const std::string& path) {
    if (is_utf8(path) && path.size() <= kLongestPath) return true;
    ++found_.unnamed;
    return false;
  }

  void look_at_python(const File& file) {
    if (found_.python.size() >= limits_.python_files || python_bytes_ > limits_.all_python_bytes ||
        file.bytes > limits_.python_bytes) {
      found_.truncated = true;
      return;
    }
    const auto text = read_file(folder_ / file.path, limits_.python_bytes);
    if (!text) return;
    python_bytes_ += text->size();
    found_.python[file.path] = read_python(file.path, to_utf8(*text));
  }

  void look_at_weights(const File& file) {
    if (found_.weights.size() >= limits_.weights) {
      found_.truncated = true;
      return;
    }
    WeightFile weights{file.path, file.bytes, "", false};
    if (file.bytes <= kLargestPointer) {
      if (const auto text = read_file(folder_ / file.path, kLargestPointer)) read_pointer(*text, weights);
    }
    if (fs::path(file.path).extension() == ".bin" && weights.bytes < kSmallestBinary) return;
    weight_bytes_ += weights.pointer ? 0 : file.bytes;
    if (!weights.pointer && weight_bytes_ <= limits_.all_weight_bytes)
      weights.sha256 = sha256_of_file(folder_ / file.path).value_or("");
    found_.weights.push_back(std::move(weights));
  }

  static void read_pointer(const std::string& text, WeightFile& weights) {
    if (!text.starts_with("version https://git-lfs")) return;
    std::string hash;
    std::optional<std::int64_t> bytes;
    for (const auto& whole : lines_of(text)) {
      const std::string_view line = whole;
      if (line.starts_with("oid sha256:")) hash = std::string(trim(line.substr(11)));
      if (line.starts_with("size ")) bytes = parse_integer(line.substr(5));
    }
    if (hash.size() != 64 || hash.find_first_not_of("0123456789abcdef") != std::string::npos || !bytes ||
        *bytes < 0)
      return;
    weights.pointer = true;
    weights.sha256 = hash;
    weights.bytes = static_cast<std::uint64_t>(*bytes);
  }

  const fs::path& folder_;
  const SurveyLimits& limits_;
  Survey found_;
  std::vector<File> files_;
  std::set<std::string> paths_;
  std::uint64_t python_bytes_ = 0, weight_bytes_ = 0;
};

}  // namespace

Result<Survey> survey_repository(const fs::path& folder, const SurveyLimits& limits) {
  std::error_code error;
  if (!fs::is_directory(folder, error))
    return fail("usage.repository", "there is no folder " + folder.string(),
                "name the folder of a git checkout");
  return Surveyor(folder, limits).look();
}

}  // namespace mpsgate
