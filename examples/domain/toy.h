/* libtoy: a library that has a tool interface, as OpenMP's runtimes and CUDA's driver have one. */
#ifndef TOY_H
#define TOY_H

double toy_solve(long unknowns);
void toy_wait(long milliseconds);

/* What a tool is told of: the begin of a call, with its argument and the address that it returns
 * to, and its end, in the thread that calls; and that the program ends. */
enum toy_call { TOY_SOLVE, TOY_WAIT };
struct toy_tool {
    void (*begin)(enum toy_call call, long argument, const void *caller);
    void (*end)(enum toy_call call);
    void (*finish)(void);
};

/* A tool is a library that has this function. $TOY_TOOL is its path. Returns 0 where the tool wants
 * to be told. */
int toy_start_tool(struct toy_tool *tool);

#endif
