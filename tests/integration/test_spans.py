"""Spans of OpenTelemetry's SDK are regions, and the program runs as without PInsight."""
import json

import pytest

PROGRAM = """
import asyncio, collections, json, sys, threading
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor, SpanExporter, SpanExportResult

exported = collections.Counter()

class Exporter(SpanExporter):
    def export(self, spans):
        for span in spans:
            exported[span.name] += 1
        return SpanExportResult.SUCCESS

provider = TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(Exporter()))
trace.set_tracer_provider(provider)
tracer = trace.get_tracer("program")

@tracer.start_as_current_span("decorated")
def decorated():
    pass

async def task(number):
    with tracer.start_as_current_span("task"):
        for _ in range(number % 3):
            await asyncio.sleep(0)

async def main():
    await asyncio.gather(*map(task, range(20)))

for _ in range(5):
    with tracer.start_as_current_span("outer"):
        with tracer.start_as_current_span("inner"):
            decorated()
try:
    with tracer.start_as_current_span("fails"):
        raise LookupError
except LookupError:
    pass
elsewhere = tracer.start_span("elsewhere")
thread = threading.Thread(target=elsewhere.end)
thread.start()
thread.join()
asyncio.run(main())
processors = provider._active_span_processor._span_processors
print(json.dumps([exported, len(processors)]))
"""


@pytest.fixture
def sdk(newest):
    """The words before a program that run it in a Python with the SDK."""
    try:
        newest.with_packages("opentelemetry-sdk")
    except Exception as error:  # whatever pip says
        pytest.skip("opentelemetry-sdk cannot be installed: %s" % str(error)[-200:])
    return ("opentelemetry-sdk",)


def spans(traced):
    return {row["name"]: row["recorded"] for row in traced.report("--marked")["marked"] if row["kind"] == "region"}


@pytest.mark.parametrize("options", [(), ("--mode", "MONITORING"), ("--events", "function")], ids=["all", "counted", "functions"])
def test_spans(options, newest, sdk, run_traced):
    traced = run_traced(newest, PROGRAM, *options, packages=sdk, file="spans.py")
    exported, processors = json.loads(traced.stdout)
    assert processors == 1
    assert exported == {"outer": 5, "inner": 5, "decorated": 5, "fails": 1, "elsewhere": 1, "task": 20}
    assert spans(traced) == exported


def test_windows(newest, sdk, run_traced, tmp_path):
    (tmp_path / "window.ini").write_text("[Lexgion(User:task)]\ntracing_rate = 4\n")
    traced = run_traced(newest, PROGRAM, "-c", str(tmp_path / "window.ini"), packages=sdk, file="spans.py")
    (row,) = [row for row in traced.report("--marked")["marked"] if row["name"] == "task"]
    assert (row["recorded"], row["outside"]) == (5, 15)
