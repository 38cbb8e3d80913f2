"""The genome: agents, memories and routing rules as files of a git repository, every change one commit.

genome.py        Genome: what may be done, each act one commit
sync.py          agents that the package ships, brought into a genome that has changed since
rollback.py      the inverse of one commit, item by item (undo.py)
history.py       commits as records; what changed between two
memories.py      what was learned, found by words; rules.py: who is preferred for what; metrics.py: how it went
working_tree.py  the files beside the repository: read, written, put right after a crash, edited by hand
repository.py    the git repository itself; refs.py: which commit is the newest; index.py: what git status says
packs.py         many loose objects as one pack, so that a history stays small
"""
