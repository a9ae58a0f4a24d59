# cmake -DCMAKE_TOOLCHAIN_FILE=.../ftcc-toolchain.cmake: the whole project is built by ftcc.
get_filename_component(ftcc_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
if(NOT EXISTS "${ftcc_prefix}/bin/ftcc") # lib/TRIPLE/cmake/ftcc
  get_filename_component(ftcc_prefix "${ftcc_prefix}/.." ABSOLUTE)
endif()
set(CMAKE_C_COMPILER "${ftcc_prefix}/bin/ftcc")
set(CMAKE_CXX_COMPILER "${ftcc_prefix}/bin/ftcxx")
set(CMAKE_Fortran_COMPILER "${ftcc_prefix}/bin/ftfort")
