"""Views, access tiles, loads and stores. Operations between tiles: :mod:`kt.sim.intertile`."""

from __future__ import annotations

from typing import Any

import numpy as np

import kt.sim.intertile  # noqa: F401 (registers the operations between tiles)
from kt.ir import types as t
from kt.ir.affine import AffineError
from kt.ir.core import BlockArgument, Value
from kt.ir.diagnostics import RunError
from kt.sim.access import read_box, read_points, write_box, write_points
from kt.sim.errors import Fault
from kt.sim.handlers.affine import evaluate
from kt.sim.handlers.func import leaves
from kt.sim.interp import Frame, Interpreter, Step, handles
from kt.sim.values import (
    Box,
    Distributed,
    Pointer,
    Points,
    Poison,
    Undefined,
    View,
    dtype_of,
    uniform,
)

handles("ktdp.yield_partial", "ktdp.yield_reduced")(leaves)


def grid_coordinates(interp: Interpreter, tiles: np.ndarray) -> list[Any]:
    """Coordinates of flat tile numbers in the grid, one entry per dimension."""
    rest, found = tiles, []
    *inner, _ = interp.grid if interp.like_peer else interp.grid[::-1]
    for extent in inner:
        found.append(rest % extent)
        rest = rest // extent
    found.append(rest)
    found = found if interp.like_peer else found[::-1]
    return [int(c[0]) if len(tiles) == 1 else c for c in found]


@handles("ktdp.get_compute_tile_id")
def tile_id(op: Any, interp: Interpreter) -> Step:
    results = op.results
    extra = interp.grid[len(results) :]
    if len(results) > len(interp.grid) or any(extent != 1 for extent in extra):
        raise RunError(
            f"get_compute_tile_id result count ({len(results)}) does not match grid rank "
            f"({len(interp.grid)})"
        )

    def step(frame: Frame) -> None:
        frame.update(zip(results, grid_coordinates(interp, frame.tiles)))

    return step


@handles("ktdp.construct_memory_view")
def memory_view(op: Any, interp: Interpreter) -> Step:
    dtype = dtype_of(op.type)
    sizes, strides, symbols = op.mixed_sizes, op.mixed_strides, op.symbols
    space, coordinates, start, result = op.memory_space, op.coordinates, op.offset, op.view
    unit = 1 if interp.byte_pointers and from_argument(start) else dtype.itemsize
    fixed = not any(isinstance(n, Value) for n in (*sizes, *strides))

    def step(frame: Frame) -> None:
        offset = frame[start]
        if isinstance(offset, Pointer):
            address: Any = offset.address
        else:
            address = offset * unit
        bank = interp.machine.bank(space)
        frame[result] = View(
            bank,
            _row(bank, space, frame),
            address,
            sizes if fixed else _numbers(sizes, frame),
            strides if fixed else _numbers(strides, frame),
            dtype,
            coordinates,
            tuple([uniform(frame[v]) for v in symbols]),
        )

    return step


def _row(bank: Any, space: Any, frame: Frame) -> Any:
    tile = getattr(space, "tile", None)
    if tile is None:
        return bank.row_number(frame.tiles)
    tiles = 1 if bank.row_of is None else len(bank.row_of)
    if tile >= tiles:
        raise Fault(f"names the scratchpad of tile {tile}, but the tiles are 0 to {tiles - 1}")
    return bank.row_number(np.array([tile]))


def _numbers(mixed: Any, frame: Frame) -> tuple[int, ...]:
    return tuple([n if isinstance(n, int) else uniform(frame[n]) for n in mixed])


def from_argument(value: Value) -> bool:
    """Whether an address is computed from an argument of the function."""
    if isinstance(value, BlockArgument):
        around = value.block.parent_op
        return around is not None and around.name == "func.func"
    op = value.defining_op
    return op is not None and not op.regions and any(from_argument(v) for v in op.operands)


@handles("ktdp.construct_distributed_memory_view")
def distributed_view(op: Any, interp: Interpreter) -> Step:
    dtype = dtype_of(op.type)

    def step(frame: Frame) -> None:
        parts = tuple([frame[v] for v in op.partitions])
        shape = []
        for axis, extent in enumerate(op.type.shape):
            if extent == t.DYNAMIC:
                boxes = [p.coordinates.bounding_box(p.symbols) for p in parts]
                if None in boxes:
                    raise Fault("a partition without bounds in a distributed view of dynamic shape")
                extent = max((box[axis][1] for box in boxes), default=0)
            shape.append(extent)
        frame[op.view] = Distributed(parts, tuple(shape), dtype)

    return step


