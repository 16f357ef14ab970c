#!/usr/bin/env python3
"""Writes code from the table of MPI's functions.

    generate.py --table FILE --out DIR trampolines
    generate.py --table FILE --out DIR wrappers --flavour NAME --header FILE

`trampolines` writes DIR/trampolines.S and DIR/functions.h. `wrappers` writes DIR/NAME/wrappers.c
and DIR/NAME/real_functions.h for the functions that a flavour's mpi.h declares (FILE is the
preprocessed header). It also writes DIR/NAME/not-wrapped.txt, which lists the others.
"""

import argparse
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "events"))
import mpi_functions as mpi  # noqa: E402
from common import write_if_changed  # noqa: E402

NOTICE = "/* Written by src/tracer/mpi/generate.py from functions.txt beside it; edit that. */\n"
MOST_ARGUMENTS = 10  # as in gen_record.py

SPEC = re.compile(r"(\w+)(?:\[(\w*)\])?\*(\w+)(\[\w*\])?(?:\*(ranks|group|in|out|partitions))?(?: at (root|members|others|op))?")
RANKS = {"ranks": "pinsight_mpi_ranks(comm_)", "": "pinsight_mpi_ranks(comm_)", "group": "comm_->size", "in": "pinsight_mpi_in(comm_)",
         "out": "pinsight_mpi_out(comm_)", "partitions": "pinsight_mpi_count_of(partitions)"}  # fmt: skip
PLACES = {
    "root": "pinsight_mpi_at_root(comm_, root_)",
    "members": "pinsight_mpi_at_members(comm_, root_)",
    "op": "op != MPI_NO_OP",
    "others": "pinsight_mpi_at_members(comm_, root_) && !pinsight_mpi_at_root(comm_, root_)",
}


def amount(text, into, whole):
    """Returns C statements that add up an entry SIZES of the table; with `whole`, also count
    and datatype_size.
    """
    match = SPEC.fullmatch(text)
    if not match:
        raise mpi.TableError(f"not SIZES: '{text}'")
    count, each, kind, kinds, times, place = match.groups()
    lines = []
    if each is None:
        lines.append(f"uint64_t size_ = pinsight_mpi_size_of({kind}), count_ = pinsight_mpi_count_of({count});")
        factor = f" * {RANKS[times]}" if times else ""
        lines.append(f"{into} = count_ * size_{factor};")
    elif each == "rank":
        lines.append(f"uint64_t size_ = pinsight_mpi_size_of({kind}), count_ = pinsight_mpi_count_of({count}[comm_->rank]);")
        lines.append(f"{into} = count_ * size_;")
    elif kinds:
        lines.append("uint64_t size_ = 0, count_ = 0;")
        lines.append(f"PINSIGHT_MPI_SUM_TYPED(count_, {into}, {RANKS[each]}, {count}, {kind});")
    else:
        lines.append(f"uint64_t size_ = pinsight_mpi_size_of({kind}), count_ = 0;")
        lines.append(f"PINSIGHT_MPI_SUM(count_, {RANKS[each]}, {count});")
        lines.append(f"{into} = count_ * size_;")
    if whole:
        lines += ["element_size_ = size_;", "elements_ = count_;"]
    lines.append("(void)size_, (void)count_;")
    body = ["{"] + ["    " + line for line in lines] + ["}"]
    return [f"if ({PLACES[place]})"] + body if place else body


def amounts(function):
    """Returns C statements for count, size, bytes and recv_bytes."""
    does = function.does
    lines = ["uint64_t elements_ = 0, element_size_ = 0, given_ = 0, got_ = 0;"]
    if "send" in does:
        send = amount(does["send"], "given_", True)
        if isinstance(does.get("in_place"), str):
            place = does["send"].partition(" at ")[2]
            inside = amount(does["in_place"], "given_", True)
            guard = f" && {PLACES[place]}" if place else ""
            lines += [f"if (sendbuf == MPI_IN_PLACE{guard})"] + inside + ["else"] + send
        else:
            lines += send
    if "recv" in does:
        receive = amount(does["recv"], "got_", "send" not in does or does["recv"].endswith(" at others"))
        if does.get("in_place") is True:
            lines.append("if (recvbuf != MPI_IN_PLACE)")
        lines += receive
    lines.append("(void)elements_, (void)element_size_, (void)given_, (void)got_;")
    return lines


