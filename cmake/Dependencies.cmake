# Every third-party library, with the oldest version we build against. docs/dependencies.md says why each was chosen.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(yaml-cpp 0.7 REQUIRED)
find_package(OpenSSL 3.0 REQUIRED COMPONENTS Crypto)
find_package(CURL 7.88 REQUIRED)
pkg_check_modules(libzip REQUIRED IMPORTED_TARGET libzip>=1.7)
pkg_check_modules(re2 REQUIRED IMPORTED_TARGET re2)
pkg_check_modules(libgit2 REQUIRED IMPORTED_TARGET libgit2>=1.5)
find_package(pugixml 1.13 REQUIRED)

# Header-only libraries whose packages name their CMake files differently from one system to the next.
find_path(MPSGATE_EXPECTED_INCLUDE tl/expected.hpp REQUIRED)
add_library(mpsgate_expected INTERFACE)
target_include_directories(mpsgate_expected SYSTEM INTERFACE "${MPSGATE_EXPECTED_INCLUDE}")
find_package(CLI11 2.1 REQUIRED)

if(MPSGATE_TESTS)
  find_package(GTest 1.12 REQUIRED)
endif()
if(NOT TARGET yaml-cpp::yaml-cpp)
  add_library(yaml-cpp::yaml-cpp ALIAS yaml-cpp)
endif()
