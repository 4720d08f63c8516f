import { expect, test } from 'vitest'
import type { Turn, Turns } from '../../../agent/call/turn.ts'
import { systemClock } from '../../../agent/clock/system-clock.ts'
import { longTexts, strangeTexts } from '../../agent/fixtures/strange-texts.ts'

const inTime = () => systemClock.monotonicMs() + 60_000
const now = () => systemClock.monotonicMs()

/** What the turns of one agent promise, whatever keeps them. They follow the real clock, and no test waits for it. */
export function testTurns(name: string, open: () => Promise<Turns & AsyncDisposable>): void {
  const promise = (title: string, run: (turns: Turns) => Promise<void>) =>
    test(`${name}: ${title}`, async () => {
      await using turns = await open()
      await run(turns)
    })
  const joined = (turns: Turns) => turns.take('item a', 'join-now')
  const mustWait = (...turns: Turn[]) => Promise.all(turns.map((turn) => turn.mustWait()))

  promise('the first call of a key has its turn, and no call waits for another key', async (turns) => {
    const [one, other] = [joined(turns), turns.take('item b', 'join-now')]
    expect(await mustWait(one, other)).toEqual([false, false])
    expect([await one.wait(now()), await other.wait(now())]).toEqual([true, true])
    expect(turns.waiting).toBe(0)
  })

  promise('turns come in the order in which they were taken, one after another', async (turns) => {
    const taken = [joined(turns), joined(turns), joined(turns)]
    const come: number[] = []
    const runs = taken.map(async (turn, n) => {
      await turn.wait(inTime())
      come.push(n)
      // The next one does not come before this is released.
      expect(await mustWait(...taken.slice(n + 1))).toEqual(taken.slice(n + 1).map(() => true))
      expect(turns.waiting).toBe(taken.length - n - 1)
      turn.release()
    })
    await Promise.all(runs)
    expect(come).toEqual([0, 1, 2])
    expect(await mustWait(joined(turns))).toEqual([false])
  })

  promise('a wait ends at its deadline, and the position stays until it is released', async (turns) => {
    const [first, second] = [joined(turns), joined(turns)]
    expect(await second.wait(now())).toBe(false)
    first.release()
    expect(await second.wait(inTime())).toBe(true)
    const third = joined(turns)
    expect(await mustWait(third)).toEqual([true])
    second.release()
    expect(await third.wait(inTime())).toBe(true)
  })

  promise('a wait in the agent ends as the other one, and the turn still comes after it', async (turns) => {
    const [first, second] = [joined(turns), joined(turns)]
    expect(await first.waitInAgent(now())).toBe(true)
    expect(await second.waitInAgent(now())).toBe(false)
    expect(await first.wait(inTime())).toBe(true)
    first.release()
    expect(await second.waitInAgent(inTime())).toBe(true)
    expect(await second.wait(inTime())).toBe(true)
  })

  promise('a call that gives up leaves the queue without stopping it', async (turns) => {
    const [first, second, third] = [joined(turns), joined(turns), joined(turns)]
    expect(await second.wait(now())).toBe(false)
    second.release()
    expect(await mustWait(third)).toEqual([true])
    first.release()
    expect(await third.wait(inTime())).toBe(true)
    third.release()
    expect(await mustWait(joined(turns))).toEqual([false])
  })

  promise('a turn that joins later takes its position when it is first waited for', async (turns) => {
    const later = turns.take('item a', 'join-later')
    const first = joined(turns)
    expect(await mustWait(first)).toEqual([false])
    expect(await later.wait(now())).toBe(false)
    first.release()
    expect(await later.wait(inTime())).toBe(true)
  })

  promise('a turn that is released before it joins takes no position', async (turns) => {
    turns.take('item a', 'join-later').release()
    expect(await mustWait(joined(turns))).toEqual([false])
  })

  promise('keys of any length that differ in any character are different keys', async (turns) => {
    const keys = [...strangeTexts, ...longTexts].map((text) => `itemRef ${text}`)
    const all = await Promise.all(
      keys.map(async (key) => {
        const [first, second] = [turns.take(key, 'join-now'), turns.take(key, 'join-now')]
        expect(await first.wait(inTime())).toBe(true)
        return { first, second }
      }),
    )
    expect(await mustWait(...all.map(({ second }) => second))).toEqual(all.map(() => true))
    for (const { first, second } of all) {
      first.release()
      expect(await second.wait(inTime())).toBe(true)
      second.release()
    }
  })

  promise('a second release does nothing', async (turns) => {
    const [first, second, third] = [joined(turns), joined(turns), joined(turns)]
    first.release()
    first.release()
    expect(await second.wait(inTime())).toBe(true)
    expect(await mustWait(third)).toEqual([true])
  })
}