class Wrapper:
    """The C code of one wrapper."""

    def __init__(self, function):
        self.function = function
        self.begin = mpi.begin_fields(function)
        self.end = mpi.end_fields(function)
        self.lines = []

    def add(self, *lines):
        self.lines += ["    " + line for line in lines]

    def value(self, field):
        """Returns the C expression of a field of the begin event."""
        has = self.function.parameter
        simple = {
            "mpirank": "pinsight_mpi_rank", "mpi_codeptr": "call.codeptr", "py_path": "pinsight_link_here()",
            "comm": "comm_->id", "count": "elements_", "datatype_size": "element_size_", "bytes": "given_",
            "recv_bytes": "got_", "dest": "pinsight_mpi_peer(dest)", "source": "pinsight_mpi_peer(source)",
            "recvsource": "pinsight_mpi_peer(source)", "recvtag": "pinsight_mpi_tag(recvtag)",
            "root": "root_", "op": "pinsight_mpi_op(op)", "request": "request_", "win": "win_", "file": "file_",
            "target": "pinsight_mpi_peer(target_rank)", "group": "pinsight_mpi_group(group)",
        }  # fmt: skip
        if field == "tag":
            return f"pinsight_mpi_tag({'tag' if has('tag') else 'sendtag'})"
        return simple[field]

    def record(self, event, values):
        """Returns statements that record an event if it has a listener."""
        name = f"{self.function.name}_{event}"
        fields = self.begin if event == "begin" else self.end
        inside = ["pinsight_mpi_progress(&call);"]
        if len(fields) > MOST_ARGUMENTS:
            inside.append(f"const pinsight_record_mpi_{name}_t record = {{")
            inside += [f"    .{field} = {value}," for field, value in zip(fields, values)]
            inside += ["};", f"pinsight_record_mpi_{name}(&record);"]
        else:
            inside.append(f"pinsight_record_mpi_{name}({', '.join(values)});")
        inside.append("pinsight_mpi_recorded(&call);")
        return inside

    def text(self):
        function = self.function
        declared = ", ".join(parameter.declare() for parameter in function.parameters) or "void"
        names = [parameter.name for parameter in function.parameters]
        self.lines = [f"static int wrap_{function.name}({declared}) {{"]
        self.add("struct pinsight_pmpi_call call;")
        kind = "PINSIGHT_MPI_KIND_" + function.kind.upper()
        real = f"pinsight_mpi_real.{function.name}"
        self.add(f"bool listened_ = pinsight_record_mpi_{function.name}_begin_enabled();")
        self.add(f'if (PINSIGHT_UNLIKELY(!pinsight_mpi_enter(&call, {kind}, "{function.name}",')
        self.add("                                         __builtin_return_address(0), listened_)))")
        self.add(f"    return {self.unseen(real, names)};")
        comm = mpi.comm_parameter(function)
        if comm:
            handle = f"*{comm.name}" if comm.is_pointer() else comm.name
            self.add(f"struct pinsight_pmpi_comm *comm_ = pinsight_mpi_comm_cached(call.thread, PINSIGHT_MPI_HANDLE({handle}));")
        if function.parameter("root"):
            self.add("int32_t root_ = pinsight_mpi_peer(root);")
        if mpi.request_in(function):
            star = "*" if function.parameter("request").is_pointer() else ""
            look = "started" if "starts_one" in function.does else "look"
            self.add(f"uint64_t handle_ = PINSIGHT_MPI_HANDLE({star}request);")
            self.add(f"uint64_t request_ = pinsight_mpi_request_{look}(handle_);")
        for what, name in (("win", "win"), ("file", "fh")):
            if what in self.begin:
                star = "*" if function.parameter(name).is_pointer() else ""
                self.add(f"uint64_t {what}_handle_ = PINSIGHT_MPI_HANDLE({star}{name});")
                self.add(f"uint32_t {what}_ = pinsight_mpi_object_of(&pinsight_mpi_{what}s, {what}_handle_);")
        if function.name == "MPI_Finalize":
            self.add("pinsight_mpi_finalizing();")
        if function.name == "MPI_Session_finalize":
            self.add("pinsight_mpi_session_ends(session);")
        self.add_begin()
        if "starts_all" in function.does:
            self.add("pinsight_mpi_start_all(&call, count, array_of_requests);")
        self.add_call(names, real)
        self.add_end(comm)
        self.add("pinsight_mpi_leave(&call);", "return result;")
        self.lines.append("}\n")
        return "\n".join(self.lines)

    def made_how(self):
        """Returns the relation of a new communicator to its parent."""
        does = self.function.does
        return "PINSIGHT_MPI_" + ("LIKE" if "same_group" in does else "WHOLE" if "whole" in does else "PARTS")

    def unseen(self, real, names):
        """Returns the call if nothing is recorded. New objects are registered all the same."""
        call = f"{real}({', '.join(names)})"
        if self.function.name == "MPI_Session_init":
            return f"pinsight_mpi_session_began({call}, session)"
        if self.function.name == "MPI_Session_finalize":
            return f"(pinsight_mpi_session_ends(session), {call})"
        made = mpi.new_comm_parameter(self.function)
        comm = mpi.comm_parameter(self.function)
        if made:
            over = f"{'*' if comm.is_pointer() else ''}{comm.name}" if comm and "partly" not in self.function.does else None
            parent = f"pinsight_mpi_comm_of(PINSIGHT_MPI_HANDLE({over}))" if over else "NULL"
            return f"pinsight_mpi_comm_unseen({call}, {made.name}, {parent}, {self.made_how()})"
        if "renames" in self.function.does:
            return f"pinsight_mpi_renamed_unseen({call}, {comm.name})"
        for what, name in (("win", "win"), ("file", "fh")):
            if f"new_{what}" in self.end:
                text = "filename" if what == "file" else "NULL"
                return f"pinsight_mpi_{what}_unseen({call}, {name}, comm, {text})"
        return call

    def is_only_seen(self):
        """Returns whether the wrapper only calls the library if nothing is recorded."""
        call = "real(...)"
        return self.unseen("real", ["..."]) == call and self.function.kind != "environment"

    def add_begin(self):
        function = self.function
        self.add("if (PINSIGHT_LIKELY(call.recorded && listened_)) {")
        if "send" in function.does or "recv" in function.does:
            self.add(*("    " + line for line in amounts(function)))
        values = [self.value(field) for field in self.begin]
        self.add(*("    " + line for line in self.record("begin", values)))
        self.add("}")

    def add_call(self, names, real):
        function = self.function
        has = function.parameter
        how = function.does.get("completes")
        arguments = list(names)
        # Only if the status has data that is recorded.
        if "received" in function.does or "moved" in function.does:
            self.add("MPI_Status own_, *status_ = status == MPI_STATUS_IGNORE ? &own_ : status;")
            arguments[names.index("status")] = "status_"
        if how:
            count = "1" if how == "one" else has("count", "incount").name
            # MPI_Request_get_status keeps the handle, although the request is complete.
            requests = has("request") or has("array_of_requests")
            requests = requests.name if requests.is_pointer() else f"&{requests.name}"
            statuses = (has("status") or has("array_of_statuses")).name
            ignored = "MPI_STATUS_IGNORE" if has("status") else "MPI_STATUSES_IGNORE"
            own = "1" if has("status") else f"(uint32_t)({count} > 0 ? {count} : 0)"
            self.add("struct pinsight_mpi_waited waited_;")
            self.add(f"pinsight_mpi_wait_begins(&waited_, &call, {count}, {requests}, {statuses},")
            self.add(f"                         {statuses} == {ignored}, {own});")
            arguments[names.index(statuses)] = "waited_.statuses"
        if "spawns" in function.does:
            info = has("info", "array_of_info").name
            many = "count, array_of_info" if has("count") else "1, &info"
            self.add("struct pinsight_mpi_spawn spawn_;")
            self.add(f"pinsight_mpi_spawn_begins(&spawn_, comm_, root_, {many});")
            arguments[names.index(info)] = "spawn_.infos" if has("count") else "*spawn_.infos"
            self.add("struct pinsight_mpi_spawn_command command_of_;")
            if has("count"):
                self.add("pinsight_mpi_spawn_command_begins(&command_of_, comm_, root_, count, array_of_commands, array_of_argv);")
                arguments[names.index("array_of_commands")] = "command_of_.commands"
                arguments[names.index("array_of_argv")] = "command_of_.words"
            else:
                self.add("char *command_ = (char *)command;")
                self.add("pinsight_mpi_spawn_command_begins(&command_of_, comm_, root_, 1, &command_, &argv);")
                arguments[names.index("command")] = "*command_of_.commands"
                arguments[names.index("argv")] = "*command_of_.words"
        self.add(f"int result = {real}({', '.join(arguments)});")
        if "spawns" in function.does:
            self.add("pinsight_mpi_spawn_ends(&spawn_);", "pinsight_mpi_spawn_command_ends(&command_of_);")
        if function.name in ("MPI_Init", "MPI_Init_thread"):
            self.add("if (result == MPI_SUCCESS)", "    pinsight_mpi_initialized();")
        if function.name == "MPI_Session_init":
            self.add("pinsight_mpi_session_began(result, session);")
        if how:
            self.add_completions(how, requests)

    def add_completions(self, how, requests):
        has = self.function.parameter
        flag = "*flag" if has("flag") else "true"
        if how in ("one", "all"):
            self.add(f"pinsight_mpi_wait_ends(&waited_, &call, result, {flag}, {requests});")
        elif how == "any":
            self.add(f"if (result == MPI_SUCCESS && {flag} && *index != MPI_UNDEFINED)")
            self.add("    pinsight_mpi_completed(&waited_, &call, *index, waited_.statuses);")
            self.add("pinsight_mpi_wait_gives_back(&waited_);")
        else:
            self.add("if (result == MPI_SUCCESS && *outcount != MPI_UNDEFINED)")
            self.add("    for (int i_ = 0; i_ < *outcount; i_++)")
            self.add("        pinsight_mpi_completed(&waited_, &call, array_of_indices[i_],")
            self.add("            waited_.statuses == MPI_STATUSES_IGNORE ? NULL : &waited_.statuses[i_]);")
            self.add("pinsight_mpi_wait_gives_back(&waited_);")

    def add_end(self, comm):
        function = self.function
        values = ["result"]
        starts = function.does.get("starts")
        if starts:
            how = f"PINSIGHT_MPI_STARTS_{starts.upper()}"
            if "persistent" in function.does:
                how += " | PINSIGHT_MPI_REQUEST_PERSISTENT"
            self.add(f"uint64_t made_ = pinsight_mpi_made(&call, result, request, {how});")
            values.append("made_")
        made = mpi.new_comm_parameter(function)
        if made:
            parent = "comm_" if comm and "partly" not in function.does else "NULL"
            self.add(f"uint32_t new_comm_ = pinsight_mpi_new_comm(result, {made.name}, {parent}, {self.made_how()});")
        if "frees" in function.does:
            self.add("if (result == MPI_SUCCESS)", "    pinsight_mpi_request_freed(handle_);")
        if "renames" in function.does:
            self.add("if (result == MPI_SUCCESS)", "    pinsight_mpi_comm_named(comm_);")
        for what, name in (("win", "win"), ("file", "fh")):
            if what in self.begin and mpi.is_freed(function, name):
                self.add("if (result == MPI_SUCCESS)", f"    pinsight_mpi_object_freed(&pinsight_mpi_{what}s, {what}_handle_);")
            elif f"new_{what}" in self.end:
                text = "filename" if what == "file" else "NULL"
                self.add(f"uint32_t new_{what}_ = result == MPI_SUCCESS ? pinsight_mpi_object_made(&pinsight_mpi_{what}s,")
                self.add(f"    PINSIGHT_MPI_HANDLE(*{name}), comm_->id, {text}) : 0;")
        if comm and comm.is_pointer():
            self.add("if (result == MPI_SUCCESS)", "    pinsight_mpi_comm_freed(handle_);")
            at = next(i for i, line in enumerate(self.lines) if "*comm_ = pinsight_mpi_comm_cached" in line)
            self.lines[at] = (
                f"    uint64_t handle_ = PINSIGHT_MPI_HANDLE(*{comm.name});\n"
                "    struct pinsight_pmpi_comm *comm_ = pinsight_mpi_comm_cached(call.thread, handle_);"
            )
        self.add(f"if (PINSIGHT_LIKELY(call.recorded && pinsight_record_mpi_{function.name}_end_enabled())) {{")
        if "flag" in self.end:
            values.append("result == MPI_SUCCESS && *flag")
        if "received" in function.does:
            self.add("    struct pinsight_pmpi_result came_ = {-1, -1, 0, false};")
            there = " && *flag" if "flag" in self.end else ""
            self.add(f"    if (result == MPI_SUCCESS{there})", "        came_ = pinsight_mpi_result_of(status_);")
            values += ["came_.source", "came_.tag", "came_.bytes"]
        elif "moved" in function.does:
            self.add("    uint64_t moved_ = result == MPI_SUCCESS ? pinsight_mpi_result_of(status_).bytes : 0;")
            values.append("moved_")
        values += [name + "_" for name in ("new_comm", "new_win", "new_file") if name in self.end]
        self.add(*("    " + line for line in self.record("end", values)))
        self.add("}")


