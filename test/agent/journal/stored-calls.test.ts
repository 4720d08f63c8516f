import fc from 'fast-check'
import { expect, test } from 'vitest'
import { laterClock, testStateDir } from '../fixtures/test-journal.ts'

const windowMs = 600_000
const minuteMs = 60_000
const ids = ['a', 'b', 'c'] as const

const step = fc.oneof(
  fc.record({ kind: fc.constant('intent'), id: fc.constantFrom(...ids) }),
  fc.record({ kind: fc.constant('answer'), id: fc.constantFrom(...ids), text: fc.nat() }),
  fc.record({ kind: fc.constant('release'), id: fc.constantFrom(...ids) }),
  fc.record({ kind: fc.constant('forget ended'), id: fc.constantFrom(...ids) }),
  fc.record({ kind: fc.constant('pass'), minutes: fc.integer({ min: 1, max: 12 }) }),
  fc.record({ kind: fc.constant('restart') }),
) as fc.Arbitrary<Step>

type Id = (typeof ids)[number]
type Step =
  | { readonly kind: 'intent' | 'release' | 'forget ended'; readonly id: Id }
  | { readonly kind: 'answer'; readonly id: Id; readonly text: number }
  | { readonly kind: 'pass'; readonly minutes: number }
  | { readonly kind: 'restart' }

/** What an id must give: a text, or doubt, until a minute. */
interface Expected {
  readonly dataText: string | 'in doubt'
  readonly untilMs: number
}

/** A journal over several processes, and what each id must give. */
class Model implements AsyncDisposable {
  readonly #state = testStateDir()
  readonly #expected = new Map<string, Expected>()
  #passedMs = 0
  #journal = this.#state.open()

  async run(step: Step): Promise<void> {
    switch (step.kind) {
      case 'intent':
        await this.#journal.recordIntent(called(step.id))
        this.#expected.set(step.id, { dataText: 'in doubt', untilMs: Number.POSITIVE_INFINITY })
        break
      case 'answer': {
        const dataText = String(step.text)
        await this.#journal.recordAnswer(called(step.id), { ok: true, dataText }, windowMs)
        this.#expected.set(step.id, { dataText, untilMs: this.#passedMs + windowMs })
        break
      }
      case 'release':
        await this.#journal.release(called(step.id))
        this.#expected.delete(step.id)
        break
      case 'forget ended':
        await this.#journal.forgetEnded(step.id)
        break
      case 'pass':
        this.#passedMs += step.minutes * minuteMs
        this.#journal.clock.advance(step.minutes * minuteMs)
        break
      case 'restart':
        await this.#restart()
    }
  }

  /** Calls that were under way are in doubt for a window from then on. */
  async #restart(): Promise<void> {
    await this.#journal.close()
    this.#journal = this.#state.open(laterClock(this.#passedMs - 37))
    for (const [id, { dataText, untilMs }] of this.#expected) {
      if (untilMs === Number.POSITIVE_INFINITY) this.#expected.set(id, { dataText, untilMs: this.#passedMs + windowMs })
    }
  }

  async check(): Promise<void> {
    for (const id of ids) {
      const { dataText, untilMs = -1 } = this.#expected.get(id) ?? {}
      const answer = (await this.#journal.find(id))?.answer
      const found = answer && (answer.ok ? answer.dataText : 'in doubt')
      expect(found, id).toBe(untilMs >= this.#passedMs ? dataText : undefined)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#journal.close()
    this.#state[Symbol.dispose]()
  }
}

test('an id gives what was stored for it last, within its window, whatever was deleted and however often the agent started', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      await using model = new Model()
      for (const step of steps) {
        await model.run(step)
        await model.check()
      }
    }),
    { numRuns: 60 },
  )
})

test('an id that is stored again while its old entry is deleted stays', async () => {
  using state = testStateDir()
  await using journal = state.open()
  await journal.recordAnswer(called('a'), { ok: true, dataText: '"old"' }, windowMs)
  journal.clock.advance(windowMs + 1)
  const storing = journal.recordAnswer(called('a'), { ok: true, dataText: '"new"' }, windowMs)
  const forgetting = journal.forgetEnded('a')
  journal.clock.advance(minuteMs)
  await Promise.all([storing, forgetting])
  expect((await journal.find('a'))?.answer).toEqual({ ok: true, dataText: '"new"' })
})

function called(id: string) {
  return { id, fingerprint: `of ${id}`, operationName: 'transaction.create' }
}
