#include "survey/packages.h"

#include "base/text.h"

namespace mpsgate {
namespace {

const std::vector<Unportable> kUnportable = {{"nvidia-*", ""},
                                             {"flash-attn", ""},
                                             {"xformers", ""},
                                             {"apex", ""},
                                             {"triton", ""},
                                             {"pytorch-triton*", ""},
                                             {"bitsandbytes", ""},
                                             {"deepspeed", ""},
                                             {"cupy*", ""},
                                             {"cudf*", ""},
                                             {"cuml*", ""},
                                             {"pycuda", ""},
                                             {"tensorrt*", ""},
                                             {"torch-tensorrt", ""},
                                             {"transformer-engine*", ""},
                                             {"mamba-ssm", ""},
                                             {"causal-conv1d", ""},
                                             {"vllm", ""},
                                             {"auto-gptq", ""},
                                             {"onnxruntime-gpu", "onnxruntime"},
                                             {"faiss-gpu", "faiss-cpu"}};

}  // namespace

const std::vector<std::pair<std::string, std::string>> kPackages = {
    {"torch.utils.tensorboard", "tensorboard"},
    {"torch", "torch"},
    {"torchvision", "torchvision"},
    {"torchaudio", "torchaudio"},
    {"lightning", "lightning"},
    {"pytorch_lightning", "pytorch-lightning"},
    {"transformers", "transformers"},
    {"numpy", "numpy"},
    {"scipy", "scipy"},
    {"pandas", "pandas"},
    {"sklearn", "scikit-learn"},
    {"skimage", "scikit-image"},
    {"cv2", "opencv-python"},
    {"PIL", "pillow"},
    {"yaml", "pyyaml"},
    {"matplotlib", "matplotlib"},
    {"tqdm", "tqdm"},
    {"einops", "einops"},
    {"h5py", "h5py"},
    {"librosa", "librosa"},
    {"soundfile", "soundfile"},
    {"tiktoken", "tiktoken"},
    {"hydra", "hydra-core"},
    {"omegaconf", "omegaconf"},
    {"click", "click"},
    {"fire", "fire"},
    {"timm", "timm"},
    {"requests", "requests"}};

const Unportable* unportable(const std::string& name) {
  for (const auto& row : kUnportable) {
    const bool family = row.name.ends_with('*');
    if (family ? name.starts_with(row.name.substr(0, row.name.size() - 1)) : name == row.name) return &row;
  }
  return nullptr;
}

bool elsewhere_only(const std::string& marker) {
  const std::string text = lowercase(marker);
  const auto says = [&](const char* word) { return text.find(word) != std::string::npos; };
  if (!says("platform")) return false;
  if (says("!=")) return says("darwin");
  return !says("darwin") && (says("linux") || says("win"));
}

}  // namespace mpsgate
