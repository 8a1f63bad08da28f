"""Uniqued classes: equal arguments give the same object, so equality is identity."""

from __future__ import annotations

from typing import Any
from weakref import WeakValueDictionary


class Uniqued(type):
    """Metaclass of attributes and types: ``C(*fields)`` returns the one instance with these fields.

    Fields must be hashable and must not hold bare floats (0.0 == -0.0 would merge them): keep bits.
    """

    def __init__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> None:
        super().__init__(name, bases, namespace)
        cls._instances: WeakValueDictionary[tuple[Any, ...], Any] = WeakValueDictionary()

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        if not kwargs:
            try:
                found = cls._instances.get(args)
            except TypeError:  # an unhashable argument (a list) that a converter turns into a tuple
                found = None
            if found is not None:
                return found
        made = super().__call__(*args, **kwargs)
        key = tuple([getattr(made, f.name) for f in cls.__attrs_attrs__])  # type: ignore[attr-defined]
        return cls._instances.setdefault(key, made)
