"""Every architecture a second time: forward passes written from the names and shapes of tensors, without a module."""

from __future__ import annotations

import re

import torch
from torch.nn import functional

Tensors = dict[str, torch.Tensor]


def conv(t: Tensors, name: str, x: torch.Tensor, **how) -> torch.Tensor:
    return functional.conv2d(x, t[f"{name}.weight"], t.get(f"{name}.bias"), **how)


def norm(t: Tensors, name: str, x: torch.Tensor, eps: float = 1e-5) -> torch.Tensor:
    shape = (1, -1, 1, 1)
    scale = t[f"{name}.weight"] / torch.sqrt(t[f"{name}.running_var"] + eps)
    return x * scale.view(shape) + (t[f"{name}.bias"] - t[f"{name}.running_mean"] * scale).view(shape)


def linear(t: Tensors, name: str, x: torch.Tensor) -> torch.Tensor:
    return x @ t[f"{name}.weight"].T + t[f"{name}.bias"]


def layers_under(t: Tensors, prefix: str) -> list[int]:
    return sorted({int(m[1]) for name in t if (m := re.match(rf"{prefix}\.(\d+)\.weight$", name))})


def half(t: Tensors, name: str) -> int:
    return t[f"{name}.weight"].shape[-1] // 2


def vgg(t: Tensors, x: torch.Tensor) -> torch.Tensor:
    places = [i for i in layers_under(t, "features") if t[f"features.{i}.weight"].dim() == 4]
    normed = f"features.{places[0] + 1}.running_mean" in t
    for i, following in zip(places, [*places[1:], None]):
        x = conv(t, f"features.{i}", x, padding=1)
        x = torch.relu(norm(t, f"features.{i + 1}", x) if normed else x)
        if following is None or following - i > 2 + normed:  # a place without weights is left for pooling
            x = functional.max_pool2d(x, 2)
    x = functional.adaptive_avg_pool2d(x, 7).flatten(1)
    x = torch.relu(linear(t, "classifier.0", x))
    return linear(t, "classifier.6", torch.relu(linear(t, "classifier.3", x)))


def alexnet(t: Tensors, x: torch.Tensor) -> torch.Tensor:
    places = layers_under(t, "features")
    paper = t["features.0.weight"].shape[0] == 96
    for i, following in zip(places, [*places[1:], None]):
        name = f"features.{i}"
        first = i == places[0]
        groups = x.shape[1] // t[f"{name}.weight"].shape[1]
        x = torch.relu(conv(t, name, x, stride=4 if first else 1, padding=2 if first else half(t, name), groups=groups))
        if following is None or following - i > 2:
            if paper and following is not None:
                squares = functional.pad(x.square(), (0, 0, 0, 0, 2, 2))
                near = sum(squares[:, j : j + x.shape[1]] for j in range(5))
                x = x / (2.0 + 1e-4 * near) ** 0.75
            x = functional.max_pool2d(x, 3, 2)
    x = functional.adaptive_avg_pool2d(x, 6).flatten(1)
    x = torch.relu(linear(t, "classifier.1", x))
    return linear(t, "classifier.6", torch.relu(linear(t, "classifier.4", x)))


def resnet(t: Tensors, x: torch.Tensor) -> torch.Tensor:
    small = t["conv1.weight"].shape[-1] == 3
    x = torch.relu(norm(t, "bn1", conv(t, "conv1", x, stride=1 if small else 2, padding=half(t, "conv1"))))
    if not small:
        x = functional.max_pool2d(x, 3, 2, 1)
    for stage in sorted({m[1] for name in t if (m := re.match(r"layer(\d)\.", name))}):
        for block in sorted({int(m[1]) for name in t if (m := re.match(rf"layer{stage}\.(\d+)\.", name))}):
            x = residual(t, f"layer{stage}.{block}", x, halves=block == 0 and stage != "1")
    return linear(t, "fc", x.mean(dim=(2, 3)))


