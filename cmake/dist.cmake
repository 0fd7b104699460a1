# SPDX-License-Identifier: BSD-3-Clause
# What goes out of a build: `uninstall` removes what the last `install` has installed, `dist` makes the source tarball of
# the commit that is checked out, `package` a tarball of the binaries.
configure_file(cmake/uninstall.cmake.in uninstall.cmake @ONLY)
add_custom_target(uninstall COMMAND ${CMAKE_COMMAND} -P ${PROJECT_BINARY_DIR}/uninstall.cmake VERBATIM)

add_custom_target(dist COMMAND ${PROJECT_SOURCE_DIR}/packaging/dist ${PROJECT_BINARY_DIR} VERBATIM)

set(CPACK_GENERATOR TXZ)
set(CPACK_PACKAGE_NAME tutti${TUTTI_SUFFIX})
set(CPACK_PACKAGE_VENDOR "the Tutti authors")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
include(CPack)
