"""Forms of LTTng's traces that PInsight's own sessions do not have on this machine, against babeltrace2's text: numbers at
their natural addresses, as on AArch64, contexts of an application, numbers of networks, and the long form of heads."""
import re
import struct

import pytest

from support import places, traces
from support.decoder import listed

# What a session of LTTng can have beside PInsight's events, in the words of LTTng's metadata.
CONTEXT = """
    integer { size = 32; align = 8; signed = 1; encoding = none; base = 10; } _vpid;
    integer { size = 32; align = 8; signed = 1; encoding = none; base = 10; } _vtid;
    integer { size = 8; align = 8; signed = 1; encoding = UTF8; base = 10; } _procname[17];
    enum : integer { size = 8; align = 8; signed = 1; encoding = none; base = 10; } {
        "_none" = 0, "_int16" = 2, "_uint64" = 8, "_string" = 11,
    } __app_demo_tag;
    variant <__app_demo_tag> {
        struct {} _none;
        integer { size = 16; align = 8; signed = 1; encoding = none; base = 10; } _int16;
        integer { size = 64; align = 8; signed = 0; encoding = none; base = 10; } _uint64;
        string _string;
    } __app_demo;
    integer { size = 64; align = 8; signed = 0; encoding = none; base = 10; } _perf_thread_cycles;
"""
EVENTS = {
    "lttng_ust_statedump:start": "",
    "lttng_ust_statedump:build_id": """
        integer { size = 64; align = 8; signed = 0; encoding = none; base = 16; } _baddr;
        integer { size = 64; align = 8; signed = 0; encoding = none; base = 10; } __build_id_length;
        integer { size = 8; align = 8; signed = 0; encoding = none; base = 16; } _build_id[ __build_id_length ];""",
    "other:net": """
        integer { size = 16; align = 8; signed = 0; encoding = none; base = 10; byte_order = be; } _port;
        floating_point { exp_dig = 11; mant_dig = 53; align = 8; } _seconds;
        integer { size = 32; align = 8; signed = 1; encoding = none; base = 10; } _three[3];""",
    "python_pinsight_lttng_ust:code_info": """
        integer { size = 32; align = 8; signed = 0; encoding = none; base = 10; } _code;
        integer { size = 64; align = 8; signed = 0; encoding = none; base = 16; } _code_id;
        string _qualname;
        string _filename;
        integer { size = 32; align = 8; signed = 1; encoding = none; base = 10; } _lineno;
        string _module;""",
    "python_pinsight_lttng_ust:begin": """
        integer { size = 32; align = 8; signed = 0; encoding = none; base = 10; } _tid;
        integer { size = 32; align = 8; signed = 0; encoding = none; base = 10; } _code_how;""",
}
STREAM = "stream { id = %d; event.header := struct event_header_%s; packet.context := struct packet_context; event.context := struct { %s }; };\n"
UNREAD = 'event { name = "other:bits"; id = 9; stream_id = %d; fields := struct { integer { size = 4; align = 1; } _version; }; };\n'
FORMS = ("compact", "large")


def description(natural):
    """Both kinds of heads, each in a stream with the same events. LTTng writes the sizes as alignments too."""
    text = (places.TESTS / "fuzz" / "corpus" / "tsdl" / "lttng-2.13").read_text()
    text = text[:text.index("stream {")]
    for number, form in enumerate(FORMS):
        text += STREAM % (number, form, CONTEXT) + UNREAD % number
        for at, (name, fields) in enumerate(EVENTS.items()):
            text += 'event { name = "%s"; id = %d; stream_id = %d; loglevel = 13; fields := struct { %s }; };\n' % (
                name, at, number, fields)
    if natural:
        text = re.sub(r"size = (16|32|64); align = 8;", r"size = \1; align = \1;", text)
        text = text.replace("mant_dig = 53; align = 8", "mant_dig = 53; align = 64")
        text = re.sub(r"(struct event_header_(\w+) \{.*?\} align\()8", lambda match: match[1] + str(32 if match[2] == "compact" else 16),
                      text, flags=re.S)
    return text