@handles("ktdp.construct_access_tile")
def access_tile(op: Any, interp: Interpreter) -> Step:
    subscripts, indices, symbols = op.subscripts, op.indices, op.symbol_operands
    base_value, result = op.base, op.tile
    axes, fixed = op.permutation, op.box
    turn = axes if interp.like_peer and axes is not None else tuple(range(op.space.num_dims))
    if interp.like_peer and axes is not None:
        # The set speaks of the tile's index k; the element there has coordinates base + order(k).
        axes = tuple([turn.index(i) for i in range(len(turn))])
        fixed = None if fixed is None else tuple([fixed[p] for p in turn])
    plain = subscripts.dim_positions if not subscripts.num_symbols else None
    if fixed is not None and axes is not None:
        lows = tuple([lo for lo, _ in fixed])
        extents = tuple([hi - lo for lo, hi in fixed])
        at_zero = not any(lows)

    def box_step(frame: Frame) -> None:
        assert axes is not None
        if plain is not None:
            origin = tuple([frame[indices[p]] for p in plain])
        else:
            origin = evaluate(subscripts, [frame[v] for v in indices])
        if not at_zero:
            origin = tuple([o + lo for o, lo in zip(origin, lows)])
        frame[result] = Box(frame[base_value], origin, extents, axes)

    if fixed is not None and axes is not None:
        return box_step

    def step(frame: Frame) -> None:
        base = frame[base_value]
        first = evaluate(subscripts, [frame[v] for v in indices])
        bound = [uniform(frame[v]) for v in symbols]
        box = op.space.as_box(bound)
        if box is not None and axes is not None:
            box = [box[p] for p in turn]
            origin = tuple([o + lo if lo else o for o, (lo, _) in zip(first, box)])
            frame[result] = Box(base, origin, tuple([hi - lo for lo, hi in box]), axes)
            return
        points, shape = sorted_points(op, bound)
        rank = len(shape)
        coordinates = []
        for d, o in enumerate(first):
            o = np.asarray(o)
            coordinates.append(o.reshape((*o.shape, *(1,) * rank)) + points[:, d].reshape(shape))
        frame[result] = Points(base, tuple(coordinates), shape)

    return step


def sorted_points(op: Any, symbols: list[int]) -> tuple[np.ndarray, tuple[int, ...]]:
    """The points of a tile's space in its order, (n, dims), and the tile's shape."""
    try:
        points = op.space.enumerate(symbols)
        keys = op.order.eval_points(points, symbols[: op.order.num_symbols])
    except AffineError as error:
        raise Fault(str(error)) from None
    points = points[np.lexsort(keys.T[::-1])] if keys.shape[1] else points
    shape = op.type.shape
    if t.DYNAMIC in shape:
        shape = _dynamic_shape(shape, len(points))
    if int(np.prod(shape, dtype=np.int64)) != len(points):
        raise Fault(
            f"the set has {len(points)} points, but the tile is {'x'.join(map(str, shape))}"
        )
    return points, tuple(shape)


