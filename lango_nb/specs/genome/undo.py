"""Taking one change back when others have come since: three-way, key by key."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any, TypeVar

Key = TypeVar("Key", bound=Hashable)
_NONE: Any = object()


def undone(
    before: Mapping[Key, Any], after: Mapping[Key, Any], now: Mapping[Key, Any]
) -> tuple[dict[Key, Any], list[Key]]:
    """Take back what changed from ``before`` to ``after``, in what there is now.

    Parameters
    ----------
    before, after, now : mapping
        Values by key; their order counts.

    Returns
    -------
    dict
        What there is now without that change; what comes back stands after what it stood after before.
    list
        Keys that have changed since, so that nothing can be said about them.

    Examples
    --------
    >>> undone({"a": 1, "b": 1}, {"b": 2, "c": 1}, {"b": 2, "c": 1, "d": 1})
    ({'a': 1, 'b': 1, 'd': 1}, [])
    >>> undone({"a": 1}, {"a": 2}, {"a": 3})
    ({'a': 3}, ['a'])
    """
    result, conflicts = dict(now), []
    for key in dict.fromkeys((*before, *after)):
        old, new, here = (one.get(key, _NONE) for one in (before, after, now))
        if old in (new, here):  # values need not have a hash
            continue
        if here != new:
            conflicts.append(key)
        elif old is _NONE:
            del result[key]
        elif here is _NONE:
            result = _put_back(result, key, old, list(before))
        else:
            result[key] = old
    return result, conflicts


def _put_back(items: dict[Key, Any], key: Key, value: Any, order: list[Key]) -> dict[Key, Any]:
    """Insert a key behind the nearest that it stood behind, or else before the nearest that stood behind it."""
    place, keys = order.index(key), list(items)
    earlier = [keys.index(one) + 1 for one in order[:place] if one in items]
    later = [keys.index(one) for one in order[place + 1 :] if one in items]
    at = earlier[-1] if earlier else later[0] if later else len(keys)
    return {one: value if one == key else items[one] for one in (*keys[:at], key, *keys[at:])}
