# Writes OUTPUT, a C++ file that defines `std::string_view SYMBOL` with the text of INPUT. Raw strings are cut into
# pieces because compilers may limit one literal to 64 KiB.
file(READ "${INPUT}" text)
string(LENGTH "${text}" length)
set(pieces "")
set(at 0)
while(at LESS length)
  string(SUBSTRING "${text}" ${at} 8000 piece)
  string(APPEND pieces "R\"MPSGATE_TEXT(${piece})MPSGATE_TEXT\"\n")
  math(EXPR at "${at} + 8000")
endwhile()
if(pieces STREQUAL "")
  set(pieces "\"\"")
endif()
file(WRITE "${OUTPUT}"
"#include <string_view>\nnamespace mpsgate {\nextern const std::string_view ${SYMBOL};\nconst std::string_view ${SYMBOL} = ${pieces};\n}\n")
