// The only file of ours that includes torch's headers.
#include "device/canaries.h"

#include <cmath>
#include <functional>

#include <torch/torch.h>
#include <unistd.h>

namespace mpsgate {
namespace {

using torch::Tensor;
namespace nn = torch::nn::functional;

/// Numbers that are no round ones and the same everywhere, in [-1, 1].
Tensor ramp(std::vector<std::int64_t> shape) {
  std::int64_t count = 1;
  for (const auto extent : shape)
    count *= extent;
  const Tensor line = torch::remainder(torch::arange(count, torch::kFloat64) * 0.7548776662466927, 2) - 1;
  return line.reshape(shape).to(torch::kFloat32);
}

class Canaries {
 public:
  explicit Canaries(torch::Device device) : device_(device) {}

  std::vector<Canary> run() {
    try_one("witness-matmul", 0, [&] { return witness(); });
    try_one("matmul-transposed", 1e-4, [&] {
      return against_cpu([](const auto& x) { return torch::matmul(x[0].t(), x[1]); },
                         {ramp({48, 33}), ramp({48, 21})});
    });
    try_one("linear-3d-bias", 1e-4, [&] {
      return against_cpu([](const auto& x) { return nn::linear(x[0], x[1], x[2]); },
                         {ramp({3, 17, 24}), ramp({40, 24}), ramp({40})});
    });
    try_one("linear-batch-64", 1e-4, [&] {
      return against_cpu([](const auto& x) { return nn::linear(x[0], x[1], x[2]); },
                         {ramp({64, 31}), ramp({13, 31}), ramp({13})});
    });
    try_one("convolution-strided", 1e-4, [&] {
      return against_cpu(
          [](const auto& x) {
            return torch::conv2d(x[0].permute({0, 3, 1, 2}), x[1].permute({3, 2, 0, 1}), {}, 1, 1);
          },
          {ramp({2, 9, 11, 4}), ramp({3, 3, 4, 5})});
    });
    try_one("addcdiv-strided", 1e-5, [&] {
      const auto half = [](const Tensor& x) { return x.t().slice(0, 0, c10::nullopt, 2); };
      return against_cpu(
          [&](const auto& x) { return torch::addcdiv(half(x[0]), half(x[1]), half(x[2]), 0.5); },
          {ramp({12, 20}), ramp({12, 20}), ramp({12, 20}) + 3});
    });
    try_one("layer-norm", 1e-4, [&] {
      return against_cpu([](const auto& x) { return torch::layer_norm(x[0], {32}); }, {ramp({6, 32})});
    });
    try_one("softmax", 1e-5, [&] {
      return against_cpu([](const auto& x) { return torch::softmax(x[0] * 8, -1); }, {ramp({5, 100})});
    });
    try_one("reductions", 1e-4, [&] {
      const Tensor x = ramp({37, 53});
      if (x.to(device_).argmax(1).cpu().ne(x.argmax(1)).any().template item<bool>())
        throw std::runtime_error("argmax names another element");
      return std::max({against_cpu([](const auto& y) { return y[0].sum(1); }, {x}),
                       against_cpu([](const auto& y) { return y[0].mean(0); }, {x}),
                       against_cpu([](const auto& y) { return y[0].amax({1}); }, {x})});
    });
    try_one("allocation-256-B", 0, [&] { return allocate(64); });
    const double memory =
        static_cast<double>(::sysconf(_SC_PAGESIZE)) * static_cast<double>(::sysconf(_SC_PHYS_PAGES));
    if (memory >= 6.0 * (1 << 30)) {
      try_one("allocation-1-GiB", 0, [&] { return allocate(1 << 28); });
    } else {
      found_.push_back({"allocation-1-GiB", "not-run", 0, 0, "the machine has less than 6 GiB of memory"});
    }
    return std::move(found_);
  }

 private:
  using Function = std::function<Tensor(const std::vector<Tensor>&)>;

  /// A canary that fails never stops the others.
  void try_one(const char* name, double tolerance, const std::function<double()>& canary) {
    Canary result{name, "passed", 0, tolerance, {}};
    try {
      const double error = canary();
      if (!std::isfinite(error)) {
        result.status = "wrong";
        result.message = "the result is not finite";
      } else {
        result.max_abs_error = error;
        if (error > tolerance) {
          result.status = "wrong";
          result.message = "the result is off by " + std::to_string(error);
        }
      }
    } catch (const std::exception& error) {
      const std::string said = error.what();
      result.status = "failed";
      result.message = said.substr(0, said.find('\n'));
    }
    found_.push_back(std::move(result));
  }

  /// Whole numbers: exact in float32, and known without any second computation.
  double witness() const {
    const Tensor a = torch::remainder(torch::arange(64, torch::kFloat32), 7).reshape({8, 8});
    const Tensor result =
        (torch::matmul(a.to(device_), torch::eye(8, torch::kFloat32).to(device_)) * 2).cpu();
    double worst = 0;
    for (int i = 0; i < 64; ++i)
      worst = std::max(worst, std::fabs(result[i / 8][i % 8].item<double>() - i % 7 * 2));
    return worst;
  }

  /// Largest difference between the device and the CPU in float64.
  double against_cpu(const Function& function, const std::vector<Tensor>& inputs) const {
    std::vector<Tensor> exact, moved;
    for (const auto& input : inputs) {
      exact.push_back(input.to(torch::kFloat64));
      moved.push_back(input.to(device_));
    }
    const Tensor expected = function(exact);
    const Tensor result = function(moved).cpu().to(torch::kFloat64);
    if (!result.sizes().equals(expected.sizes())) throw std::runtime_error("the result has another shape");
    return (result - expected).abs().max().item<double>();
  }

  /// Allocates on the device, writes the first and the last element, reads them back.
  double allocate(std::int64_t count) const {
    Tensor x = torch::zeros({count}, torch::TensorOptions().device(device_).dtype(torch::kFloat32));
    x[0] = 3.0;
    x[count - 1] = 5.0;
    return std::fabs(x[0].item<double>() - 3) + std::fabs(x[count - 1].item<double>() - 5);
  }

  torch::Device device_;
  std::vector<Canary> found_;
};

}  // namespace

Probe probe_here() {
  torch::NoGradGuard no_grad;
  Probe probe;
  probe.torch = TORCH_VERSION;
#ifdef __aarch64__
  probe.architecture = "arm64";
#else
  probe.architecture = "x86_64";
#endif
#ifdef __APPLE__
  probe.built = true;
#endif
  probe.available = at::hasMPS();
  probe.device = probe.available ? "mps" : "cpu";
  probe.canaries = Canaries(torch::Device(probe.available ? torch::kMPS : torch::kCPU)).run();
  return probe;
}

}  // namespace mpsgate
