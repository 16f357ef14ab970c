/*
 * Counts calls of some routines of BLAS and LAPACK, with their sizes, for a test that compares:
 * preloaded, without PInsight. Appends a line for each routine and size to the file in
 * $BLAS_COUNTS: "dgemm 500 300 400 20". Calls that a counted call makes are not counted without
 * $BLAS_COUNTS_NESTED, nor are questions for the size of a workspace.
 *
 * NUMPY, SCIPY, OLD_NUMPY or PLAIN selects the names: those of NumPy's wheels, of SciPy's, of
 * wheels of NumPy before 1.26, or of all other libraries. Arguments are words in general registers
 * and on the stack, and at most two numbers in other registers. The function gets them as they
 * came, without knowledge of their types.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(NUMPY)
#define FORTRAN_NAME(name) scipy_##name##_64_
#define C_NAME(name) scipy_cblas_##name##64_
typedef long integer;
#elif defined(SCIPY)
#define FORTRAN_NAME(name) scipy_##name##_
#define C_NAME(name) scipy_cblas_##name
typedef int integer;
#elif defined(OLD_NUMPY)
#define FORTRAN_NAME(name) name##_64_
#define C_NAME(name) cblas_##name##64_
typedef long integer;
#else
#define FORTRAN_NAME(name) name##_
#define C_NAME(name) cblas_##name
typedef int integer;
#endif

static struct {
    const char *name;
    long m, n, k, calls;
} counts[1000];
static int used;
static __thread int depth;

static void count(const char *name, long m, long n, long k) {
    if (depth && !getenv("BLAS_COUNTS_NESTED"))
        return;
    for (int i = 0; i < used; i++)
        if (!strcmp(counts[i].name, name) && counts[i].m == m && counts[i].n == n &&
            counts[i].k == k) {
            counts[i].calls++;
            return;
        }
    counts[used].name = name;
    counts[used].m = m;
    counts[used].n = n;
    counts[used].k = k;
    counts[used++].calls = 1;
}

__attribute__((destructor)) static void tell(void) {
    FILE *file = getenv("BLAS_COUNTS") ? fopen(getenv("BLAS_COUNTS"), "a") : NULL;
    for (int i = 0; file && i < used; i++)
        fprintf(file, "%s %ld %ld %ld %ld\n", counts[i].name, counts[i].m, counts[i].n, counts[i].k,
                counts[i].calls);
    if (file)
        fclose(file);
}

struct search {
    const char *name;
    void *own, *found;
};

/* Looks into a library that was loaded by another one. */
static int look(struct dl_phdr_info *info, size_t size, void *data) {
    struct search *search = data;
    void *library = *info->dlpi_name ? dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    void *found = library ? dlsym(library, search->name) : NULL;
    (void)size;
    if (found && found != search->own)
        search->found = found;
    return search->found != NULL;
}

/* Returns the library's function: the next one, that of the object which calls, or any. */
static void *real(const char *name, void *own, void *caller) {
    Dl_info info;
    struct search search = {name, own, dlsym(RTLD_NEXT, name)};
    void *object = !search.found && dladdr(caller, &info)
                       ? dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD)
                       : NULL;
    if (object)
        search.found = dlsym(object, name);
    if (!search.found || search.found == own) {
        search.found = NULL;
        dl_iterate_phdr(look, &search);
    }
    if (!search.found)
        abort();
    return search.found;
}

#define WORDS(type)                                                                                \
    type a, type b, type c, type d, type e, type f, type g, type h, type i, type j, type k,        \
        type l, type m, type n, type o, type p
#define PASS a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p
typedef double function(WORDS(long), double, double);

#define TEXT(name) #name
#define TEXT_OF(name) TEXT(name)
/* Defines a function. It is counted under a name if `works`. */
#define COUNTED(symbol, name, works, of_m, of_n, of_k)                                             \
    double symbol(WORDS(long), double x, double y) {                                               \
        static function *to;                                                                       \
        if (!to)                                                                                   \
            to = real(TEXT_OF(symbol), symbol, __builtin_return_address(0));                       \
        int counts_it = works;                                                                     \
        if (counts_it)                                                                             \
            count(name, of_m, of_n, of_k);                                                         \
        depth += counts_it;                                                                        \
        double result = to(PASS, x, y);                                                            \
        depth -= counts_it;                                                                        \
        return result;                                                                             \
    }

/* A value of C, an integer of Fortran, and a letter of Fortran. */
#define V(word) (long)(integer)(word)
#define I(word) (long)*(integer *)(word)
#define IS(word, letter) (*(char *)(word) == letter)
#define FORTRAN(name, works, m, n, k) COUNTED(FORTRAN_NAME(name), #name, works, m, n, k)
#define C(name, m, n, k) COUNTED(C_NAME(name), #name, 1, m, n, k)
#define BOTH(name) FORTRAN(name, 1, I(a), 0, 0) C(name, V(a), 0, 0)

#define GEMM(name) FORTRAN(name, 1, I(c), I(d), I(e)) C(name, V(d), V(e), V(f))
GEMM(sgemm)
GEMM(dgemm)
GEMM(zgemm)
FORTRAN(dsyrk, 1, I(c), I(c), I(d))
C(dsyrk, V(d), V(d), V(e))
FORTRAN(dgemv, 1, I(b), I(c), 0)
C(dgemv, V(c), V(d), 0)
BOTH(sdot)
BOTH(ddot)
BOTH(daxpy)
BOTH(dscal)
BOTH(dnrm2)
BOTH(dasum)
FORTRAN(dgesv, 1, I(a), I(a), I(b))
FORTRAN(dgetrf, 1, I(a), I(b), 0)
FORTRAN(dgetrs, 1, I(b), I(b), I(c))
FORTRAN(dpotrf, 1, I(b), I(b), 0)
FORTRAN(dtrtrs, 1, I(d), I(d), I(e))
FORTRAN(dsyevd, I(h) != -1, I(c), I(c), IS(a, 'N') ? 0 : I(c))
FORTRAN(dgesdd, I(l) != -1, I(b), I(c), IS(a, 'N') ? 0 : I(c))