def residual(t: Tensors, name: str, x: torch.Tensor, halves: bool) -> torch.Tensor:
    convs = [i for i in (1, 2, 3) if f"{name}.conv{i}.weight" in t]
    strided = 2 if len(convs) == 3 else 1
    y = x
    for i in convs:
        stride = 2 if halves and i == strided else 1
        y = norm(t, f"{name}.bn{i}", conv(t, f"{name}.conv{i}", y, stride=stride, padding=half(t, f"{name}.conv{i}")))
        y = torch.relu(y) if i != convs[-1] else y
    if f"{name}.downsample.0.weight" in t:
        x = norm(t, f"{name}.downsample.1", conv(t, f"{name}.downsample.0", x, stride=2 if halves else 1))
    elif halves:
        new = (y.shape[1] - x.shape[1]) // 2
        zeros = x.new_zeros(x.shape[0], new, *y.shape[2:])
        x = torch.cat([zeros, x[:, :, ::2, ::2], zeros], dim=1)
    return torch.relu(x + y)


def block(t: Tensors, name: str, x: torch.Tensor, **how) -> torch.Tensor:
    """A convolution with what is beside it, in Inception networks."""
    y = conv(t, f"{name}.conv", x, **how)
    return torch.relu(norm(t, f"{name}.bn", y, 0.001) if f"{name}.bn.weight" in t else y)


def on_another_scale(x: torch.Tensor) -> torch.Tensor:
    means, spreads = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
    return torch.stack([(x[:, i] * s + m - 0.5) / 0.5 for i, (m, s) in enumerate(zip(means, spreads))], dim=1)


def googlenet(t: Tensors, x: torch.Tensor) -> torch.Tensor:
    normed = "conv1.bn.weight" in t

    def response(x: torch.Tensor) -> torch.Tensor:
        if normed:
            return x
        squares = functional.pad(x.square(), (0, 0, 0, 0, 2, 2))
        return x / (1.0 + 1e-4 / 5 * sum(squares[:, j : j + x.shape[1]] for j in range(5))) ** 0.75

    def pool(x: torch.Tensor, size: int = 3) -> torch.Tensor:
        return functional.max_pool2d(x, size, 2, ceil_mode=True)

    x = response(pool(block(t, "conv1", on_another_scale(x) if normed else x, stride=2, padding=3)))
    x = pool(response(block(t, "conv3", block(t, "conv2", x), padding=1)))
    for name in ("3a", "3b", "4a", "4b", "4c", "4d", "4e", "5a", "5b"):
        if name in ("4a", "5a"):
            x = pool(x, 2 if normed and name == "5a" else 3)
        part = f"inception{name}.branch"
        last = f"{part}3.1"
        x = torch.cat([
            block(t, f"{part}1", x),
            block(t, f"{part}2.1", block(t, f"{part}2.0", x), padding=1),
            block(t, last, block(t, f"{part}3.0", x), padding=half(t, f"{last}.conv")),
            block(t, f"{part}4.1", functional.max_pool2d(x, 3, 1, 1)),
        ], dim=1)  # fmt: skip
    return linear(t, "fc", x.mean(dim=(2, 3)))


