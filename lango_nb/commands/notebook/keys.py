"""Ask the person at the notebook for a provider's key: typed into a hidden field, kept in this process only."""

from __future__ import annotations

from getpass import getpass


def ask_key(prompt: str) -> str:
    """Ask for a key; where nobody can be asked the answer is empty.

    Parameters
    ----------
    prompt : str
        Says which key.

    Returns
    -------
    str
        What was typed; it is neither shown nor stored.
    """
    from IPython.core.error import StdinNotImplementedError

    try:
        return getpass(prompt)
    except (StdinNotImplementedError, EOFError):
        return ""
