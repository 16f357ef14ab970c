"""Calls of every function that is wrapped, and a stand-in for the library's function behind it.

    calls.py --table FILE --header FILE --out FILE

What is written is C for wrappers.h beside this: for each function of the table that the flavour's
mpi.h declares (FILE is what the preprocessor made of it), `behind_NAME`, which looks whether what
arrives is what was given, and `call_NAME`, which calls the wrapper as the round (`now`) says, and looks
at what comes back and at what was recorded.

Memory that a wrapper may read is as large as the standard says, to the byte, and what it must not read
is no memory at all: under the address sanitizer, and without it, one step too far ends the test.
"""

import argparse
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "src" / "events"))

import mpi_functions as mpi  # noqa: E402
from common import write_if_changed  # noqa: E402

# SIZES of the table, as its head describes them; taken apart anew, for this is to check the generator.
SIZES = re.compile(r"(\w+)(\[\w*\])?\*(\w+)(\[\w*\])?(?:\*(\w+))?(?: at (\w+))?$")
PLACES = {None: "true", "root": "is_root()", "members": "is_member()", "others": "(is_member() && !is_root())",
          "op": "(now->op != MPI_NO_OP)"}  # fmt: skip
HOW_MANY = {"": "ranks()", "ranks": "ranks()", "group": "own_ranks()", "in": "NEIGHBOURS_IN", "out": "NEIGHBOURS_OUT",
            "rank": "own_ranks()", "partitions": "partitions"}  # fmt: skip
HANDLES = ("MPI_Comm", "MPI_Win", "MPI_File", "MPI_Request", "MPI_Datatype", "MPI_Session", "MPI_Message")
NUMBERS = ("int", "MPI_Aint", "MPI_Offset", "MPI_Count")
NULLS = {"MPI_Comm": "MPI_COMM_NULL", "MPI_Request": "MPI_REQUEST_NULL", "MPI_Win": "MPI_WIN_NULL", "MPI_File": "MPI_FILE_NULL"}
RANKS = {"dest": "now->peer", "target_rank": "now->peer", "source": "now->source", "root": "now->root", "tag": "now->tag",
         "sendtag": "now->tag", "recvtag": "now->recvtag"}  # fmt: skip


class Sizes:
    """What one rank gives, or gets: what it is read from, and its bytes."""

    def __init__(self, text):
        self.count, self.each, self.type, self.types, self.times, place = SIZES.match(text).groups()
        self.place = PLACES[place]
        self.many = HOW_MANY[self.each.strip("[]")] if self.each else None

    def bytes(self):
        if not self.each:
            times = f" * {HOW_MANY[self.times]}" if self.times else ""
            return f"times({self.count}, {self.type}){times}"
        if self.each == "[rank]":
            return f"times({self.count}[own_rank()], {self.type})"
        if self.types:
            return f"SUM_OF_EACH({self.count}, {self.type}, {self.many})"
        return f"(SUM({self.count}, {self.many}) * size_of({self.type}))"


