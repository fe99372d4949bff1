"""heddle for Conan 2, from the tree that this file stands in:  conan create packaging/conan"""

import os
import re

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeToolchain
from conan.tools.files import copy, load


class Heddle(ConanFile):
    name = "heddle"
    description = "Which piece of work a GPU's warps take next"
    license = "MIT"
    topics = ("cuda", "gpu", "header-only")
    package_type = "header-library"
    implements = ["auto_header_only"]  # one package for all settings
    settings = "os", "compiler", "build_type", "arch"  # for CMake, which looks at a compiler before it installs
    no_copy_source = True

    @property
    def tree(self):
        return os.path.normpath(os.path.join(self.recipe_folder, "..", ".."))

    def set_version(self):
        header = load(self, os.path.join(self.tree, "include", "heddle", "version.hpp"))
        self.version = re.search(r'version_string\[\] = "([0-9.]+)"', header).group(1)

    def export_sources(self):
        for pattern in "CMakeLists.txt", "LICENSE", "cmake/*", "include/*", "tools/foreign/heddle/*":
            copy(self, pattern, self.tree, self.export_sources_folder)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.user_presets_path = False
        toolchain.generate()

    def build(self):
        CMake(self).configure()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))

    def package_info(self):
        self.cpp_info.bindirs = self.cpp_info.libdirs = []
        # find_package(heddle) reads what CMake installed: the target heddle::heddle, and C++20 with it.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = [os.path.join("share", "cmake", "heddle")]
