# Generates one C file of tables from the shipped models. Usage:
#   cmake -D FOLDER=src/segment/models -D METHODS=boundary-graph -D HEADER=segment/segment_model.h -D OUT=segment_models.c -P embed_models.cmake
# The weights keep the order of the file. A unit test compares the tables with the result
# of th_segment_model_read for the same files.
set(code "/* Made by embed_models.cmake from the .model files: change these instead. */
#include \"${HEADER}\"\n")
foreach(method ${METHODS})
  file(STRINGS "${FOLDER}/${method}.model" lines)
  string(REPLACE "-" "_" name ${method})
  set(features ${name})
  if(method STREQUAL "boundary-graph")
    set(features boundary)
  endif()
  set(parameters "")
  set(weights "")
  set(folds "")
  set(fold "")
  foreach(line IN LISTS lines)
    if(line MATCHES "^parameter [^ ]+ (-?[0-9]+)$")
      string(APPEND parameters "${CMAKE_MATCH_1}, ")
    elseif(line MATCHES "^fold (.+)$")
      set(fold "${CMAKE_MATCH_1}")
    elseif(line MATCHES "^weight [^ ]+ (-?[0-9]+)$")
      string(APPEND weights_${fold} "${CMAKE_MATCH_1}, ")
    elseif(line MATCHES "^(corpora|without) (.*)$")
      set(text_${CMAKE_MATCH_1} "${CMAKE_MATCH_2}")
    elseif(line MATCHES "^seed ([0-9]+)$")
      set(seed "${CMAKE_MATCH_1}")
    elseif(line MATCHES "^checksum ([0-9a-f]+)$")
      set(checksum "${CMAKE_MATCH_1}")
    endif()
  endforeach()
  set(has_folds 0)
  if(DEFINED weights_0)
    set(has_folds 1)
    set(folds "    .folds = { { { ${weights_0}} },\n               { { ${weights_1}} },
               { { ${weights_2}} },\n               { { ${weights_3}} } },\n")
  endif()
  string(APPEND code "\nconst th_segment_model th_${name}_model = {
    .features = &th_${features}_features,
    .final = { { ${weights_final}} },
    .parameters = { ${parameters}},
    .checksum = 0x${checksum}u,
    .has_folds = ${has_folds},
${folds}    .corpora = \"${text_corpora}\",
    .without = \"${text_without}\",
    .seed = ${seed},
};\n")
  foreach(fold final 0 1 2 3)
    unset(weights_${fold})
  endforeach()
endforeach()
file(WRITE "${OUT}" "${code}")
