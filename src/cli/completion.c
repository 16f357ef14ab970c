/* Completion for shells. The scripts are printed from the tables of options. The scripts contain
 * only words of this program, without their quotes. */
#include "cli/options.h"

#include "base/message.h"
#include "cli/verbs.h"

#include <stdio.h>
#include <string.h>

/* Returns whether the values are words. Other values are files, or cannot be completed. */
static bool has_words(const struct cli_option *option) {
    return cli_option_word(option, 0) != NULL;
}

static bool is_file(const struct cli_option *option) {
    static const char *const files[] = {"FILE", "DIR", "PATH", "WHICH"};

    for (size_t i = 0; option->value && i < sizeof(files) / sizeof(files[0]); i++)
        if (!strcmp(option->value, files[i]))
            return true;
    return false;
}

static void print_words(const struct cli_option *option) {
    for (size_t i = 0; cli_option_word(option, i); i++)
        printf("%s%s", i ? " " : "", cli_option_word(option, i));
}

/*
 * Returns the length of the part of a help's first line that is a description by itself. That part
 * is the whole line if the help ends there, or else the text before the clause that the next line
 * continues. Returns 0 if there is no such part.
 */
static size_t described(const char *help) {
    size_t length = strcspn(help, "\n"), clause = 0, before_parenthesis = 0;

    if (!help[length])
        return length;
    for (size_t i = 0; i < length; i++) {
        if (help[i] == '(')
            before_parenthesis = i;
        else if (help[i] == ')')
            before_parenthesis = 0;
        else if (!before_parenthesis && strchr(",;:", help[i]))
            clause = i;
    }
    if (before_parenthesis)
        clause = before_parenthesis;
    while (clause && help[clause - 1] == ' ')
        clause--;
    return clause;
}

/* Prints the description of an option or verb for a place between single quotes. Characters with a
 * meaning in one of the shells are replaced or omitted. */
static void print_about(const char *help) {
    const size_t word = strlen("default");
    size_t length = described(help), cut = length ? length : strcspn(help, "\n");

    for (size_t i = 0; i < cut; i++) {
        if (help[i] == '\'')
            fputs("\u2019", stdout);
        else if (help[i] == ':' && !(i >= word && !strncmp(help + i - word, "default", word)))
            putchar(',');
        else if (!strchr("`[]\\:$\"", help[i]))
            putchar(help[i]);
    }
    if (!length)
        fputs("\u2026", stdout);
}

static void print_verb_names(void) {
    for (size_t v = 0; cli_entries[v].verb; v++)
        printf("%s ", cli_entries[v].verb->name);
    fputs("help", stdout);
}

/* ---- bash ---- */

static void bash_verb(const struct cli_verb *verb) {
    const struct cli_option *option;

    printf("    %s)\n        case $prev in\n", verb->name);
    for (size_t i = 0; (option = cli_option_at(verb, i)); i++) {
        if (!option->value)
            continue;
        printf("        --%s", option->name);
        if (option->letter)
            printf(" | -%c", option->letter);
        fputs(") ", stdout);
        if (has_words(option)) {
            fputs("COMPREPLY=($(compgen -W \"", stdout);
            print_words(option);
            fputs("\" -- \"$cur\")); ", stdout);
        }
        if (is_file(option))
            fputs("COMPREPLY+=($(compgen -f -- \"$cur\")); ", stdout);
        puts("return ;;");
    }
    fputs("        esac\n        options=\"", stdout);
    for (size_t i = 0; (option = cli_option_at(verb, i)); i++) {
        printf("%s--%s", i ? " " : "", option->name);
        if (option->letter)
            printf(" -%c", option->letter);
    }
    fputs("\"\n        words=\"", stdout);
    for (size_t i = 0; verb->words && verb->words[i]; i++)
        printf("%s%s", i ? " " : "", verb->words[i]);
    printf("\"\n        command=%s ;;\n", verb->has_command ? "yes" : "");
}

static void print_bash(void) {
    fputs("# Completion of pinsight for bash, made by `pinsight --completion bash`.\n"
          "_pinsight() {\n"
          "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}\n"
          "    local options='' words='' command='' i\n"
          "    COMPREPLY=()\n"
          "    if ((COMP_CWORD == 1)); then\n"
          "        COMPREPLY=($(compgen -W \"",
          stdout);
    print_verb_names();
    fputs(" --help --version\" -- \"$cur\") $(compgen -f -X '!*.py' -- \"$cur\"))\n"
          "        return\n"
          "    fi\n"
          "    case ${COMP_WORDS[1]} in\n"
          "    help)\n        words=\"",
          stdout);
    print_verb_names();
    puts("\" ;;");
    for (size_t v = 0; cli_entries[v].verb; v++)
        bash_verb(cli_entries[v].verb);
    fputs("    esac\n"
          "    if [[ $command ]]; then # what follows -- is another command's\n"
          "        for ((i = 2; i < COMP_CWORD; i++)); do\n"
          "            [[ ${COMP_WORDS[i]} == -- ]] || continue\n"
          "            if declare -F _command_offset > /dev/null; then\n"
          "                _command_offset $((i + 1))\n"
          "            fi\n"
          "            return\n"
          "        done\n"
          "    fi\n"
          "    if [[ $cur == -* ]]; then\n"
          "        COMPREPLY=($(compgen -W \"$options\" -- \"$cur\"))\n"
          "    else\n"
          "        COMPREPLY=($(compgen -W \"$words\" -- \"$cur\") $(compgen -f -- \"$cur\"))\n"
          "    fi\n"
          "}\n"
          "complete -o filenames -F _pinsight pinsight\n",
          stdout);
}

