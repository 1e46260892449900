# What every target of ours is compiled with. Third-party code never sees these flags.
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")

find_program(MPSGATE_CCACHE ccache)
if(MPSGATE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${MPSGATE_CCACHE}")
endif()

option(MPSGATE_WARNINGS_AS_ERRORS "Treat warnings in our own targets as errors" ON)
set(MPSGATE_SANITIZE "" CACHE STRING "Sanitizers to build with, e.g. address,undefined or thread")

add_library(mpsgate_settings INTERFACE)
target_compile_features(mpsgate_settings INTERFACE cxx_std_20)
target_include_directories(mpsgate_settings INTERFACE
  "${PROJECT_SOURCE_DIR}/harness" "${PROJECT_SOURCE_DIR}")
target_compile_options(mpsgate_settings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wconversion -Wno-sign-conversion
  # GCC 12 reports these inside its own headers at -O2.
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict;-Wno-maybe-uninitialized>
  $<$<BOOL:${MPSGATE_WARNINGS_AS_ERRORS}>:-Werror>)
if(MPSGATE_SANITIZE)
  target_compile_options(mpsgate_settings INTERFACE
    -fsanitize=${MPSGATE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(mpsgate_settings INTERFACE -fsanitize=${MPSGATE_SANITIZE})
endif()
