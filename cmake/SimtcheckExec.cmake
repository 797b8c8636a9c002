# SPDX-License-Identifier: MIT
#
# The stand-ins for the CUDA libraries that `simtcheck exec` puts before a program: libcuda.so.1 with the simulator,
# and libcudart.so.11.0, .12 and .13 above it. They need no CUDA Toolkit. The audit library makes programs use them.

set(exec ${PROJECT_SOURCE_DIR}/src/exec)
set(SIMTCHECK_EXEC_FOLDER ${PROJECT_BINARY_DIR}/exec)

# exec_stubs(OUTPUT NAMES): a function for each name of the list, for those that nothing else defines. It says that it
# is missing.
function(exec_stubs output names)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${names})
  file(READ ${names} text)
  string(REGEX MATCHALL "[A-Za-z_0-9]+" functions "${text}")
  set(code "#include \"core.h\"\n")
  foreach(function IN LISTS functions)
    string(APPEND code "EXEC_PUBLIC __attribute__((weak)) int ${function}(void);\nint ${function}(void)\n{\n"
                       "    return exec_missing(\"${function}\", __builtin_return_address(0));\n}\n")
  endforeach()
  file(CONFIGURE OUTPUT ${output} CONTENT "${code}" @ONLY)
endfunction()

# exec_library(NAME FILE STUBS SOURCES file...): a library whose file name is FILE.
function(exec_library name file)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "VERSIONS" "SOURCES")
  list(TRANSFORM arg_SOURCES PREPEND ${exec}/ REGEX "^[a-z]")
  add_library(${name} SHARED ${arg_SOURCES})
  target_include_directories(${name} PRIVATE ${exec} ${exec}/arrays ${exec}/queue ${PROJECT_SOURCE_DIR}/src/capture)
  target_compile_options(${name} PRIVATE -fvisibility=hidden)
  target_link_libraries(${name} PRIVATE simtcheck_flags)
  set_target_properties(${name} PROPERTIES PREFIX "" OUTPUT_NAME ${file} SUFFIX "" NO_SONAME ON
                        LIBRARY_OUTPUT_DIRECTORY ${SIMTCHECK_EXEC_FOLDER} BUILD_RPATH "$ORIGIN" INSTALL_RPATH "$ORIGIN")
  target_link_options(${name} PRIVATE -Wl,-soname,${file} -Wl,-Bsymbolic -Wl,-z,nodelete -Wl,--exclude-libs,ALL)
  install(TARGETS ${name} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/simtcheck/exec)
endfunction()

exec_stubs(${PROJECT_BINARY_DIR}/exec_driver_stubs.c ${exec}/driver_names.txt)
exec_stubs(${PROJECT_BINARY_DIR}/exec_runtime_stubs.c ${exec}/runtime_names.txt)

file(GLOB core RELATIVE ${exec} CONFIGURE_DEPENDS ${exec}/*.c ${exec}/arrays/*.c ${exec}/queue/*.c)
list(FILTER core EXCLUDE REGEX "(^|/)runtime_")
exec_library(exec_driver libcuda.so.1 SOURCES ${core} ${PROJECT_BINARY_DIR}/exec_driver_stubs.c)
target_link_libraries(exec_driver PRIVATE engine_sim cases fat_binary launch_features PkgConfig::LIBDW
                                          Threads::Threads)

file(GLOB runtime RELATIVE ${exec} CONFIGURE_DEPENDS ${exec}/runtime_*.c
     ${exec}/arrays/runtime_*.c)
foreach(version IN ITEMS 11 12 13)
  string(REPLACE 11 11.0 name libcudart.so.${version})
  exec_library(exec_runtime_${version} ${name}
               SOURCES ${runtime} ${PROJECT_BINARY_DIR}/exec_runtime_stubs.c)
  set(versions ${PROJECT_BINARY_DIR}/exec_runtime_${version}.map)
  file(CONFIGURE OUTPUT ${versions} CONTENT "${name} { global: cuda*; __cuda*; local: *; };\n")
  target_link_options(exec_runtime_${version} PRIVATE -Wl,--version-script,${versions})
  target_compile_definitions(exec_runtime_${version} PRIVATE RUNTIME_VERSION=${version})
  target_link_libraries(exec_runtime_${version} PRIVATE exec_driver)
endforeach()
add_custom_target(exec_libraries ALL DEPENDS exec_driver exec_runtime_11 exec_runtime_12 exec_runtime_13)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$") # It writes instructions.
  exec_library(exec_audit simtcheck-audit.so SOURCES audit/audit.c)
  target_link_libraries(exec_audit PRIVATE ${CMAKE_DL_LIBS})
  add_dependencies(exec_libraries exec_audit)
endif()
