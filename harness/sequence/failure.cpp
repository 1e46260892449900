#include "sequence/failure.h"

#include "base/text.h"
#include "sequence/findings.h"

#include <array>
#include <csignal>

namespace mpsgate {
namespace {

constexpr std::string_view kTraceback = "Traceback (most recent call last):";

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

bool contains_any(std::string_view text, std::initializer_list<std::string_view> parts) {
  for (const auto part : parts) {
    if (contains(text, part)) return true;
  }
  return false;
}

/// The text between `before` and the next `after`, empty if there is none.
std::string between(std::string_view text, std::string_view before, std::string_view after) {
  const auto start = text.find(before);
  if (start == std::string_view::npos) return {};
  const auto rest = text.substr(start + before.size());
  const auto end = rest.find(after);
  return end == std::string_view::npos ? std::string() : one_line(rest.substr(0, end));
}

/// `  File "PATH", line N, in NAME` → the place, relative to `checkout`, if PATH lies inside it.
std::optional<Place> frame_inside(std::string_view line, const std::filesystem::path& checkout) {
  constexpr std::string_view start = "File \"";
  line = trim(line);
  if (!line.starts_with(start)) return std::nullopt;
  line.remove_prefix(start.size());
  const auto quote = line.find("\", line ");
  if (quote == std::string_view::npos) return std::nullopt;
  const std::filesystem::path path{std::string(line.substr(0, quote))};
  const auto relative = path.is_absolute() ? path.lexically_relative(checkout) : path.lexically_normal();
  if (relative.empty() || *relative.begin() == ".." || relative.native().starts_with("<"))
    return std::nullopt;
  const int number = std::atoi(std::string(line.substr(quote + 8, 9)).c_str());
  return Place{one_line(relative.generic_string()), number, 0};
}

/// PyTorch's wording for what mps cannot do: aten/src/ATen/mps/MPSFallback.mm, EmptyTensor.cpp and
/// MPSAllocator.h, releases 1.12 to 2.14.
std::optional<Finding> classify_mps(std::string_view text) {
  if (const auto at = text.find("not current");
      at != std::string_view::npos && contains(text.substr(at, 60), "implemented for the MPS device")) {
    const std::string name = between(text, "The operator '", "'");
    return sequence_finding("fallback.operators", "the operator " +
                                                      (name.empty() ? "named in the log" : name) +
                                                      " is not implemented for mps in this torch");
  }
  if (contains(text, "MPS framework doesn't support float64")) {
    return sequence_finding("dtype.unsupported", "a float64 tensor was sent to mps, which has no float64");
  }
  if (contains_any(text, {"MPS framework doesn't support complex128", "MPS does not support complex128",
                          "Trying to convert ComplexDouble to the MPS backend"})) {
    return sequence_finding("dtype.unsupported",
                            "a complex128 tensor was sent to mps, which has no complex128");
  }
  if (contains_any(text, {"MPS backend out of memory", "Invalid buffer size:"})) {
    return sequence_finding("memory.fit",
                            "the representative case does not fit into the memory that mps may use");
  }
  if (contains_any(text, {"command buffer exited with error status", "kIOGPUCommandBufferCallbackError"})) {
    return sequence_finding("crash.gpu-error", "a GPU command ended with an error");
  }
  return std::nullopt;
}

/// Ends that are no fault of the lab's code: a module that the environment lacks, the network, the disk.
std::optional<Finding> classify_surroundings(const std::optional<Traceback>& traceback, std::string_view text,
                                             const std::filesystem::path& checkout) {
  if (contains_any(text, {"No space left on device", "Disk quota exceeded"})) {
    return sequence_finding("machine.disk-full", "the disk filled up while the command ran");
  }
  if (!traceback) return std::nullopt;
  const std::string& said = traceback->exception;
  // c10/core/impl/alloc_cpu.cpp, and NumPy's _ArrayMemoryError.
  if (traceback->type.ends_with("MemoryError") ||
      contains_any(said, {"DefaultCPUAllocator: can't allocate memory",
                          "DefaultCPUAllocator: not enough memory", "[Errno 12] Cannot allocate memory"})) {
    return sequence_finding("machine.out-of-memory", "memory ran out while the command ran: " + said);
  }
  if (traceback->type == "ModuleNotFoundError") {
    const std::string module = between(said, "No module named '", "'");
    const std::string top = split(module, '.').front();
    std::error_code error;
    const bool own = std::filesystem::exists(checkout / top, error) ||
                     std::filesystem::exists(checkout / (top + ".py"), error);
    if (!module.empty() && !own) {
      return sequence_finding("environment.module-missing",
                              "the command imports " + module + ", which the environment does not have");
    }
  }
  if (contains_any(said, {"URLError", "ConnectionError", "ConnectTimeout", "gaierror",
                          "Temporary failure in name resolution", "Name or service not known",
                          "nodename nor servname", "LocalEntryNotFoundError", "OfflineModeIsEnabled",
                          "MaxRetryError", "ProxyError", "Failed to resolve"})) {
    return sequence_finding("data.network", "the command reached for the network: " + said);
  }
  return std::nullopt;
}

Finding killed(const ProcessResult& process, const std::string& arm) {
  return sequence_finding(
      arm == "mps" ? "memory.fit" : "machine.out-of-memory",
      "the system killed the command (" + process.description() + "): most likely memory ran out");
}

std::string remedy_for(std::string_view text) {
  if (contains_any(text,
                   {"Torch not compiled with CUDA enabled", "Found no NVIDIA driver",
                    "No CUDA GPUs are available", "Attempting to deserialize object on a CUDA device"})) {
    return "the command asks for CUDA: let it take the device that it is given (weights: "
           "map_location=device)";
  }
  return {};
}

/// `File PATH:N, in NAME`, as IPython prints frames.
std::optional<Place> cell_frame_inside(std::string_view line, const std::filesystem::path& checkout) {
  if (!line.starts_with("File ")) return std::nullopt;
  const auto end = line.find(", in ");
  const auto colon = line.rfind(':', end);
  if (end == std::string_view::npos || colon == std::string_view::npos || colon < 5) return std::nullopt;
  const std::string python = "File \"" + std::string(line.substr(5, colon - 5)) + "\", line " +
                             std::string(line.substr(colon + 1, end - colon - 1));
  return frame_inside(python, checkout);
}

/// What nbconvert (nbclient's CellExecutionError) and papermill (PapermillExecutionError) print behind their
/// own exception: the cell, IPython's traceback and the cell's exception. Takes the place of theirs.
void take_cell_error(std::string_view text, const std::filesystem::path& checkout, Traceback& traceback) {
  const std::string plain = strip_terminal(text);
  std::string last;
  for (const auto& line : lines_of(plain)) {
    if (const auto frame = cell_frame_inside(line, checkout)) traceback.place = *frame;
    const auto colon = line.find(": ");
    const std::string type = line.substr(0, colon);
    const bool named = colon != std::string::npos && !type.empty() &&
                       type.find_first_of(" \t\"'()") == std::string::npos && type[0] >= 'A' &&
                       type[0] <= 'z';
    if (named) last = line;
  }
  if (last.empty()) return;
  traceback.exception = one_line(last);
  traceback.type = one_line(last.substr(0, last.find(':')));
}

}  // namespace

std::optional<Traceback> last_traceback(std::string_view text, const std::filesystem::path& checkout) {
  const auto start = text.rfind(kTraceback);
  if (start == std::string_view::npos) return std::nullopt;
  Traceback traceback;
  bool first = true;
  for (const auto& line : lines_of(text.substr(start))) {
    if (std::exchange(first, false)) continue;
    if (const auto frame = frame_inside(line, checkout)) traceback.place = *frame;
    if (line.empty() || line.front() == ' ' || line.front() == '\t') continue;
    traceback.exception = one_line(line);
    traceback.type = one_line(line.substr(0, line.find(':')));
    const auto behind = text.find(line, start) + line.size();
    if (traceback.type.ends_with(".CellExecutionError") ||
        traceback.type.ends_with(".PapermillExecutionError"))
      take_cell_error(text.substr(behind), checkout, traceback);
    return traceback;
  }
  return std::nullopt;  // cut off before the exception's own line
}

std::optional<Finding> classify_failure(const ProcessResult& process, const std::string& arm,
                                        const std::filesystem::path& checkout, int expected_exit) {
  if (process.ending == Ending::exited && process.exit_code == expected_exit) return std::nullopt;
  const std::string text = process.err.text() + "\n" + process.out.text();
  auto traceback = last_traceback(process.err.text(), checkout);
  if (!traceback) traceback = last_traceback(process.out.text(), checkout);

  std::optional<Finding> finding;
  switch (process.ending) {
    case Ending::not_started:
      finding =
          sequence_finding("command.not-started", "the command could not be started: " + process.message);
      break;
    case Ending::interrupted:
      finding = sequence_finding("step.error", "the command was ended because mpsgate was interrupted");
      break;
    case Ending::too_many_processes:
      finding = sequence_finding(
          "crash.processes",
          "the command started " + std::to_string(process.processes_peak) + " processes and was ended");
      break;
    case Ending::timed_out:
    case Ending::silent:
      finding = sequence_finding("crash.hang", "the command was ended: " + process.description());
      break;
    case Ending::signalled:
      if (arm == "mps") finding = classify_mps(text);
      if (!finding && process.signal == SIGKILL) finding = killed(process, arm);
      if (!finding)
        finding = sequence_finding("crash.signal", "the command ended by " + process.description());
      break;
    case Ending::exited:
      finding = classify_surroundings(traceback, text, checkout);
      if (!finding && arm == "mps") finding = classify_mps(text);
      if (!finding) {
        // A launcher in between reports a signal as an exit code over 128.
        const bool hidden_signal = process.exit_code > 128 && process.exit_code < 160 && !traceback;
        if (hidden_signal && process.exit_code == 128 + SIGKILL) {
          finding = killed(process, arm);
          break;
        }
        finding = sequence_finding(hidden_signal ? "crash.signal" : "crash.exit",
                                   "the command ended with " + process.description() +
                                       (expected_exit ? ", not with " + std::to_string(expected_exit) : "") +
                                       (traceback ? ": " + traceback->exception : std::string()));
      }
      break;
  }
  if (traceback) {
    finding->place = traceback->place;
    finding->evidence.push_back(traceback->exception);
  }
  for (const auto& line : last_lines(process.err.bytes > 0 ? process.err.text() : process.out.text(), 5)) {
    if (finding->evidence.empty() || finding->evidence.front() != line) finding->evidence.push_back(line);
  }
  if (const auto remedy = remedy_for(text); !remedy.empty() && finding->row->cause == Cause::crash)
    finding->remedy = remedy;
  return finding;
}

}  // namespace mpsgate
