# SPDX-License-Identifier: MIT
#
# Kernels as each engine takes them. simtcheck's own build uses these functions, and so does every
# project that finds the package. They read:
#
#     SIMTCHECK_DATA_DIR   the folder of include/, kernels/ and src/: the sources, or what is installed
#     SIMTCHECK_PTX_NVCC   the nvcc whose PTX the simulator runs; empty: there is none
#     SIMTCHECK_PTX_CLANG  the clang++ (14 or newer) whose PTX it runs where there is no nvcc; empty: there is none
#     SIMTCHECK_CDP1       ON: kernels for a GPU wait for child grids on the device (CUDA 12, below sm_90)

# Machine code for data-centre GPUs since Ampere, and PTX: of the oldest architecture that CUDA 11.8
# to 13.x share, for every GPU's driver to compile, and of the newest, for GPUs to come.
set(SIMTCHECK_DEFAULT_ARCHITECTURES 75-virtual 80-real 90)

# Sets what SIMTCHECK_PTX_NVCC and SIMTCHECK_PTX_CLANG make possible:
#
#     SIMTCHECK_HAVE_PTX      there is PTX for the simulator
#     SIMTCHECK_HAVE_NVCC     its PTX is nvcc's; without it, clang's
#     SIMTCHECK_PTX_VERSION, SIMTCHECK_PTX_COMPILER, SIMTCHECK_PTX_FLAGS
macro(simtcheck_look_at_ptx_compiler)
  set(SIMTCHECK_HAVE_PTX OFF)
  set(SIMTCHECK_HAVE_NVCC OFF)
  find_program(simtcheck_clang NAMES clang++-21 clang++-20 clang++-19 clang++-18 clang++-17 clang++-16 clang++-15
                                     clang++-14 clang++)
  mark_as_advanced(simtcheck_clang)
  set(simtcheck_default_clang "")
  if(simtcheck_clang)
    set(simtcheck_default_clang "${simtcheck_clang}")
  endif()
  set(SIMTCHECK_PTX_CLANG "${simtcheck_default_clang}" CACHE FILEPATH
      "The clang++ (14 or newer) whose PTX the simulator runs where there is no nvcc")
  if(SIMTCHECK_PTX_NVCC)
    execute_process(COMMAND ${SIMTCHECK_PTX_NVCC} --version OUTPUT_VARIABLE SIMTCHECK_PTX_VERSION)
    if(NOT SIMTCHECK_PTX_VERSION MATCHES "release [0-9.]+, V([0-9.]+)")
      message(FATAL_ERROR "SIMTCHECK_PTX_NVCC is \"${SIMTCHECK_PTX_NVCC}\", which does not tell its "
                          "version: it is to be an nvcc, of 11.8 to 13.x")
    endif()
    set(SIMTCHECK_PTX_VERSION ${CMAKE_MATCH_1})
    set(SIMTCHECK_PTX_COMPILER ${SIMTCHECK_PTX_NVCC})
    set(SIMTCHECK_HAVE_PTX ON)
    set(SIMTCHECK_HAVE_NVCC ON)
    if(SIMTCHECK_PTX_VERSION VERSION_LESS 12.4) # it knows no host compiler as new as that at hand
      set(SIMTCHECK_PTX_FLAGS -allow-unsupported-compiler)
    endif()
  elseif(SIMTCHECK_PTX_CLANG)
    execute_process(COMMAND ${SIMTCHECK_PTX_CLANG} --version OUTPUT_VARIABLE SIMTCHECK_PTX_VERSION)
    if(NOT SIMTCHECK_PTX_VERSION MATCHES "clang version ([0-9.]+)")
      message(FATAL_ERROR "SIMTCHECK_PTX_CLANG is \"${SIMTCHECK_PTX_CLANG}\", which is not a clang++. Set it to a "
                          "clang++ of version 14 or newer, or to \"\".")
    endif()
    set(SIMTCHECK_PTX_VERSION ${CMAKE_MATCH_1})
    set(SIMTCHECK_PTX_COMPILER ${SIMTCHECK_PTX_CLANG})
    if(SIMTCHECK_PTX_VERSION VERSION_LESS 14)
      message(STATUS "simtcheck: clang ${SIMTCHECK_PTX_VERSION} is older than 14, so there is no PTX for the simulator")
    else()
      set(SIMTCHECK_HAVE_PTX ON)
    endif()
  endif()
endmacro()

# ---- The simulator: what nvcc or clang makes of the kernels ----

