# The bytes `hex`, in hexadecimal, as the C array `name` and its length `name`_len; puts the text into the variable `out`.
function(c_array name hex out)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(REGEX REPLACE "((0x..,)(0x..,)(0x..,)(0x..,)(0x..,)(0x..,)(0x..,)(0x..,))" "\\1\n" bytes "${bytes}")
  string(LENGTH "${hex}" len)
  math(EXPR len "${len} / 2")
  set(${out} "const unsigned char ${name}[] = {\n${bytes}\n};\nconst size_t ${name}_len = ${len};\n" PARENT_SCOPE)
endfunction()
