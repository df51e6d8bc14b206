# Sets `out` to the prefix for a .pc file in LIBDIR/pkgconfig: a path from the file's own folder, so that it holds wherever the
# whole is installed or moved to; the configured prefix where LIBDIR was given as a whole path.
function(relocatable_prefix out)
  if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
    set(${out} "${CMAKE_INSTALL_PREFIX}" PARENT_SCOPE)
  else()
    file(RELATIVE_PATH up "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
    string(REGEX REPLACE "/$" "" up "${up}")
    set(${out} "\${pcfiledir}/${up}" PARENT_SCOPE)
  endif()
endfunction()