def _dynamic_shape(shape: tuple[int, ...], count: int) -> tuple[int, ...]:
    known = int(np.prod([n for n in shape if n != t.DYNAMIC], dtype=np.int64))
    if shape.count(t.DYNAMIC) != 1 or not known or count % known:
        raise Fault("the extents of a tile that is no box must be known but for one")
    return tuple(count // known if n == t.DYNAMIC else n for n in shape)


@handles("ktdp.construct_indirect_access_tile")
def indirect_tile(op: Any, interp: Interpreter) -> Step:
    subscripts = list(op.subscripts())
    base_value, result, outer, symbols = op.base, op.tile, op.captured, op.symbol_operands
    axes, fixed = op.permutation, op.box

    def variables(bound: list[int]) -> tuple[list[np.ndarray], tuple[int, ...]]:
        box = fixed if fixed is not None else op.space.as_box(bound)
        if box is None or axes is None:
            points, shape = sorted_points(op, bound)
            return [points[:, d].reshape(shape) for d in range(points.shape[1])], shape
        found = []
        for d, (lo, hi) in enumerate(box):
            spread = [1] * len(axes)
            spread[axes.index(d)] = -1
            found.append(np.arange(lo, hi).reshape(spread))
        return found, tuple([box[d][1] - box[d][0] for d in axes])

    def step(frame: Frame) -> None:
        places, shape = variables([uniform(frame[v]) for v in symbols])
        rank = len(shape)
        captured = [_spread(frame[v], rank) for v in outer]
        coordinates = []
        for view, map in subscripts:
            found = [_full_rank(c, rank) for c in map.eval([*captured, *places])]
            if view is not None:
                reach = np.broadcast_shapes(*[c.shape[c.ndim - rank :] for c in found])
                found = [read_points(frame[view], found, reach, frame)]
            coordinates.append(found[0])
        frame[result] = Points(frame[base_value], tuple(coordinates), shape)

    return step


def _spread(value: Any, rank: int) -> Any:
    """A captured scalar against the axes of the variables."""
    if isinstance(value, np.ndarray) and value.ndim == 1:
        return value.reshape(-1, *(1,) * rank)
    return value


def _full_rank(value: Any, rank: int) -> np.ndarray:
    value = np.asarray(value)
    return value if value.ndim >= rank else value.reshape((1,) * rank)


@handles("ktdp.load")
def load(op: Any, interp: Interpreter) -> Step:
    tile_value, result = op.operands[0], op.result
    shape, dtype = result.type.shape, dtype_of(result.type)

    def step(frame: Frame) -> None:
        tile = frame[tile_value]
        _check(tile, shape, dtype)
        base = tile.base
        if isinstance(base, (Undefined, Poison)):
            raise base.refuse()
        if isinstance(base, np.ndarray):
            frame[result] = _slice(base, tile, frame)
        elif isinstance(tile, Box):
            frame[result] = read_box(base, tile.origin, tile.extents, tile.axes, frame)
        else:
            frame[result] = read_points(base, tile.coordinates, tile.shape, frame)

    return step


def _slice(base: np.ndarray, tile: Any, frame: Frame) -> np.ndarray:
    """A tile of a tensor."""
    if isinstance(tile, Points):
        return _pick(base, tile, frame)
    lead = base.ndim - len(tile.extents)
    window: list[Any] = [slice(None)] * lead
    for d, (first, extent) in enumerate(zip(tile.origin, tile.extents)):
        first = uniform(first)
        if first < 0 or first + extent > base.shape[lead + d]:
            raise Fault(
                f"reads coordinates {first} to {first + extent - 1} along dimension {d} of a tensor "
                f"with {base.shape[lead + d]}"
            )
        window.append(slice(first, first + extent))
    turned = (*range(lead), *(lead + a for a in tile.axes))
    return np.ascontiguousarray(base[tuple(window)].transpose(turned))


def _pick(base: np.ndarray, tile: Points, frame: Frame) -> np.ndarray:
    """The elements of a tensor at coordinates; either may differ between the tiles of a batch."""
    rank, shape = len(tile.coordinates), tile.shape
    lead = base.ndim - rank
    index: list[Any] = []
    for d, at in enumerate(tile.coordinates):
        at = np.asarray(at)
        bad = (at < 0) | (at >= base.shape[lead + d])
        if bad.any():
            first = tuple(int(i) for i in np.argwhere(bad)[0])
            raise Fault(
                f"reads coordinate {int(at[first])} along dimension {d} of a tensor with "
                f"{base.shape[lead + d]} there",
                int(frame.tiles[first[0]]) if at.ndim > len(shape) else None,
            )
        index.append(at)
    if lead:
        index.insert(0, np.arange(len(frame.tiles)).reshape(-1, *(1,) * len(shape)))
    *full, _ = np.broadcast_arrays(*index, np.empty(shape, bool))
    return base[tuple(full)]


def _check(tile: Any, shape: tuple[int, ...], dtype: Any) -> None:
    if tile.shape != shape and any(a not in (t.DYNAMIC, b) for a, b in zip(shape, tile.shape)):
        raise Fault(
            f"the tile's set has extents {'x'.join(map(str, tile.shape))}, but the tensor is "
            f"{'x'.join(map(str, shape))}"
        )
    found = getattr(tile.base, "dtype", dtype)
    if found is not dtype and not isinstance(tile.base, np.ndarray):
        raise Fault(f"the view has elements of type {found}, but the tensor of type {dtype}")


@handles("ktdp.store")
def store(op: Any, interp: Interpreter) -> Step:
    data_value, tile_value = op.operands
    shape, dtype = data_value.type.shape, dtype_of(data_value.type)

    def step(frame: Frame) -> None:
        tile, data = frame[tile_value], np.asarray(frame[data_value])
        _check(tile, shape, dtype)
        if isinstance(tile.base, np.ndarray):
            raise Fault("a tile of a tensor can't be stored to: tensors are values")
        if isinstance(tile, Box):
            write_box(tile.base, tile.origin, tile.extents, tile.axes, data, frame)
        else:
            write_points(tile.base, tile.coordinates, tile.shape, data, frame)

    return step


@handles("ktdp.runtime_arg_extract")
def runtime_arg(op: Any, interp: Interpreter) -> Step:
    def step(frame: Frame) -> None:
        frame[op.result] = frame[op.argument] if op.constant is None else op.constant

    return step


@handles("ktdp.region_terminator")
def region_terminator(op: Any, interp: Interpreter) -> Step:
    return lambda frame: None
