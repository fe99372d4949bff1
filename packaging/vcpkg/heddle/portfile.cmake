# heddle from the tree that this port stands in, as an overlay:
#   vcpkg install heddle --overlay-ports=packaging/vcpkg

get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(VCPKG_BUILD_TYPE release)  # headers alone: debug has nothing of its own

vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}")
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH share/cmake/heddle)
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