# Names of types of functions, conversions of Fortran's handles, the tools' interface, and
# predefined functions.
NO_FUNCTION = re.compile(r"^MPI_([A-Z0-9_]+|Aint|T_.*)$|_(function|fn)$|(c2f|f2c|c2f08|f082c|f2f08|f082f)$")


def is_known(name, known):
    """Returns whether the table has a function, or the function of which it is the form with
    large counts.
    """
    return name in known or (name.endswith("_c") and name[:-2] in known)


def take_const(function, header):
    """Takes the const of parameters from this header. Versions of a library differ in it
    (MPI_Pready_list).
    """
    found = re.search(r"\b%s\s*\(([^()]*)\)" % function.name, header)
    declared = found.group(1).split(",") if found else []
    if len(declared) != len(function.parameters):
        return
    for parameter, text in zip(function.parameters, declared):
        there, here = "const" in text.split(), "const" in parameter.type.split()
        if there and not here:
            parameter.type = "const " + parameter.type
        elif here and not there and parameter.type.startswith("const "):
            parameter.type = parameter.type[len("const "):]


def wrappers(functions, out, flavour, header):
    declared = set(re.findall(r"\b(MPI_\w+)\s*\(", header))
    known = {function.name for function in functions}
    there = [function for function in functions if function.name in declared and not function.is_local()]
    for function in there:
        take_const(function, header)
    folder = out / flavour
    real = [NOTICE, "struct pinsight_mpi_real {\n"]
    real += [f"    __typeof__(&{function.name}) {function.name};\n" for function in there]
    write_if_changed(folder / "real_functions.h", "".join(real) + "};\n")
    text = [NOTICE, '#include "tracer/mpi/real_table.h"\n#include "tracer/mpi/wrap.h"\n']
    for function in there:
        text.append(Wrapper(function).text())
        text.append(
            f"_Static_assert(__builtin_types_compatible_p(__typeof__(&wrap_{function.name}), "
            f'__typeof__(&{function.name})), "{function.name} is not as the table has it");\n'
        )
    text.append("const struct pinsight_mpi_wrapper pinsight_mpi_wrappers[] = {")
    for function in there:
        name = function.name
        only_seen = "true" if Wrapper(function).is_only_seen() else "false"
        text.append(f'    {{"{name}", (void *)wrap_{name}, &pinsight_mpi_real.{name}, {only_seen}}},')
    text += ["};", f"const size_t pinsight_mpi_wrapper_count = {len(there)};", ""]
    write_if_changed(folder / "wrappers.c", "\n".join(text))
    wrapped = {function.name for function in there}
    not_wrapped = sorted(name for name in declared if name not in wrapped and not NO_FUNCTION.search(name))
    write_if_changed(folder / "not-wrapped.txt", "".join(
        f"{name}{'' if is_known(name, known) else ' (not in the table)'}\n" for name in not_wrapped))  # fmt: skip


