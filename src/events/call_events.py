"""The events of a domain whose calls have a begin and an end each: `calls` of a table.

    "calls": {
      "begin": [fields of every begin], "end": [fields of every end],
      "functions": [{"name": "toy_solve", "meaning": "A system is solved.",
                     "begin": [more], "end": [more]}]
    }

A function has the events NAME_begin and NAME_end. They are `frequent` if the function is. The first
fields of each begin are the Python code and the native place of the call. If something records the
domain, it also has the event call_info, which explains such a place. `"places": false` means that
the runtime does not report the caller's place.
"""

import copy

LINK = [
    {"name": "py_path", "type": "u32", "meaning": "Python call path of the thread, see path_info; 0 if the thread has no Python"},
    {"name": "codeptr", "type": "u64", "base": 16, "meaning": "code address of the caller; 0 if unknown"},
]  # fmt: skip

PLACE = {
    "name": "call_info", "channel": "definitions",
    "meaning": "A place that calls a function. Recorded before the first other event with its address.",
    "fields": [
        {"name": "pid", "type": "i32", "meaning": "process id"},
        {"name": "lexgion", "type": "u32", "meaning": "number of the call site, never reused in a process"},
        {"name": "codeptr", "type": "u64", "base": 16, "meaning": "code address behind the call"},
        {"name": "function", "type": "string", "meaning": "the called function"},
        {"name": "object", "type": "string", "meaning": "path of its program or library; ? if unknown"},
        {"name": "offset", "type": "u64", "base": 16, "meaning": "the address minus the load address of the object"},
        {"name": "symbol", "type": "string", "meaning": "the nearest symbol before it; ? if there is none"},
    ],
}  # fmt: skip


def event(name, meaning, fields, frequent):
    return {"name": name, "channel": "events", "meaning": meaning, "fields": fields} | ({"frequent": True} if frequent else {})


def events(calls, recorded):
    """Returns the events of `calls`, in the order of the functions. `recorded` is false if no
    code records the domain yet.
    """
    places = calls.get("places", True)
    link = LINK if places else LINK[:1]
    made = [copy.deepcopy(PLACE)] if recorded and places else []
    for function in calls["functions"]:
        name, frequent = function["name"], function.get("frequent", False)
        begin = link + calls.get("begin", []) + function.get("begin", [])
        made.append(event(f"{name}_begin", f"{function['meaning']} The call begins.", begin, frequent))
        made.append(event(f"{name}_end", f"{name} returns.", calls.get("end", []) + function.get("end", []), frequent))
    return made