/* ---- zsh ---- */

static void zsh_option(const struct cli_option *option, bool letter) {
    if (letter)
        printf("            '-%c[", option->letter);
    else
        printf("            '--%s[", option->name);
    print_about(option->help);
    putchar(']');
    if (option->value) {
        printf(":%s:", option->value);
        if (has_words(option)) {
            putchar('(');
            print_words(option);
            putchar(')');
        } else if (is_file(option)) {
            fputs("_files", stdout);
        }
    }
    puts("' \\");
}

static void print_zsh(void) {
    fputs("#compdef pinsight\n"
          "# Completion of pinsight for zsh, made by `pinsight --completion zsh`.\n"
          "_pinsight() {\n"
          "    local -a verbs\n"
          "    verbs=(\n",
          stdout);
    for (size_t v = 0; cli_entries[v].verb; v++) {
        printf("        '%s:", cli_entries[v].verb->name);
        print_about(cli_entries[v].verb->about);
        puts("'");
    }
    fputs("        'help:explain a verb'\n"
          "    )\n"
          "    if ((CURRENT == 2)); then\n"
          "        _describe verb verbs\n"
          "        _files -g '*.py'\n"
          "        return\n"
          "    fi\n"
          "    local verb=$words[2]\n"
          "    shift words\n"
          "    ((CURRENT--))\n"
          "    case $verb in\n"
          "    help) _describe verb verbs ;;\n",
          stdout);
    for (size_t v = 0; cli_entries[v].verb; v++) {
        const struct cli_verb *verb = cli_entries[v].verb;
        const struct cli_option *option;

        printf("    %s)\n        _arguments -s \\\n", verb->name);
        for (size_t i = 0; (option = cli_option_at(verb, i)); i++) {
            zsh_option(option, false);
            if (option->letter)
                zsh_option(option, true);
        }
        if (verb->has_command) {
            puts("            '*::command:_normal' ;;");
        } else if (verb->words) {
            fputs("            '*:word:_alternative \"words:word:(", stdout);
            for (size_t i = 0; verb->words[i]; i++)
                printf("%s%s", i ? " " : "", verb->words[i]);
            puts(")\" \"files:file:_files\"' ;;");
        } else {
            puts("            '*:trace:_files' ;;");
        }
    }
    puts("    esac\n}\n_pinsight \"$@\"");
}

/* ---- fish ---- */

static void print_fish(void) {
    puts("# Completion of pinsight for fish, made by `pinsight --completion fish`.");
    for (size_t v = 0; cli_entries[v].verb; v++) {
        printf("complete -c pinsight -f -n __fish_use_subcommand -a %s -d '",
               cli_entries[v].verb->name);
        print_about(cli_entries[v].verb->about);
        puts("'");
    }
    puts("complete -c pinsight -f -n __fish_use_subcommand -a help -d 'explain a verb'");
    puts("complete -c pinsight -f -n __fish_use_subcommand -a '(__fish_complete_suffix .py)'");
    fputs("complete -c pinsight -f -n '__fish_seen_subcommand_from help' -a '", stdout);
    print_verb_names();
    puts("'");
    for (size_t v = 0; cli_entries[v].verb; v++) {
        const struct cli_verb *verb = cli_entries[v].verb;
        const struct cli_option *option;

        for (size_t i = 0; verb->words && verb->words[i]; i++)
            printf("complete -c pinsight -n '__fish_seen_subcommand_from %s' -a %s\n", verb->name,
                   verb->words[i]);
        for (size_t i = 0; (option = cli_option_at(verb, i)); i++) {
            printf("complete -c pinsight -n '__fish_seen_subcommand_from %s' -l %s", verb->name,
                   option->name);
            if (option->letter)
                printf(" -s %c", option->letter);
            if (option->value)
                fputs(is_file(option) ? " -r" : " -x", stdout);
            if (has_words(option)) {
                fputs(" -a '", stdout);
                print_words(option);
                putchar('\'');
            }
            fputs(" -d '", stdout);
            print_about(option->help);
            puts("'");
        }
    }
}

int cli_print_completion(const char *shell) {
    if (shell && !strcmp(shell, "bash")) {
        print_bash();
    } else if (shell && !strcmp(shell, "zsh")) {
        print_zsh();
    } else if (shell && !strcmp(shell, "fish")) {
        print_fish();
    } else {
        pinsight_error("--completion takes bash, zsh or fish");
        return 2;
    }
    return pinsight_print("");
}
