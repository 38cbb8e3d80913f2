"""The offline model: reads the same messages and tool schemas a language model would get, and nothing else.

    model.py     decides whose turn it is: a root that gives work away, or an agent that works
    root.py      small talk, hand-over with ``routing/router.py``, asking back
    dispatch.py  runs: given out, waited for, given to the next best; parts.py splits a request into work orders,
                 attempts.py reads what became of them, upkeep.py answers questions about runs and tasks; plans.py makes
                 and reads plans: three parts or more are planned first where somebody plans
    worker.py    picks a tool, declines what is not its own; aims.py tells its families from those of others,
                 cues.py picks the tool (cues.tsv: what people say for each), chains.py parts two steps
    arguments.py fills a tool's arguments (arguments.tsv: how a request says them); readings.py and schedule.py read what
                 patterns cannot; fill.py finds quoted strings, paths and commands
    intents.py   what people want with files and commands (phrases.py); local.py does it
    large.py     results that came back shortened are read on; stored.py reads what is said about them
    summary.py   an extract, where a conversation is to be summed up
    wording.py   answers from what tools gave; talk.py small talk and questions about the system; arithmetic.py sums

It is deterministic and knows nothing of the world. It shows how a system routes and works; it is no language model.
"""
