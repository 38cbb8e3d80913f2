"""Everything that can be asked by a line: one table of commands, and its two front ends.

    command.py                  what a command is: name, sentence, arguments, options, the function that carries it out
    tree.py, asking.py …        the commands, by theme
    table.py                    all of them
    notebook/                   %lango: lines, cells, completion, what a cell shows
    terminal/                   lango: options, standard output, exit codes

The parsers, the help and the completion of both front ends are made from the table. A command calls the lab and returns
what it gives; how that is shown is the front ends' business.
"""
