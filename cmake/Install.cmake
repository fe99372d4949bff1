# Installs heddle so that `find_package(heddle)` finds it.

option(HEDDLE_INSTALL "Install heddle along with the project that it is part of" ${PROJECT_IS_TOP_LEVEL})
if(HEDDLE_INSTALL)
  include(CMakePackageConfigHelpers)
  set(heddle_package ${CMAKE_INSTALL_DATADIR}/cmake/heddle)

  install(TARGETS heddle EXPORT heddleTargets)
  install(DIRECTORY include/heddle tools/foreign/heddle DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(EXPORT heddleTargets NAMESPACE heddle:: DESTINATION ${heddle_package})
  file(WRITE ${PROJECT_BINARY_DIR}/heddleConfig.cmake
       "if(TARGET heddle::heddle)  # from add_subdirectory, say\n  return()\nendif()\n"
       "include(\${CMAKE_CURRENT_LIST_DIR}/heddleTargets.cmake)\n"
       "include(\${CMAKE_CURRENT_LIST_DIR}/heddleLanguage.cmake)\n"
       "heddle_language(heddle::heddle)\n")
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/heddleConfigVersion.cmake COMPATIBILITY SameMinorVersion
                                   ARCH_INDEPENDENT)
  install(FILES cmake/heddleLanguage.cmake ${PROJECT_BINARY_DIR}/heddleConfig.cmake ${PROJECT_BINARY_DIR}/heddleConfigVersion.cmake
          DESTINATION ${heddle_package})
endif()