def inception(t: Tensors, x: torch.Tensor) -> torch.Tensor:
    def same(name: str, x: torch.Tensor) -> torch.Tensor:
        high, wide = t[f"{name}.conv.weight"].shape[2:]
        return block(t, name, x, padding=(high // 2, wide // 2))

    def chain(part: str, x: torch.Tensor, *names: str) -> torch.Tensor:
        for name in names:
            x = same(f"{part}.{name}", x)
        return x

    x = block(t, "Conv2d_1a_3x3", on_another_scale(x), stride=2)
    x = functional.max_pool2d(same("Conv2d_2b_3x3", block(t, "Conv2d_2a_3x3", x)), 3, 2)
    x = functional.max_pool2d(block(t, "Conv2d_4a_3x3", block(t, "Conv2d_3b_1x1", x)), 3, 2)
    for part in sorted({name.split(".")[0] for name in t if name.startswith("Mixed")}):
        has = {name.split(".")[1] for name in t if name.startswith(f"{part}.")}
        if "branch_pool" in has:
            parts = [same(f"{part}.branch1x1", x)]
            if "branch5x5_1" in has:
                parts += [chain(part, x, "branch5x5_1", "branch5x5_2")]
                parts += [chain(part, x, *(f"branch3x3dbl_{i}" for i in (1, 2, 3)))]
            elif "branch7x7_1" in has:
                parts += [chain(part, x, *(f"branch7x7_{i}" for i in (1, 2, 3)))]
                parts += [chain(part, x, *(f"branch7x7dbl_{i}" for i in (1, 2, 3, 4, 5)))]
            else:
                single, double = chain(part, x, "branch3x3_1"), chain(part, x, "branch3x3dbl_1", "branch3x3dbl_2")
                parts += [same(f"{part}.branch3x3_2{end}", single) for end in "ab"]
                parts += [same(f"{part}.branch3x3dbl_3{end}", double) for end in "ab"]
            parts += [same(f"{part}.branch_pool", functional.avg_pool2d(x, 3, 1, 1))]
        elif "branch3x3" in has:
            double = chain(part, x, "branch3x3dbl_1", "branch3x3dbl_2")
            parts = [block(t, f"{part}.branch3x3", x, stride=2), block(t, f"{part}.branch3x3dbl_3", double, stride=2)]
            parts += [functional.max_pool2d(x, 3, 2)]
        else:
            long = chain(part, x, *(f"branch7x7x3_{i}" for i in (1, 2, 3)))
            parts = [block(t, f"{part}.branch3x3_2", chain(part, x, "branch3x3_1"), stride=2)]
            parts += [block(t, f"{part}.branch7x7x3_4", long, stride=2), functional.max_pool2d(x, 3, 2)]
        x = torch.cat(parts, dim=1)
    return linear(t, "fc", x.mean(dim=(2, 3)))


def lenet5(t: Tensors, x: torch.Tensor) -> torch.Tensor:
    x = functional.max_pool2d(torch.relu(conv(t, "features.0", x, padding=2)), 2)
    x = functional.max_pool2d(torch.relu(conv(t, "features.3", x)), 2).flatten(1)
    x = torch.relu(linear(t, "classifier.2", torch.relu(linear(t, "classifier.0", x))))
    return linear(t, "classifier.4", x)


def lenet5_of_1998(t: Tensors, x: torch.Tensor) -> torch.Tensor:
    seen = ["012", "123", "234", "345", "450", "501", "0123", "1234", "2345", "3450", "4501", "5012", "0134", "1245",
            "0235", "012345"]  # fmt: skip

    def squash(x: torch.Tensor) -> torch.Tensor:
        return 1.7159 * torch.tanh(2 / 3 * x)

    def subsampled(name: str, x: torch.Tensor) -> torch.Tensor:
        sums = x[:, :, ::2, ::2] + x[:, :, 1::2, ::2] + x[:, :, ::2, 1::2] + x[:, :, 1::2, 1::2]
        return squash(sums * t[f"{name}.weight"].view(1, -1, 1, 1) + t[f"{name}.bias"].view(1, -1, 1, 1))

    x = subsampled("S2", squash(conv(t, "C1", x)))
    maps, weights = [], iter(t["C3.weight"])
    for bias, which in zip(t["C3.bias"], seen):
        kernel = torch.stack([next(weights) for _ in which])[None]
        maps.append(functional.conv2d(x[:, [int(i) for i in which]], kernel) + bias)
    x = subsampled("S4", squash(torch.cat(maps, dim=1)))
    x = squash(linear(t, "F6", squash(conv(t, "C5", x)).flatten(1)))
    return -((x[:, None] - t["output.codes"]) ** 2).sum(dim=2)


def nin(t: Tensors, x: torch.Tensor) -> torch.Tensor:
    places = layers_under(t, "features")
    for i in places:
        x = conv(t, f"features.{i}", x, padding=half(t, f"features.{i}"))
        if i == places[-1]:
            return x.mean(dim=(2, 3))
        x = torch.relu(x)
        if i == places[2]:
            x = functional.max_pool2d(x, 3, 2, ceil_mode=True)
        if i == places[5]:
            x = functional.avg_pool2d(x, 3, 2, ceil_mode=True)
    raise AssertionError


def small(t: Tensors, x: torch.Tensor) -> torch.Tensor:
    for i in (0, 4):
        x = functional.max_pool2d(torch.relu(norm(t, f"features.{i + 1}", conv(t, f"features.{i}", x, padding=1))), 2)
    return linear(t, "classifier", x.flatten(1))


FORWARD = {
    "small": small, "lenet5": lenet5, "lenet5-1998": lenet5_of_1998, "nin": nin, "inception-v3": inception,
    **dict.fromkeys(("alexnet", "alexnet-2012"), alexnet), **dict.fromkeys(("googlenet", "googlenet-2014"), googlenet),
    **{f"vgg{depth}{end}": vgg for depth in (11, 13, 16, 19) for end in ("", "-bn")},
    **{f"resnet{depth}": resnet for depth in (18, 34, 50, 101, 152, 20, 32, 44, 56, 110)},
}  # fmt: skip
