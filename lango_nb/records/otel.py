"""Turns as OpenTelemetry spans: to any exporter, to a collector, or to a file of OTLP JSON lines.

The spans and their names are made in :mod:`lango_nb.records.spans`; this is the only module that knows OpenTelemetry's
library, and only :func:`export_spans` needs it (extra ``otel``). The file needs nothing.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from lango_nb.core.errors import StoreError, UsageError, shorten
from lango_nb.records.exporting import write_whole
from lango_nb.records.spans import Span, spans_of
from lango_nb.records.turns import Trace
from lango_nb.stores.store import StoredTurn

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import ReadableSpan
    from opentelemetry.sdk.trace.export import SpanExporter

    from lango_nb.core.json_value import JsonValue

INSTALL = "pip install 'lango-nb[otel]'"
SERVICE = "lango_nb"
"""Name of the service, unless OTEL_SERVICE_NAME says something else."""
_AT_ONCE = 512
"""Spans given to an exporter in one piece, as OpenTelemetry's own batches have."""
_INTERNAL, _CLIENT = 1, 3
_ERROR = 2
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def export_spans(
    turns: Iterable[Trace | StoredTurn],
    exporter: SpanExporter | None = None,
    endpoint: str | None = None,
    *,
    content: bool = False,
) -> int:
    """Send turns as spans to an exporter or a collector.

    Parameters
    ----------
    turns : iterable of Trace or StoredTurn
        Taken one by one.
    exporter : SpanExporter, optional
        Whatever takes spans; it is left open.
    endpoint : str, optional
        Address of a collector that takes OTLP over HTTP, ``http://localhost:4318/v1/traces`` for instance; instead of
        an exporter.
    content : bool
        Whether the spans hold what was said, arguments and results; without secrets.

    Returns
    -------
    int
        Number of spans.

    Raises
    ------
    UsageError
        Neither an exporter nor an endpoint is given, or both; or a library is not installed.
    StoreError
        The exporter did not take the spans, or a stored turn cannot be read.
    """
    if (exporter is None) == (endpoint is None):
        raise UsageError("spans go to an exporter or to an endpoint; name one of the two")
    try:
        import_module("opentelemetry.sdk.trace.export")
    except ImportError:
        raise UsageError(f"exporting spans needs OpenTelemetry, which is not installed; {INSTALL}") from None
    if exporter is not None:
        return _export(turns, exporter, content=content)
    own = _collector(str(endpoint))
    try:
        return _export(turns, own, content=content)
    finally:
        own.shutdown()


def write_otlp(
    path: str | Path, turns: Iterable[Trace | StoredTurn], *, content: bool = False, overwrite: bool = False
) -> int:
    """Write turns to a file of OTLP JSON, one line per turn, as a collector's file receiver reads it.

    Parameters
    ----------
    path : str or Path
    turns : iterable of Trace or StoredTurn
        Taken one by one.
    content : bool
        Whether the spans hold what was said, arguments and results; without secrets.
    overwrite : bool
        Whether a file of that name may be replaced.

    Returns
    -------
    int
        Number of turns.

    Raises
    ------
    UsageError
        There is a file of that name, or no folder for it.
    StoreError
        It cannot be written, or a stored turn cannot be read.
    """
    count = 0

    def lines() -> Iterator[bytes]:
        nonlocal count
        for turn in turns:
            yield to_otlp_json(turn, content=content).encode() + b"\n"
            count += 1

    write_whole(path, lines(), overwrite=overwrite)
    return count


def to_otlp_json(turn: Trace | StoredTurn, *, content: bool = False) -> str:
    """Return the spans of a turn as one line of OTLP JSON, without its newline.

    Parameters
    ----------
    turn : Trace or StoredTurn
    content : bool
        Whether the spans hold what was said, arguments and results; without secrets.

    Returns
    -------
    str
    """
    spans: list[JsonValue] = [_otlp(span) for span in spans_of(turn, content=content)]
    scope: JsonValue = {"scope": {"name": SERVICE, "version": _version()}, "spans": spans}
    resource: JsonValue = {"attributes": _otlp_attributes({"service.name": _service()})}
    whole: JsonValue = {"resourceSpans": [{"resource": resource, "scopeSpans": [scope]}]}
    return json.dumps(whole, ensure_ascii=False, separators=(",", ":"))


# -- to an exporter ----------------------------------------------------------------------------------------------------


def _export(turns: Iterable[Trace | StoredTurn], exporter: SpanExporter, *, content: bool) -> int:
    count, waiting = 0, []
    for span in _ready(chain.from_iterable(spans_of(turn, content=content) for turn in turns)):
        waiting.append(span)
        if len(waiting) == _AT_ONCE:
            count += _send(waiting, exporter)
            waiting = []
    return count + (_send(waiting, exporter) if waiting else 0)


