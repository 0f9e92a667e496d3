"""Facts about an integer: bounds, a congruence and known bits. Each of them sharpens the others.

A value counts as a number of unlimited width in two's complement, so that signed, unsigned and index values follow the same laws: an unsigned value
has zeros above its width, and a signed value repeats its sign. If arithmetic may wrap, `wrapped` keeps the facts that still hold.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import gcd

from eqsat.integers.intervals import Interval, hull, intersection


@dataclass(frozen=True, slots=True)
class Facts:
    """Facts that hold for every value of an integer x: an interval, a congruence, and known bits. `ANYTHING` is the top element.

    Attributes:
        lo: x >= lo; None if there is no bound.
        hi: x <= hi; None if there is no bound.
        divisor: x is congruent to remainder modulo divisor; 1 is no constraint, 0 means that x is the remainder.
        remainder: from 0 to divisor - 1, or x itself.
        zeros: the bits of x that are 0; negative if all bits from some place on are 0.
        ones: the bits of x that are 1; negative if all bits from some place on are 1.

    >>> Facts.of(lo=3, hi=30, divisor=4, remainder=0)
    Facts(lo=4, hi=28, divisor=4, remainder=0, zeros=-29, ones=0)
    >>> Facts.of(zeros=-8, ones=1)
    Facts(lo=1, hi=7, divisor=2, remainder=1, zeros=-8, ones=1)
    """

    lo: int | None = None
    hi: int | None = None
    divisor: int = 1
    remainder: int = 0
    zeros: int = 0
    ones: int = 0

    @staticmethod
    def of(
        lo: int | None = None,
        hi: int | None = None,
        divisor: int = 1,
        remainder: int = 0,
        zeros: int = 0,
        ones: int = 0,
    ) -> Facts:
        """These facts, sharpened by each other."""
        return _concluded(lo, hi, divisor, remainder, zeros, ones)

    @staticmethod
    def exactly(value: int) -> Facts:
        """The facts of one constant."""
        return Facts(value, value, 0, value, ~value, value)

    @property
    def interval(self) -> Interval:
        """The bounds."""
        return self.lo, self.hi

    @property
    def value(self) -> int | None:
        """The only possible value; None if there are several."""
        return self.lo if self.lo is not None and self.lo == self.hi else None

    @property
    def is_contradiction(self) -> bool:
        """Whether the facts exclude every number; conclusions from such facts are meaningless."""
        return bool(self.zeros & self.ones) or (
            self.lo is not None and self.hi is not None and self.lo > self.hi
        )

    @property
    def possible(self) -> int:
        """The bits that can be 1."""
        return ~self.zeros

    def allows(self, value: int) -> bool:
        """Whether x can be this number."""
        rest = value - self.remainder
        return (
            (self.lo is None or value >= self.lo)
            and (self.hi is None or value <= self.hi)
            and (rest % self.divisor if self.divisor else rest) == 0
            and not value & self.zeros
            and not ~value & self.ones
        )

    def excludes(self, other: Facts) -> bool:
        """Whether a number with these facts and a number with the others must differ."""
        apart = (
            (self.lo is not None and other.hi is not None and self.lo > other.hi)
            or (self.hi is not None and other.lo is not None and self.hi < other.lo)
            or self.ones & other.zeros
            or self.zeros & other.ones
        )
        common, rest = gcd(self.divisor, other.divisor), self.remainder - other.remainder
        return bool(apart) or (rest % common != 0 if common else rest != 0)

    def is_below(self, other: Facts) -> bool | None:
        """Whether a number with these facts is less than a number with the others; None if the facts do not decide it."""
        if self.hi is not None and other.lo is not None and self.hi < other.lo:
            return True
        return False if self.lo is not None and other.hi is not None and self.lo >= other.hi else None

    def meet(self, other: Facts) -> Facts:
        """The meet: facts of a number for which both hold. If the congruences contradict each other, the first one remains."""
        return Facts.of(
            *intersection(self.interval, other.interval),
            *_both(self.divisor, self.remainder, other.divisor, other.remainder),
            self.zeros | other.zeros,
            self.ones | other.ones,
        )

    def join(self, other: Facts) -> Facts:
        """The join: facts of a number for which one or the other holds."""
        divisor = gcd(self.divisor, other.divisor, self.remainder - other.remainder)
        return Facts.of(
            *hull(self.interval, other.interval),
            divisor,
            self.remainder % divisor if divisor else self.remainder,
            self.zeros & other.zeros,
            self.ones & other.ones,
        )


ANYTHING = Facts()


@lru_cache(1 << 14)
def _concluded(lo: int | None, hi: int | None, divisor: int, remainder: int, zeros: int, ones: int) -> Facts:
    found = Facts(lo, hi, divisor, remainder, zeros, ones)
    while (sharper := _sharpened(found)) != found:
        found = sharper
    return found


def _both(divisor: int, remainder: int, other: int, its_remainder: int) -> tuple[int, int]:
    """The congruence of the numbers that have both remainders, by the Chinese remainder theorem."""
    common = gcd(divisor, other)
    if not divisor or other == 1 or (common and (remainder - its_remainder) % common):
        return divisor, remainder
    if not other or divisor == 1:
        return other, its_remainder
    step = other // common
    times = (its_remainder - remainder) // common * pow(divisor // common, -1, step) % step
    return divisor * step, (remainder + divisor * times) % (divisor * step)


def _sharpened(facts: Facts) -> Facts:
    """Sharpens each fact once by the others. Facts that contradict each other stay as they are."""
    lo, hi, divisor, remainder = facts.lo, facts.hi, facts.divisor, facts.remainder
    zeros, ones = facts.zeros, facts.ones
    if zeros & ones or (lo is not None and hi is not None and lo > hi):
        return facts
    if lo is not None and hi is not None and (lo < 0) == (hi < 0):
        shared = -1 << (lo ^ hi).bit_length()
        zeros, ones = zeros | (~lo & shared), ones | (lo & shared)
    places = (divisor & -divisor) - 1  # all bits, if x is the remainder
    zeros, ones = zeros | (~remainder & places), ones | (remainder & places)
    if zeros & ones:
        return facts
    if (zeros | ones) < 0:
        lo, hi = intersection((lo, hi), (ones, ~zeros))
    unknown = ~(zeros | ones)
    known = (unknown & -unknown) - 1 if unknown else -1
    modulus = known + 1  # 0 if all bits are known
    divisor, remainder = _both(divisor, remainder, modulus, ones & known)
    if divisor:
        lo = None if lo is None else lo + (remainder - lo) % divisor
        hi = None if hi is None else hi - (hi - remainder) % divisor
    if lo is not None and lo == hi:
        return Facts.exactly(lo)
    return Facts(lo, hi, divisor, remainder, zeros, ones)
