import fc from 'fast-check'
import { expect, test } from 'vitest'
import { NotedObservations } from '../../../agent/call/noted-observations.ts'
import type { ObservationEvent } from '../../../agent/call/observation.ts'
import type { RepairJournal } from '../../../agent/call/repair-journal.ts'
import { Repairs } from '../../../agent/call/repairs.ts'
import type { AttemptResult } from '../../../agent/platform/attempt-result.ts'
import type { PartnerRequest } from '../../../contract/operations.ts'
import { answeredWith, callPipeline } from '../fixtures/call-pipeline.ts'
import { memoryRepairJournal } from '../fixtures/memory-repair-journal.ts'
import { TestClock } from '../fixtures/test-clock.ts'
import { unexpected } from '../fixtures/unexpected.ts'

const lifetimeMs = 32_000
const leave: ObservationEvent = { kind: 'leave', quantity: 5, nowMs: 1_000 }
const accepted = { kind: 'end', effect: 'acted', lastAttemptMs: 1_000, lateUntilMs: 0 } as const

/**
 * What becomes of one attempt. `late` may arrive until its envelope has expired. `killed` is late and ends the agent.
 */
type Fate = 'accepted' | 'answer-lost' | 'late' | 'refused' | 'not-sent' | 'killed' | 'killed-before'

/** The fates of the next attempts, and of all others. */
interface Fates {
  readonly first: readonly Fate[]
  readonly rest: Fate
}

type Step =
  | { readonly kind: 'call'; readonly fates: Fates }
  | { readonly kind: 'wait'; readonly ms: number; readonly fates: Fates }
  | { readonly kind: 'arrive'; readonly which: number }
  | { readonly kind: 'kill' }
  | { readonly kind: 'stop' }

const fate = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Fate>('accepted') },
  { weight: 4, arbitrary: fc.constant<Fate>('late') },
  { weight: 1, arbitrary: fc.constantFrom<Fate>('answer-lost', 'refused', 'not-sent', 'killed', 'killed-before') },
)
const fates: fc.Arbitrary<Fates> = fc.record({
  first: fc.array(fate, { maxLength: 3 }),
  rest: fc.constantFrom<Fate>('accepted', 'accepted', 'late', 'not-sent'),
})
const ms = fc.oneof(fc.integer({ min: 1, max: 40_000 }), fc.constant(lifetimeMs))
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('call' as const), fates }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('wait' as const), ms, fates }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('arrive' as const), which: fc.nat(9) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('kill' as const, 'stop' as const) }) },
)

/** An agent's process, from its start to its end. */
function startLife(
  clock: TestClock,
  journal: RepairJournal,
  attempt: (request: PartnerRequest) => Promise<AttemptResult>,
) {
  const { promise: killed, resolve: kill } = Promise.withResolvers<'killed'>()
  const { call, deps } = callPipeline(
    (_operation, request) => attempt(request),
    { repairs: { leave: (sent) => repairs.leave(sent), end: (...ended) => repairs.end(...ended) } },
    clock,
  )
  const { turns, sending } = deps
  const onError = (error: unknown) => {
    throw error
  }
  const observations = new NotedObservations(journal, {
    clock,
    lifetimeMs: sending.partnerApi.attemptLifetimeMs,
    onError,
  })
  const repairs = new Repairs({ observations, turns, sending, onRepair: () => undefined, onError })
  return { call, repairs, killed, kill }
}

/** One item at a platform to which attempts come late, and agents with one journal that follow one another. */
class World {
  readonly #clock = new TestClock()
  readonly #journal = memoryRepairJournal(this.#clock)
  /** The quantity of each call is its number, so a larger one is newer. */
  #calls = 0
  readonly #acted: number[] = []
  /** Of calls that were answered with a no that is certain. */
  readonly #denied: number[] = []
  #onTheWay: { readonly quantity: number; readonly untilMs: number }[] = []
  #fates: { first: Fate[]; rest: Fate } = { first: [], rest: 'accepted' }
  /** The quantity of the call under way; of none, while a repair is. */
  #underWay: number | undefined
  #life = this.#newLife()

