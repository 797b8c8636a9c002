# SPDX-License-Identifier: MIT
#
# The tests of wings (tools/), and of commands of the core that show what wings have.

# ---- Litmus tests ----

unit_program(test_litmus litmus/test_litmus.c)
target_link_libraries(test_litmus PRIVATE litmus ptx_decoder)
simt_test(sim.unit.litmus test_litmus)
simt_test(sim.unit.litmus_second_model python3 ${CMAKE_CURRENT_SOURCE_DIR}/litmus/second_model.py
          $<TARGET_FILE:simtcheck> 100 1)
test_program(test_litmus_command litmus/test_litmus_command.c)
simt_test(sim.unit.litmus_command test_litmus_command)
test_program(test_litmus_compare litmus/test_litmus_compare.c)
simt_test(sim.unit.litmus_compare test_litmus_compare)
simt_test(sim.unit.fuzz.litmus fuzz_litmus ${PROJECT_SOURCE_DIR}/tools/litmus/tests/two_writes.litmus)
unit_program(test_model_comparison weak/test_model.c)
target_link_libraries(test_model_comparison PRIVATE engine_run litmus)
simt_test(sim.unit.weak_memory_and_model test_model_comparison)

# ---- soak ----

test_program(test_soak soak/test_soak.c)
target_link_libraries(test_soak PRIVATE soak)
foreach(library cuda nvidia-ml)
  add_library(fake_gpu_${library} SHARED soak/fake_gpu.c)
  set_target_properties(fake_gpu_${library} PROPERTIES OUTPUT_NAME ${library} SOVERSION 1
                        LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/fake_gpu)
  target_link_libraries(fake_gpu_${library} PRIVATE simtcheck_flags)
endforeach()
target_compile_definitions(test_soak PRIVATE FAKE_GPU="${CMAKE_CURRENT_BINARY_DIR}/fake_gpu")
add_dependencies(test_soak fake_gpu_cuda fake_gpu_nvidia-ml)
test_program(test_soak_kernels soak/test_soak_kernels.c)
target_link_libraries(test_soak_kernels PRIVATE soak_cases)
part_test(sim.unit.soak test_soak)
simt_test(sim.unit.soak_kernels test_soak_kernels)

# ---- Compilers ----

# Workers that read their kernels from files, without a toolkit.
test_program(test_compilers program/test_compilers.c)
target_link_libraries(test_compilers PRIVATE compilers)
add_executable(test_compilers-worker-sim ${PROJECT_SOURCE_DIR}/src/workers/simtcheck_worker.c)
target_link_libraries(test_compilers-worker-sim PRIVATE compiled_ptx rows worker engine_sim simtcheck_flags)
add_dependencies(test_compilers test_compilers-worker-sim)
part_test(sim.unit.compilers test_compilers)
unit_program(test_program unit/test_program.c)
target_link_libraries(test_program PRIVATE compilers)
simt_test(sim.unit.program test_program)
if(SIMTCHECK_HAVE_NVCC)
  test_program(test_idioms program/test_idioms.c)
  target_link_libraries(test_idioms PRIVATE compilers)
  add_executable(test_idioms-worker-sim ${PROJECT_SOURCE_DIR}/src/workers/simtcheck_worker.c)
  target_link_libraries(test_idioms-worker-sim PRIVATE compiled_ptx rows worker engine_sim simtcheck_flags)
  add_dependencies(test_idioms test_idioms-worker-sim)
  simt_test(sim.unit.compilers_idioms test_idioms ${SIMTCHECK_PTX_NVCC})
  test_program(test_bisect program/test_bisect.c)
  target_link_libraries(test_bisect PRIVATE compilers)
  simt_test(sim.unit.bisect test_bisect ${SIMTCHECK_PTX_NVCC})
  if(SIMTCHECK_HAVE_GPU)
    simt_test(cuda.unit.bisect test_bisect ${SIMTCHECK_PTX_NVCC} cuda)
    add_custom_command(
      TARGET test_bisect POST_BUILD
      COMMAND ${CMAKE_COMMAND} -E create_symlink $<TARGET_FILE:simtcheck-worker-cuda>
              $<TARGET_FILE:test_bisect>-worker-cuda)
  endif()
endif()

# ---- Snapshots, packages and pages ----

test_program(test_snapshot program/test_snapshot.c)
target_compile_definitions(
  test_snapshot PRIVATE VALIDATE_SNAPSHOT="${CMAKE_CURRENT_SOURCE_DIR}/program/validate_snapshot.py"
                        SNAPSHOT_SCHEMA="${PROJECT_SOURCE_DIR}/docs/snapshot.schema.json")
