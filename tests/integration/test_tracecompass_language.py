"""The interpreter of Trace Compass's XML analyses (support/tracecompass.py), by an analysis whose states are worked out
by hand from what the user guide and the schemas say of each element. No trace, and nothing of PInsight's."""
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from support import places
from support.tracecompass import Analyses, Event, Int, Label, Long, Unsupported

# A workshop: workers come, take a machine, do jobs within jobs, and go.
WORKSHOP = """<?xml version="1.0" encoding="UTF-8"?>
<tmfxml>
  <stateProvider version="3" id="workshop">
    <head><traceType id="a.trace.type"/><label value="Workshop"/></head>
    <definedValue name="IDLE" value="10"/>
    <definedValue name="AT_MACHINE" value="11"/>
    <location id="worker">
      <stateAttribute type="constant" value="Workers"/>
      <stateAttribute type="eventField" value="worker"/>
    </location>
    <mappingGroup id="shifts">
      <entry><stateValue type="long" value="1"/><stateValue type="string" value="early"/></entry>
      <entry><stateValue type="long" value="2"/><stateValue type="string" value="late"/></entry>
      <entry><stateValue type="int" value="3"/><stateValue type="string" value="of another type"/></entry>
    </mappingGroup>
    <eventHandler eventName="arrive">
      <stateChange>
        <stateAttribute type="location" value="worker"/>
        <stateValue type="int" value="$IDLE"/>
      </stateChange>
      <stateChange>
        <stateAttribute type="location" value="worker"/>
        <stateAttribute type="constant" value="shift"/>
        <stateValue type="eventField" value="shift" mappingGroup="shifts"/>
      </stateChange>
    </eventHandler>
    <eventHandler eventName="claim">
      <stateChange>
        <stateAttribute type="location" value="worker"/>
        <stateValue type="int" value="$AT_MACHINE"/>
      </stateChange>
      <stateChange>
        <stateAttribute type="constant" value="Machines"/>
        <stateAttribute type="eventField" value="machine"/>
        <stateValue type="eventField" value="worker"/>
      </stateChange>
    </eventHandler>
    <eventHandler eventName="release">
      <stateChange>
        <stateAttribute type="constant" value="Workers"/>
        <stateAttribute type="query">
          <stateAttribute type="constant" value="Machines"/>
          <stateAttribute type="eventField" value="machine"/>
        </stateAttribute>
        <stateValue type="int" value="$IDLE"/>
      </stateChange>
      <stateChange>
        <stateAttribute type="constant" value="Machines"/>
        <stateAttribute type="eventField" value="machine"/>
        <stateValue type="null"/>
      </stateChange>
    </eventHandler>
    <eventHandler eventName="job_begin">
      <stateChange>
        <stateAttribute type="location" value="worker"/>
        <stateAttribute type="constant" value="CallStack"/>
        <stateValue type="eventField" value="job" stack="push"/>
      </stateChange>
      <stateChange>
        <stateAttribute type="constant" value="Begun"/>
        <stateValue type="int" value="1" increment="true"/>
      </stateChange>
    </eventHandler>
    <eventHandler eventName="job_end">
      <stateChange>
        <stateAttribute type="location" value="worker"/>
        <stateAttribute type="constant" value="last"/>
        <stateValue type="query" stack="peek">
          <stateAttribute type="location" value="worker"/>
          <stateAttribute type="constant" value="CallStack"/>
        </stateValue>
      </stateChange>
      <stateChange>
        <stateAttribute type="location" value="worker"/>
        <stateAttribute type="constant" value="CallStack"/>
        <stateValue type="null" stack="pop"/>
      </stateChange>
    </eventHandler>
    <eventHandler eventName="leave">
      <stateChange>
        <stateAttribute type="location" value="worker"/>
        <stateAttribute type="constant" value="CallStack"/>
        <stateValue type="null" stack="popAll"/>
      </stateChange>
      <stateChange>
        <stateAttribute type="location" value="worker"/>
        <stateValue type="delete"/>
      </stateChange>
    </eventHandler>
    <eventHandler eventName="count_*">
      <stateChange>
        <stateAttribute type="constant" value="Counts"/>
        <stateAttribute type="eventName"/>
        <stateValue type="eventField" value="how_many" forcedType="long" increment="true"/>
      </stateChange>
    </eventHandler>
    <eventHandler eventName="measure">
      <stateChange>
        <if><condition operator="gt"><field name="size"/><stateValue type="long" value="5"/></condition></if>
        <then>
          <stateAttribute type="constant" value="Level"/>
          <stateValue type="string" value="high"/>
        </then>
        <else>
          <if>
            <or>
              <condition><field name="size"/><stateValue type="long" value="5"/></condition>
              <condition>
                <stateValue type="eventField" value="size"/>
                <stateValue type="query"><stateAttribute type="constant" value="Begun"/></stateValue>
              </condition>
            </or>
          </if>
          <then>
            <stateAttribute type="constant" value="Level"/>
            <stateValue type="string" value="middle"/>
          </then>
          <else>
            <stateAttribute type="constant" value="Level"/>
            <stateValue type="string" value="low"/>
          </else>
        </else>
      </stateChange>
      <stateChange>
        <if>
          <and>
            <not><condition><field name="unit"/><stateValue type="string" value="inch"/></condition></not>
            <condition operator="ne">
              <stateAttribute type="constant" value="Nobody"/>
              <stateValue type="string" value="here"/>
            </condition>
          </and>
        </if>
        <then>
          <stateAttribute type="constant" value="Metric"/>
          <stateValue type="eventField" value="size"/>
        </then>
      </stateChange>
    </eventHandler>
    <eventHandler eventName="note">
      <stateChange>
        <stateAttribute type="constant" value="Note"/>
        <stateValue type="eventField" value="text"/>
      </stateChange>
    </eventHandler>
    <eventHandler eventName="amend">
      <stateChange>
        <stateAttribute type="constant" value="Note"/>
        <stateValue type="eventField" value="text" update="true"/>
      </stateChange>
    </eventHandler>
  </stateProvider>
  <timeGraphView id="workers">
    <head><analysis id="workshop"/><label value="Workers"/></head>
    <entry path="Workers/*" displayText="true">
      <display type="self"/>
      <name type="constant" value="shift"/>
      <entry path="CallStack/*"><display type="self"/></entry>
      <entry path="*"><display type="constant" value="not there"/></entry>
    </entry>
  </timeGraphView>
  <xyView id="counts">
    <head><analysis id="workshop"/><label value="Counts"/></head>
    <entry path="Counts/*"><display type="self"/></entry>
  </xyView>
  <callstack id="jobs">
    <callstackGroup name="jobs"><level path="Workers/*"/><thread level="0" type="name"/></callstackGroup>
    <analysis id="workshop"/>
  </callstack>
</tmfxml>
"""

