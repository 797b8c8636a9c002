# SPDX-License-Identifier: MIT
# Writes OUTPUT, C that defines build_identity: a number over all sources under the folders of ROOT.
file(GLOB_RECURSE files RELATIVE ${ROOT} ${ROOT}/kernels/* ${ROOT}/oracle/* ${ROOT}/engine/* ${ROOT}/suite/*)
list(SORT files)
set(all "")
foreach(file IN LISTS files)
  file(SHA256 ${ROOT}/${file} sum)
  string(APPEND all "${file} ${sum}\n")
endforeach()
string(SHA256 identity "${all}")
string(SUBSTRING ${identity} 0 16 identity)
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#include \"wire.h\"\n\nconst char build_identity[] = \"${identity}\";\n")
