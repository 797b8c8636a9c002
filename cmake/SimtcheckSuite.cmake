# SPDX-License-Identifier: MIT
#
# Suites: a program with all of simtcheck's commands over a catalogue, its workers and its tests.

include(${CMAKE_CURRENT_LIST_DIR}/SimtcheckKernels.cmake)

# simtcheck_programs(NAME CATALOGUE library [SIM kernels] [CUDA kernels ...]): the program NAME and
# its workers, of that catalogue and of those object libraries; the CUDA ones link an engine.
function(simtcheck_programs name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "CATALOGUE;SIM" "CUDA")
  set(worker ${SIMTCHECK_DATA_DIR}/src/workers/simtcheck_worker.c)
  add_executable(${name} ${SIMTCHECK_DATA_DIR}/src/cli/simtcheck.c)
  target_link_libraries(${name} PRIVATE ${arg_CATALOGUE} simtcheck::tools)
  set(programs ${name})
  if(arg_SIM)
    add_executable(${name}-worker-sim ${worker})
    target_link_libraries(${name}-worker-sim PRIVATE ${arg_CATALOGUE} ${arg_SIM} simtcheck::worker
                                                     simtcheck::engine_sim)
    list(APPEND programs ${name}-worker-sim)
  endif()
  if(arg_CUDA)
    add_executable(${name}-worker-cuda ${worker})
    target_link_libraries(${name}-worker-cuda PRIVATE ${arg_CATALOGUE} simtcheck::worker ${arg_CUDA})
    simtcheck_cuda_links_launches(${name}-worker-cuda)
    list(APPEND programs ${name}-worker-cuda)
  endif()
  set_target_properties(${programs} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  foreach(program IN LISTS programs)
    if(NOT program STREQUAL name)
      add_dependencies(${name} ${program})
    endif()
  endforeach()
  set(${name}_PROGRAMS ${programs} PARENT_SCOPE)
endfunction()

# simtcheck_defects(CATALOGUE file.cu ...): the header defects.h for the sources of the library CATALOGUE, with the
# regions that the files mark as known defects (src/model/defects.awk).
find_program(SIMTCHECK_AWK awk REQUIRED)
mark_as_advanced(SIMTCHECK_AWK)
function(simtcheck_defects catalogue)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${catalogue}_defects)
  set(reader ${SIMTCHECK_DATA_DIR}/src/model/defects.awk)
  foreach(file IN LISTS ARGN)
    get_filename_component(path ${file} ABSOLUTE)
    list(APPEND paths ${path})
  endforeach()
  file(MAKE_DIRECTORY ${folder})
  add_custom_command(
    OUTPUT ${folder}/defects.h
    COMMAND ${SIMTCHECK_AWK} -f ${reader} -v output=${folder}/defects.h ${paths}
    DEPENDS ${reader} ${paths}
    VERBATIM)
  target_sources(${catalogue} PRIVATE ${folder}/defects.h)
  target_include_directories(${catalogue} PRIVATE ${folder})
endfunction()

# ---- simtcheck_add_suite() ----

