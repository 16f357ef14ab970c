/* Starts a part of the command that the Python package has. */
#ifndef PINSIGHT_CLI_WITH_PYTHON_H
#define PINSIGHT_CLI_WITH_PYTHON_H

/* Executes main() of the package's module `module` in place of this process, with the words of
 * `arguments`, a list that NULL ends. `python` is the Python that the user gave with --python, or
 * NULL for the python3 of PATH. `why` is its purpose for a message, such as "to run DuckDB".
 * Returns the exit status 1 after a message if the Python cannot be started. Not thread-safe. */
int cli_with_python(const char *python, const char *why, const char *module,
                    const char *const *arguments);

#endif
