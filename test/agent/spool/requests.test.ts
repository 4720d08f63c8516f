import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type ActiveRequest, next, RequestTable, type SpoolLimits } from '../../../agent/spool/requests.ts'

// A spool without files: requests whose claims, calls and answers end in an arbitrary order.

const limits: SpoolLimits = { slots: 8, queuedMax: 6, publishingMax: 5, halfWrittenMax: 4, isStopping: false }

interface Ask {
  readonly id: string
  readonly item: string
  readonly isOrphaned: boolean
  /** Its writer has not finished when it is read for the first time. */
  readonly isCutOff: boolean
}

/** Few ids and items, so that many requests wait for each other. There is one file of a name. */
const asks: fc.Arbitrary<Ask[]> = fc.uniqueArray(
  fc.record({
    id: fc.integer({ min: 0, max: 80 }).map((n) => `id-${n}`),
    item: fc.integer({ min: 0, max: 24 }).map((n) => `item-${n}`),
    isOrphaned: fc.boolean(),
    isCutOff: fc.boolean(),
  }),
  { maxLength: 120, size: 'max', selector: ({ id, isOrphaned }) => `${id} ${isOrphaned}` },
)
/** Which of the things under way ends next. */
const ends = fc.infiniteStream(fc.nat())

class Spool {
  readonly table = new RequestTable(() => 0)
  readonly claimed: Ask[] = []
  readonly called: Ask[] = []
  readonly answered: Ask[] = []
  readonly #asks: readonly Ask[]
  /** The requests that are claimed and not called to the end, by their item. */
  readonly #queues = new Map<string, Ask[]>()
  readonly #ends = new Map<string, () => void>()

  constructor(all: readonly Ask[]) {
    this.#asks = all
    // A call over HTTP is under way for each item, so that turns come when all slots are in use.
    for (const item of new Set(all.map((ask) => ask.item))) {
      this.#queues.set(item, [{ id: `http ${item}`, item, isOrphaned: false, isCutOff: false }])
      this.#ends.set(`http ${item}`, () => this.#passTurn(item))
    }
    for (const { id, isOrphaned } of all) {
      const file = { name: `${id}.json`, id }
      const orphaned = { at: 'orphaned', ...file, claim: `${id}.claim`, claimedBefore: 'here' } as const
      this.table.add(isOrphaned ? orphaned : { at: 'waiting', ...file })
    }
  }

  /** Runs until nothing is under way. `onStep` is called whenever everything that may continue has continued. */
  run(choices: Iterator<number>, onStep: () => void, bounds: () => SpoolLimits = () => limits): void {
    for (;;) {
      for (let request = next(this.table, bounds()); request; request = next(this.table, bounds())) {
        if (request.at === 'queued') request.begin()
        else this.#claim(request)
      }
      onStep()
      const under = [...this.#ends]
      const [id, end] = under[choices.next().value % under.length] ?? []
      if (id === undefined || end === undefined) return
      this.#ends.delete(id)
      end()
    }
  }

  #claim(request: Parameters<RequestTable['activate']>[0]): void {
    const ask = this.#asks.find(({ id, isOrphaned }) => id === request.id && isOrphaned === (request.at === 'orphaned'))
    if (!ask) throw new Error('a request that was not asked')
    this.table.activate(request)
    this.claimed.push(ask)
    this.#ends.set(ask.id, () => {
      if (!ask.isCutOff) return this.#queue(ask)
      this.#set(ask, 'half-written')
      this.#ends.set(ask.id, () => this.#queue(ask))
    })
  }

  #queue(ask: Ask): void {
    const queue = this.#queues.get(ask.item) ?? []
    this.#queues.set(ask.item, queue)
    if (queue.push(ask) === 1) this.#giveTurn(ask)
    else this.#set(ask, 'queued', { hasTurn: false })
  }

  #passTurn(item: string): void {
    const queue = this.#queues.get(item)
    queue?.shift()
    if (queue?.[0]) this.#giveTurn(queue[0])
  }

  #giveTurn(ask: Ask): void {
    this.#set(ask, 'queued', { hasTurn: true, begin: () => this.#call(ask) })
  }

  #call(ask: Ask): void {
    this.called.push(ask)
    this.#set(ask, 'calling')
    this.#ends.set(ask.id, () => {
      this.#passTurn(ask.item)
      this.#set(ask, 'publishing', { isObstructed: false })
      this.#ends.set(ask.id, () => {
        this.answered.push(ask)
        this.table.remove(ask)
      })
    })
  }

  #set({ id }: Ask, at: ActiveRequest['at'], rest: object = {}): void {
    this.table.set({ name: `${id}.json`, id, claim: 'c', claimedBefore: undefined, at, ...rest } as ActiveRequest)
  }

  in(...states: ActiveRequest['at'][]): ActiveRequest[] {
    return [...this.table.active].filter(({ at }) => states.includes(at))
  }
}

