# SPDX-License-Identifier: MIT
#
# Tests of the textbooks' sentences, and of the figures that can be checked by running code.

nested_program(test_figures nested/test_figures.c)
target_link_libraries(test_figures PRIVATE kernels_sim)
nested_program(test_sentences nested/test_sentences.c nested/sentences.c
               nested/sentences_memory.c nested/sentences_warps.c nested/sentences_launches.c
               nested/sentences_programs.c nested/sentences_counted.c
               nested/sentences_processors.c nested/sentences_measured.c)
target_link_libraries(test_sentences PRIVATE kernels_sim oracle residency)
target_compile_definitions(test_sentences PRIVATE SENTENCES_PAGE="${PROJECT_SOURCE_DIR}/docs/results/sentences.md")
simt_test(sim.nested.figures test_figures)
simt_test(sim.nested.sentences test_sentences)
if(SIMTCHECK_HAVE_GPU)
  target_link_libraries(test_figures_cuda PRIVATE kernels_cuda)
  target_link_libraries(test_sentences_cuda PRIVATE kernels_cuda oracle residency CUDA::cudart_static)
  target_compile_definitions(
    test_sentences_cuda PRIVATE SENTENCES_PAGE="${PROJECT_SOURCE_DIR}/docs/results/sentences.md"
                                SIMTCHECK_ON_GPU)
  simt_test(cuda.nested.figures test_figures_cuda)
  simt_test(cuda.nested.sentences test_sentences_cuda)
endif()
