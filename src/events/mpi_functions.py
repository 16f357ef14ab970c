"""MPI's functions: reads the table src/tracer/mpi/functions.txt, and derives the other forms of a
function (nonblocking, persistent, large counts) and the events.

The name of a parameter decides its meaning, because the standard uses names consistently: `comm` is
the communicator of a call, `dest` the rank that it sends to, and so on.
"""

import pathlib
import re

KINDS = ("p2p", "collective", "completion", "one_sided", "io", "comm", "datatype", "environment")
WORDS = {
    "send", "recv", "in_place", "starts", "persistent", "received", "moved", "completes", "forms", "since", "local",
    "starts_one", "starts_all", "frees", "partly", "same_group", "renames", "whole", "spawns",
    "role", "moves",
}  # fmt: skip

# Field of an event <- names of parameters that can supply it; the first existing one does.
COMM_NAMES = ("comm", "comm_old", "local_comm", "intercomm")
NEW_COMM_NAMES = (
    "newcomm", "newintercomm", "newintracomm", "comm_cart", "comm_graph", "comm_dist_graph", "intercomm", "parent",
)  # fmt: skip

MEANINGS = {
    "mpirank": "the process's rank in MPI_COMM_WORLD; 4294967295 before MPI is initialised",
    "mpi_codeptr": "code address of the call; see call_info",
    "py_path": "Python call path of the thread, see path_info; 0 if the thread has no Python",
    "comm": "the communicator, see comm_info; 0 for MPI_COMM_NULL",
    "dest": "rank of the receiver",
    "source": "rank of the sender",
    "root": "rank of the root",
    "tag": "tag of the message",
    "recvsource": "rank of the sender",
    "recvtag": "tag of the received message",
    "count": "number of elements in the call; the sum if each rank has its own count",
    "datatype_size": "size of an element; 0 if elements differ",
    "bytes": "size of the data that this rank sends, to all ranks together",
    "recv_bytes": "size of the data that this rank receives, or has room for, from all ranks together",
    "op": "the operation",
    "request": "the request, unique in the process; 0 if there is none",
    "win": "the window; 0 if there is none",
    "file": "the file; 0 if there is none",
    "group": "its group, see group_info; 0 if unknown",
    "target": "rank of the target in the window's group",
    "return_value": "result of the call; 0: MPI_SUCCESS",
    "flag": "the answer: 1 if a message has arrived, or requests are complete",
    "new_comm": "the new communicator; 0 if there is none",
    "new_win": "the new window; 0 if there is none",
    "new_file": "the opened file; 0 if there is none",
}
TYPES = {
    "mpirank": "u32", "mpi_codeptr": "u64", "py_path": "u32", "comm": "u32", "dest": "i32", "source": "i32",
    "root": "i32", "tag": "i32", "recvsource": "i32", "recvtag": "i32", "count": "u64", "datatype_size": "u64",
    "bytes": "u64", "recv_bytes": "u64", "op": "u32", "request": "u64", "win": "u32", "file": "u32", "group": "u32",
    "target": "i32", "return_value": "i32", "flag": "u8", "new_comm": "u32", "new_win": "u32", "new_file": "u32",
}  # fmt: skip
UNITS = {"datatype_size": "bytes", "bytes": "bytes", "recv_bytes": "bytes"}
END_MEANINGS = {
    "source": "rank of the sender; -1 if no message came",
    "tag": "tag of the message; -1 if no message came",
    "bytes": "size of the message",
    "request": "the new request, unique in the process; 0 if there is none",
}


class TableError(Exception):
    """The table breaks a rule. The text names the place."""


class Parameter:
    """One parameter: `type` with its const and stars, `name`, and `suffix` such as [] or [][3]."""

    def __init__(self, text):
        match = re.fullmatch(r"\s*(.*?[\s*])(\w+)((?:\[\d*\])*)\s*", text)
        if not match:
            raise TableError(f"not a parameter: '{text}'")
        self.type = match.group(1).strip()
        self.name = match.group(2)
        self.suffix = match.group(3)

    def declare(self):
        space = "" if self.type.endswith("*") else " "
        return f"{self.type}{space}{self.name}{self.suffix}"

    def base(self):
        """Returns the type without const and stars."""
        return self.type.replace("const", "").replace("*", "").strip()

    def is_pointer(self):
        return self.type.endswith("*") or bool(self.suffix)