  async apply(step: Step): Promise<void> {
    switch (step.kind) {
      case 'call':
        return this.#call(step.fates)
      case 'wait':
        return this.wait(step.ms, step.fates)
      case 'arrive':
        return this.#arrive(step.which)
      case 'kill':
        return this.#restart()
      case 'stop':
        await this.#life.repairs.close()
        return this.#restart()
    }
  }

  async start(): Promise<void> {
    await this.#life.repairs.start()
  }

  async wait(ms: number, fates: Fates): Promise<void> {
    this.#fates = { ...fates, first: [...fates.first] }
    this.#clock.advance(ms)
    for (let turn = 0; turn < 4; turn++) await new Promise(setImmediate)
    if (await this.#isKilled()) await this.#restart()
  }

  /** The platform's last value, the newest that it ever had, and those that it had although their call was denied. */
  get values(): { last: number; newest: number; denied: number[] } {
    const denied = this.#acted.filter((quantity) => this.#denied.includes(quantity))
    return { last: this.#acted.at(-1) ?? 0, newest: Math.max(0, ...this.#acted), denied }
  }

  async #call(fates: Fates): Promise<void> {
    this.#fates = { ...fates, first: [...fates.first] }
    const observedQuantity = ++this.#calls
    this.#underWay = observedQuantity
    const answer = this.#life.call('market.adjust-stock', { itemRef: 'item-1', observedQuantity })
    // A call that waited for an abandoned attempt would never end here: only its own retries move the clock.
    const end = await Promise.race([answer, this.#life.killed])
    this.#underWay = undefined
    if (end !== 'killed' && !end.ok && !end.uncertain) this.#denied.push(observedQuantity)
    if (await this.#isKilled()) await this.#restart()
  }

  async #attempt({ body }: PartnerRequest): Promise<AttemptResult> {
    const quantity = Number(JSON.parse(body).observedQuantity)
    const next = this.#fates.first.shift() ?? this.#fates.rest
    // It refuses a quantity at the first call with it, or never. A listing that is gone is not in this world.
    const mayRefuse = this.#underWay === quantity && !this.#acted.includes(quantity)
    const fate = next === 'refused' && !mayRefuse ? 'accepted' : next
    if (fate === 'accepted' || fate === 'answer-lost') this.#acted.push(quantity)
    if (fate === 'late' || fate === 'killed')
      this.#onTheWay.push({ quantity, untilMs: this.#clock.monotonicMs() + lifetimeMs })
    if (fate === 'killed' || fate === 'killed-before') {
      this.#life.kill('killed')
      return new Promise(() => undefined)
    }
    if (fate === 'accepted') return answeredWith(200, '')
    if (fate !== 'refused') return { kind: 'failed', wasSent: fate !== 'not-sent', cause: new Error(fate) }
    // It refuses this quantity whenever it comes.
    this.#onTheWay = this.#onTheWay.filter((late) => late.quantity !== quantity)
    return answeredWith(400, '{"message":"Quantidade inválida."}')
  }

  #arrive(which: number): void {
    const nowMs = this.#clock.monotonicMs()
    this.#onTheWay = this.#onTheWay.filter(({ untilMs }) => nowMs < untilMs)
    const [late] = this.#onTheWay.splice(which % Math.max(1, this.#onTheWay.length), 1)
    if (late) this.#acted.push(late.quantity)
  }

  async #isKilled(): Promise<boolean> {
    return (await Promise.race([this.#life.killed, Promise.resolve('alive')])) === 'killed'
  }

  async #restart(): Promise<void> {
    this.#life.repairs.stop()
    this.#life = this.#newLife()
    await this.#life.repairs.start()
  }

  #newLife() {
    return startLife(this.#clock, this.#journal, (request) => this.#attempt(request))
  }
}

/** The next agent must know that the repair of the last one may arrive late itself. */
const repairCutShort: Step[] = [
  { kind: 'call', fates: { first: [], rest: 'late' } },
  { kind: 'call', fates: { first: [], rest: 'accepted' } },
  { kind: 'wait', ms: lifetimeMs, fates: { first: ['killed'], rest: 'accepted' } },
  { kind: 'call', fates: { first: [], rest: 'accepted' } },
  { kind: 'arrive', which: 0 },
]

test('whatever arrives late, the platform has the newest observation in the end, or one that is newer and in doubt', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 16 }), async (steps) => {
      const world = new World()
      await world.start()
      for (const step of steps) await world.apply(step)
      // Everything that is on its way expires, and what is due is sent.
      for (let round = 0; round < 4; round++) await world.wait(lifetimeMs, { first: [], rest: 'accepted' })
      const { last, newest, denied } = world.values
      expect(last).toBeGreaterThanOrEqual(newest)
      expect(denied).toEqual([])
    }),
    { numRuns: 3_000, examples: [[repairCutShort]] },
  )
}, 60_000)