# simtcheck_add_suite(NAME name FILES file.cu ... SUITE suite.c | launches.launches [FLAGS flag ...])
#
# SUITE suite.c: a catalogue in C (#include <simtcheck/simtcheck.h>) that defines simtcheck_catalogue. It may
# include "defects.h", which the build generates from the markers of known defects in FILES.
# Builds the program NAME, which has all of simtcheck's commands, and its workers: where there is an
# nvcc or a clang NAME-worker-sim, and where the language CUDA is enabled NAME-worker-cuda.
#
# SUITE file.launches: launches as `simtcheck check` takes them, a line each; builds nothing.
#
# Both make tests for CTest, NAME.ENGINE.KIND.KERNEL, with the labels NAME, ENGINE and KIND: `run`,
# `races`, and `determinism` where results of one engine are held to those of another, or of another order.
# FLAGS go to every compiler of the kernels: -D and -I.
#
# simtcheck_add_suite(NAME name CAPTURES folder ... [OPTIONS option ...])
#
# Makes a test for each capture, NAME.sim.capture.FOLDER, with the labels NAME, sim and capture. It replays the
# launches, with these options of `simtcheck check`.
function(simtcheck_add_suite)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;SUITE" "FILES;FLAGS;CAPTURES;OPTIONS")
  if(arg_CAPTURES)
    set(others ${arg_SUITE} ${arg_FILES} ${arg_FLAGS})
  else()
    set(others ${arg_OPTIONS})
  endif()
  if(NOT arg_NAME OR NOT ((arg_SUITE AND arg_FILES) OR arg_CAPTURES) OR others OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "simtcheck_add_suite() takes NAME name FILES file.cu ... SUITE suite.c, or "
                        "file.launches, and FLAGS flag ...; or NAME name CAPTURES folder ..., and OPTIONS "
                        "option ...; it was given: ${ARGV}")
  endif()
  if(NOT arg_NAME MATCHES "^[A-Za-z0-9_-]+$")
    message(FATAL_ERROR "simtcheck_add_suite(): NAME '${arg_NAME}' is to be of letters, digits, _ and -")
  endif()
  if(arg_CAPTURES)
    simtcheck_suite_of_captures(${arg_NAME} "${arg_CAPTURES}" "${arg_OPTIONS}")
    return()
  endif()
  foreach(file IN LISTS arg_FILES arg_SUITE)
    get_filename_component(path ${file} ABSOLUTE)
    if(NOT EXISTS ${path})
      message(FATAL_ERROR "simtcheck_add_suite(NAME ${arg_NAME}): there is no file '${path}'")
    endif()
    list(APPEND paths ${path})
  endforeach()
  list(POP_BACK paths suite)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${suite})
  if(suite MATCHES "[.]launches$")
    simtcheck_suite_of_launches(${arg_NAME} ${suite} "${paths}" "${arg_FLAGS}")
  elseif(suite MATCHES "[.]c$")
    simtcheck_suite_of_rows(${arg_NAME} ${suite} "${paths}" "${arg_FLAGS}")
  else()
    message(FATAL_ERROR "simtcheck_add_suite(NAME ${arg_NAME}): SUITE '${arg_SUITE}' is to end in .c, a "
                        "catalogue, or in .launches")
  endif()
endfunction()

# ---- A catalogue in C ----

# Sorts files into those that launch kernels in turn and the others.
function(simtcheck_sort_launching files plain launching)
  foreach(file IN LISTS files)
    file(STRINGS ${file} launches REGEX "LAUNCH\\(" LIMIT_COUNT 1)
    if(launches)
      list(APPEND with ${file})
    else()
      list(APPEND without ${file})
    endif()
  endforeach()
  set(${plain} "${without}" PARENT_SCOPE)
  set(${launching} "${with}" PARENT_SCOPE)
endfunction()

# Programs and workers of a suite know each other by what all of them are built from.
function(simtcheck_suite_identity name suite files flags)
  set(identity ${CMAKE_CURRENT_BINARY_DIR}/${name}_identity.c)
  string(REPLACE ";" "|" listed "${suite};${files}")
  add_custom_command(
    OUTPUT ${identity}
    COMMAND ${CMAKE_COMMAND} "-DFILES=${listed}|$<TARGET_FILE:simtcheck::workers>" "-DWORDS=${flags}"
            -DOUTPUT=${identity} -P ${SIMTCHECK_DATA_DIR}/src/workers/build_identity.cmake
    DEPENDS ${suite} ${files} $<TARGET_FILE:simtcheck::workers>
    VERBATIM)
  target_sources(${name}_catalogue PRIVATE ${identity})
endfunction()

# A source file for each family, where `bisect` and `compilers` look for it: beside the PTX.
function(simtcheck_suite_data name files)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${name}_kernels_sim)
  foreach(file IN LISTS files)
    get_filename_component(stem ${file} NAME_WE)
    file(CONFIGURE OUTPUT ${folder}/${stem}.cu CONTENT "#include \"${file}\"\n")
  endforeach()
  file(GENERATE OUTPUT $<TARGET_FILE_DIR:${name}>/${name}.data
       CONTENT "${SIMTCHECK_DATA_DIR}\n${folder}\n")
endfunction()

