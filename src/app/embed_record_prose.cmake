# Makes of docs/record.md a C file, for the manual page thresher-record(5).
#   cmake -D PROSE=docs/record.md -D OUT=record_prose.c -P embed_record_prose.cmake
include(${CMAKE_CURRENT_LIST_DIR}/../c_array.cmake)
file(READ "${PROSE}" prose HEX)
c_array(th_record_prose "${prose}" array)
file(WRITE "${OUT}" "/* Made by embed_record_prose.cmake: change docs/record.md instead. */
#include \"app/record_prose.h\"\n\n${array}")