const idsOf = (all: readonly Ask[]) => all.map(({ id }) => id)

test('every request is answered once, whatever ends first', () => {
  fc.assert(
    fc.property(asks, ends, (all, choices) => {
      const spool = new Spool(all)
      spool.run(choices, () => undefined)
      expect(idsOf(spool.answered).toSorted()).toEqual(idsOf(all).toSorted())
      expect([...spool.table.active]).toEqual([])
    }),
  )
})

test('at most eight requests are read or called at a time, and one is claimed at a time', () => {
  fc.assert(
    fc.property(asks, ends, (all, choices) => {
      const spool = new Spool(all)
      spool.run(choices, () => {
        expect(spool.in('claiming', 'calling').length).toBeLessThanOrEqual(limits.slots)
        expect(spool.in('claiming').length).toBeLessThanOrEqual(1)
      })
    }),
  )
})

test('all slots are in use while a request could use them', () => {
  fc.assert(
    fc.property(asks, ends, (all, choices) => {
      const spool = new Spool(all)
      spool.run(choices, () => {
        const hasFree = spool.in('claiming', 'calling').length < limits.slots
        const isBelowBounds =
          spool.in('queued').length <= limits.queuedMax &&
          spool.in('publishing').length <= limits.publishingMax &&
          spool.in('half-written').length <= limits.halfWrittenMax
        const canClaim = [...spool.table.orphaned, ...spool.table.waiting].some(({ id }) => !spool.table.isActive(id))
        expect(hasFree && isBelowBounds && canClaim && spool.in('claiming').length === 0).toBe(false)
      })
    }),
  )
})

test('calls of one item go one at a time, in the order of the claims, except for files that were half-written', () => {
  fc.assert(
    fc.property(asks, ends, (all, choices) => {
      const spool = new Spool(all)
      spool.run(choices, () => {
        const calling = spool.in('calling').map(({ id }) => spool.called.findLast((ask) => ask.id === id)?.item)
        expect(new Set(calling).size).toBe(calling.length)
      })
      for (const item of new Set(all.map((ask) => ask.item))) {
        const ofItem = (some: readonly Ask[]) => some.filter((ask) => ask.item === item && !ask.isCutOff)
        expect(ofItem(spool.called)).toEqual(ofItem(spool.claimed))
      }
    }),
  )
})

test('a second file of an id is claimed when the first is answered, and never before', () => {
  fc.assert(
    fc.property(asks, ends, (all, choices) => {
      const spool = new Spool(all)
      spool.run(choices, () => {
        const underWay = spool.claimed.filter((ask) => !spool.answered.includes(ask))
        expect(new Set(idsOf(underWay)).size).toBe(underWay.length)
      })
    }),
  )
})

test('requests are claimed oldest first, orphaned claims before new files, except where the id is busy', () => {
  fc.assert(
    fc.property(asks, ends, (all, choices) => {
      const spool = new Spool(all)
      spool.run(choices, () => undefined)
      const twice = new Set(idsOf(all).filter((id, at, ids) => ids.indexOf(id) !== at))
      const isFree = ({ id, isOrphaned }: Ask) => isOrphaned || !twice.has(id)
      const wanted = [...all.filter(({ isOrphaned }) => isOrphaned), ...all.filter(({ isOrphaned }) => !isOrphaned)]
      expect(spool.claimed.filter(isFree)).toEqual(wanted.filter(isFree))
    }),
  )
})

test('the number of requests that wait for an item, and of answers that are written, is bounded', () => {
  fc.assert(
    fc.property(asks, ends, (all, choices) => {
      const spool = new Spool(all)
      spool.run(choices, () => {
        // Half-written files join the queues when they are whole.
        const queuedMax = limits.queuedMax + limits.halfWrittenMax + limits.slots
        expect(spool.in('queued').length).toBeLessThanOrEqual(queuedMax)
        expect(spool.in('publishing').length).toBeLessThanOrEqual(limits.publishingMax + limits.slots)
      })
    }),
  )
})

