"""The offline model: reads the same messages and tool schemas a language model would get, and nothing else.

    model.py     decides whose turn it is: a root that hands over, or an agent that works
    root.py      small talk, hand-over with ``routing/router.py``, asking back
    worker.py    picks a tool family, then a tool, then its arguments; declines what is not its own
    files.py     what people want with files, and the answers worded from what the tools found
    fill.py      arguments out of a text: paths, addresses, commands, quoted strings, numbers
    talk.py      sentences

It is deterministic and knows nothing of the world. It shows how a system routes and works; it is no language model.
"""

from lango_nb.models.offline.model import OfflineModel

__all__ = ["OfflineModel"]
