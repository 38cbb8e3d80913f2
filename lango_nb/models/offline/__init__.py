"""The offline model: reads the same messages and tool schemas a language model would get, and nothing else.

    model.py         decides whose turn it is: a root that gives work away, or an agent that works
    conversation.py  the messages of a request, sorted; what may be called; what was said before, from requests and answers
    followups.py     later requests as changes to the plan before; corrections.py: what was just written was not right;
                     lists.py: what goes onto lists, comes off, is ticked
    lexicon.py       a request as words with their concepts; names.py: from words to names of what is there
    reader.py        a request becomes a plan: learned, see features.py, weights.py
    plan.py          plans as data, each step a line a person understands; what can be wanted; work orders
    root.py          talk.py answers it, or the steps of the plan go to who owns their tools (parts.py) and what became
                     of them is told
    worker.py        declines what is not its own, picks a tool of its own, carries out
    carry_out.py     a plan becomes calls and an answer: looking.py, changing.py, or any tool by its schema; folder.py
                     settles words into what is there; operations.py: texts, tables, JSON, programs, sums
    learning.py      what may be learned from stumbles of agents: a routing rule or a memory; advice.py: what is
                     remembered and stands in the prompt, followed where it is plain
    answers.py       sentences in ten languages, said and read back; what tools gave, in words

Tables are in ``data/reading``. It is deterministic and knows nothing of the world: no language model.
"""