def trampolines(functions, out):
    """Writes the trampolines. Functions of MPI 3.1 are exported, because every library has
    them. Newer ones come last, without a name: a program that tests for them (by a weak symbol)
    must find them only if the library has them.
    """
    wrapped = [function for function in functions if not function.is_local()]
    exported = [function.name for function in wrapped if function.since <= "3.1"]
    unexported = [function.name for function in wrapped if function.since > "3.1"]
    lines = [("TRAMPOLINE", name) for name in exported] + [("UNEXPORTED", name) for name in unexported]
    write_if_changed(out / "functions.h", NOTICE + "".join(f"{macro}({name})\n" for macro, name in lines))
    text = "".join(f"    {macro} {name} {number}\n" for number, (macro, name) in enumerate(lines))
    write_if_changed(out / "trampolines.inc", NOTICE + text)
    write_if_changed(out / "targets.inc", NOTICE + "".join(f"    FIRST {name}\n" for _, name in lines))
    write_if_changed(out / "unexported.inc", NOTICE + "".join(f"    ENTRY {name}\n" for name in unexported))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--table", required=True, type=pathlib.Path)
    parser.add_argument("--out", required=True, type=pathlib.Path)
    parser.add_argument("what", choices=("trampolines", "wrappers"))
    parser.add_argument("--flavour")
    parser.add_argument("--header", type=pathlib.Path)
    options = parser.parse_args()
    try:
        functions = mpi.load(options.table)
        if options.what == "trampolines":
            trampolines(functions, options.out)
        else:
            wrappers(functions, options.out, options.flavour, options.header.read_text(encoding="utf-8", errors="replace"))
    except (mpi.TableError, OSError) as error:
        sys.exit(f"generate.py: {error}")


if __name__ == "__main__":
    main()
