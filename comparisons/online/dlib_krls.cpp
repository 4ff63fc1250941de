// How long dlib's krls takes per sample. Same file and same protocol as the example online_speed:
//   dlib_krls FILE GAMMA TOLERANCE PASSES
// FILE holds little-endian doubles, rows of 7 inputs and one target. The first pass fills the dictionary.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <vector>

// The configuration has no guard of its own: it must have been read before it is changed.
#include <dlib/assert.h>
#include <dlib/test_for_odr_violations.h>
#ifdef WITHOUT_BLAS
#undef DLIB_USE_BLAS
#undef DLIB_USE_LAPACK
#endif
#include <dlib/svm.h>

constexpr long features = 7;
using sample = dlib::matrix<double, features, 1>;
using kernel = dlib::radial_basis_kernel<sample>;

int main(int count, char** arguments) {
    if (count != 5) {
        std::fprintf(stderr, "usage: dlib_krls FILE GAMMA TOLERANCE PASSES\n");
        return 2;
    }
    std::ifstream file(arguments[1], std::ios::binary);
    const std::vector<char> bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    const auto* numbers = reinterpret_cast<const double*>(bytes.data());
    const size_t rows = bytes.size() / sizeof(double) / (features + 1);
    std::vector<sample> x(rows);
    std::vector<double> y(rows);
    for (size_t i = 0; i < rows; ++i) {
        for (long k = 0; k < features; ++k) x[i](k) = numbers[i * (features + 1) + k];
        y[i] = numbers[i * (features + 1) + features];
    }
    dlib::krls<kernel> filter(kernel(std::atof(arguments[2])), std::atof(arguments[3]));
    double best = 1e300;
    for (int pass = 0; pass <= std::atoi(arguments[4]); ++pass) {
        const auto begin = std::chrono::steady_clock::now();
        for (size_t i = 0; i < rows; ++i) filter.train(x[i], y[i]);
        const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - begin;
        if (pass > 0) best = std::min(best, time.count() / rows);
    }
    std::printf("{\"size\": %lu, \"microseconds\": %.9g}\n", filter.dictionary_size(), best);
}
