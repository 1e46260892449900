#pragma once
#include <string>
#include <vector>

/// Names of command-line options by what they are for, the likeliest first, without dashes and with '-' for
/// '_'. Seen in public repositories of labs; what is missing only makes a first protocol ask where it could
/// have known.
namespace mpsgate::option_names {

inline const std::vector<std::string> kDevice = {"device", "torch-device", "compute-device", "device-name",
                                                 "device-type"};
inline const std::vector<std::string> kAccelerator = {"accelerator"};
inline const std::vector<std::string> kCpuSwitch = {"no-cuda", "no-accel", "no-gpu",   "disable-cuda",
                                                    "cpu",     "use-cpu",  "cpu-only", "force-cpu"};
inline const std::vector<std::string> kMpsSwitch = {"mps", "use-mps"};
inline const std::vector<std::string> kCudaOnly = {"gpu",      "gpus",    "gpu-id",      "gpu-ids", "cuda",
                                                   "use-cuda", "use-gpu", "cuda-device", "ngpu",    "no-mps"};
inline const std::vector<std::string> kOutput = {
    "out",         "output",      "out-dir",      "output-dir",  "outdir",  "out-folder", "output-folder",
    "out-path",    "output-path", "out-file",     "output-file", "outfile", "save",       "save-dir",
    "save-path",   "save-to",     "savedir",      "save-folder", "result",  "results",    "result-dir",
    "results-dir", "result-path", "results-path", "work-dir",    "workdir"};
inline const std::vector<std::string> kWeights = {
    "weights",         "weight",          "weights-path",  "weights-file",     "checkpoint",
    "checkpoint-path", "checkpoint-file", "ckpt",          "ckpt-path",        "ckpt-file",
    "model-path",      "model-file",      "model-weights", "model-checkpoint", "pretrained-weights",
    "pretrained-path", "state-dict",      "snapshot"};
inline const std::vector<std::string> kShorter = {
    "epochs", "num-epochs", "n-epochs",   "max-epochs",     "steps",     "max-steps", "num-steps",
    "iters",  "max-iters",  "iterations", "num-iterations", "num-iters", "limit",     "num-samples"};

}  // namespace mpsgate::option_names