# Sets `command` to the command that compiles kernels to PTX; the file and "-o FILE.ptx" come behind it. clang's
# words are those of src/device/clang.c; every clang from 14 on knows version 7.5 of PTX.
function(simtcheck_ptx_command flags)
  if(SIMTCHECK_HAVE_NVCC)
    set(command ${SIMTCHECK_PTX_NVCC} ${SIMTCHECK_PTX_FLAGS} -std=c++17 --fmad=false -rdc=true -ptx -arch=compute_80
                -D__CDPRT_SUPPRESS_SYNC_DEPRECATION_WARNING -diag-suppress 550,20054)
  else()
    execute_process(COMMAND ${SIMTCHECK_PTX_CLANG} --version OUTPUT_VARIABLE version) # beside nvcc, too
    if(version MATCHES "clang version 14")
      set(undefined -disable-noundef-analysis)
    else()
      set(undefined -no-enable-noundef-analysis)
    endif()
    set(command ${SIMTCHECK_PTX_CLANG} -x cuda --cuda-device-only --cuda-gpu-arch=sm_80 --cuda-path=/nonexistent
                -nocudainc -nocudalib -Xclang -target-feature -Xclang +ptx75 -S -w -O2 -gline-directives-only
                -fno-math-errno -fno-strict-aliasing -fno-builtin-malloc -fno-builtin-free -ffp-contract=off -std=c++17
                -Xclang ${undefined} -fno-finite-loops
                -isystem ${SIMTCHECK_DATA_DIR}/src/device/clang/cuda
                -include ${SIMTCHECK_DATA_DIR}/src/device/clang/prelude.h)
    list(REMOVE_ITEM flags -lineinfo)
    list(TRANSFORM flags REPLACE "^-G$" "-O0")
  endif()
  set(command ${command} -DSIMT_SIMULATED ${flags} PARENT_SCOPE)
endfunction()