part_test(sim.unit.snapshot test_snapshot)
test_program(test_package_command package/test_package_command.c)
target_link_libraries(test_package_command PRIVATE packages)
target_compile_definitions(test_package_command PRIVATE FIRST_ROWS="$<TARGET_FILE:first_rows>")
add_dependencies(test_package_command first_rows)
simt_test(sim.unit.package_command test_package_command)
test_program(test_compare program/test_compare.c)
target_link_libraries(test_compare PRIVATE tools)
target_sources(test_compare PRIVATE with_wings.c)
simt_test(sim.unit.compare test_compare)
test_program(test_benchmark program/test_benchmark.c)
target_compile_definitions(
  test_benchmark PRIVATE VALIDATE_SNAPSHOT="${CMAKE_CURRENT_SOURCE_DIR}/program/validate_snapshot.py"
                      SNAPSHOT_SCHEMA="${PROJECT_SOURCE_DIR}/docs/snapshot.schema.json"
                      PLOT_BENCHMARK="${PROJECT_SOURCE_DIR}/ci/plot_benchmark")
simt_test(sim.unit.benchmark test_benchmark)
test_program(test_report program/page/test_report.c program/page/report_pages.c)
test_program(test_report_files program/page/test_report_files.c program/page/report_pages.c)
test_program(test_report_headline program/page/test_report_headline.c program/page/report_pages.c)
set(pages ${CMAKE_CURRENT_BINARY_DIR}/pages)
foreach(program IN ITEMS test_report test_report_files test_report_headline)
  target_compile_definitions(${program} PRIVATE PAGES="${pages}" SOURCE_FOLDER="${PROJECT_SOURCE_DIR}")
endforeach()
unit_program(test_page_parts program/page/test_page_parts.c)
target_link_libraries(test_page_parts PRIVATE tools)
target_sources(test_page_parts PRIVATE with_wings.c)
# Pages. The second test opens them in a browser, if one is installed.
simt_test(sim.unit.page_parts test_page_parts)
simt_test(sim.unit.report test_report)
simt_test(sim.unit.report_files test_report_files)
simt_test(sim.unit.report_headline test_report_headline)
set_tests_properties(sim.unit.report sim.unit.report_files sim.unit.report_headline
                     PROPERTIES FIXTURES_SETUP pages)
simt_test(sim.unit.page ${CMAKE_CURRENT_SOURCE_DIR}/program/page/browse_page.py ${pages}/all.html ${pages}/hostile.html
          ${pages}/check.html ${pages}/hostile_check.html ${pages}/lacks.html)
set_property(TEST sim.unit.page APPEND PROPERTY FIXTURES_REQUIRED pages)
simt_test(sim.unit.reference_page simtcheck-pages compare ${PROJECT_SOURCE_DIR}/docs/reference.md)
simt_test(sim.unit.engines_page simtcheck-pages compare ${PROJECT_SOURCE_DIR}/docs/engines.md)

# ---- The pages, which show all commands ----

set(documentation ${CMAKE_CURRENT_SOURCE_DIR}/scripts/test_documentation.py ${PROJECT_SOURCE_DIR}
                  $<TARGET_FILE:simtcheck>)
simt_test(sim.unit.documentation ${documentation} README.md docs/exec.md)
nightly_test(sim.unit.documentation.all ${documentation})
simt_test(sim.unit.recipes python3 ${CMAKE_CURRENT_SOURCE_DIR}/scripts/test_recipes.py
          ${PROJECT_SOURCE_DIR} $<TARGET_FILE:simtcheck>)
simt_test(sim.unit.python ${CMAKE_CURRENT_SOURCE_DIR}/python/test_wheel.sh ${PROJECT_SOURCE_DIR}
          $<TARGET_FILE:simtcheck>)

simt_test(sim.unit.counts python3 ${CMAKE_CURRENT_SOURCE_DIR}/scripts/test_counts.py ${PROJECT_SOURCE_DIR}
          $<TARGET_FILE:simtcheck>)

# ---- Results that stay, and the structure of all ----

if(SIMTCHECK_HAVE_NVCC) # the results are those of its code
  set(golden ${CMAKE_CURRENT_SOURCE_DIR}/golden/golden.py ${PROJECT_BINARY_DIR} --check)
  simt_test(sim.unit.golden python3 ${golden} --every 4)
  nightly_test(sim.unit.golden.all python3 ${golden})
endif()

simt_test(sim.unit.structure python3 ${CMAKE_CURRENT_SOURCE_DIR}/scripts/test_structure.py ${PROJECT_SOURCE_DIR}
          ${PROJECT_BINARY_DIR})
