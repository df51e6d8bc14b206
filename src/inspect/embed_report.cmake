# Converts report.html, report.css and report.js to one C file: the report up to its data, and the rest.
#   cmake -D FOLDER=src/inspect -D OUT=report_parts.c -P embed_report.cmake
# report.html names the other files: @STYLE@ and @SCRIPT@ become their text, and @STYLE_HASH@ and @SCRIPT_HASH@ their hashes in
# the content security policy. @DATA@ ends the head. All is done in hexadecimal, because CMake strings are not safe with any byte.

# Base64 of 64 hexadecimal digits, a SHA-256.
function(base64_of_sha256 hex out)
  set(letters "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
  set(text "")
  foreach(at RANGE 0 60 6)
    string(SUBSTRING "${hex}00" ${at} 6 three) # the last three bytes are two and a zero
    foreach(shift 18 12 6 0)
      math(EXPR index "(0x${three} >> ${shift}) & 63")
      string(SUBSTRING "${letters}" ${index} 1 letter)
      string(APPEND text "${letter}")
    endforeach()
  endforeach()
  string(SUBSTRING "${text}" 0 43 text)
  set(${out} "sha256-${text}=" PARENT_SCOPE)
endfunction()

# Replaces every `mark` in the variable `page` with hexadecimal `with`.
macro(put mark with)
  string(HEX "${mark}" hex_mark)
  string(REPLACE "${hex_mark}" "${with}" page "${page}")
endmacro()

include(${CMAKE_CURRENT_LIST_DIR}/../c_array.cmake)

file(READ "${FOLDER}/report.html" page HEX)
file(READ "${FOLDER}/report.css" style HEX)
file(READ "${FOLDER}/report.js" script HEX)
file(SHA256 "${FOLDER}/report.css" style_hash)
file(SHA256 "${FOLDER}/report.js" script_hash)
base64_of_sha256(${style_hash} style_hash)
base64_of_sha256(${script_hash} script_hash)
string(HEX "${style_hash}" style_hash)
string(HEX "${script_hash}" script_hash)
put("@STYLE_HASH@" ${style_hash})
put("@SCRIPT_HASH@" ${script_hash})

# The data's place is found before style and script come, which may say what they like.
string(HEX "@DATA@" mark)
string(FIND "${page}" "${mark}" at)
string(LENGTH "${mark}" mark_len)
math(EXPR behind "${at} + ${mark_len}")
string(SUBSTRING "${page}" ${behind} -1 tail)
string(SUBSTRING "${page}" 0 ${at} page)
put("@STYLE@" ${style})
set(head "${page}")
set(page "${tail}")
put("@SCRIPT@" ${script})
c_array(th_report_head "${head}" head)
c_array(th_report_tail "${page}" tail)
file(WRITE "${OUT}" "/* Made by embed_report.cmake: change report.html, report.css, report.js instead. */
#include \"inspect/report_parts.h\"\n\n${head}\n${tail}")
