// Empty: the home of the precompiled headers (CMakeLists.txt).