function(simtcheck_suite_of_rows name suite files flags)
  if(NOT CMAKE_C_COMPILER_LOADED OR NOT CMAKE_CXX_COMPILER_LOADED)
    message(FATAL_ERROR "simtcheck_add_suite(NAME ${name}): the project is to have the languages C and "
                        "CXX: project(... LANGUAGES C CXX), and CUDA where there is one")
  endif()
  add_library(${name}_catalogue OBJECT ${suite})
  target_link_libraries(${name}_catalogue PUBLIC simtcheck::catalogue)
  set_target_properties(${name}_catalogue PROPERTIES POSITION_INDEPENDENT_CODE ON)
  simtcheck_suite_identity(${name} ${suite} "${files}" "${flags}")
  simtcheck_defects(${name}_catalogue ${files})

  set(parts "")
  if(SIMTCHECK_HAVE_PTX)
    simtcheck_ptx_kernels(${name}_kernels_sim ${files} FLAGS -lineinfo ${flags})
    list(APPEND parts SIM ${name}_kernels_sim)
  endif()
  if(CMAKE_CUDA_COMPILER_LOADED)
    if(NOT TARGET simtcheck_engine_cuda)
      simtcheck_cuda_engine(simtcheck_engine_cuda)
    endif()
    simtcheck_sort_launching("${files}" plain launching)
    set(cuda simtcheck_engine_cuda simtcheck_engine_cuda_launches simtcheck_engine_cuda_module)
    if(plain)
      simtcheck_cuda_objects(${name}_kernels_cuda ${plain} FLAGS ${flags})
      list(PREPEND cuda ${name}_kernels_cuda)
    endif()
    if(launching)
      simtcheck_cuda_objects(${name}_launching_cuda LAUNCHING ${launching} FLAGS ${flags})
      list(PREPEND cuda ${name}_launching_cuda)
    endif()
    list(APPEND parts CUDA ${cuda})
  endif()
  simtcheck_programs(${name} CATALOGUE ${name}_catalogue ${parts})
  simtcheck_suite_data(${name} "${files}")
  simtcheck_suite_tests(${name})
endfunction()

