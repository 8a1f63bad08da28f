"""Convolutions and poolings of ``linalg``: one declaration each, in subscripts.

``h`` of an input stands for ``oh * stride + kh * dilation``, ``d`` and ``w`` likewise.
"""

from __future__ import annotations

from typing import Any, ClassVar

from kt.ir import types as t
from kt.ir.affine import AffineExpr, dim
from kt.ir.affine.map import AffineMap
from kt.ir.attributes import DenseElementsAttr
from kt.ir.core import Value
from kt.ir.dialects.linalg_base import PARALLEL, REDUCTION
from kt.ir.dialects.linalg_contractions import factors
from kt.ir.dialects.linalg_elementwise import SegmentedNamedOp
from kt.ir.dialects.linalg_payload import PayloadBuilder
from kt.ir.opdef import optional_attr

SPATIAL = "dhw"


class WindowOp(SegmentedNamedOp):
    """Base: a window of the input slides over it, with a stride and a dilation per direction."""

    strides: DenseElementsAttr | None = optional_attr(DenseElementsAttr)
    dilations: DenseElementsAttr | None = optional_attr(DenseElementsAttr)
    num_inputs = 2
    loops: ClassVar[tuple[str, ...]] = ()
    subscripts: ClassVar[tuple[tuple[str, ...], ...]] = ((), (), ())
    """Of input, window and output."""

    @property
    def directions(self) -> list[str]:
        """Spatial directions in their order: that of ``strides`` and ``dilations``."""
        return [x for x in SPATIAL if f"o{x}" in self.loops]

    def steps(self, given: DenseElementsAttr | None) -> list[int]:
        """A stride or dilation for each direction; 1 where none is given."""
        if given is None:
            return [1] * len(self.directions)
        return [int(n) for n in given.to_numpy().reshape(-1)]

    def indexing_maps(self) -> list[AffineMap]:
        strides = dict(zip(self.directions, self.steps(self.strides), strict=True))
        dilations = dict(zip(self.directions, self.steps(self.dilations), strict=True))
        loops = self.loops

        def expr(name: str) -> AffineExpr:
            if name not in strides:
                return dim(loops.index(name))
            start = dim(loops.index(f"o{name}")) * strides[name]
            return start + dim(loops.index(f"k{name}")) * dilations[name]

        maps = [AffineMap(len(loops), 0, [expr(n) for n in names]) for names in self.subscripts]
        scalars = [AffineMap(len(loops), 0, ())] * (self.num_inputs - 2)
        return [*maps[:2], *scalars, maps[2]]

    def iterator_types(self) -> list[str]:
        kept = self.subscripts[2]
        return [PARALLEL if name in kept else REDUCTION for name in self.loops]

    def verify_(self) -> None:
        wanted = t.TensorType((len(self.directions),), t.i64)
        for key, given in (("strides", self.strides), ("dilations", self.dilations)):
            if given is None:
                continue
            if given.type is not wanted:
                raise self.error(f"expected '{key}' of type '{wanted}', got '{given.type}'")
            if min(self.steps(given)) < 1:
                raise self.error(f"expected '{key}' of at least 1", code="strict")
        super().verify_()


class ConvolutionOp(WindowOp):
    """Base of convolutions: sums of products with the elements of a filter.

    With four inputs, the last two are the zero points of the first two.
    """

    @classmethod
    def payload(cls, build: PayloadBuilder, arguments: list[Value], variant: Any) -> Value:
        *inputs, old = arguments
        lhs, rhs = factors(build, inputs, old.type)
        return build.binary("add", old, build.binary("mul", lhs, rhs))


class PoolingOp(WindowOp):
    """Base of poolings: a fold over a window, of which only the extents count."""

    combiner: ClassVar[str] = ""

    @classmethod
    def payload(cls, build: PayloadBuilder, arguments: list[Value], variant: Any) -> Value:
        value, _, old = arguments
        return build.binary(cls.combiner, old, build.cast(value, old.type, cls.combiner.endswith("unsigned")))


def _declare(base: type[WindowOp], name: str, loops: str, *subscripts: str, **more: Any) -> None:
    names = tuple(tuple(s.split()) for s in subscripts)
    source, window, target = (", ".join(n) for n in names)
    if issubclass(base, PoolingOp):
        what = more["combiner"].partition("_")[0].replace("add", "sum")
        text = f"Pooling: ``O[{target}] = {what}(O, I[{source}])`` over a window ``[{window}]``."
    else:
        zeros = " less their zero points" if more else ""
        text = f"Convolution: ``O[{target}] += I[{source}] * K[{window}]``{zeros}."
    body = {"__doc__": text, "__module__": __name__, "name": f"linalg.{name}",
            "loops": tuple(loops.split()), "subscripts": names, **more}  # fmt: skip
    make: Any = type(base)
    make(f"{''.join(p.capitalize() for p in name.split('_'))}Op", (base,), body)


