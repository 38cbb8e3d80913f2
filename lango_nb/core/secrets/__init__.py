"""Secrets in texts: what they look like, and where each begins and ends.

    rules      the table: what a secret of each kind begins with, and what belongs to it
    formats    keys and tokens of known services (``data/secrets/formats.tsv``)
    names      names that promise a secret, ``api_key`` or ``DB_PASSWORD``, in ten languages
    values     where the value under such a name ends
    patterns   regular expressions of your own, refused where they could take for ever
    scanner    goes through a text once, from left to right, also while it still grows

:mod:`lango_nb.core.masking` is the door; card and account numbers are known to :mod:`lango_nb.core.personal`.
"""