class Packet:
    def __init__(self, natural, uuid, stream, begin):
        self.natural, self.large, self.begin = natural, stream, begin
        self.data = struct.pack("<I16sIQQQQQQQI", 0xC1FC1FC1, uuid, stream, stream, begin, begin + 100000, 0, 0, 0, 0, 0)

    def align(self, size):
        if self.natural:
            self.data += bytes(-len(self.data) % size)

    def put(self, form, *values):
        for letter, value in zip(form.lstrip("<>"), values):
            size = struct.calcsize(letter)
            self.align(size)
            self.data += struct.pack((form[0] if form[0] in "<>" else "<") + letter, value)

    def event(self, time, number, tag, value, body, extended=False):
        self.align(2 if self.large else 4)
        if extended:
            self.put("H" if self.large else "B", 0xFFFF if self.large else 31)
            self.align(8)
            self.put("IQ", number, self.begin + time)
        elif self.large:
            self.put("HI", number, self.begin + time & 2 ** 32 - 1)
        else:
            self.put("I", (self.begin + time & 2 ** 27 - 1) << 5 | number)
        self.align(8)
        self.put("ii", 70, 71)
        self.data += b"a process".ljust(17, b"\0")
        self.put("b", tag)
        if tag == 11:
            self.data += value + b"\0"
        elif tag:
            self.put({2: "h", 8: "Q"}[tag], value)
        self.put("Q", 12345)
        body()

    def bytes(self):
        size = 8 * len(self.data)
        return self.data[:48] + struct.pack("<QQ", size, size) + self.data[64:]


def filled(natural, uuid, stream):
    packet = Packet(natural, uuid, stream, 1000 + stream)

    def build_id():
        packet.align(8)
        packet.put("QQ", 0x7F, 5)
        packet.data += bytes(range(5))

    def net():
        packet.align(8)
        packet.put(">H", 443)
        packet.put("diii", 1.5, -1, 2, -3)

    def code_info(code, name):
        packet.align(8)
        packet.put("IQ", code, 0xABC)
        packet.data += name + b"\0/a.py\0"
        packet.put("i", 3)
        packet.data += b"module\0"

    def begin(code):
        packet.put("II", 71, code << 2)

    packet.event(10, 0, 0, None, lambda: None)
    packet.event(20, 3, 11, b"a text", lambda: code_info(1, b"f"))
    packet.event(30, 1, 2, -5, build_id)
    packet.event(40, 2, 8, 2 ** 63, net)
    packet.event(50, 4, 11, b"", lambda: begin(1))
    packet.event(60, 3, 0, None, lambda: code_info(2, b"four"), extended=True)
    packet.event(70, 4, 2, 1, lambda: begin(2))
    packet.event(70000, 4, 8, 1, lambda: begin(3), extended=True)
    return packet


@pytest.fixture(params=[False, True], ids=["packed", "natural"])
def trace(request, tmp_path):
    text = description(request.param)
    uuid = bytes.fromhex(re.search(r'uuid = "([^"]*)', text)[1].replace("-", ""))
    (tmp_path / "metadata").write_text(text)
    for stream in range(2):
        (tmp_path / ("events_%d" % stream)).write_bytes(filled(request.param, uuid, stream).bytes())
    return tmp_path


def test_forms(trace):
    lines, said = listed(trace)
    ours = [line.split(" ", 4) for line in lines]
    assert [(words[2], words[3]) for words in ours] == [("70", "71")] * 10, (lines, said)
    told = [event for event in traces.events(trace) if event.name in ("code_info", "begin")]
    assert len(told) == 10 and "events 16 known 10" in said[0] and len(said) == 2, said
    for words, event in zip(ours, told):
        assert (int(words[0]), words[1].split(":")[1]) == (event.ts, event.name)
        for field in words[4].split(" "):
            key, value = field.split("=")
            assert event.fields[key] == (bytes.fromhex(value.strip('"')).decode() if '"' in value else int(value)), (words, event)


def test_an_event_of_another_form(trace):
    """The stream ends there, with one message; the other one goes on."""
    natural = "natural" in trace.name or "align = 64" in (trace / "metadata").read_text()
    uuid = bytes.fromhex(re.search(r'uuid = "([^"]*)', (trace / "metadata").read_text())[1].replace("-", ""))
    packet = filled(natural, uuid, 0)
    packet.event(80000, 9, 0, None, lambda: packet.put("B", 4))
    packet.event(80010, 4, 0, None, lambda: packet.put("II", 71, 4))
    (trace / "events_0").write_bytes(packet.bytes())
    lines, said = listed(trace)
    assert len(lines) == 10
    (warning,) = [line for line in said if line.startswith("warning")]
    assert "events_0 is damaged" in warning and "its event other:bits has fields of a form that PInsight does not read" in warning