class Function:
    """One function: its name with MPI_, kind, parameters and effects."""

    def __init__(self, name, kind, parameters, does):
        self.name = name
        self.kind = kind
        self.parameters = parameters
        self.does = does
        self.since = does.get("since", "3.1")

    def parameter(self, *names):
        for name in names:
            for parameter in self.parameters:
                if parameter.name == name:
                    return parameter
        return None

    def is_local(self):
        return "local" in self.does

    def makes(self, base, names=None):
        """Returns the parameter that returns a new object of a type."""
        for parameter in self.parameters:
            if parameter.base() == base and parameter.type.endswith("*") and "const" not in parameter.type:
                if names is None or parameter.name in names:
                    return parameter
        return None


def parse_does(text):
    does = {}
    for part in filter(None, (part.strip() for part in text.split(";"))):
        word, _, rest = part.partition(" ")
        if word not in WORDS or word in does:
            raise TableError(f"unknown or repeated word '{word}'")
        does[word] = rest.strip() or True
    return does


def logical_lines(path):
    """Yields lines without comments. Joins a line with a leading blank to the line before it."""
    number, whole = 0, ""
    for count, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("#") or not line.strip():
            continue
        if line[0].isspace():
            whole += " " + line.strip()
            continue
        if whole:
            yield number, whole
        number, whole = count, line.rstrip()
    if whole:
        yield number, whole


def large(parameter):
    """Returns the parameter's form in a function with large counts (MPI 4.0, 2.5.8)."""
    copy = Parameter(parameter.declare())
    if copy.base() == "int" and re.fullmatch(r"(send|recv|origin_|result_|target_)?counts?", copy.name):
        copy.type = copy.type.replace("int", "MPI_Count")
    elif copy.base() == "int" and copy.name in ("displs", "sdispls", "rdispls", "disp_unit"):
        copy.type = copy.type.replace("int", "MPI_Aint")
    return copy


def forms_of(function):
    """Returns the function and its other forms."""
    forms = function.does.get("forms", "")
    forms = forms.split() if forms else []
    made = [function]
    request = Parameter("MPI_Request *request")
    bare = function.name[len("MPI_"):]
    if "I" in forms:
        does = {**function.does, "starts": "collective"}
        does.pop("received", None)
        made.append(Function("MPI_I" + bare.lower(), function.kind, function.parameters + [request], does))
    if "P" in forms:
        does = {**function.does, "starts": "collective", "persistent": True, "since": "4.0"}
        parameters = function.parameters + [Parameter("MPI_Info info"), request]
        made.append(Function(f"MPI_{bare}_init", function.kind, parameters, does))
    if "c" in forms:
        for one in list(made):
            parameters = [large(parameter) for parameter in one.parameters]
            made.append(Function(one.name + "_c", one.kind, parameters, {**one.does, "since": "4.0"}))
    return made


def load(path):
    """Returns all functions of the table, in its order."""
    path = pathlib.Path(path)
    functions, kind, names = [], None, set()
    for number, line in logical_lines(path):
        try:
            if line.startswith("["):
                kind = line.strip("[] ")
                if kind not in KINDS:
                    raise TableError(f"unknown kind '{kind}'")
                continue
            match = re.fullmatch(r"(\w+)\((.*?)\)\s*(?::\s*(.*))?", line)
            if not match or kind is None:
                raise TableError("not NAME(PARAMETERS) : WORDS below a [KIND]")
            parameters = [Parameter(text) for text in match.group(2).split(",") if text.strip()]
            function = Function("MPI_" + match.group(1), kind, parameters, parse_does(match.group(3) or ""))
            for one in forms_of(function):
                if one.name in names:
                    raise TableError(f"{one.name} stands twice")
                names.add(one.name)
                functions.append(one)
        except TableError as error:
            raise TableError(f"{path}:{number}: {error}") from None
    return functions


def role(function):
    """Returns the function's role for the reader: one of enum pinsight_mpi_role, without its
    prefix.
    """
    does = function.does
    if "role" in does:
        return does["role"]
    if "starts_one" in does or "starts_all" in does:
        return "starts"
    if "frees" in does:
        return "frees"
    if function.kind != "p2p" or not ({"send", "recv", "received"} & set(does)):
        return "plain"
    if "send" in does:
        return "exchanges" if "recv" in does else "sends"
    if "recv" in does:
        return "receives_probed" if function.parameter("message") else "receives"
    return "probes"


def blocks(function, starts):
    """Returns whether a call always waits until other ranks or operations have done their part."""
    if starts or "persistent" in function.does or function.parameter("flag") is not None:
        return False
    return "completes" in function.does or role(function) in (
        "receives", "exchanges", "probes", "barrier", "n_to_n", "to_root", "from_root", "other_collective", "win_fences")


