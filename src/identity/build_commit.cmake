# SPDX-License-Identifier: MIT
# Writes OUTPUT, C that defines the git commit of ROOT, and whether the files that decide results differ from it. Both
# are empty if ROOT is no git repository.
set(commit "")
set(working_tree "")
find_program(git git)
if(git)
  execute_process(COMMAND ${git} -C ${ROOT} rev-parse HEAD OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE
                  RESULT_VARIABLE failed ERROR_QUIET)
  execute_process(COMMAND ${git} -C ${ROOT} status --porcelain -- CMakeLists.txt cmake include kernels src
                  OUTPUT_VARIABLE changes RESULT_VARIABLE unknown ERROR_QUIET)
  if(failed OR unknown)
    set(commit "")
  elseif(changes STREQUAL "")
    set(working_tree clean)
  else()
    set(working_tree changed)
  endif()
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "extern const char build_commit[], build_working_tree[];
const char build_commit[] = \"${commit}\", build_working_tree[] = \"${working_tree}\";
")