# The catalogue's own list of tests is made when the program is built, and read by CTest.
function(simtcheck_suite_tests name)
  set(tests ${CMAKE_CURRENT_BINARY_DIR}/${name}_tests.cmake)
  set(engines --engine cuda)
  if(SIMTCHECK_HAVE_PTX)
    list(APPEND engines --engine sim)
  endif()
  add_custom_command(
    TARGET ${name} POST_BUILD
    COMMAND ${name} list --ctest ${tests} ${engines}
    VERBATIM)
  file(CONFIGURE OUTPUT ${tests}.if_built @ONLY CONTENT "if(EXISTS \"@tests@\")
  include(\"@tests@\")
else()
  add_test(@name@.is_not_built not_built)
endif()
")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${tests}.if_built)
endfunction()

# ---- Launches ----

# A line: [FILE.cu:] [NAME =] kernel<<<grid, block>>>(arguments) [OPTION ...] [-- COMPILER FLAGS]
function(simtcheck_suite_of_launches name suite files flags)
  file(READ ${suite} text)
  string(REPLACE ";" "\\;" text "${text}")
  # Lists of CMake do not part inside of brackets.
  string(ASCII 1 open)
  string(ASCII 2 close)
  string(REPLACE "[" "${open}" text "${text}")
  string(REPLACE "]" "${close}" text "${text}")
  string(REPLACE "\\\n" " " text "${text}")
  string(REPLACE "\n" ";" lines "${text}")
  set(number 0)
  foreach(line IN LISTS lines)
    math(EXPR number "${number} + 1")
    string(STRIP "${line}" line)
    if(line STREQUAL "" OR line MATCHES "^#")
      continue()
    endif()
    simtcheck_suite_launch(${name} ${suite}:${number} "${line}" "${files}" "${flags}")
    list(APPEND ids ${id})
  endforeach()
  if(NOT SIMTCHECK_HAVE_PTX)
    message(STATUS "simtcheck: there is no nvcc (SIMTCHECK_PTX_NVCC) and no clang (SIMTCHECK_PTX_CLANG), and so "
                   "${name} has no tests")
  endif()
  if(NOT ids)
    message(FATAL_ERROR "${suite}: there is no launch in it: a line such as "
                        "saxpy<<<(n + 255) / 256, 256>>>(n, 2.0f, in float x[n], inout float y[n])")
  endif()
endfunction()

# The launch of one line, with those before in `ids`; sets `id`.
function(simtcheck_suite_launch name place line files flags)
  set(file ${files})
  if(line MATCHES "^([^ :<]+[.]cu): *(.*)$")
    set(line ${CMAKE_MATCH_2})
    set(wanted ${CMAKE_MATCH_1})
    set(file ${files})
    list(FILTER file INCLUDE REGEX "(^|/)${wanted}$")
    if(NOT file)
      message(FATAL_ERROR "${place}: '${wanted}' is none of the suite's FILES: ${files}")
    endif()
  endif()
  list(LENGTH file count)
  if(count GREATER 1)
    message(FATAL_ERROR "${place}: the suite has several FILES: say which, by 'file.cu: kernel<<<...'")
  endif()
  set(options "")
  if(line MATCHES "^(.*>>>.*\\)) +(-.*)$")
    set(line "${CMAKE_MATCH_1}")
    separate_arguments(options UNIX_COMMAND "${CMAKE_MATCH_2}")
  endif()
  set(id "")
  if(line MATCHES "^([A-Za-z0-9_]+) *= *(.*)$")
    set(id ${CMAKE_MATCH_1})
    set(line "${CMAKE_MATCH_2}")
  endif()
  if(NOT line MATCHES "^[A-Za-z_:0-9]*[A-Za-z_0-9][^(]*<<<.*>>>.*\\(.*\\)$")
    message(FATAL_ERROR "${place}: '${line}' is no launch: it is to be such as "
                        "saxpy<<<(n + 255) / 256, 256>>>(n, 2.0f, in float x[n], inout float y[n])")
  endif()
  if(id STREQUAL "")
    string(REGEX MATCH "^[A-Za-z_0-9:]+" qualified "${line}")
    string(REGEX REPLACE "^.*::" "" id "${qualified}")
  endif()
  if(id IN_LIST ids)
    message(FATAL_ERROR "${place}: there is a launch '${id}' before: name this one, by "
                        "'other_name = kernel<<<...'")
  endif()
  string(ASCII 1 open)
  string(ASCII 2 close)
  string(REPLACE "${open}" "[" line "${line}")
  string(REPLACE "${close}" "]" line "${line}")
  set(behind ${flags})
  if(flags AND NOT "--" IN_LIST options)
    set(behind -- ${flags})
  endif()
  set(tests "")
  if(SIMTCHECK_HAVE_PTX)
    list(APPEND tests sim.run sim.races sim.determinism)
  endif()
  if(SIMTCHECK_HAVE_NVCC)
    list(APPEND tests cuda.run cuda.determinism)
  endif()
  foreach(test IN LISTS tests)
    string(REPLACE "." ";" parts ${test})
    list(GET parts 0 engine)
    list(GET parts 1 kind)
    set(compiler "")
    set(environment "")
    if(SIMTCHECK_HAVE_NVCC)
      set(compiler --nvcc ${SIMTCHECK_PTX_NVCC})
    else()
      set(compiler --compiler clang)
      set(environment ENVIRONMENT SIMTCHECK_CLANG=${SIMTCHECK_PTX_CLANG})
    endif()
    add_test(NAME ${name}.${test}.${id}
             COMMAND simtcheck::simtcheck check ${file} "${line}" --engine ${engine} --only ${kind}
                     ${compiler} ${options} ${behind})
    set_tests_properties(${name}.${test}.${id} PROPERTIES LABELS "${name};${engine};${kind}"
                                                          SKIP_RETURN_CODE 77 TIMEOUT 300 ${environment})
    if(engine STREQUAL "cuda")
      set_tests_properties(${name}.${test}.${id} PROPERTIES RESOURCE_LOCK gpu)
    endif()
  endforeach()
  set(id ${id} PARENT_SCOPE)
endfunction()

# ---- Captures ----

function(simtcheck_suite_of_captures name folders options)
  foreach(folder IN LISTS folders)
    get_filename_component(path ${folder} ABSOLUTE)
    get_filename_component(id ${path} NAME)
    set(test ${name}.sim.capture.${id})
    if(NOT EXISTS ${path}/capture.json)
      message(FATAL_ERROR "simtcheck_add_suite(NAME ${name}): '${path}' is no capture: it has no capture.json")
    endif()
    if(TEST ${test})
      message(FATAL_ERROR "simtcheck_add_suite(NAME ${name}): two captures have the name '${id}': rename one")
    endif()
    add_test(NAME ${test} COMMAND simtcheck::simtcheck check ${path} ${options})
    set_tests_properties(${test} PROPERTIES LABELS "${name};sim;capture" TIMEOUT 1500)
  endforeach()
endfunction()
