# SPDX-License-Identifier: MIT
#
# What is installed, and the Debian package. Everything is found from where the program or this package
# lies: an installed copy can be moved.

include(CMakePackageConfigHelpers)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/simtcheck)
set(data ${CMAKE_INSTALL_DATADIR}/simtcheck)
set(tools ${CMAKE_INSTALL_LIBEXECDIR}/simtcheck)

# ---- Programs ----

install(TARGETS simtcheck EXPORT simtcheckTargets)
set(workers ${simtcheck_PROGRAMS})
list(REMOVE_ITEM workers simtcheck)
if(SIMTCHECK_TOOLS)
  list(APPEND workers simtcheck-worker-soak)
endif()
if(SIMTCHECK_HAVE_DELAYS)
  list(APPEND workers simtcheck-worker-cuda-stress)
endif()
if(SIMTCHECK_HAVE_LITMUS)
  list(APPEND workers simtcheck-worker-litmus)
endif()
if(TARGET simtcheck-benchmark)
  list(APPEND workers simtcheck-benchmark)
endif()
install(TARGETS ${workers} RUNTIME DESTINATION ${tools})
if(SIMTCHECK_HAVE_CAPTURE)
  install(PROGRAMS $<TARGET_FILE:simtcheck-capture> DESTINATION ${tools})
endif()

# ---- What they read, and what suites are compiled from ----

install(DIRECTORY kernels/ DESTINATION ${data}/kernels FILES_MATCHING PATTERN "*.cu" PATTERN catalogue EXCLUDE)
install(DIRECTORY include/simtcheck DESTINATION ${data}/include)
install(DIRECTORY src/device/clang DESTINATION ${data}/src/device)
install(FILES src/engine/sim/embedded.h DESTINATION ${data}/src/engine/sim)
install(FILES src/model/defects.awk DESTINATION ${data}/src/model)
install(FILES src/base/clock.h DESTINATION ${data}/src/base)
install(FILES src/model/coverage.h src/model/engines.h src/model/instructions.h src/model/outcome.h
        DESTINATION ${data}/src/model)
install(FILES src/model/faults/fault.h src/model/faults/fault_kinds.h src/model/faults/fault_sentences.h
        DESTINATION ${data}/src/model/faults)
install(FILES src/engine/engine.h src/engine/launches.h DESTINATION ${data}/src/engine)
install(FILES src/oracle/input_values.h DESTINATION ${data}/src/oracle)
install(FILES src/engine/cuda/contents.cu src/engine/cuda/contents.h src/engine/cuda/describe.cu
              src/engine/cuda/engine.cu src/engine/cuda/tensor_maps.cu
              src/engine/cuda/tensor_maps.h src/engine/cuda/launches.cu
              src/engine/cuda/module.h src/engine/cuda/module_linked.cu src/engine/cuda/regions.cu
              src/engine/cuda/regions.h src/engine/cuda/views.cu src/engine/cuda/views.h
        DESTINATION ${data}/src/engine/cuda)
install(FILES src/cli/simtcheck.c src/cli/main.h DESTINATION ${data}/src/cli)
install(FILES tools/tools.h DESTINATION ${data}/tools)
install(FILES src/workers/simtcheck_worker.c src/workers/worker.h
              src/workers/build_identity.cmake
        DESTINATION ${data}/src/workers)
install(FILES docs/snapshot.schema.json DESTINATION ${data})
install(FILES docs/results/mutants.md DESTINATION ${data}/docs/results)
if(SIMTCHECK_HAVE_PTX)
  install(DIRECTORY ${PROJECT_BINARY_DIR}/kernels_sim/ DESTINATION ${data}/kernels_sim
          FILES_MATCHING PATTERN "*.ptx")
endif()

# ---- For suites ----

install(DIRECTORY include/simtcheck DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
get_property(libraries GLOBAL PROPERTY SIMTCHECK_EXPORTED)
list(REMOVE_ITEM libraries rows) # simtcheck's own
install(TARGETS ${libraries} EXPORT simtcheckTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}/simtcheck)
install(EXPORT simtcheckTargets NAMESPACE simtcheck:: DESTINATION ${package})
configure_package_config_file(
  cmake/simtcheckConfig.cmake.in ${PROJECT_BINARY_DIR}/simtcheckConfig.cmake
  INSTALL_DESTINATION ${package}
  PATH_VARS data CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/simtcheckConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/simtcheckConfig.cmake
              ${PROJECT_BINARY_DIR}/simtcheckConfigVersion.cmake cmake/SimtcheckKernels.cmake
              cmake/SimtcheckSuite.cmake
        DESTINATION ${package})

# pkg-config: the libraries of a program with simtcheck's commands, from right to left.
if(SIMTCHECK_TOOLS)
  set(wings bench compilers programs litmus_run litmus soak soak_records)
endif()
set(archives tools ${wings} commands packages captures fat_binary page results build_files mutation launches checks
    repairs session expectations records device worker workers cases ptx_decoder ptx_parser matrix oracle catalogue
    findings kernel_table faults driver base)
list(JOIN archives " -l" archives)
file(RELATIVE_PATH to_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(cmake/simtcheck.pc.in ${PROJECT_BINARY_DIR}/simtcheck.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/simtcheck.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# ---- Pages ----

install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES ${PROJECT_BINARY_DIR}/simtcheck.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${PROJECT_BINARY_DIR}/simtcheck.bash
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME simtcheck)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright) # as Debian has it

# ---- Last: programs and libraries lose their debug data, and ci/install --remove gets the list of files ----

install(CODE "set(strip \"${CMAKE_STRIP}\")\nset(list \"${data}/installed.txt\")")
install(CODE [[
set(lines "${list}\n")
foreach(file IN LISTS CMAKE_INSTALL_MANIFEST_FILES)
  if(strip AND file MATCHES "([.]a|[.]so([.][0-9]+)?|/bin/simtcheck|/simtcheck-[a-z-]+)$")
    execute_process(COMMAND "${strip}" --strip-unneeded --preserve-dates "$ENV{DESTDIR}${file}")
  endif()
  file(RELATIVE_PATH file "${CMAKE_INSTALL_PREFIX}" "${file}")
  string(APPEND lines "${file}\n")
endforeach()
file(WRITE "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/${list}" "${lines}")
]])

# ---- The Debian package: cpack -G DEB ----

set(CPACK_PACKAGE_NAME simtcheck)
set(CPACK_PACKAGE_VENDOR "simtcheck maintainers")
set(CPACK_PACKAGE_CONTACT "simtcheck maintainers <maintainers@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "conformance suite for CUDA kernels, with and without a GPU")
set(CPACK_PACKAGE_DESCRIPTION
    "Runs CUDA kernels on the CPU and on a GPU, and looks for accesses outside of arrays, memory that
nothing wrote, barriers in divergent code, races, and results that depend on the order in which
threads run. Checks kernels of one's own by the line that launches them, or as a suite of tests by
CMake and CTest; and the compilers of CUDA toolkits and drivers, by programs drawn at random.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_DEPENDS
    "libc6 (>= 2.36), libjansson4 (>= 2.13), libdw1 (>= 0.187), libelf1 (>= 0.187), libzstd1 (>= 1.5), "
    "liblz4-1 (>= 1.9), libssl3 (>= 3.0)")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS
    "clang (>= 1:14), gcc, libc6-dev, cmake (>= 3.25), make, pkg-config, libjansson-dev, libdw-dev, libzstd-dev, "
    "liblz4-dev, libssl-dev, libxxhash-dev")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "nvidia-cuda-toolkit")
set(CPACK_GENERATOR DEB)
include(CPack)
