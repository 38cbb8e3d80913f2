"""The verdict on a command line: allow, observe or block, with a code that says why.

    judge.py      from a command line to a verdict; opens programs that run others
    shell.py      a command line as a shell reads it
    programs.py   what single programs do with their words: the table of rules
    files.py      how far paths reach, what is removed, what is replaced
    verdict.py    the verdicts, and all codes with a sentence

This is a seat belt, no lock: what a script in a file does is not seen, and somebody will think of a spelling that
nobody thought of here. The lock is the approval.
"""