test('the number of half-written files is bounded, and those above the bound are claimed when others are whole', () => {
  const table = new RequestTable(() => 0)
  for (let n = 0; n < 40; n++) table.add({ at: 'waiting', name: `${n}.json`, id: `${n}` })
  const claimAll = () => {
    for (let request = next(table, limits); request && request.at !== 'queued'; request = next(table, limits)) {
      table.activate(request)
      table.set({ at: 'half-written', name: request.name, id: request.id, claim: 'c', claimedBefore: undefined })
    }
    return [...table.active].length
  }
  expect(claimAll()).toBe(limits.halfWrittenMax + limits.slots)
  table.remove({ id: '3' })
  expect(claimAll()).toBe(limits.halfWrittenMax + limits.slots)
  expect(table.isActive(`${limits.halfWrittenMax + limits.slots}`)).toBe(true)
})

test('when the agent stops, no file is claimed any more, and every call whose turn comes is still made', () => {
  fc.assert(
    fc.property(asks, ends, fc.nat(400), (all, choices, steps) => {
      const spool = new Spool(all)
      let [step, claimed] = [0, 0]
      const isStopping = () => step > steps
      spool.run(
        choices,
        () => {
          if (!isStopping()) claimed = spool.claimed.length
          step++
        },
        () => ({ ...limits, isStopping: isStopping() }),
      )
      expect(spool.claimed).toHaveLength(claimed)
      expect(idsOf(spool.answered).toSorted()).toEqual(idsOf(spool.claimed).toSorted())
    }),
  )
})

test('a request that is tried again, or whose file name is taken by a directory, keeps no other from continuing', () => {
  const table = new RequestTable(() => 0)
  const claim = { claim: 'c', claimedBefore: undefined }
  table.set({ at: 'claiming', name: 'a.json', id: 'a', isRetried: false })
  table.add({ at: 'waiting', name: 'b.json', id: 'b' })
  expect(next(table, limits)).toBeUndefined()
  table.set({ at: 'claiming', name: 'a.json', id: 'a', isRetried: true })
  expect(next(table, limits)).toMatchObject({ id: 'b' })
  for (let n = 0; n < 100; n++) table.set({ at: 'publishing', name: 'n', id: `p-${n}`, isObstructed: true, ...claim })
  expect(next(table, limits)).toMatchObject({ id: 'b' })
  for (let n = 0; n < 100; n++) table.set({ at: 'publishing', name: 'n', id: `p-${n}`, isObstructed: false, ...claim })
  expect(next(table, limits)).toBeUndefined()
})

test('a call whose turn has come waits for a slot, goes before new claims, and is delayed by nothing else', () => {
  const table = new RequestTable(() => 0)
  const claim = { claim: 'c', claimedBefore: undefined }
  const begin = () => undefined
  table.add({ at: 'waiting', name: 'new.json', id: 'new' })
  table.set({ at: 'queued', name: 'a.json', id: 'a', hasTurn: true, begin, ...claim })
  for (let n = 0; n < 8; n++) table.set({ at: 'calling', name: 'c', id: `c-${n}`, ...claim })
  expect(next(table, limits)).toBeUndefined()
  table.remove({ id: 'c-0' })
  for (let n = 0; n < 100; n++) table.set({ at: 'queued', name: 'q', id: `q-${n}`, hasTurn: false, begin, ...claim })
  for (let n = 0; n < 100; n++) table.set({ at: 'publishing', name: 'p', id: `p-${n}`, isObstructed: false, ...claim })
  expect(next(table, limits)).toMatchObject({ id: 'a' })
})

test('a request that is claimed at the second try is as old as it was first seen', () => {
  let nowMs = 0
  const table = new RequestTable(() => nowMs)
  const request = { at: 'waiting', name: 'a.json', id: 'a' } as const
  const again = { ...request }
  table.add(request)
  table.activate(request)
  // It is seen once more while its rename is tried again.
  table.add(again)
  table.defer(request, 30_000)
  table.activate(again)
  // A third entry would keep a stuck file in the slots.
  expect(table.isKnown('a.json')).toBe(true)
  nowMs = 40_000
  table.forgetDeferred(nowMs)
  expect(table).toMatchObject({ claimed: 1, oldestMs: 0 })
})
