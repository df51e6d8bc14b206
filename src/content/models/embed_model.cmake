# Writes a C file from the shipped content model: its bytes, and a th_content_model that points into them.
#   cmake -D MODEL=src/content/models/content.model -D OUT=content_model_shipped.c -P embed_model.cmake
# Numbers come from the file's header. A unit test compares the result with the result of th_content_model_read for the file.
file(READ "${MODEL}" hex HEX)
file(SIZE "${MODEL}" size)

# The header is the second line, of ASCII: "}\n" cannot start at an odd digit.
string(FIND "${hex}" "7d0a" at)
math(EXPR payload "${at} / 2 + 2")
string(FIND "${hex}" "0a7b" at)
math(EXPR header "${at} / 2 + 1")
math(EXPR header_len "${payload} - ${header} - 1")
file(READ "${MODEL}" about OFFSET ${header} LIMIT ${header_len})

# Sections, in their order.
set(at ${payload})
math(EXPR tokens_digits "2 * ${payload}")
string(SUBSTRING "${hex}" ${tokens_digits} 16384 weights)
string(REGEX REPLACE "(..)(..)" "(int16_t)0x\\2\\1," weights "${weights}")
string(REGEX REPLACE "(........................................................................................................................)" "\\1\n" weights "${weights}")
math(EXPR at "${at} + 8192")
foreach(name type paragraph)
  foreach(key trees depth shift)
    string(JSON ${key} GET "${about}" ${name} ${key})
  endforeach()
  string(JSON outputs LENGTH "${about}" ${name} bias)
  set(biases "")
  math(EXPR last "${outputs} - 1")
  foreach(i RANGE ${last})
    string(JSON bias GET "${about}" ${name} bias ${i})
    string(APPEND biases "${bias}, ")
  endforeach()
  math(EXPR low "${at} + 2 * ${trees} * ${depth}")
  math(EXPR high "${low} + (${trees} * ${outputs} << ${depth})")
  string(APPEND ensembles "    .${name} = { .tree_count = ${trees}, .depth = ${depth}, .output_count = ${outputs},
        .shift = ${shift}, .bias = { ${biases}},
        .levels = bytes + ${at}, .leaf_low = bytes + ${low}, .leaf_high = bytes + ${high} },\n")
  math(EXPR at "${high} + (${trees} * ${outputs} << ${depth})")
endforeach()

string(JSON token_bias GET "${about}" tokens bias)
string(JSON cut GET "${about}" cut)
string(JSON types LENGTH "${about}" calibration)
math(EXPR last "${types} - 1")
foreach(i RANGE ${last})
  string(JSON slope GET "${about}" calibration ${i} 0)
  string(JSON offset GET "${about}" calibration ${i} 1)
  string(APPEND calibration "{ ${slope}, ${offset} }, ")
endforeach()

# The checksum is the last eight bytes, the lowest first.
math(EXPR checksum_digits "2 * ${size} - 16")
string(SUBSTRING "${hex}" ${checksum_digits} 16 checksum)
string(REGEX REPLACE "(..)(..)(..)(..)(..)(..)(..)(..)" "\\8\\7\\6\\5\\4\\3\\2\\1" checksum "${checksum}")

string(REGEX REPLACE "(..)" "0x\\1," code "${hex}")
string(REGEX REPLACE "((0x..,)(0x..,)(0x..,)(0x..,)(0x..,)(0x..,)(0x..,)(0x..,))" "\\1\n" code "${code}")
file(WRITE "${OUT}" "/* Made by embed_model.cmake from content.model: change that instead. */
#include \"content/content_scores.h\"

static const uint8_t bytes[${size}] = {
${code}};

static const th_content_model model = {
    .tokens = { ${token_bias}, {
${weights}} },
${ensembles}    .calibration = { ${calibration}},
    .cut = ${cut},
    .without_fold = -1,
    .checksum = 0x${checksum}u,
    .about = { (const char *)bytes + ${header}, ${header_len} },
};

const th_content_model *th_content_model_shipped(void)
{
    return &model;
}
")