test('an agent that ends while a report is under way leaves it to the next one, which expects it late', async () => {
  const clock = new TestClock()
  const journal = memoryRepairJournal(clock)
  for (const isUnderWay of [true, false]) {
    const observations = new NotedObservations(journal, { clock, lifetimeMs, onError: unexpected })
    await observations.begin(() => undefined)
    clock.advance(lifetimeMs)
    const endReport = await observations.expectReport('item-1')
    if (!isUnderWay) await endReport(0)
    await observations.close()
    expect(await journal.begin(0)).toBe(isUnderWay ? lifetimeMs : 0)
  }
})

/** What happens to a call while a report is under way, and whether it is known at the report's end that it may have arrived after it. */
const crossings: readonly {
  readonly what: string
  readonly before: readonly ObservationEvent[]
  readonly meanwhile: readonly ObservationEvent[]
  readonly wasCrossed: boolean
}[] = [
  { what: 'nothing', before: [], meanwhile: [], wasCrossed: false },
  { what: 'a call that was accepted', before: [leave], meanwhile: [accepted], wasCrossed: true },
  { what: 'a call that left meanwhile', before: [], meanwhile: [leave, accepted], wasCrossed: true },
  { what: 'a call that was refused', before: [leave], meanwhile: [{ ...accepted, effect: 'none' }], wasCrossed: false },
  { what: 'a call that is still under way', before: [leave], meanwhile: [], wasCrossed: false },
  {
    what: 'an earlier attempt that may arrive late',
    before: [{ kind: 'expect-late', lateUntilMs: 2_000 }],
    meanwhile: [],
    wasCrossed: true,
  },
  {
    what: 'an earlier attempt that may arrive late, and a call that was refused,',
    before: [{ kind: 'expect-late', lateUntilMs: 2_000 }, leave],
    meanwhile: [{ ...accepted, effect: 'none' }],
    wasCrossed: true,
  },
]

for (const { what, before, meanwhile, wasCrossed } of crossings)
  test(`${what} ${wasCrossed ? 'crosses' : 'does not cross'} a report that is under way`, async () => {
    const clock = new TestClock()
    const observations = new NotedObservations(memoryRepairJournal(clock), { clock, lifetimeMs, onError: unexpected })
    await observations.begin(() => undefined)
    for (const event of before) await observations.apply('item-1', event, 'if-possible')
    const endReport = await observations.expectReport('item-1')
    clock.advance(1_500)
    for (const event of meanwhile) await observations.apply('item-1', event, 'if-possible')
    await endReport(0, 3)
    clock.advance(lifetimeMs)
    expect(await observations.findDue()).toEqual(wasCrossed ? ['item-1'] : [])
  })

test('a stock in a 2xx that a call may have crossed is sent again at once', async () => {
  const clock = new TestClock()
  const observations = new NotedObservations(memoryRepairJournal(clock), { clock, lifetimeMs, onError: unexpected })
  await observations.begin(() => undefined)
  await observations.apply('item-1', leave, 'if-possible')
  const endReport = await observations.expectReport('item-1')
  await observations.apply('item-1', accepted, 'if-possible')
  await endReport(0, 3)
  clock.advance(1)
  expect(await observations.findDue()).toEqual(['item-1'])
})