DAY = [
    (10, "arrive", {"worker": "ann", "shift": Long(1)}),
    (20, "arrive", {"worker": "bob", "shift": Long(2)}),
    (25, "arrive", {"worker": "cid", "shift": Long(3)}),  # an int is no long: mapped to nothing
    (30, "claim", {"worker": "ann", "machine": "drill"}),
    (40, "claim", {"worker": "bob", "machine": "lathe"}),
    (50, "job_begin", {"worker": "ann", "job": "plate"}),
    (55, "job_begin", {"worker": "ann", "job": "hole"}),
    (60, "release", {"machine": "drill"}),
    (62, "release", {"machine": "drill"}),  # nobody has it: a part of the path is null
    (65, "job_end", {"worker": "ann"}),
    (70, "count_screws", {"how_many": "7"}),
    (75, "measure", {"size": Long(9), "unit": Label("inch")}),
    (80, "count_nails", {"how_many": "1"}),
    (85, "measure", {"size": Long(5), "unit": Label("cm")}),
    (90, "count_screws", {"how_many": "3"}),
    (91, "recount_screws", {"how_many": "3"}),  # the whole name has to match
    (92, "measure", {"size": Long(2), "unit": Label("cm")}),  # two jobs were begun
    (94, "measure", {"size": Long(1), "unit": Label("cm")}),
    (96, "note", {"text": "a"}),
    (97, "amend", {"text": "b"}),
    (98, "note", {"text": "b"}),
    (99, "job_begin", {"worker": "bob", "job": "rod"}),
    (99, "job_end", {"worker": "bob"}),  # at the same time: no state that lasts
    (100, "leave", {"worker": "ann"}),
    (101, "job_end", {"worker": "ann"}),  # there is none
]