def _send(spans: Sequence[ReadableSpan], exporter: SpanExporter) -> int:
    from opentelemetry.sdk.trace.export import SpanExportResult

    name = type(exporter).__name__
    try:
        result = exporter.export(spans)
    except Exception as error:
        told = f"{type(error).__name__}: {shorten(str(error), 200)}"
        raise StoreError(f"{name} failed with {told}; check where the spans are to go", "export") from error
    if result is not SpanExportResult.SUCCESS:
        raise StoreError(f"{name} did not take {len(spans)} spans; check where they are to go", "export")
    return len(spans)


def _ready(spans: Iterable[Span]) -> Iterator[ReadableSpan]:
    """Make spans that exporters take."""
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import Event, ReadableSpan
    from opentelemetry.sdk.util.instrumentation import InstrumentationScope
    from opentelemetry.trace import SpanContext, SpanKind, Status, StatusCode, TraceFlags

    resource, scope = Resource.create({"service.name": _service()}), InstrumentationScope(SERVICE, _version())
    sampled = TraceFlags(TraceFlags.SAMPLED)

    def context(trace_id: str, span_id: str) -> SpanContext:
        return SpanContext(int(trace_id, 16), int(span_id, 16), is_remote=False, trace_flags=sampled)

    for span in spans:
        yield ReadableSpan(
            name=span.name,
            context=context(span.trace_id, span.span_id),
            parent=context(span.trace_id, span.parent_id) if span.parent_id else None,
            kind=SpanKind.CLIENT if span.is_client else SpanKind.INTERNAL,
            attributes=span.attributes,
            events=[Event(name, attributes, _nanoseconds(at)) for name, at, attributes in span.events],
            status=Status(StatusCode.ERROR, span.error) if span.error else Status(),
            start_time=_nanoseconds(span.start),
            end_time=_nanoseconds(span.end),
            resource=resource,
            instrumentation_scope=scope,
        )


def _collector(endpoint: str) -> SpanExporter:
    """Return an exporter to a collector."""
    try:
        module = import_module("opentelemetry.exporter.otlp.proto.http.trace_exporter")
    except ImportError:
        needed = "opentelemetry-exporter-otlp-proto-http"
        raise UsageError(f"an endpoint needs {needed}, which is not installed; pip install {needed}") from None
    exporter: SpanExporter = module.OTLPSpanExporter(endpoint=endpoint)
    return exporter


def _service() -> str:
    return os.environ.get("OTEL_SERVICE_NAME") or SERVICE


@cache
def _version() -> str:
    """Return which lango_nb it is; empty where it is not installed but copied."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("lango-nb")
    except PackageNotFoundError:
        return ""


def _nanoseconds(at: datetime) -> int:
    return (at - _EPOCH) // _MICROSECOND * 1000


# -- as OTLP JSON ------------------------------------------------------------------------------------------------------


def _otlp(span: Span) -> JsonValue:
    made: dict[str, JsonValue] = {"traceId": span.trace_id, "spanId": span.span_id}
    if span.parent_id:
        made["parentSpanId"] = span.parent_id
    return {
        **made,
        "name": span.name,
        "kind": _CLIENT if span.is_client else _INTERNAL,
        "startTimeUnixNano": str(_nanoseconds(span.start)),
        "endTimeUnixNano": str(_nanoseconds(span.end)),
        "attributes": _otlp_attributes(span.attributes),
        "events": [
            {"timeUnixNano": str(_nanoseconds(at)), "name": name, "attributes": _otlp_attributes(attributes)}
            for name, at, attributes in span.events
        ],
        "status": {"code": _ERROR, "message": span.error} if span.error else {},
    }


def _otlp_attributes(attributes: Mapping[str, str | bool | int | float | list[str]]) -> list[JsonValue]:
    return [{"key": name, "value": _otlp_value(value)} for name, value in attributes.items()]


def _otlp_value(value: str | bool | float | list[str]) -> JsonValue:
    """Write a value with its type; whole numbers are texts there, since JSON's are too short."""
    match value:
        case bool():
            return {"boolValue": value}
        case int():
            return {"intValue": str(value)}
        case float():
            names = {math.inf: "Infinity", -math.inf: "-Infinity"}
            return {"doubleValue": value if math.isfinite(value) else names.get(value, "NaN")}
        case str():
            return {"stringValue": value}
        case _:
            return {"arrayValue": {"values": [{"stringValue": one} for one in value]}}
