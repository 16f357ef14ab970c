"""Reads a Perfetto trace with the definitions of the `perfetto` package, and nothing of PInsight's:

    python read_perfetto.py FILE        prints what is in it as JSON, for tests/support/exported.py

It takes nothing on trust: each packet has fields that Perfetto knows and no others, each number of a name was
given to a name before, and once, each track is described, and the same each time but for its name.
"""
import json
import sys

from google.protobuf.message import Message
from google.protobuf.unknown_fields import UnknownFieldSet
from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TrackDescriptor, TrackEvent, TracePacket

NAMES = {"event_categories": "name", "event_names": "name", "debug_annotation_names": "name",
         "debug_annotation_string_values": "str"}
PHASES = {TrackEvent.TYPE_SLICE_BEGIN: "B", TrackEvent.TYPE_SLICE_END: "E", TrackEvent.TYPE_INSTANT: "i"}


def assert_known(message):
    assert not len(UnknownFieldSet(message)), message
    for field, value in message.ListFields():
        if field.message_type is not None:
            for one in [value] if isinstance(value, Message) else value:
                assert_known(one)


class Reader:
    def __init__(self):
        self.interned = {kind: {} for kind in NAMES}
        self.started = False
        self.tracks = {}
        self.events, self.counts, self.clocks = [], [], []

    def intern(self, packet):
        if packet.sequence_flags & TracePacket.SEQ_INCREMENTAL_STATE_CLEARED:
            assert not self.started, "names start anew"
            self.started = True
        for field, entries in packet.interned_data.ListFields():
            known = self.interned[field.name]
            for entry in entries:
                text = getattr(entry, NAMES[field.name])
                assert entry.iid and entry.iid not in known, entry
                known[entry.iid] = text.decode() if isinstance(text, bytes) else text

    def name(self, packet, kind, iid):
        assert self.started and packet.sequence_flags & TracePacket.SEQ_NEEDS_INCREMENTAL_STATE, packet
        return self.interned[kind][iid]

    def describe(self, track):
        known = self.tracks.setdefault(track.uuid, TrackDescriptor())
        before, now = TrackDescriptor(), TrackDescriptor()
        before.CopyFrom(known)
        now.CopyFrom(track)
        for one in (before, now):
            one.process.ClearField("process_name")
            one.thread.ClearField("thread_name")
            one.process.ClearField("legacy_sort_index")
            one.thread.ClearField("legacy_sort_index")
            one.ClearField("sibling_order_rank")
        assert not known.ByteSize() or before == now, (before, now)
        known.CopyFrom(track)

    def details(self, packet):
        found = {}
        for one in packet.track_event.debug_annotations:
            key = self.name(packet, "debug_annotation_names", one.name_iid)
            assert key not in found, packet
            which = one.WhichOneof("value")
            found[key] = (self.name(packet, "debug_annotation_string_values", one.string_value_iid)
                          if which == "string_value_iid" else getattr(one, which))
        return found

    def event(self, packet):
        event = packet.track_event
        assert event.track_uuid and packet.timestamp, packet
        if event.type == TrackEvent.TYPE_COUNTER:
            field = event.WhichOneof("counter_value_field")
            assert field in ("counter_value", "double_counter_value"), packet
            self.counts.append([event.track_uuid, packet.timestamp, getattr(event, field)])
            return
        assert len(event.extra_counter_track_uuids) == len(event.extra_counter_values)
        for uuid, value in zip(event.extra_counter_track_uuids, event.extra_counter_values):
            self.counts.append([uuid, packet.timestamp, value])
        phase, name, category = PHASES[event.type], None, None
        if phase != "E":
            (iid,) = event.category_iids
            category = self.name(packet, "event_categories", iid)
            name = self.name(packet, "event_names", event.name_iid)
        self.events.append([str(event.track_uuid), phase, packet.timestamp, name, category, self.details(packet),
                            list(event.flow_ids), list(event.terminating_flow_ids)])

    def read(self, data):
        trace = Trace()
        trace.ParseFromString(data)
        assert trace.packet[0].first_packet_on_sequence
        for packet in trace.packet:
            assert_known(packet)
            assert packet.trusted_packet_sequence_id == 1, packet
            self.intern(packet)
            what = packet.WhichOneof("data")
            if what == "track_event":
                self.event(packet)
            elif what == "track_descriptor":
                self.describe(packet.track_descriptor)
            else:
                assert what == "clock_snapshot", packet
                self.clocks.append([[one.clock_id, one.timestamp] for one in packet.clock_snapshot.clocks])

    def told(self):
        processes, threads, counters = {}, {}, {}
        root = self.tracks.pop(0)
        assert root.process_ordering == TrackDescriptor.PROCESS_ORDERING_EXPLICIT
        assert root.thread_ordering == TrackDescriptor.THREAD_ORDERING_EXPLICIT
        for uuid, track in self.tracks.items():
            uuid, parent = str(uuid), str(track.parent_uuid or "") or None
            if track.HasField("process"):
                assert track.sibling_order_rank == track.process.legacy_sort_index
                processes[uuid] = {"pid": track.process.pid, "name": track.process.process_name,
                                   "order": track.sibling_order_rank}
            elif track.HasField("thread"):
                assert track.sibling_order_rank == track.thread.legacy_sort_index
                threads[uuid] = {"process": parent, "pid": track.thread.pid, "tid": track.thread.tid,
                                 "name": track.thread.thread_name, "order": track.sibling_order_rank}
            elif not track.HasField("counter"):  # a stream of a device: a track without a thread
                assert track.name and parent
                threads[uuid] = {"process": parent, "pid": None, "tid": -int(uuid), "name": track.name,
                                 "order": track.sibling_order_rank}
            else:
                assert track.name and track.counter.HasField("unit_name"), track
                counters[uuid] = {"name": track.name, "process": parent, "values": []}
        for uuid, ns, value in self.counts:
            counters[str(uuid)]["values"].append([ns, value])
        for thread in threads.values():
            assert thread["pid"] in (None, processes[thread["process"]]["pid"]), thread
        return {"processes": processes, "threads": threads, "counters": list(counters.values()),
                "events": self.events, "clocks": self.clocks}


reader = Reader()
with open(sys.argv[1], "rb") as file:
    reader.read(file.read())
json.dump(reader.told(), sys.stdout)