class Call:
    def __init__(self, function, number):
        self.function = function
        self.number = number
        self.sizes = {word: Sizes(function.does[word]) for word in ("send", "recv") if word in function.does}
        in_place = function.does.get("in_place")
        self.in_place = in_place and (Sizes(in_place) if isinstance(in_place, str) else True)

    # ---- what is given ----

    def read_where(self, name):
        """The condition under which an array is read that counts or names types, and of how many."""
        whens, many = [], None
        for word, sizes in self.sizes.items():
            if name in (sizes.count, sizes.type) and sizes.each:
                buffer = "send" if word == "send" else "recv"
                blind = self.in_place and self.function.parameter(buffer + "buf") and self.is_blind(word)
                whens.append(sizes.place + (" && !now->in_place" if blind else ""))
                many = sizes.many
        if isinstance(self.in_place, Sizes) and self.in_place.each and name in (self.in_place.count, self.in_place.type):
            whens.append("now->in_place" if "at" not in self.function.does["send"] else "(now->in_place && is_root())")
            many = many or self.in_place.many
        return " || ".join(f"({when})" for when in whens), many

    def is_blind(self, word):
        """MPI_IN_PLACE stands for the send buffer, but where only the root's receive buffer can be it."""
        return word == ("send" if isinstance(self.in_place, Sizes) else "recv")

    def in_place_for(self, name):
        if not self.in_place or name != ("sendbuf" if isinstance(self.in_place, Sizes) else "recvbuf"):
            return None
        rooted = self.function.parameter("root")
        return "now->in_place && is_root()" if rooted else "now->in_place"

    def given(self, index, parameter):
        """The C expression of an argument, and declarations that it needs."""
        name, base = parameter.name, parameter.base()
        spot = f"nowhere({index})"
        if base == "MPI_Status":
            ignore = "MPI_STATUSES_IGNORE" if name == "array_of_statuses" else "MPI_STATUS_IGNORE"
            return f"now->ignore ? {ignore} : statuses"
        if name == "array_of_requests":
            return "(MPI_Request *)requests_to_wait_for()"
        if name == "array_of_indices":
            return "indices()"
        if not parameter.is_pointer():
            return self.scalar(index, parameter)
        when, many = self.read_where(name)
        if when:
            return f"({when}) ? ARRAY({base}, {many}, {'type(at_)' if base == 'MPI_Datatype' else 'at_ + 1'}) : (void *){spot}"
        where = self.in_place_for(name)
        if where:
            return f"{where} ? MPI_IN_PLACE : (void *){spot}"
        if base == "MPI_Info" and "spawns" in self.function.does:
            return f"is_root() ? ARRAY(MPI_Info, 1000, MPI_INFO_NULL) : (void *){spot}"
        if name in ("filename", "comm_name"):
            return '"a name"'
        if self.is_variable(parameter):
            return f"&of_{name}"
        return f"(void *){spot}"

    def is_variable(self, parameter):
        """A pointer to one object that the library sets."""
        return (
            parameter.type.count("*") == 1 and not parameter.suffix and "const" not in parameter.type
            and parameter.base() in HANDLES + NUMBERS and parameter.name not in ("array_of_requests", "argc")
        )  # fmt: skip

    def start_of(self, parameter):
        """What such an object is before the call."""
        name, base = parameter.name, parameter.base()
        if base == "MPI_Comm" and mpi.is_freed(self.function, name):
            return "comm_to_free()"
        if base in ("MPI_Win", "MPI_File") and mpi.is_freed(self.function, name):
            return f"known_{name}()"
        if base == "MPI_Request" and mpi.request_in(self.function):
            return "request_there(%s)" % ("true" if "starts_one" in self.function.does else "false")
        return f"HANDLE({base}, 77)" if base in HANDLES else "77"

    def counts(self):
        return {sizes.count for sizes in [*self.sizes.values(), self.in_place] if isinstance(sizes, Sizes) and not sizes.each}

    def scalar(self, index, parameter):
        name, base = parameter.name, parameter.base()
        if base == "MPI_Comm":
            return "now->comm" if parameter is mpi.comm_parameter(self.function) else "MPI_COMM_WORLD"
        if base in ("MPI_Win", "MPI_File"):
            return f"known_{name}()"
        if base == "MPI_Datatype":
            return f"type({index})"
        if base == "MPI_Op":
            return "now->op"
        if base == "MPI_Request":
            return "request_there(false)"
        if base in NUMBERS:
            if name in self.counts():
                return "many()" if base == "MPI_Count" else "now->count"
            if name in RANKS:
                return RANKS[name]
            if name in ("count", "incount") and ("completes" in self.function.does or "starts_all" in self.function.does):
                return "now->requests"
            return f"(INT64_C(1) << 40) + {index}" if base in NUMBERS[1:] else str(1000 + index)
        if base.endswith("function"):
            return f"({base} *)nowhere({index})"
        return f"HANDLE({base}, {16 * (index + 1)})"  # of the kinds that wrappers know nothing of

    # ---- the library's side ----

    def behind(self):
        function = self.function
        lines = [f"static int behind_{function.name}({self.declared()}) {{", f"    arrived({self.number});"]
        for index, parameter in enumerate(function.parameters):
            name = parameter.name
            if parameter.base() == "MPI_Status":
                how_many = "1" if name == "status" else "now->requests"
                lines.append(f"    {name} = status_arrives({index}, {name}, {how_many});")
            elif parameter.is_pointer() or parameter.base().endswith("function"):
                lines.append(f"    pointer_arrives({index}, (const void *){name});")
            else:
                lines.append(f"    arrives({index}, &{name}, sizeof {name});")
        lines += ["    if (now->result != MPI_SUCCESS)", "        return now->result;"]
        for parameter in function.parameters:
            lines += ["    " + line for line in self.sets(parameter)]
        return "\n".join([*lines, "    return now->result;", "}"])

    def sets(self, parameter):
        function, name, base = self.function, parameter.name, parameter.base()
        if name == "array_of_requests" and "completes" in function.does:
            how = function.does["completes"]
            which = {"all": "now->flag", "any": "now->flag && at_ == now->requests - 1", "some": "now->flag && at_ % 2 == 0"}
            return [
                "for (int at_ = 0; at_ < now->requests; at_++)", f"    if ({which[how]})",
                f"        {name}[at_] = MPI_REQUEST_NULL;",
            ]  # fmt: skip
        if name == "array_of_indices":
            return ["for (int at_ = 0; now->flag && at_ < (now->requests + 1) / 2; at_++)", f"    {name}[at_] = 2 * at_;"]
        if not self.is_variable(parameter):
            return []
        if name == "flag" or name == "index":
            value = "now->flag" if name == "flag" else "now->flag ? now->requests - 1 : MPI_UNDEFINED"
        elif name == "outcount":
            value = "now->flag ? (now->requests + 1) / 2 : MPI_UNDEFINED"
        elif base == "MPI_Request" and mpi.request_in(function):
            if "starts_one" in function.does:
                return []
            gone = "true" if "frees" in function.does else "now->flag" if function.parameter("flag") else "true"
            return [f"if ({gone})", f"    *{name} = MPI_REQUEST_NULL;"]
        elif base in NULLS and mpi.is_freed(function, name):
            value = NULLS[base]
        else:
            value = f"HANDLE({base}, fresh())" if base in HANDLES else f"({base})fresh()"
        return [f"*{name} = {value};", f"sets((uint64_t)(uintptr_t)*{name});"]

    def declared(self):
        return ", ".join(parameter.declare() for parameter in self.function.parameters) or "void"

    # ---- the program's side ----

    def call(self):
        function, name = self.function, self.function.name
        lines = [f"static void call_{name}(void) {{", f'    begins("{name}");']
        add = lambda *more: lines.extend("    " + line for line in more)  # noqa: E731
        for parameter in function.parameters:
            if self.is_variable(parameter):
                add(f"{parameter.base()} of_{parameter.name} = {self.start_of(parameter)};")
        for index, parameter in enumerate(function.parameters):
            pointed = parameter.type + ("*" if parameter.suffix == "[]" else "")
            add(f"{pointed} {parameter.name} = {self.given(index, parameter)};")
            add(f"gives({index}, &{parameter.name}, sizeof {parameter.name});")
        arguments = ", ".join(parameter.name for parameter in function.parameters)
        add(f"int result = ((__typeof__(&{name}))wrapper({self.number}))({arguments});", "returned(result);")
        for parameter in function.parameters:
            if self.sets(parameter) and self.is_variable(parameter):
                if parameter.base() == "MPI_Request" and mpi.request_in(function):
                    continue
                at_start = "0" if self.start_of(parameter).endswith(")") and "HANDLE" not in self.start_of(parameter) else (
                    f"(uint64_t)(uintptr_t){self.start_of(parameter)}")  # fmt: skip
                add(f"comes_back((uint64_t)(uintptr_t)of_{parameter.name}, {at_start});")
        if function.parameter("status", "array_of_statuses"):
            add("status_comes_back(%s);" % ("1" if function.parameter("status") else "now->requests"))
        self.look(add)
        add("ends();")
        return "\n".join([*lines, "}"])

    def look(self, add):
        """What was recorded."""
        function, has = self.function, self.function.parameter
        kind = function.kind
        add(f'if (!was_recorded("{kind}"))', "    return;")
        begin, end = mpi.begin_fields(function), mpi.end_fields(function)
        for field, name in (("dest", "dest"), ("target", "target_rank"), ("root", "root")):
            if field in begin:
                add(f'field_is("{field}", as_rank({name}));')
        source = "recvsource" if "recvsource" in begin else "source"
        if has("source"):
            add(f'field_is("{source}", as_rank(source));')
        if "tag" in begin:
            add(f'field_is("tag", as_tag({(has("tag") or has("sendtag")).name}));')
        if "recvtag" in begin:
            add('field_is("recvtag", as_tag(recvtag));')
        if "comm" in begin:
            add('field_is("comm", comm_number());')
        if "op" in begin:
            add('field_is("op", now->op == MPI_SUM ? 3 : 14);')
        if "send" in self.sizes:
            value = self.sizes["send"].bytes()
            value = f"{self.sizes['send'].place} ? {value} : 0"
            if isinstance(self.in_place, Sizes):
                where = self.in_place_for("sendbuf")
                value = f"{where} ? {self.in_place.bytes()} : ({value})"
            add(f'field_is("bytes", (int64_t)({value}));')
        if "recv" in self.sizes:
            value = f"{self.sizes['recv'].place} ? {self.sizes['recv'].bytes()} : 0"
            if self.in_place is True:
                value = f"{self.in_place_for('recvbuf')} ? 0 : ({value})"
            add(f'field_is("recv_bytes", (int64_t)({value}));')
        for field in ("win", "file"):
            if field in begin:
                add(f'field_is_set("{field}", true);')
        if "group" in begin:
            add('field_is_set("group", true);')
        if mpi.request_in(function):
            add('field_is_set("request", true);')
        add("end_of_it();", 'field_is("return_value", now->result);')
        for field in ("request", "new_comm", "new_win", "new_file"):
            if field in end:
                add(f'field_is_set("{field}", now->result == MPI_SUCCESS);')
        came = "now->result == MPI_SUCCESS" + (" && now->flag" if "flag" in end else "")
        if "flag" in end:
            add('field_is("flag", now->result == MPI_SUCCESS && now->flag);')
        if "received" in function.does:
            add(f'field_is("source", {came} ? STATUS_SOURCE : -1);', f'field_is("tag", {came} ? STATUS_TAG : -1);')
        if "received" in function.does or "moved" in function.does:
            add(f'field_is("bytes", {came} ? STATUS_BYTES : 0);')
        how = function.does.get("completes")
        if how:
            many = {"one": "1", "all": "now->requests", "any": "now->requests > 0", "some": "(now->requests + 1) / 2"}[how]
            flag = " && now->flag" if has("flag") or how in ("any", "some") else ""
            add(f"completed(now->result == MPI_SUCCESS{flag} ? {many} : 0);")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("table", "header", "out"):
        parser.add_argument("--" + name, type=pathlib.Path, required=True)
    options = parser.parse_args()
    declared = set(re.findall(r"\b(MPI_\w+)\s*\(", options.header.read_text(encoding="utf-8", errors="replace")))
    there = [one for one in mpi.load(options.table) if one.name in declared and not one.is_local()]
    text = ["/* Written by calls.py. */", '#include "wrappers.h"', ""]
    for number, function in enumerate(there):
        call = Call(function, number)
        text += [call.behind(), "", call.call(), ""]
    text.append("const struct tested tested[] = {")
    text += [f'    {{"{one.name}", (void *)behind_{one.name}, call_{one.name}}},' for one in there]
    text += ["};", f"const unsigned tested_count = {len(there)};", ""]
    write_if_changed(options.out, "\n".join(text))


main()
