"""The offline model: reads the same messages and tool schemas a language model would get, and nothing else.

    model.py     decides whose turn it is: a root that gives work away, or an agent that works
    root.py      small talk, hand-over with ``routing/router.py``, asking back
    dispatch.py  runs: given out, waited for, given to the next best; parts.py splits a request into work orders,
                 attempts.py reads what became of them, upkeep.py answers questions about runs and tasks
    worker.py    picks a tool family, then a tool, then its arguments; declines what is not its own
    intents.py   what people want with files and commands; local.py does it and words the answers from what tools found
    large.py     results that came back shortened are read on; stored.py reads what is said about them
    fill.py      arguments out of a text: paths, addresses, commands, quoted strings, numbers
    talk.py      sentences

It is deterministic and knows nothing of the world. It shows how a system routes and works; it is no language model.
"""

from lango_nb.models.offline.model import OfflineModel

__all__ = ["OfflineModel"]