# simtcheck_ptx_kernels(NAME file.cu ... [FLAGS flag ...] [INCLUDES folder ...]): an object library of the PTX that
# nvcc makes of kernels, or where there is none clang, with -lineinfo or with other flags. The PTX lies in the folder
# NAME, too.
function(simtcheck_ptx_kernels name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "FLAGS;INCLUDES")
  if(NOT arg_FLAGS)
    set(arg_FLAGS -lineinfo)
  endif()
  list(APPEND arg_INCLUDES ${SIMTCHECK_DATA_DIR}/include)
  list(TRANSFORM arg_INCLUDES PREPEND -I)
  simtcheck_ptx_command("${arg_FLAGS}")
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${name})
  file(MAKE_DIRECTORY ${folder})
  file(GLOB headers CONFIGURE_DEPENDS ${SIMTCHECK_DATA_DIR}/include/simtcheck/*.h
       ${SIMTCHECK_DATA_DIR}/src/device/clang/*.h
       ${SIMTCHECK_DATA_DIR}/src/device/clang/cuda/*.h)
  foreach(file IN LISTS arg_UNPARSED_ARGUMENTS)
    get_filename_component(path ${file} ABSOLUTE)
    get_filename_component(stem ${file} NAME_WE)
    add_custom_command(
      OUTPUT ${folder}/${stem}.ptx
      COMMAND ${command} ${arg_INCLUDES} ${path} -o ${folder}/${stem}.ptx
      DEPENDS ${path} ${headers} ${SIMTCHECK_PTX_COMPILER} # another compiler makes other PTX
      VERBATIM)
    list(APPEND modules ${folder}/${stem}.ptx)
  endforeach()
  simtcheck_embed_ptx(${name} ${modules})
endfunction()

# simtcheck_embed(TARGET SYMBOL file ... [EACH | UNIT file.c CODE text]): adds a C file to TARGET with the bytes of
# files, one after the other, and a zero: extern const char SYMBOL[].
#
#     EACH   a zero after each file: extern const char *const SYMBOL[], which ends with NULL, and size_t SYMBOL_count
#     CODE   C that alone uses the bytes, from SYMBOL to SYMBOL_end, in the file UNIT
function(simtcheck_embed target symbol)
  cmake_parse_arguments(PARSE_ARGV 2 arg EACH "UNIT;CODE" "")
  set(unit ${symbol}.c)
  set(label ".globl ${symbol}\\n${symbol}:\\n")
  set(bytes "")
  set(texts "")
  set(names "")
  set(count 0)
  foreach(file IN LISTS arg_UNPARSED_ARGUMENTS)
    if(arg_EACH)
      string(APPEND texts "extern const char ${symbol}_${count}[];\n")
      string(APPEND names "${symbol}_${count}, ")
      string(APPEND bytes "\n\".byte 0\\n${symbol}_${count}:\\n\"")
      math(EXPR count "${count} + 1")
    endif()
    string(APPEND bytes "\n\".incbin \\\"${file}\\\"\\n\"")
  endforeach()
  if(arg_EACH)
    set(label "")
    set(arg_CODE "#include <stddef.h>
${texts}extern const char *const ${symbol}[];
extern const size_t ${symbol}_count;
const char *const ${symbol}[] = {${names}NULL};
const size_t ${symbol}_count = ${count};
")
  elseif(arg_CODE)
    set(label "${symbol}:\\n")
    set(unit ${arg_UNIT})
  endif()
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${unit} @ONLY CONTENT
"${arg_CODE}__asm__(\".section .rodata\\n.balign 16\\n${label}\"${bytes}
\"${symbol}_end:\\n.byte 0\\n.previous\\n\");
")
  set_source_files_properties(${CMAKE_CURRENT_BINARY_DIR}/${unit} PROPERTIES OBJECT_DEPENDS "${arg_UNPARSED_ARGUMENTS}")
  target_sources(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/${unit})
endfunction()

# simtcheck_embed_ptx(NAME FILE.ptx ...): an object library that holds PTX, for workers of the simulator.
function(simtcheck_embed_ptx name)
  add_library(${name} OBJECT)
  foreach(ptx IN LISTS ARGN)
    get_filename_component(stem ${ptx} NAME_WE)
    simtcheck_embed(${name} ptx_text ${ptx} UNIT ${name}/${stem}.c CODE
"#include \"embedded.h\"
extern const char ptx_text[], ptx_text_end[];
static const struct embedded_ptx ptx = {\"${ptx}\", ptx_text, ptx_text_end};
static const struct embedded_ptx *const entry __attribute__((section(\"simt_ptx\"), used)) = &ptx;
")
  endforeach()
  target_include_directories(${name} PRIVATE ${SIMTCHECK_DATA_DIR}/src/engine/sim)
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
endfunction()

# ---- The engine cuda ----

# --fmad=false: the sums that the oracle bounds are those of separate operations.
set(SIMTCHECK_CUDA_FLAGS --fmad=false -lineinfo)

# With this macro CUDA 12 builds dynamic parallelism 1, which has device-side cudaDeviceSynchronize() and
# no tail launches. All device code of a program is compiled with it, so that none mixes the two.
set(SIMTCHECK_CDP1_FLAGS "")
if(SIMTCHECK_CDP1)
  set(SIMTCHECK_CDP1_FLAGS -DCUDA_FORCE_CDP1_IF_SUPPORTED -D__CDPRT_SUPPRESS_SYNC_DEPRECATION_WARNING)
  list(APPEND SIMTCHECK_CUDA_FLAGS ${SIMTCHECK_CDP1_FLAGS})
endif()

# simtcheck_check_cdp1(): stops if SIMTCHECK_CDP1 is ON and the toolkit or an architecture cannot have it.
function(simtcheck_check_cdp1)
  if(NOT SIMTCHECK_CDP1)
    return()
  endif()
  if(NOT CMAKE_CUDA_COMPILER_LOADED)
    message(FATAL_ERROR "SIMTCHECK_CDP1 is ON, but no CUDA compiler is in use. Install CUDA 12 and set "
                        "CMAKE_CUDA_COMPILER to its nvcc, or set SIMTCHECK_CDP1=OFF.")
  endif()
  if(CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
    message(FATAL_ERROR "SIMTCHECK_CDP1 is ON, but CUDA ${CMAKE_CUDA_COMPILER_VERSION} has no device-side "
                        "cudaDeviceSynchronize(). Set CMAKE_CUDA_COMPILER to an nvcc of CUDA 12, or set "
                        "SIMTCHECK_CDP1=OFF.")
  endif()
  if(CMAKE_CUDA_ARCHITECTURES STREQUAL SIMTCHECK_DEFAULT_ARCHITECTURES)
    return() # simtcheck_cuda_launching() leaves out 90
  endif()
  foreach(architecture IN LISTS CMAKE_CUDA_ARCHITECTURES)
    string(REGEX MATCH "^[0-9]+" number "${architecture}")
    if(NOT number OR number GREATER_EQUAL 90)
      message(FATAL_ERROR "SIMTCHECK_CDP1 is ON, but CMAKE_CUDA_ARCHITECTURES contains '${architecture}'. "
                          "Device-side cudaDeviceSynchronize() needs architectures below 90, given as "
                          "numbers, such as -DCMAKE_CUDA_ARCHITECTURES=80.")
    endif()
  endforeach()
endfunction()

# simtcheck_cuda_launching(TARGET): the target's device code is relocatable, as that of kernels that
# launch kernels must be. Such code is machine code only, for the driver does not link what it
# compiles from PTX; and kernels that wait on the device, as with CUDA 11 and SIMTCHECK_CDP1, do not compile
# for compute capability 9.0.
function(simtcheck_cuda_launching target)
  if(NOT CMAKE_CUDA_ARCHITECTURES STREQUAL SIMTCHECK_DEFAULT_ARCHITECTURES)
    set(architectures ${CMAKE_CUDA_ARCHITECTURES})
  elseif(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 12 OR SIMTCHECK_CDP1)
    set(architectures 75-real 80-real)
  elseif(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 13)
    set(architectures 75-real 80-real 90-real)
  else()
    set(architectures 75-real 80-real 90-real 100-real 120-real)
  endif()
  set_target_properties(${target} PROPERTIES CUDA_SEPARABLE_COMPILATION ON
                                             CUDA_ARCHITECTURES "${architectures}")
  if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 12) # it warns of waiting on the device
    target_compile_definitions(${target} PRIVATE __CDPRT_SUPPRESS_SYNC_DEPRECATION_WARNING)
  endif()
endfunction()

# simtcheck_cuda_links_launches(TARGET): it is linked as such code must be.
function(simtcheck_cuda_links_launches target)
  simtcheck_cuda_launching(${target})
  set_target_properties(${target} PROPERTIES CUDA_RESOLVE_DEVICE_SYMBOLS ON LINKER_LANGUAGE CUDA)
endfunction()

# simtcheck_cuda_objects(NAME [LAUNCHING] file.cu ... [FLAGS flag ...]): an object library of kernels
# for a GPU; LAUNCHING: those that launch kernels, or are linked with them.
function(simtcheck_cuda_objects name)
  cmake_parse_arguments(PARSE_ARGV 1 arg LAUNCHING "" FLAGS)
  add_library(${name} OBJECT ${arg_UNPARSED_ARGUMENTS})
  target_compile_options(${name} PRIVATE ${SIMTCHECK_CUDA_FLAGS} ${arg_FLAGS})
  target_compile_features(${name} PRIVATE cuda_std_17)
  target_link_libraries(${name} PRIVATE simtcheck::kernel_table)
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  if(arg_LAUNCHING)
    simtcheck_cuda_launching(${name})
  endif()
endfunction()

# simtcheck_cuda_ptx_only(TARGET): its kernels are PTX, which the driver compiles for the GPU at hand.
function(simtcheck_cuda_ptx_only target)
  set(architectures ${CMAKE_CUDA_ARCHITECTURES})
  if(NOT architectures MATCHES "^[0-9]") # "native", "all": words that name no PTX
    set(architectures ${SIMTCHECK_DEFAULT_ARCHITECTURES})
  endif()
  list(TRANSFORM architectures REPLACE "-(real|virtual)$" "")
  list(TRANSFORM architectures APPEND "-virtual")
  list(REMOVE_DUPLICATES architectures)
  set_target_properties(${target} PROPERTIES CUDA_ARCHITECTURES "${architectures}")
endfunction()

# simtcheck_cuda_engine(NAME): the library NAME, the engine, and NAME_launches and NAME_module, which
# come with it, with or without kernels that launch.
function(simtcheck_cuda_engine name)
  simtcheck_check_cdp1()
  set(folder ${SIMTCHECK_DATA_DIR}/src/engine/cuda)
  add_library(${name} STATIC ${folder}/contents.cu ${folder}/describe.cu
              ${folder}/engine.cu ${folder}/regions.cu ${folder}/tensor_maps.cu ${folder}/views.cu)
  target_include_directories(${name} PRIVATE ${folder})
  target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:${SIMTCHECK_CUDA_FLAGS}>)
  target_compile_features(${name} PRIVATE cuda_std_17)
  target_compile_definitions(${name} PRIVATE _GNU_SOURCE)
  target_link_libraries(${name} PUBLIC simtcheck::engine)
  if(TARGET CUDA::cudart_static) # else by CMake, of programs that the CUDA compiler links
    target_link_libraries(${name} PUBLIC CUDA::cudart_static)
  endif()
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  simtcheck_cuda_objects(${name}_launches LAUNCHING ${folder}/launches.cu)
  simtcheck_cuda_objects(${name}_module LAUNCHING ${folder}/module_linked.cu)
  foreach(part IN ITEMS launches module)
    target_include_directories(${name}_${part} PRIVATE ${folder})
    target_link_libraries(${name}_${part} PRIVATE simtcheck::engine)
  endforeach()
endfunction()
