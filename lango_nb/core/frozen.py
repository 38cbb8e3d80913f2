"""The base of everything that meets a file: immutable, compared by its values, and strict about keys it does not know.

    class Point(Frozen):
        x: int
        y: int = 0

A class is described as a dataclass, and pydantic checks what is put into one. It is no pydantic model itself: making
sixty of those, and loading pydantic, takes half of the time until an engine is ready, and most of what a process makes
before its first answer is of its own making and needs no check. For the same reason the methods stand here instead of
being generated for each. What they are called is what pydantic calls them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, FrozenInstanceError, dataclass, field, fields
from types import NoneType, UnionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    Literal,
    NamedTuple,
    NoReturn,
    Self,
    Union,
    dataclass_transform,
    get_args,
    get_origin,
    get_type_hints,
)

from lango_nb.core.json_value import JsonValue

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler, TypeAdapter
    from pydantic_core import CoreSchema

_SCALARS = frozenset({str, int, float, bool, NoneType})


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field,))
class Frozen:
    """Immutable values under names. They are not checked when one is made: whoever makes it knows that they are right.

    Notes
    -----
    What comes from elsewhere is checked by :meth:`model_validate`; classes that users make are :class:`Checked`.
    """

    __pydantic_config__: ClassVar[Mapping[str, Any]] = {"extra": "forbid"}
    _defaults: ClassVar[Mapping[str, Any]] = {}
    _required: ClassVar[frozenset[str]] = frozenset()
    _pydantic: ClassVar[Any] = None
    _fit: ClassVar[Any] = None
    _made: ClassVar[Mapping[str, Callable[[], Any]]] = {}
    """What makes the defaults that each instance has of its own."""

    def __init_subclass__(cls) -> None:
        dataclass(init=False, repr=False, eq=False, match_args=False, kw_only=True)(cls)
        own = fields(cls)  # type: ignore[arg-type]  # it is one now
        cls._defaults = {one.name: None if one.default is MISSING else one.default for one in own}
        cls._made = {one.name: one.default_factory for one in own if one.default_factory is not MISSING}
        cls._required = frozenset(one.name for one in own if one.default is MISSING and one.name not in cls._made)
        cls._pydantic = cls._fit = None

    def __init__(self, **values: Any) -> None:
        if not self._defaults.keys() >= values.keys() >= self._required:
            raise TypeError(_misnamed(type(self), values))
        own = self.__dict__
        own.update(self._defaults)
        for name, make in self._made.items():
            own[name] = make()
        own.update(values)

    # -- as in pydantic ------------------------------------------------------------------------------------------------

    @classmethod
    def model_construct(cls, **values: Any) -> Self:
        """Make one of values that are right, or of some of them."""
        made = cls.__new__(cls)
        own = made.__dict__
        own.update(cls._defaults)
        for name, make in cls._made.items():
            own[name] = make()
        own.update(values)
        return made

    @classmethod
    def model_validate(cls, values: object) -> Self:
        """Check values and make one of them.

        Raises
        ------
        pydantic.ValidationError
            One is of the wrong type, missing or unknown.
        """
        found: Self = cls._adapter().validate_python(values)
        return found

    @classmethod
    def model_validate_json(cls, text: str | bytes, *, strict: bool | None = None) -> Self:
        """Check JSON and make one of it; strictly: without turning one type into another.

        Raises
        ------
        pydantic.ValidationError
            It is no JSON, or a value is of the wrong type, missing or unknown.
        """
        found: Self = cls._adapter().validate_json(text, strict=strict)
        return found

    def model_copy(self, *, update: Mapping[str, Any] | None = None) -> Self:
        """Return the same with some values replaced, which are not checked."""
        made = self.__class__.__new__(self.__class__)
        own = made.__dict__
        own.update(self.__dict__)
        if update:
            own.update(update)
        return made

    def model_dump(self, *, mode: Literal["json", "python"] = "python", **options: Any) -> dict[str, Any]:
        """Return all values as dictionaries in each other, with the options of pydantic's ``model_dump``."""
        found: dict[str, Any] = self._adapter().dump_python(self, mode=mode, **options)
        return found

    def model_dump_json(self, **options: Any) -> str:
        """Return all values as JSON."""
        return self._adapter().dump_json(self, **options).decode()

    @classmethod
    def _adapter(cls) -> TypeAdapter[Any]:
        """Return what checks and writes the class; made when something has to be."""
        from pydantic import TypeAdapter

        if cls._pydantic is None:
            cls._pydantic = TypeAdapter(cls)
        found: TypeAdapter[Any] = cls._pydantic
        return found

    # -- as a value ----------------------------------------------------------------------------------------------------

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={getattr(self, name)!r}' for name in self._defaults)})"

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash(tuple([getattr(self, name) for name in self._defaults]))

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise FrozenInstanceError(f"cannot set {name!r}: a {type(self).__name__} does not change")

    def __delattr__(self, name: str) -> NoReturn:
        raise FrozenInstanceError(f"cannot remove {name!r}: a {type(self).__name__} does not change")