# Worked out by hand: what each attribute holds, from when to when; None is for good.
STATES = {
    "Workers/ann": [(10, 30, 10), (30, 60, 11), (60, 100, 10)],
    "Workers/bob": [(20, 40, 10), (40, None, 11)],
    "Workers/ann/shift": [(10, None, "early")],
    "Workers/bob/shift": [(20, None, "late")],
    "Workers/cid/shift": [],
    "Machines/drill": [(30, 60, "ann")],
    "Machines/lathe": [(40, None, "bob")],
    "Workers/ann/CallStack": [(50, 55, 1), (55, 65, 2), (65, 100, 1)],
    "Workers/ann/CallStack/1": [(50, 100, "plate")],
    "Workers/ann/CallStack/2": [(55, 65, "hole")],
    "Workers/ann/last": [(65, 101, "hole")],
    "Workers/bob/CallStack/1": [],
    "Workers/bob/last": [(99, None, "rod")],
    "Begun": [(50, 55, 1), (55, 99, 2), (99, None, 3)],
    "Counts/count_screws": [(70, 90, 7), (90, None, 10)],
    "Counts/count_nails": [(80, None, 1)],
    "Level": [(75, 85, "high"), (85, 94, "middle"), (94, None, "low")],
    "Metric": [(85, 92, 5), (92, 94, 2), (94, None, 1)],
    "Note": [(96, None, "b")],
}


def analyses(tmp_path, text):
    (tmp_path / "file.xml").write_text(text)
    return Analyses(tmp_path / "file.xml")


@pytest.fixture
def workshop(tmp_path):
    file = analyses(tmp_path, WORKSHOP)
    return file, file.provider().run(Event(*event) for event in DAY)


def test_states_are_those_that_were_worked_out(workshop):
    _, provider = workshop
    assert {path: provider.states.intervals(tuple(path.split("/"))) for path in STATES} == STATES
    assert (provider.id, provider.trace_types) == ("workshop", ["a.trace.type"])
    for ts, wanted in ((9, None), (10, 10), (29, 10), (30, 11), (99, 10), (100, None), (5000, None)):
        assert provider.states.value_at(("Workers", "ann"), ts) == wanted


def test_views_are_those_that_were_worked_out(workshop):
    file, provider = workshop
    ann, bob = ("Workers", "ann"), ("Workers", "bob")
    assert file.view("workers", provider) == [
        (("early",), ann), (("early", "1"), (*ann, "CallStack", "1")), (("early", "2"), (*ann, "CallStack", "2")),
        (("late",), bob), (("late", "1"), (*bob, "CallStack", "1")),
        (("cid",), ("Workers", "cid")),
    ]
    assert file.view("counts", provider) == [
        (("count_screws",), ("Counts", "count_screws")), (("count_nails",), ("Counts", "count_nails"))]
    assert file.call_stacks("jobs", provider) == {("ann",): (*ann, "CallStack"), ("bob",): (*bob, "CallStack")}
    assert sorted(provider.states.slices((*ann, "CallStack"))) == [(0, 50, 100, "plate"), (1, 55, 65, "hole")]


CHANGE = '<stateProvider version="0" id="one"><head/>%s<eventHandler eventName="e"><stateChange>%s</stateChange>' \
         '</eventHandler></stateProvider>'
