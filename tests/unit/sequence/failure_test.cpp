#include "sequence/failure.h"

#include <csignal>

#include <gtest/gtest.h>

namespace mpsgate {
namespace {

const std::filesystem::path kCheckout = "/run/copy/checkout";

ProcessResult exited(int code, const std::string& err) {
  ProcessResult result;
  result.ending = Ending::exited;
  result.exit_code = code;
  result.err.head = err;
  result.err.bytes = err.size();
  return result;
}

std::string traceback(const std::string& last) {
  return "Traceback (most recent call last):\n"
         "  File \"/run/copy/checkout/predict.py\", line 12, in <module>\n    main()\n"
         "  File \"/run/copy/checkout/lab/model.py\", line 40, in forward\n    return x / 0\n"
         "  File \"/usr/lib/python3.11/site-packages/torch/nn/functional.py\", line 9, in f\n" +
         last + "\n";
}

std::string id_of(const ProcessResult& result, const std::string& arm) {
  const auto finding = classify_failure(result, arm, kCheckout);
  return finding ? finding->row->id : "";
}

TEST(Failure, SuccessIsNone) {
  EXPECT_FALSE(classify_failure(exited(0, "warning"), "cpu", kCheckout));
}

TEST(Failure, NamesTheInnermostFrameOfTheLab) {
  const auto finding = classify_failure(
      exited(1, "noise\n" + traceback("ZeroDivisionError: division by zero")), "cpu", kCheckout);
  ASSERT_TRUE(finding);
  EXPECT_STREQ(finding->row->id, "crash.exit");
  EXPECT_EQ(finding->place.file, "lab/model.py");
  EXPECT_EQ(finding->place.line, 40);
  EXPECT_NE(finding->message.find("ZeroDivisionError: division by zero"), std::string::npos);
}

TEST(Failure, TheLastTracebackCounts) {
  const std::string text = traceback("ValueError: first") +
                           "\nDuring handling of the above exception, another exception occurred:\n\n" +
                           traceback("KeyError: 'second'");
  EXPECT_EQ(last_traceback(text, kCheckout)->exception, "KeyError: 'second'");
  EXPECT_EQ(last_traceback(text, kCheckout)->type, "KeyError");
  EXPECT_FALSE(last_traceback("Traceback (most recent call last):\n  File \"x\", line 1, in y\n", kCheckout));
  EXPECT_FALSE(last_traceback("no traceback", kCheckout));
}

/// As nbclient 0.10 and papermill 2.6 print them, shortened; the escapes are those of IPython 9.
TEST(Failure, ANotebooksOwnErrorCounts) {
  const std::string cell =
      "\x1b[31mNotImplementedError\x1b[39m                       Traceback (most recent call last)\n"
      "Cell In[3], line 3\n      2 import helper\n----> 3 helper.broken()\n\n"
      "File /run/copy/checkout/analysis/helper.py:5, in broken()\n----> 5     raise "
      "NotImplementedError(\"x\")\n\n"
      "\x1b[31mNotImplementedError\x1b[39m: The operator 'aten::foo' is not currently implemented for the "
      "MPS device\n\n";
  for (const std::string runner :
       {"nbclient.exceptions.CellExecutionError: An error occurred while executing the "
        "following cell:\n------------------\nx: int = 3\n------------------\n\n",
        "papermill.exceptions.PapermillExecutionError: \n-----\nException encountered at "
        "\"In [3]\":\n-----\n"}) {
    const std::string text =
        "Traceback (most recent call last):\n  File \"/env/nbclient/client.py\", line 918, in f\n"
        "    raise it\n" +
        runner + cell;
    const auto traceback = last_traceback(text, kCheckout);
    ASSERT_TRUE(traceback);
    EXPECT_EQ(traceback->type, "NotImplementedError");
    EXPECT_EQ(traceback->place.file, "analysis/helper.py");
    EXPECT_EQ(traceback->place.line, 5);
    EXPECT_EQ(id_of(exited(1, text), "mps"), "fallback.operators");
  }
}

struct Case {
  const char* said;
  const char* on_mps;
  const char* on_cpu;
};

// Wording of torch 1.12 to 2.14 (MPSFallback.mm, EmptyTensor.cpp, OperationUtils.mm, MPSAllocator.h) and of
// Python.
const Case kCases[] = {
    {"NotImplementedError: The operator 'aten::foo' is not currently implemented for the MPS device. If you "
     "want this op to be considered",
     "fallback.operators", "crash.exit"},
    {"NotImplementedError: The operator 'aten::foo' is not current implemented for the MPS device.",
     "fallback.operators", "crash.exit"},
    {"TypeError: Cannot convert a MPS Tensor to float64 dtype as the MPS framework doesn't support float64. "
     "Please use float32 instead.",
     "dtype.unsupported", "crash.exit"},
    {"TypeError: Cannot convert a float64 Tensor to MPS as the MPS framework doesn't support float64. Please "
     "use float32 instead.",
     "dtype.unsupported", "crash.exit"},
    {"RuntimeError: MPS backend out of memory (MPS allocated: 17.01 GB, other allocations: 1.07 GB, max "
     "allowed: 18.13 GB).",
     "memory.fit", "crash.exit"},
    {"RuntimeError: Invalid buffer size: 40.00 GiB", "memory.fit", "crash.exit"},
    {"ModuleNotFoundError: No module named 'einops'", "environment.module-missing",
     "environment.module-missing"},
    {"urllib.error.URLError: <urlopen error [Errno -3] Temporary failure in name resolution>", "data.network",
     "data.network"},
    {"requests.exceptions.ConnectionError: HTTPSConnectionPool(host='x', port=443)", "data.network",
     "data.network"},
    {"OSError: [Errno 28] No space left on device", "machine.disk-full", "machine.disk-full"},
    {"MemoryError", "machine.out-of-memory", "machine.out-of-memory"},
    {"numpy._core._exceptions._ArrayMemoryError: Unable to allocate 7.45 GiB for an array",
     "machine.out-of-memory", "machine.out-of-memory"},
    {"RuntimeError: [enforce fail at alloc_cpu.cpp:117] data. DefaultCPUAllocator: not enough memory: you "
     "tried to allocate 8000000000000 bytes.",
     "machine.out-of-memory", "machine.out-of-memory"},
    {"AssertionError: Torch not compiled with CUDA enabled", "crash.exit", "crash.exit"},
};

TEST(Failure, ReadsTheWordingOfTorchAndPython) {
  for (const auto& c : kCases) {
    EXPECT_EQ(id_of(exited(1, traceback(c.said)), "mps"), c.on_mps) << c.said;
    EXPECT_EQ(id_of(exited(1, traceback(c.said)), "cpu"), c.on_cpu) << c.said;
  }
}

TEST(Failure, NamesTheOperator) {
  const auto finding = classify_failure(exited(1, traceback(kCases[0].said)), "mps", kCheckout);
  EXPECT_NE(finding->message.find("aten::foo"), std::string::npos);
}

TEST(Failure, SaysThatCudaWasAskedFor) {
  const auto finding = classify_failure(
      exited(1, traceback("AssertionError: Torch not compiled with CUDA enabled")), "cpu", kCheckout);
  EXPECT_NE(finding->remedy.find("asks for CUDA"), std::string::npos);
}

TEST(Failure, EndingsAreToldApart) {
  ProcessResult result;
  result.ending = Ending::signalled;
  result.signal = SIGSEGV;
  EXPECT_EQ(id_of(result, "cpu"), "crash.signal");
  result.signal = SIGKILL;
  EXPECT_EQ(id_of(result, "cpu"), "machine.out-of-memory");
  EXPECT_EQ(id_of(result, "mps"), "memory.fit");
  result.signal = SIGABRT;
  result.err.head = "Error: command buffer exited with error status.\n";
  EXPECT_EQ(id_of(result, "mps"), "crash.gpu-error");
  result = {};
  result.ending = Ending::timed_out;
  EXPECT_EQ(id_of(result, "cpu"), "crash.hang");
  result.ending = Ending::silent;
  EXPECT_EQ(id_of(result, "cpu"), "crash.hang");
  result.ending = Ending::too_many_processes;
  EXPECT_EQ(id_of(result, "cpu"), "crash.processes");
  result.ending = Ending::not_started;
  EXPECT_EQ(id_of(result, "cpu"), "command.not-started");
  EXPECT_EQ(id_of(exited(134, "Aborted"), "cpu"), "crash.signal");
  EXPECT_EQ(id_of(exited(137, "Killed"), "cpu"), "machine.out-of-memory");
  EXPECT_EQ(id_of(exited(134, traceback("ValueError: x")), "cpu"), "crash.exit");
}

TEST(Failure, HostileTextIsHarmless) {
  std::string hostile = "Traceback (most recent call last):\n";
  for (int i = 0; i < 3000; ++i)
    hostile += "  File \"" + std::string(300, '/') + "\", line 99999999999999, in x\n";
  hostile += "Err\x1b[31mor: \xff\n::error::x\n";
  const auto finding = classify_failure(exited(1, hostile), "cpu", kCheckout);
  ASSERT_TRUE(finding);
  for (const auto& line : finding->evidence)
    EXPECT_EQ(line.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace mpsgate
