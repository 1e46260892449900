# mpsgate_room(NAME SOURCES a.cpp … LINK target …): the static library of a room.
function(mpsgate_room name)
  cmake_parse_arguments(room "" "" "SOURCES;LINK" ${ARGN})
  add_library(mpsgate_${name} STATIC ${room_SOURCES})
  target_link_libraries(mpsgate_${name} PRIVATE mpsgate_settings PUBLIC ${room_LINK})
endfunction()

# mpsgate_test(NAME SOURCES a_test.cpp … LINK target …): one GoogleTest program, each of its tests a ctest test.
# Its working data is found through MPSGATE_SOURCE_DIR.
function(mpsgate_test name)
  if(NOT MPSGATE_TESTS)
    return()
  endif()
  cmake_parse_arguments(test "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${test_SOURCES})
  target_link_libraries(${name} PRIVATE mpsgate_settings ${test_LINK} GTest::gmock GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE
    MPSGATE_SOURCE_DIR="${PROJECT_SOURCE_DIR}" MPSGATE_BINARY_DIR="${PROJECT_BINARY_DIR}")
  include(GoogleTest)
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 300)
endfunction()

# mpsgate_python_tests(PREFIX): every NAME_test.py of this folder is the ctest test PREFIX.NAME: the real programs, run as a
# person runs them. Its first lines may hold "# labels: torch slow"; exit code 77 skips it. MPSGATE_BIN is the folder of
# the programs.
function(mpsgate_python_tests prefix)
  find_program(MPSGATE_PYTHON3 python3 REQUIRED)
  file(GLOB tests CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*_test.py")
  foreach(test IN LISTS tests)
    get_filename_component(name "${test}" NAME_WE)
    string(REGEX REPLACE "_test$" "" name "${name}")
    file(STRINGS "${test}" labels REGEX "^# labels: " LIMIT_COUNT 1)
    string(REPLACE "# labels: " "" labels "${labels}")
    string(REPLACE " " ";" labels "${labels}")
    if("torch" IN_LIST labels AND NOT MPSGATE_DEVICE)
      continue()
    endif()
    add_test(NAME ${prefix}.${name} COMMAND "${MPSGATE_PYTHON3}" "${test}")
    set_tests_properties(${prefix}.${name} PROPERTIES
      ENVIRONMENT "MPSGATE_BIN=${CMAKE_RUNTIME_OUTPUT_DIRECTORY};MPSGATE_SOURCE_DIR=${PROJECT_SOURCE_DIR};PYTHONPATH=${PROJECT_SOURCE_DIR}/tests;PYTHONDONTWRITEBYTECODE=1"
      TIMEOUT 900 SKIP_RETURN_CODE 77 LABELS "${labels}")
  endforeach()
endfunction()

# mpsgate_embed(TARGET SYMBOL FILE): compiles the text of FILE into TARGET as
# `extern const std::string_view SYMBOL;` in namespace mpsgate, so that no installed path has to be found at run time.
function(mpsgate_embed target symbol file)
  set(output "${CMAKE_CURRENT_BINARY_DIR}/${symbol}.cpp")
  add_custom_command(
    OUTPUT "${output}"
    COMMAND "${CMAKE_COMMAND}" -DINPUT=${CMAKE_CURRENT_SOURCE_DIR}/${file} -DOUTPUT=${output} -DSYMBOL=${symbol}
            -P "${PROJECT_SOURCE_DIR}/cmake/EmbedText.cmake"
    DEPENDS "${file}" "${PROJECT_SOURCE_DIR}/cmake/EmbedText.cmake"
    VERBATIM)
  target_sources(${target} PRIVATE "${output}")
endfunction()
