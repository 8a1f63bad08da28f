"""Uniqued values: equal means identical, so equality and hashing cost nothing."""

from __future__ import annotations

import weakref
from typing import Any, NoReturn


class Uniqued:
    """Base of immutable values of which one instance exists per content.

    A subclass defines `__new__`, which looks its key up in an `Interner`, and `__reduce__`, so
    that copying and unpickling go through the constructor and find the same instance again.
    """

    __slots__ = ("__weakref__",)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"{type(self).__name__} is immutable: cannot set '{name}'")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"{type(self).__name__} is immutable: cannot delete '{name}'")


class _KeyedRef(weakref.ref):
    """A weak reference that knows the key under which it is stored."""

    __slots__ = ("key",)
    key: Any


class Interner:
    """A weak-value table: forgets a value once nobody else holds it."""

    __slots__ = ("_forget", "refs")

    def __init__(self) -> None:
        refs: dict[Any, _KeyedRef] = {}
        self.refs = refs

        def forget(ref: _KeyedRef) -> None:
            # A new value may already stand under the key of the dying one.
            if refs.get(ref.key) is ref:
                del refs[ref.key]

        self._forget = forget

    def get(self, key: Any) -> Any | None:
        """The value stored under `key`, or None."""
        ref = self.refs.get(key)
        return None if ref is None else ref()

    def add(self, key: Any, value: Any) -> Any:
        """Store `value` and return it, or the value that another thread stored meanwhile."""
        ref = _KeyedRef(value, self._forget)
        ref.key = key
        known = self.refs.setdefault(key, ref)
        if known is not ref:
            other = known()
            if other is not None:
                return other
            self.refs[key] = ref
        return value
