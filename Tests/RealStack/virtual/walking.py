"""A made-up but repeatable history: who walked how much in which quarter of an hour."""
import random
from datetime import date, datetime, timedelta
from typing import NamedTuple

SLOTS_A_DAY = 96


class Slot(NamedTuple):
    steps: int
    metres: int
    calories: int       # cal, not kcal; a multiple of ten, so that both of the ring's units hold it

    @classmethod
    def of(cls, steps):
        return cls(steps, metres=steps * 72 // 100, calories=steps * 38 // 10 * 10)

    def and_then(self, steps):
        return Slot.of(self.steps + steps)


def day(seed, of: date, slots, step=1):
    """`slots` slots of a day between 05:00 and 23:00, each a multiple of `step`; index -> Slot.

    A day depends on the seed and its date only, so that every day of a longer history stays the same.
    """
    dice = random.Random(f"{seed}/{of.isoformat()}")
    chosen = sorted(dice.sample(range(20, 92, step), slots))
    return {index: Slot.of(dice.randint(*dice.choices([(1, 40), (40, 300), (900, 1700)], [6, 3, 1])[0]))
            for index in chosen}


def history(seed, now: datetime, days, slots, step=1):
    """The last `days` days, today's up to now; date -> {index: Slot}."""
    result = {}
    for ago in range(days):
        of = now.date() - timedelta(days=ago)
        result[of] = day(seed, of, slots, step)
        if ago == 0:
            result[of] = {i: s for i, s in result[of].items() if i < slot_of(now)}
    return result


def slot_of(time: datetime):
    return time.hour * 4 + time.minute // 15