def reader_table(functions):
    """Returns the reader's facts about functions as rows of a C array, sorted by name."""
    rows = []
    for function in sorted((one for one in functions if not one.is_local()), key=lambda one: one.name):
        does = function.does
        starts = does.get("starts") in ("send", "recv", "exchange", "collective")
        starts = starts or (function.kind == "comm" and "starts" in does)
        flags = {
            "non_blocking": starts and "persistent" not in does,
            "persistent": "persistent" in does,
            "session": function.parameter("session") is not None and role(function) == "initialises",
            "blocks": blocks(function, starts),
            "removes": role(function) == "probes" and function.parameter("message") is not None,
        }
        words = [f".kind = PINSIGHT_MPI_KIND_{function.kind.upper()}", f".role = PINSIGHT_MPI_{role(function).upper()}"]
        if "moves" in does:
            words.append(f".movement = PINSIGHT_MPI_{does['moves'].upper()}")
        words += [f".{flag} = true" for flag, holds in flags.items() if holds]
        rows.append(f'{{"{function.name}", {{{", ".join(words)}}}}},\n')
    return "".join(rows)


def begin_fields(function):
    """Returns the names of the fields of the begin event, in order."""
    has = function.parameter
    fields = ["mpirank", "mpi_codeptr", "py_path"]
    both = has("dest") and has("source")
    if comm_parameter(function):
        fields.append("comm")
    if has("dest"):
        fields.append("dest")
    if has("source") and not both:
        fields.append("source")
    if has("root"):
        fields.append("root")
    if has("tag", "sendtag"):
        fields.append("tag")
    if both:
        fields += ["recvsource", "recvtag"]
    if "send" in function.does or "recv" in function.does:
        fields += ["count", "datatype_size"]
    if "send" in function.does:
        fields.append("bytes")
    if "recv" in function.does:
        fields.append("recv_bytes")
    if has("op"):
        fields.append("op")
    if request_in(function):
        fields.append("request")
    if has("win") and not function.makes("MPI_Win") or has("win") and is_freed(function, "win"):
        fields.append("win")
    if has("fh") and (has("fh").type == "MPI_File" or is_freed(function, "fh")):
        fields.append("file")
    if has("target_rank"):
        fields.append("target")
    if has("win") and has("group") and has("group").type == "MPI_Group":
        fields.append("group")
    return fields


def is_freed(function, name):
    """Returns whether a parameter is a pointer to an object that the function frees."""
    return function.parameter(name) is not None and re.search(r"_(free|close|disconnect)$", function.name) is not None


def comm_parameter(function):
    """Returns the communicator that the call uses, or None."""
    for name in COMM_NAMES:
        parameter = function.parameter(name)
        if parameter and parameter.base() == "MPI_Comm":
            if parameter.type == "MPI_Comm" or is_freed(function, name):
                return parameter
    return None


def new_comm_parameter(function):
    if is_freed(function, "comm"):
        return None
    return function.makes("MPI_Comm", NEW_COMM_NAMES)


def request_in(function):
    """Returns whether the function takes an existing request."""
    request = function.parameter("request")
    return request is not None and "starts" not in function.does


def end_fields(function):
    fields = ["return_value"]
    if "starts" in function.does:
        fields.append("request")
    if function.parameter("flag") and function.parameter("flag").is_pointer():
        fields.append("flag")
    if "received" in function.does:
        fields += ["source", "tag", "bytes"]
    elif "moved" in function.does:
        fields.append("bytes")
    if new_comm_parameter(function):
        fields.append("new_comm")
    if function.makes("MPI_Win") and not is_freed(function, "win"):
        fields.append("new_win")
    if function.makes("MPI_File") and not is_freed(function, "fh"):
        fields.append("new_file")
    return fields


def field(name, end):
    made = {"name": name, "type": TYPES[name], "meaning": (END_MEANINGS if end else MEANINGS).get(name, MEANINGS[name])}
    if name == "mpi_codeptr":
        made["base"] = 16
    if name in UNITS:
        made["unit"] = UNITS[name]
    if name == "op":
        made["enum"] = "op"
    return made


def events(functions):
    """Returns the events of all wrapped functions, in the form of a table of src/events."""
    made = []
    for function in functions:
        if function.is_local():
            continue
        made.append({
            "name": function.name + "_begin", "channel": "events", "meaning": f"{function.name} is called.",
            "fields": [field(name, False) for name in begin_fields(function)],
        })  # fmt: skip
        made.append({
            "name": function.name + "_end", "channel": "events", "ends_wait": True, "meaning": f"{function.name} returns.",
            "fields": [field(name, True) for name in end_fields(function)],
        })  # fmt: skip
    return made
