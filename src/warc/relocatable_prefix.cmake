# Sets `out` to the prefix for a .pc file in LIBDIR/pkgconfig: a path relative to the
# file's own folder, so the installed files can be moved together. If LIBDIR is an absolute path,
# `out` is the configured prefix.
function(relocatable_prefix out)
  if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
    set(${out} "${CMAKE_INSTALL_PREFIX}" PARENT_SCOPE)
  else()
    file(RELATIVE_PATH up "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
    string(REGEX REPLACE "/$" "" up "${up}")
    set(${out} "\${pcfiledir}/${up}" PARENT_SCOPE)
  endif()
endfunction()