TO_A = '<stateAttribute type="constant" value="a"/>'


def one_change(tmp_path, change, before=""):
    return analyses(tmp_path, "<tmfxml>%s</tmfxml>" % CHANGE % (before, change)).provider()


@pytest.mark.parametrize("change", [
    TO_A + '<stateValue type="script" value="1 + 1"/>',
    TO_A + '<stateValue type="int" value="1" stack="push" increment="true"/>',
    TO_A + '<stateValue type="int" value="1" forcedType="double"/>',
    TO_A + '<stateValue type="int" value="1"/><futureTime type="long" value="9"/>',
    '<stateAttribute type="pool"/><stateValue type="null"/>',
])  # fmt: skip
def test_what_it_does_not_have_is_refused(tmp_path, change):
    with pytest.raises(Unsupported):
        one_change(tmp_path, change).feed(Event(1, "e", {}))


@pytest.mark.parametrize("values, allowed", [
    ([Long(1), Long(2), None, Long(3)], True),
    ([Long(1), "text"], False),  # an attribute keeps its type
    ([Long(1), Int(1)], False),
    ([Label("one")], False),  # Trace Compass cannot keep it
])
def test_values_that_an_attribute_may_have(tmp_path, values, allowed):
    provider = one_change(tmp_path, TO_A + '<stateValue type="eventField" value="x"/>')
    events = [Event(ts, "e", {} if value is None else {"x": value}) for ts, value in enumerate(values)]
    if allowed:
        assert provider.run(events).states.states(("a",)) == [1, 2, 3]
        return
    with pytest.raises(Unsupported):
        provider.run(events)


@pytest.mark.parametrize("operator, first, second, holds", [
    ("eq", Long(12), 'type="int" value="12"', True),
    ("lt", Long(9), 'type="long" value="10"', True),
    ("lt", "9", 'type="long" value="10"', False),  # as text, 9 comes after 10
    ("eq", Label("lock"), 'type="string" value="lock"', True),
    ("eq", None, 'type="null"', True),
    ("gt", None, 'type="long" value="0"', True),  # null is the text null
])
def test_comparisons(tmp_path, operator, first, second, holds):
    change = '<if><condition operator="%s"><field name="x"/><stateValue %s/></condition></if>' \
             '<then>%s<stateValue type="int" value="1"/></then>' % (operator, second, TO_A)
    provider = one_change(tmp_path, change)
    provider.feed(Event(1, "e", {} if first is None else {"x": first}))
    assert (provider.states.at(("a",)) is not None) == holds


# The files of Trace Compass's that describe the language.

def schemas():
    folder = Path(os.environ.get("PINSIGHT_TRACECOMPASS_XSD", places.ROOT.parent / "shared/reference/tracecompass-xsd"))
    if not (folder / "xmlDefinition.xsd").exists():
        pytest.skip("no Trace Compass schemas in %s; PINSIGHT_TRACECOMPASS_XSD names their folder" % folder)
    if not shutil.which("xmllint"):
        places.missing("xmllint (Debian: libxml2-utils)")
    return folder / "xmlDefinition.xsd"


def validate(path):
    return subprocess.run(["xmllint", "--nonet", "--noout", "--schema", str(schemas()), str(path)],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8")


def test_the_hand_written_file_is_valid(tmp_path):
    (tmp_path / "file.xml").write_text(WORKSHOP)
    done = validate(tmp_path / "file.xml")
    assert done.returncode == 0, done.stdout


def test_pinsights_file_is_valid(tmp_path):
    done = validate(places.BUILD / "tracecompass" / "pinsight.xml")
    assert done.returncode == 0, done.stdout
    wrong = tmp_path / "wrong.xml"
    wrong.write_text((places.BUILD / "tracecompass" / "pinsight.xml").read_text().replace('type="query"', 'type="q"'))
    assert validate(wrong).returncode != 0
