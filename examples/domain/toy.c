/* libtoy; see toy.h. */
#include "toy.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

static struct toy_tool tool;

__attribute__((constructor)) static void start(void) {
    const char *path = getenv("TOY_TOOL");
    void *library = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    int (*start_tool)(struct toy_tool *) =
        library ? (int (*)(struct toy_tool *))dlsym(library, "toy_start_tool") : NULL;
    if (start_tool && start_tool(&tool) != 0)
        tool = (struct toy_tool){NULL, NULL, NULL};
}

__attribute__((destructor)) static void finish(void) {
    if (tool.finish)
        tool.finish();
}

double toy_solve(long unknowns) {
    double sum = 0;
    if (tool.begin)
        tool.begin(TOY_SOLVE, unknowns, __builtin_return_address(0));
    for (long i = 1; i <= 1000 * unknowns; i++)
        sum += 1.0 / (double)i;
    if (tool.end)
        tool.end(TOY_SOLVE);
    return sum;
}

void toy_wait(long milliseconds) {
    if (tool.begin)
        tool.begin(TOY_WAIT, milliseconds, __builtin_return_address(0));
    usleep((unsigned)milliseconds * 1000);
    if (tool.end)
        tool.end(TOY_WAIT);
}