for _row in (
    ("conv_1d", "ow kw", "w", "kw", "ow"),
    ("conv_2d", "oh ow kh kw", "h w", "kh kw", "oh ow"),
    ("conv_3d", "od oh ow kd kh kw", "d h w", "kd kh kw", "od oh ow"),
    ("conv_1d_nwc_wcf", "n ow f kw c", "n w c", "kw c f", "n ow f"),
    ("conv_1d_ncw_fcw", "n f ow c kw", "n c w", "f c kw", "n f ow"),
    ("conv_2d_nhwc_hwcf", "n oh ow f kh kw c", "n h w c", "kh kw c f", "n oh ow f"),
    ("conv_2d_nhwc_fhwc", "n oh ow f kh kw c", "n h w c", "f kh kw c", "n oh ow f"),
    ("conv_2d_nchw_fchw", "n f oh ow c kh kw", "n c h w", "f c kh kw", "n f oh ow"),
    ("conv_2d_ngchw_fgchw", "n g f oh ow c kh kw", "n g c h w", "f g c kh kw", "n g f oh ow"),
    ("conv_2d_ngchw_gfchw", "n g f oh ow c kh kw", "n g c h w", "g f c kh kw", "n g f oh ow"),
    ("conv_2d_nhwgc_gfhwc", "n oh ow g f kh kw c", "n h w g c", "g f kh kw c", "n oh ow g f"),
    ("conv_3d_ndhwc_dhwcf", "n od oh ow f kd kh kw c", "n d h w c", "kd kh kw c f", "n od oh ow f"),
    ("conv_3d_ncdhw_fcdhw", "n f od oh ow c kd kh kw", "n c d h w", "f c kd kh kw", "n f od oh ow"),
    ("depthwise_conv_1d_nwc_wc", "n ow c kw", "n w c", "kw c", "n ow c"),
    ("depthwise_conv_1d_ncw_cw", "n ow c kw", "n c w", "c kw", "n c ow"),
    ("depthwise_conv_1d_nwc_wcm", "n ow c m kw", "n w c", "kw c m", "n ow c m"),
    ("depthwise_conv_2d_nhwc_hwc", "n oh ow c kh kw", "n h w c", "kh kw c", "n oh ow c"),
    ("depthwise_conv_2d_nchw_chw", "n oh ow c kh kw", "n c h w", "c kh kw", "n c oh ow"),
    ("depthwise_conv_2d_nhwc_hwcm", "n oh ow c m kh kw", "n h w c", "kh kw c m", "n oh ow c m"),
    ("depthwise_conv_3d_ndhwc_dhwc", "n od oh ow kd kh kw c", "n d h w c", "kd kh kw c", "n od oh ow c"),
    ("depthwise_conv_3d_ncdhw_cdhw", "n od oh ow kd kh kw c", "n c d h w", "c kd kh kw", "n c od oh ow"),
    ("depthwise_conv_3d_ndhwc_dhwcm", "n od oh ow m kd kh kw c", "n d h w c", "kd kh kw c m", "n od oh ow c m"),
):  # fmt: skip
    _declare(ConvolutionOp, *_row)
    if _row[0] in (
        "conv_2d_nchw_fchw", "conv_2d_ngchw_gfchw", "conv_2d_nhwc_fhwc", "conv_2d_nhwc_hwcf",
        "conv_2d_nhwgc_gfhwc", "conv_3d_ndhwc_dhwcf", "depthwise_conv_2d_nhwc_hwc",
        "depthwise_conv_2d_nhwc_hwcm",
    ):  # fmt: skip
        _declare(ConvolutionOp, f"{_row[0]}_q", *_row[1:], num_inputs=4)

for _layout, _kinds, _subscripts in (
    ("nhwc", "sum max max_unsigned min min_unsigned", ("n oh ow c kh kw", "n h w c", "kh kw", "n oh ow c")),
    ("nchw", "sum max", ("n c oh ow kh kw", "n c h w", "kh kw", "n c oh ow")),
    ("nwc", "sum max max_unsigned min min_unsigned", ("n ow c kw", "n w c", "kw", "n ow c")),
    ("ncw", "sum max", ("n c ow kw", "n c w", "kw", "n c ow")),
    ("ndhwc", "sum max min", ("n od oh ow c kd kh kw", "n d h w c", "kd kh kw", "n od oh ow c")),
):  # fmt: skip
    for _kind in _kinds.split():
        _combiner = {"sum": "add", "max": "max_signed", "min": "min_signed"}.get(_kind, _kind)
        _declare(PoolingOp, f"pooling_{_layout}_{_kind}", *_subscripts, combiner=_combiner)
