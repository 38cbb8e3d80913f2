"""The offline model: reads the same messages and tool schemas a language model would get, and nothing else.

    model.py        decides whose turn it is: a root that gives work away, or an agent that works
    conversation.py the messages of a request, sorted; before.py: what was said before it, read from requests and answers
    reader.py       a request becomes a plan: learned, see features.py, weights.py, words.py, lexicon.py
    plan.py         plans as data, each a line a person understands; acts.py: what can be wanted; shell.py: shell lines
    root.py         talk.py answers it, or the steps of the plan go to who owns their tools (parts.py); dispatch.py gives
                    them out, attempts.py reads what became of them, upkeep.py answers questions about runs; plans.py:
                    three parts or more are planned first where somebody plans; work_orders.py: what an agent is told
    worker.py       declines what is not its own (aims.py), picks a tool of its own (own_tools.py), carries out
    carry_out.py    a plan becomes calls and an answer: looking.py, changing.py, any_tool.py; desk.py settles words into
                    names that are there (names.py, folder.py); operations.py, tables.py, arithmetic.py: what is done
                    with what tools gave
    answers.py      sentences in ten languages, said and read back; wording.py: JSON in words; summary.py: extracts

Tables are in ``data/reading``. It is deterministic and knows nothing of the world: no language model.
"""
