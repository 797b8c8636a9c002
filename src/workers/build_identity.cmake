# SPDX-License-Identifier: MIT
# Writes OUTPUT, C that defines build_identity: a number over all sources under the folders of ROOT, or
# over FILES, separated by "|", and WORDS.
if(ROOT)
  file(GLOB_RECURSE files RELATIVE ${ROOT} ${ROOT}/include/* ${ROOT}/kernels/* ${ROOT}/src/*)
  list(SORT files)
  set(folder ${ROOT}/)
else()
  string(REPLACE "|" ";" files "${FILES}")
endif()
set(all "${WORDS}\n")
foreach(file IN LISTS files)
  file(SHA256 ${folder}${file} sum)
  string(APPEND all "${file} ${sum}\n")
endforeach()
string(SHA256 identity "${all}")
string(SUBSTRING ${identity} 0 16 identity)
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "extern const char build_identity[];
const char build_identity[] = \"${identity}\";
")
