# Debian packages by CPack; deploy/debian/build.sh builds them as they should be (flags, times).
#   thresher                            program, manual, completions, units, configuration
#   thresher-lab                        the second program, for research
#   libthresherN, libwarcN              the libraries, N of their SONAME
#   libthresher-dev, libwarc-dev        headers, static libraries, .pc
# DEBFULLNAME and DEBEMAIL of the environment name who made them. Without DEBEMAIL the address is in a reserved domain (RFC 2606), and
# release.sh refuses to make a release.
set(MAINTAINER "thresher maintainers")
if(DEFINED ENV{DEBFULLNAME})
  set(MAINTAINER "$ENV{DEBFULLNAME}")
endif()
set(MAINTAINER_ADDRESS maintainers@thresher.example)
if(DEFINED ENV{DEBEMAIL})
  set(MAINTAINER_ADDRESS "$ENV{DEBEMAIL}")
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME thresher)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "${MAINTAINER} <${MAINTAINER_ADDRESS}>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "") # each package has its own
set(CPACK_COMPONENTS_ALL program lab libthresher libthresher_dev libwarc libwarc_dev)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 0thresher1) # lower than -1, the first package of a distribution
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_STRIP_FILES ON)
set(CPACK_SET_DESTDIR ON) # the configuration goes to /etc
set(CPACK_INSTALL_PREFIX /usr)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
# Between installation and package: compresses manual pages, and adds copyright, NOTICE and changelog to each package.
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_BINARY_DIR}/stage.cmake)

set(DEBIAN ${CMAKE_CURRENT_SOURCE_DIR}/debian)
set(CONTROL ${CMAKE_CURRENT_BINARY_DIR}/control)
set(REVISION "${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}")
configure_file(${DEBIAN}/changelog.in ${CONTROL}/changelog @ONLY)
configure_file(${DEBIAN}/stage.cmake.in stage.cmake @ONLY)

function(th_package component name section summary description)
  string(TOUPPER ${component} KEY)
  set(CPACK_DEBIAN_${KEY}_PACKAGE_NAME ${name} PARENT_SCOPE)
  set(CPACK_DEBIAN_${KEY}_PACKAGE_SECTION ${section} PARENT_SCOPE)
  set(CPACK_DEBIAN_${KEY}_DESCRIPTION "${summary}\n${description}" PARENT_SCOPE)
endfunction()

set(ABOUT "thresher reads WARC archives, splits every page into text blocks, separates
content from boilerplate, computes signatures for the detection of
near-duplicates, and writes one annotated JSON record for each page.")
set(ABOUT_WARC "libwarc lists, reads and writes WARC and ARC files, plain or compressed, and
continues after damage.")
set(FOR_THRESHER libthresher${PROJECT_VERSION_MAJOR})
get_target_property(WARC_SOVERSION warc_shared SOVERSION)
set(FOR_WARC libwarc${WARC_SOVERSION})
th_package(program thresher web "annotated page records from web archives"
  "${ABOUT}\n\nThis package has the program, with the daemon that works next to a crawler or\non Kafka.")
th_package(lab thresher-lab web "annotated page records from web archives (research)"
  "${ABOUT}\n\nThis package has thresher-lab. It has every command of thresher, and adds the\ntraining of segmenters, more evaluations and the segmenters of the papers.")
th_package(libthresher ${FOR_THRESHER} libs "web pages to segments, labels and signatures"
  "${ABOUT}\n\nThis package has the library that takes one page.")
th_package(libthresher_dev libthresher-dev libdevel "web pages to segments, labels and signatures (development)"
  "${ABOUT}\n\nThis package has headers and static library.")
th_package(libwarc ${FOR_WARC} libs "reader and writer of WARC and ARC web archives" "${ABOUT_WARC}")
th_package(libwarc_dev libwarc-dev libdevel "reader and writer of WARC and ARC web archives (development)"
  "${ABOUT_WARC}\n\nThis package has headers and static library.")

file(WRITE ${CONTROL}/conffiles "/etc/thresher/thresher.conf\n")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_DEPENDS "adduser")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "kcat, jq")
set(CPACK_DEBIAN_LAB_PACKAGE_RECOMMENDS "thresher, python3, python3-numpy, python3-scipy, python3-sklearn, python3-xxhash")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_CONTROL_EXTRA ${CONTROL}/conffiles ${DEBIAN}/postinst ${DEBIAN}/prerm ${DEBIAN}/postrm)
# Requirements of the .pc files, for their flags and for static programs.
set(CPACK_DEBIAN_LIBTHRESHER_DEV_PACKAGE_DEPENDS
    "${FOR_THRESHER} (= ${REVISION}), libxml2-dev, libicu-dev, libuchardet-dev, libxxhash-dev, libssl-dev")
set(CPACK_DEBIAN_LIBWARC_DEV_PACKAGE_DEPENDS "${FOR_WARC} (= ${REVISION}), zlib1g-dev, libzstd-dev, libssl-dev, libisal-dev, libdeflate-dev")
foreach(component libthresher libwarc)
  string(TOUPPER ${component} KEY)
  set(name ${CPACK_DEBIAN_${KEY}_PACKAGE_NAME})
  string(REPLACE "${component}" "" soversion ${name})
  configure_file(${DEBIAN}/${name}.symbols ${CONTROL}/${name}/symbols COPYONLY)
  file(WRITE ${CONTROL}/${name}/shlibs "${component} ${soversion} ${name} (>= ${PROJECT_VERSION})\n")
  file(WRITE ${CONTROL}/${name}/triggers "activate-noawait ldconfig\n")
  set(CPACK_DEBIAN_${KEY}_PACKAGE_CONTROL_EXTRA ${CONTROL}/${name}/symbols ${CONTROL}/${name}/shlibs ${CONTROL}/${name}/triggers)
endforeach()
include(CPack)
