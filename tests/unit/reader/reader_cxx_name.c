/* Names of C++: as their authors wrote them, and short. */
#include "unit.h"

#include "reader/kit/cxx_name.h"

static const struct {
    const char *mangled, *full, *shown;
} names[] = {
    {"_Z5saxpyifPKfPf", "saxpy(int, float, float const*, float*)", "saxpy"},
    {"_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_11FillFunctorIfEESt5arrayIPcLm1EEEEviT0_"
     "T1_",
     "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, "
     "std::array<char*, 1ul> >(int, at::native::FillFunctor<float>, std::array<char*, 1ul>)",
     "vectorized_elementwise_kernel<4, FillFunctor<float>, array<char*, 1>>"},
    {"_ZN2at6native29vectorized_elementwise_kernelILi4EZZZNS0_16gelu_kernel_cudaERNS_"
     "18TensorIteratorBaseENS0_8GeluTypeEENKUlvE_clEvENKUlvE_clEvEUlfE_St5arrayIPcLm2EEEEviT0_T1_",
     "void at::native::vectorized_elementwise_kernel<4, "
     "at::native::gelu_kernel_cuda(at::TensorIteratorBase&, "
     "at::native::GeluType)::{lambda()#1}::operator()() const::{lambda()#1}::operator()() "
     "const::{lambda(float)#1}, std::array<char*, 2ul> >(int, "
     "at::native::gelu_kernel_cuda(at::TensorIteratorBase&, "
     "at::native::GeluType)::{lambda()#1}::operator()() const::{lambda()#1}::operator()() "
     "const::{lambda(float)#1}, std::array<char*, 2ul>)",
     "vectorized_elementwise_kernel<4, gelu_kernel_cuda::{lambda}, array<char*, 2>>"},
    {"_ZN2at6native13reduce_kernelILi512ELi1ENS0_8ReduceOpIfNS0_7MeanOpsIffffEEjfLi4ELi4EEEEEvT1_",
     "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, "
     "at::native::MeanOps<float, float, float, float>, unsigned int, float, 4, 4> "
     ">(at::native::ReduceOp<float, at::native::MeanOps<float, float, float, float>, unsigned int, "
     "float, 4, 4>)",
     "reduce_kernel<512, 1, ReduceOp<float, MeanOps<...>, unsigned int, float, 4, 4>>"},
};

static void of_kernels(void **state) {
    uint64_t left = 1 << 20, before = left;

    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char *full = pinsight_cxx_demangle(names[i].mangled, &left);
        char *shown;

        assert_non_null(full);
        assert_string_equal(full, names[i].full);
        assert_int_equal(before - left, strlen(full));
        shown = pinsight_cxx_short(full);
        assert_string_equal(shown, names[i].shown);
        before = left;
        free(full);
        free(shown);
    }
}

#define is_short(name, expected) unit_assert_text(pinsight_cxx_short(name), expected)

static void of_any_kind(void **state) {
    (void)state;
    is_short("_ZN9abcdefgh", "_ZN9abcdefgh"); /* it is said to be longer than it is */
    is_short("_ZNK5abcd", "_ZNK5abcd");
    is_short("ampere_sgemm_128x64_nn", "ampere_sgemm_128x64_nn");
    is_short("void (anonymous namespace)::scale<(at::Kind)1, unsigned long, void (*)(int)>(int)",
             "scale<1, unsigned long, void (...)>");
    is_short("std::operator<< <char>(std::ostream&)", "operator<<<char>");
    is_short("cudapy::__main__::add[abi:v1][abi:cw51](Array<float, 1, C>)", "add");
    /* What is still mangled, since it is too long for libstdc++, or not its kind. */
    is_short("_ZN3cub17CUB_200700_800_NS21DeviceRadixSortKernelINS0_",
             "DeviceRadixSortKernel<...>");
    is_short("_ZN6cudapy8__main__3addB2v1B96cw51", "add");
    is_short("_ZN99999x", "_ZN99999x");
    is_short("_Z", "_Z");
    is_short("", "");
    is_short("a(b", "a");
    is_short("<<<<", "<<<<>>>>");
    is_short(
        "f<a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, aa, ab>",
        "f<a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, ...>");
}

/* A name that refers to itself again and again: 2 to the power of 60 bytes. */
static void that_explode(void **state) {
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    char name[1024] = "_Z1fI1PIiiE", *at = name + strlen(name);
    uint64_t left = UINT64_MAX;

    (void)state;
    for (int i = 2; i < 33; i++)
        at += sprintf(at, "S0_IS%c_S%c_E", digits[i - 1], digits[i - 1]);
    strcpy(at, "EvT_");
    assert_null(pinsight_cxx_demangle(name, &left));
    assert_int_equal(left, UINT64_MAX);
    is_short(name, "f<...>");
}

static void shown_as(const char *mangled, const char *expected, uint64_t *left) {
    char *full = pinsight_cxx_demangle(mangled, left);

    assert_string_equal(full, expected);
    free(full);
}

/* One that refers to itself too often with its parameters, and is none without them. */
static void that_are_long(void **state) {
    char parameters[128] = "", name[2048];
    uint64_t left = 1 << 20;

    (void)state;
    for (int i = 0; i < 40; i++)
        strcat(parameters, "S_");
    for (size_t i = 1; i < sizeof(names) / sizeof(names[0]); i++) {
        char *full, *shown;

        sprintf(name, "%s%s", names[i].mangled, parameters);
        full = pinsight_cxx_demangle(name, &left);
        assert_non_null(full);
        assert_null(strstr(full, ">("));
        shown = pinsight_cxx_short(full);
        assert_string_equal(shown, names[i].shown);
        free(full);
        free(shown);
    }
    sprintf(name, "_ZN1a1bILi32ELb0ELin5ELNS_4KindE1EJfPKcEEEv%s%s%s%s", parameters, parameters,
            parameters, parameters);
    shown_as(name, "a::b<32, false, -5, (a::Kind)1, float, char const*>", &left);
    sprintf(name, "_ZN1a1bILi32E%s", parameters); /* it does not end */
    assert_null(pinsight_cxx_demangle(name, &left));
}

static void that_are_not_mangled(void **state) {
    uint64_t left = 100;

    (void)state;
    assert_null(pinsight_cxx_demangle("saxpy", &left));
    assert_null(pinsight_cxx_demangle("_Z", &left));
    assert_null(pinsight_cxx_demangle("_ZN3", &left));
    left = 0;
    assert_null(pinsight_cxx_demangle("_Z1fv", &left));
}

int main(void) {
    return RUN_TESTS(of_kernels, of_any_kind, that_explode, that_are_long, that_are_not_mangled);
}