class Checked(Frozen):
    """The same for what users make too: values are checked as pydantic does it, which is asked if it is not plain."""

    def __init__(self, **values: Any) -> None:
        plain, others = self._fit or self._fitting()
        own = self.__dict__
        own.update(self._defaults)
        for name, make in self._made.items():
            own[name] = make()
        try:
            for name, value in values.items():
                own[name] = value if value.__class__ in plain[name] else others[name](value)
            is_right = values.keys() >= self._required
        except (LookupError, TypeError, ValueError, RecursionError):
            is_right = False
        if not is_right:
            own.clear()
            own.update(vars(self.model_validate(values)))

    @classmethod
    def _fitting(cls) -> _Fitting:
        types = get_type_hints(cls, include_extras=True)
        found = [(name, *_fits(types[name])) for name in cls._defaults]
        fit = cls._fit = _Fitting(
            {name: frozenset(plain) for name, plain, _ in found}, {name: other for name, _, other in found if other}
        )
        return fit


class Before(NamedTuple):
    """Has a function read a value before it is checked: the second argument of ``Annotated``."""

    func: Callable[[Any], Any]
    """May raise ``ValueError``."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Say so to pydantic."""
        from pydantic_core.core_schema import no_info_before_validator_function

        return no_info_before_validator_function(self.func, handler(source))


class After(NamedTuple):
    """Has a function look at a value that is of the right type."""

    func: Callable[[Any], Any]
    """Returns the value, or another one in its place; may raise ``ValueError``."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Say so to pydantic."""
        from pydantic_core.core_schema import no_info_after_validator_function

        return no_info_after_validator_function(self.func, handler(source))


class Bounds:
    """Holds a number, or the length of a text, within bounds: ``Annotated[int, Bounds(ge=0)]``.

    Parameters
    ----------
    **bounds : float
        ``ge``, ``gt``, ``le``, ``lt``, ``min_length`` or ``max_length``, as in :func:`pydantic.Field`.
    """

    def __init__(self, **bounds: float) -> None:
        self.bounds = bounds

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Say so to pydantic."""
        schema: Any = {**handler(source), **self.bounds}
        found: CoreSchema = schema
        return found


def _misnamed(kind: type[Frozen], values: Mapping[str, Any]) -> str:
    """Say which name is too much, or which is missing."""
    unknown = next((name for name in values if name not in kind._defaults), None)  # noqa: SLF001 - of this module
    if unknown is not None:
        return f"{kind.__name__} has no {unknown!r}"
    missing = sorted(kind._required - values.keys())  # noqa: SLF001 - of this module
    return f"{kind.__name__} needs {', '.join(missing)}"


class _Fitting(NamedTuple):
    """How values of a class are seen to be right without pydantic."""

    plain: Mapping[str, frozenset[type]]
    """Types of which any value is right, by field."""
    others: Mapping[str, Callable[[Any], Any]]
    """What returns any other value as it is kept; raises ``ValueError`` where pydantic has to be asked."""


def _fits(annotation: Any) -> tuple[set[type], Callable[[Any], Any] | None]:
    """Return the types of which any value fits an annotation, and what reads other values."""
    inner, origin = get_args(annotation), get_origin(annotation)
    if isinstance(annotation, type) and origin is None:
        return {annotation}, None
    if origin is Annotated:
        plain, other = _fits(inner[0])
        checks = [one.func for one in inner[1:] if isinstance(one, After)]
        return set(), _checking(plain, checks) if other is None and len(checks) == len(inner) - 1 else None
    if origin in {Union, UnionType}:
        parts = [_fits(part) for part in inner]
        others = [other for _, other in parts if other is not None]
        return {kind for plain, _ in parts for kind in plain}, others[0] if len(others) == 1 else None
    if origin is Literal:
        return set(), {word: word for word in inner}.__getitem__
    if origin is tuple and inner[1:] == (...,):
        plain, other = _fits(inner[0])
        return set(), _all_of(plain) if other is None and plain else None
    if origin is dict and inner == (str, JsonValue):
        return set(), _json_object
    return set(), None


def _all_of(plain: set[type]) -> Callable[[Any], Any]:
    """Return what takes a tuple of values of these types."""

    def read(values: Any) -> Any:
        if values.__class__ is tuple and plain.issuperset(map(type, values)):
            return values
        raise ValueError

    return read


def _checking(plain: set[type], checks: Sequence[Callable[[Any], Any]]) -> Callable[[Any], Any]:
    """Return what takes a value of these types that passes checks."""

    def read(value: Any) -> Any:
        if value.__class__ not in plain:
            raise ValueError
        for check in checks:
            value = check(value)
        return value

    return read


def _json_object(value: Any) -> Any:
    """Return a copy of an object of JSON: whoever made it may go on to change it."""
    if value.__class__ is not dict:
        raise ValueError
    return _json(value)


def _is_text(name: object) -> bool:
    return name.__class__ is str


def _json(value: Any) -> Any:
    if value.__class__ in _SCALARS:
        return value
    if value.__class__ is list:
        return [_json(item) for item in value]
    if value.__class__ is dict and all(map(_is_text, value)):
        return {name: _json(item) for name, item in value.items()}
    raise ValueError
