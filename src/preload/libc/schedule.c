/*
 * schedule(runtime) as GCC's OpenMP has it.
 *
 * What a program without OMP_SCHEDULE gets is up to the runtime (OpenMP 5.1, 2.4.2): "dynamic,1" of
 * libgomp, "static" of libomp. Where libomp stands in for libgomp, the variable is there while
 * libomp reads its environment: from its question for a tool, before that, to the tool's
 * initialize(), after it. Neither the program nor its children see it.
 */
#include "libc.h"

#include <link.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "runtimes/objects.h"

extern char **environ;

/* ompt_start_tool_result_t of OMPT (OpenMP 5.1, 4.4.1). */
struct tool {
    int (*initialize)(void *lookup, int device, void *data);
    void (*finalize)(void *data);
    uint64_t data;
};

static struct tool lent;        /* what the runtime is given in place of the tool */
static const struct tool *real; /* NULL: there is none */
static char **_Atomic own, **_Atomic theirs;

/* Does an object that is loaded need LLVM's OpenMP by itself? Then GCC's and LLVM's code share one
 * runtime, and LLVM's default stays. */
static int note_need(struct dl_phdr_info *info, size_t size, void *data) {
    const ElfW(Dyn) *entry = NULL;
    const char *strings = NULL;
    (void)size;
    for (unsigned i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            entry = (const ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    for (const ElfW(Dyn) *at = entry; at && at->d_tag != DT_NULL; at++)
        if (at->d_tag == DT_STRTAB)
            strings = (const char *)at->d_un.d_ptr;
    /* glibc has made an address of the offset, but where that section cannot be written (vDSO). */
    if (!strings || (ElfW(Addr))strings < info->dlpi_addr)
        return 0;
    for (; entry->d_tag != DT_NULL; entry++) {
        const char *name = strings + entry->d_un.d_val;
        if (entry->d_tag != DT_NEEDED)
            continue;
        const char *slash = strrchr(name, '/');
        int kind = pinsight_runtime_of_name(slash ? slash + 1 : name);
        if (kind == PINSIGHT_LIBOMP || kind == PINSIGHT_LIBIOMP)
            *(bool *)data = true;
    }
    return 0;
}

static bool stands_in(void) {
    bool needed = false;
    if (!pinsight_stand_in_path() || getenv("OMP_SCHEDULE") ||
        !(pinsight_runtimes_loaded() & 1u << PINSIGHT_LIBGOMP))
        return false;
    dl_iterate_phdr(note_need, &needed);
    return !needed;
}

/* The environment is another array for that time, not one that grows: other threads may be reading
 * the one that there is, and go on doing so. Where somebody changed the environment meanwhile, the
 * array is libc's by now, and the variable is taken out of it. */
static int take_back(void *lookup, int device, void *data) {
    char **expected = own;
    if (expected && !__atomic_compare_exchange_n(&environ, &expected, theirs, false,
                                                 __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        unsetenv("OMP_SCHEDULE");
    own = NULL;
    return real ? real->initialize(lookup, device, data) : 0;
}

void *pinsight_schedule_lend(void *tool) {
    static char schedule[] = "OMP_SCHEDULE=dynamic,1";
    size_t count = 0;
    if (own || !stands_in())
        return tool;
    while (environ && environ[count])
        count++;
    char **more = malloc((count + 2) * sizeof(*more)); /* stays: somebody may be reading it */
    if (!more)
        return tool;
    for (size_t i = 0; i < count; i++)
        more[i] = environ[i];
    more[count] = schedule;
    more[count + 1] = NULL;
    real = tool;
    lent = (struct tool){.initialize = take_back};
    if (real) {
        lent.finalize = real->finalize;
        lent.data = real->data;
    }
    own = more;
    theirs = environ;
    environ = more;
    return &lent;
}
