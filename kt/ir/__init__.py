"""The SSA core: types, attributes, operations and what works on them."""
