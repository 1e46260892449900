# LibTorch for mpsgate-device, as the target `mpsgate_libtorch`. In this order: an explicit Torch_DIR; the torch of
# MPSGATE_PYTHON; the torch of the environment that ci/bootstrap makes in MPSGATE_TORCH_ENV.
set(MPSGATE_PYTHON "" CACHE FILEPATH "A Python whose torch mpsgate-device is built against")
set(MPSGATE_TORCH_ENV "${PROJECT_SOURCE_DIR}/build/torch-env" CACHE PATH "The environment that ci/bootstrap keeps torch in")

if(NOT Torch_DIR)
  set(python "${MPSGATE_PYTHON}")
  if(NOT python)
    set(python "${MPSGATE_TORCH_ENV}/bin/python")
  endif()
  # Found without importing it: an import costs seconds and may fail for reasons that do not matter here.
  execute_process(
    COMMAND "${python}" -I -c "import importlib.util, os; spec = importlib.util.find_spec('torch'); print(os.path.dirname(spec.origin) if spec else '')"
    OUTPUT_VARIABLE torch_root OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  if(failed OR NOT torch_root)
    message(FATAL_ERROR
      "There is no torch for mpsgate-device: ${python} has none.\n"
      "Run ci/mpsgate or ci/test, which bring one; or give -DTorch_DIR=…/torch/share/cmake/Torch, -DMPSGATE_PYTHON=PYTHON with torch, "
      "or -DMPSGATE_DEVICE=OFF to build without mpsgate-device.")
  endif()
  set(Torch_DIR "${torch_root}/share/cmake/Torch")
endif()

# The folder torch/ above share/cmake/Torch, in a wheel and in a LibTorch archive alike.
get_filename_component(torch_root "${Torch_DIR}/../../.." ABSOLUTE)
set(torch_version_file "${torch_root}/version.py")
if(EXISTS "${torch_version_file}")
  file(READ "${torch_version_file}" text)
  string(REGEX MATCH "__version__ = '([^']+)'" _ "${text}")
  set(torch_version "${CMAKE_MATCH_1}")
  string(REGEX MATCH "cuda(: [^=]*)? = '([^']+)'" torch_cuda "${text}")
elseif(EXISTS "${torch_root}/build-version")
  file(READ "${torch_root}/build-version" torch_version)
  string(STRIP "${torch_version}" torch_version)
  string(REGEX MATCH "\\+cu[0-9]+" torch_cuda "${torch_version}")
else()
  message(FATAL_ERROR "${torch_root} is no torch: it has neither version.py nor build-version. Correct Torch_DIR or MPSGATE_PYTHON.")
endif()
if(torch_cuda)
  message(FATAL_ERROR
    "torch ${torch_version} in ${torch_root} is a CUDA build: its CMake files ask for a CUDA toolkit, and mpsgate needs none.\n"
    "Use a CPU build: pip install torch==2.13.0+cpu, from PyTorch's CPU index if pip as configured does not have it.")
endif()
string(REGEX MATCH "^[0-9]+\\.[0-9]+" torch_release "${torch_version}")
if(torch_release VERSION_LESS 2.7)
  message(FATAL_ERROR
    "torch ${torch_version} in ${torch_root} is older than 2.7 and may use the old C++ ABI.\n"
    "Use 2.7 or newer: pip install torch==2.13.0+cpu on Linux, torch==2.13.0 on macOS.")
endif()

find_package(Torch REQUIRED PATHS "${Torch_DIR}" NO_DEFAULT_PATH)
add_library(mpsgate_libtorch INTERFACE)
target_include_directories(mpsgate_libtorch SYSTEM INTERFACE ${TORCH_INCLUDE_DIRS})
target_link_libraries(mpsgate_libtorch INTERFACE ${TORCH_LIBRARIES})
separate_arguments(torch_flags NATIVE_COMMAND "${TORCH_CXX_FLAGS}")
target_compile_options(mpsgate_libtorch INTERFACE ${torch_flags})
set(MPSGATE_TORCH_ROOT "${torch_root}")
message(STATUS "LibTorch ${torch_version} in ${torch_root}")
