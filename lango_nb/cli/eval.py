"""``lango eval``: how often the router, or a model, is right about who should get a request."""

from __future__ import annotations

import argparse
import dataclasses
from typing import TYPE_CHECKING, Any

from lango_nb.cli.door import open_lab
from lango_nb.cli.output import say, say_json
from lango_nb.cli.parser import add_common
from lango_nb.core.errors import shorten

if TYPE_CHECKING:
    from lango_nb.evaluation.measures import Share
    from lango_nb.evaluation.results import Evaluation, Result


def fill(parser: argparse.ArgumentParser) -> None:
    """Describe ``lango eval``."""
    parser.add_argument(
        "data",
        metavar="FILE|SET",
        help="labelled requests: CSV, TSV or JSON lines with text and agent or family; or a set, held-out for one",
    )
    parser.add_argument("--topologies", metavar="A,B", help="topologies side by side; the present one when absent")
    parser.add_argument("--sample", metavar="NUMBER", type=_number, help="take so many requests at random")
    parser.add_argument("--seed", metavar="NUMBER", type=int, default=0, help="of the sample (%(default)s)")
    parser.add_argument(
        "--at-once", metavar="NUMBER", type=_number, default=4, help="calls of a model under way (%(default)s)"
    )
    parser.add_argument("--resume", metavar="FILE", help="keep a model's answers there, and go on where it stopped")
    parser.add_argument("--mistakes", action="store_true", help="every mistake with its explanation")
    parser.add_argument("--json", dest="output", action="store_const", const="json", help="the same as --output json")
    add_common(parser)
    parser.epilog = (
        "--model asks a model as the root of each topology, and no tool runs; keywords is the naive baseline; without "
        "it the router is measured. Intervals are Wilson's, 95 %."
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run the requests through the router or a model and count what is right.

    Raises
    ------
    LangoError
        The data cannot be read, a label fits nothing, or there is no such topology or model.
    """
    lab = open_lab(argparse.Namespace(**{**vars(args), "model": None}))
    topologies = None if args.topologies is None else [name.strip() for name in args.topologies.split(",")]
    view = lab.evaluate(
        args.data,
        args.model,
        topologies=topologies,
        at_once=args.at_once,
        sample=args.sample,
        seed=args.seed,
        resume=args.resume,
    )
    if args.output == "json":
        say_json(evaluation_data(view.record, with_mistakes=args.mistakes))
    else:
        from lango_nb.viz import to_text

        say(view.mistakes.text if args.mistakes else to_text(view.record, timing=True))
    return 0


def evaluation_data(evaluation: Evaluation, *, with_mistakes: bool = False) -> dict[str, Any]:
    """Return an evaluation as plain data.

    Parameters
    ----------
    evaluation : Evaluation
    with_mistakes : bool
        Every mistake with its explanation as well.
    """
    return {
        "subject": evaluation.subject,
        "data": evaluation.data,
        "requests": evaluation.n,
        "of": evaluation.of,
        "seed": evaluation.seed,
        "resumed": evaluation.resumed,
        "topologies": [_result_data(result, with_mistakes=with_mistakes) for result in evaluation.results],
    }


def _result_data(result: Result, *, with_mistakes: bool) -> dict[str, Any]:
    shares = ("accuracy", "wrong_agent", "kept", "abstained", "invalid", "errors")
    groups = {"languages": result.by_language, "groups": result.by_group}
    data: dict[str, Any] = {
        "topology": result.topology,
        "threshold": result.threshold,
        **{name: _share_data(getattr(result, name)) for name in shares},
        "agents": [
            {**dataclasses.asdict(one), "precision": one.precision, "recall": one.recall, "f1": one.f1}
            for one in result.by_agent
        ],
        "confusion": [dataclasses.asdict(cell) for cell in result.confusion],
        "calibration": [{**dataclasses.asdict(one), "right": _share_data(one.right)} for one in result.calibration],
        "curve": [
            {
                "threshold": point.threshold,
                "answered": _share_data(point.answered),
                "accuracy": _share_data(point.accuracy),
                "wrong_agent": _share_data(point.wrong_agent),
            }
            for point in result.curve
        ],
        **{
            name: [{"name": one.name, "accuracy": _share_data(one.accuracy)} for one in found]
            for name, found in groups.items()
        },
        "usage": dataclasses.asdict(result.usage),
        "mistakes": len(result.mistakes),
    }
    if with_mistakes:
        data["mistakes"] = [dataclasses.asdict(one) for one in result.mistakes]
    return data


def _share_data(share: Share) -> dict[str, Any]:
    return {"count": share.count, "of": share.of, "value": share.value, "low": share.low, "high": share.high}


def _number(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"a whole number above 0 is needed, not {shorten(text)!r}")
    return int(text)
