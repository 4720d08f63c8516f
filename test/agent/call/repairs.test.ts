import { expect, test } from 'vitest'
import { NotedObservations } from '../../../agent/call/noted-observations.ts'
import type { RepairJournal } from '../../../agent/call/repair-journal.ts'
import { Repairs } from '../../../agent/call/repairs.ts'
import type { Clock } from '../../../agent/clock/clock.ts'
import { StoreFullError, StoreUnreachableError } from '../../../agent/database/store-errors.ts'
import { answeredWith, callPipeline } from '../fixtures/call-pipeline.ts'
import { memoryRepairJournal } from '../fixtures/memory-repair-journal.ts'
import { ScriptedPlatform, type Step } from '../fixtures/scripted-platform.ts'
import { startTestAgent, type TestAgent } from '../fixtures/test-agent.ts'
import { unexpected } from '../fixtures/unexpected.ts'

const adjust = (observedQuantity: number) => ['market.adjust-stock', { itemRef: 'item-1', observedQuantity }] as const
const observed = (platform: ScriptedPlatform) => platform.seen.map(({ body }) => JSON.parse(body).observedQuantity)
/** Of an envelope, and what the agent may be ahead of the platform's clock, with an attempt timeout of 10 s. */
const lifetimeMs = 43_000
/** One attempt, so that a silent platform ends the call. */
const oneAttempt = { callDeadlineMs: 10_000 }

/** The answer to an observation of 5 is lost, and 3 is accepted after it. `startedMs` is when the lost attempt began. */
async function startAfterLoss() {
  await using started = new AsyncDisposableStack()
  const platform = started.use(await ScriptedPlatform.start([{ fault: 'silence' }]))
  platform.otherwise = { status: 200 }
  const agent = started.use(await startTestAgent(platform.url, oneAttempt))
  const startedMs = agent.clock.monotonicMs()
  const lost = agent.call(...adjust(5))
  await platform.requests(1)
  agent.clock.advance(10_000)
  expect(await lost).toMatchObject({ ok: false, uncertain: true })
  expect(await agent.call(...adjust(3))).toMatchObject({ ok: true })
  const running = started.move()
  return { platform, agent, startedMs, [Symbol.asyncDispose]: () => running.disposeAsync() }
}

async function advanceTo(agent: TestAgent, atMs: number): Promise<void> {
  agent.clock.advance(atMs - agent.clock.monotonicMs())
  await new Promise(setImmediate)
}

/** The next request is accepted as soon as the returned function is called. */
function holdAnswer(platform: ScriptedPlatform): () => void {
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
  platform.steps.push({ status: 200, after: answered })
  return answer
}

const repairsOf = (agent: TestAgent) => agent.logLines().filter(({ msg }) => msg.startsWith('observation sent again'))

const notedIn = (journal: RepairJournal, clock: Clock) =>
  new NotedObservations(journal, { clock, lifetimeMs, onError: unexpected })

test('the newest observation is sent again when a lost one can no longer arrive, and not before', async () => {
  await using item = await startAfterLoss()
  const { platform, agent, startedMs } = item
  await advanceTo(agent, startedMs + lifetimeMs - 1)
  expect(observed(platform)).toEqual([5, 3])
  agent.clock.advance(1)
  await platform.requests(3)
  expect(observed(platform)).toEqual([5, 3, 3])
  expect(new Set(platform.seen.map(({ envelope }) => envelope.jti)).size).toBe(3)
})

test('a repair is neither logged nor counted as a call', async () => {
  await using item = await startAfterLoss()
  const { platform, agent, startedMs } = item
  await advanceTo(agent, startedMs + lifetimeMs)
  await platform.requests(3)
  // Its turn is over when this call has had its own.
  await agent.call(...adjust(2))
  expect(repairsOf(agent)).toMatchObject([{ itemRef: 'item-1', observedQuantity: 3, outcome: 'accepted' }])
  expect(agent.logLines().filter(({ msg }) => msg === 'call answered')).toHaveLength(3)
  const status: unknown = await (await fetch(`${agent.url}/status`)).json()
  expect(status).toMatchObject({ calls: { ok: 2, uncertain: 1, refused: 0 } })
})

test('a lost observation without a newer one is not sent again', async () => {
  await using platform = await ScriptedPlatform.start([{ status: 200 }, { fault: 'silence' }])
  await using agent = await startTestAgent(platform.url, oneAttempt)
  await agent.call(...adjust(7))
  const lost = agent.call(...adjust(5))
  await platform.requests(2)
  agent.clock.advance(10_000)
  expect(await lost).toMatchObject({ uncertain: true })
  await advanceTo(agent, agent.clock.monotonicMs() + 10 * lifetimeMs)
  expect(observed(platform)).toEqual([7, 5])
})

test('a repair whose answer is lost is made again when it can no longer arrive itself', async () => {
  await using item = await startAfterLoss()
  const { platform, agent, startedMs } = item
  platform.steps.push({ fault: 'reset' })
  await advanceTo(agent, startedMs + lifetimeMs)
  await platform.requests(3)
  // After the repair in its item's queue.
  expect(await agent.call('market.withdraw', { itemRef: 'item-1' })).toMatchObject({ ok: true })
  await advanceTo(agent, startedMs + 2 * lifetimeMs - 1)
  expect(observed(platform)).toEqual([5, 3, 3, undefined])
  agent.clock.advance(1)
  await platform.requests(5)
  expect(observed(platform)).toEqual([5, 3, 3, undefined, 3])
})

test('a repair waits for the call under way and sends what that call observed', async () => {
  await using item = await startAfterLoss()
  const { platform, agent, startedMs } = item
  await advanceTo(agent, startedMs + lifetimeMs - 1)
  const answer = holdAnswer(platform)
  const newer = agent.call(...adjust(2))
  await platform.requests(3)
  await advanceTo(agent, startedMs + lifetimeMs)
  expect(observed(platform)).toEqual([5, 3, 2])
  answer()
  expect(await newer).toMatchObject({ ok: true })
  agent.clock.advance(0)
  await platform.requests(4)
  expect(observed(platform)).toEqual([5, 3, 2, 2])
})

test('an observation that is sent when nothing old can arrive any more is its own repair', async () => {
  await using item = await startAfterLoss()
  const { platform, agent, startedMs } = item
  await advanceTo(agent, startedMs + lifetimeMs - 1)
  const answer = holdAnswer(platform)
  const withdrawal = agent.call('market.withdraw', { itemRef: 'item-1' })
  await platform.requests(3)
  // Both join the queue: this call, then the repair.
  const running = agent.clock.timersRunning
  const newer = agent.call(...adjust(2))
  await agent.clock.timers(running + 1)
  await advanceTo(agent, startedMs + lifetimeMs)
  answer()
  await withdrawal
  expect(await newer).toMatchObject({ ok: true })
  await advanceTo(agent, startedMs + 3 * lifetimeMs)
  expect(observed(platform)).toEqual([5, 3, undefined, 2])
})

for (const [what, step] of [
  ['of a withdrawn listing', { status: 409, body: '{"message":"Anúncio retirado."}' }],
  ['of an unknown listing', { status: 404, body: '{"message":"Anúncio desconhecido."}' }],
] satisfies [string, Step][]) {
  test(`a repair ${what} ends with the refusal`, async () => {
    await using item = await startAfterLoss()
    const { platform, agent, startedMs } = item
    platform.steps.push(step)
    await advanceTo(agent, startedMs + lifetimeMs)
    await platform.requests(3)
    await agent.call('market.withdraw', { itemRef: 'item-1' })
    await advanceTo(agent, startedMs + 10 * lifetimeMs)
    expect(platform.seen).toHaveLength(4)
    expect(repairsOf(agent)).toMatchObject([{ outcome: 'refused', fault: 'rejected' }])
  })
}

for (const [what, step] of [
  ['a page of a proxy', { status: 404, body: '<html>Not Found</html>' }],
  ['a redirect', { status: 302 }],
] satisfies [string, Step][]) {
  test(`a repair that ${what} answers is made again`, async () => {
    await using item = await startAfterLoss()
    const { platform, agent, startedMs } = item
    platform.steps.push(step)
    await advanceTo(agent, startedMs + lifetimeMs)
    await platform.requests(3)
    // After the repair in its item's queue.
    await agent.call('market.withdraw', { itemRef: 'item-1' })
    await advanceTo(agent, startedMs + 2 * lifetimeMs)
    await platform.requests(5)
    expect(observed(platform)).toEqual([5, 3, 3, undefined, 3])
  })
}

test('a repair that is refused only for its time is made again after the timeout of an attempt', async () => {
  await using item = await startAfterLoss()
  const { platform, agent, startedMs } = item
  const headers = { date: new Date(agent.clock.wallMs() + 3_600_000).toUTCString() }
  platform.steps.push({ status: 401, body: '{"message":"Assinatura expirada."}', headers })
  await advanceTo(agent, startedMs + lifetimeMs)
  await platform.requests(3)
  // After the repair in its item's queue.
  await agent.call('market.withdraw', { itemRef: 'item-1' })
  await advanceTo(agent, startedMs + lifetimeMs + 10_000)
  await platform.requests(5)
  expect(observed(platform)).toEqual([5, 3, 3, undefined, 3])
})

for (const { what, refusal, repaired } of [
  { what: 'a page of a proxy', refusal: { status: 404, body: '<html>Not Found</html>' }, repaired: 2 },
  { what: 'a redirect', refusal: { status: 302 }, repaired: 2 },
  { what: 'the platform', refusal: { status: 409, body: '{"message":"Anúncio retirado."}' }, repaired: 3 },
]) {
  test(`when ${what} refuses a call after an attempt in doubt, the repair sends ${repaired}`, async () => {
    await using item = await startAfterLoss()
    const { platform, agent, startedMs } = item
    platform.steps.push({ fault: 'reset' }, refusal)
    expect(await agent.call(...adjust(2))).toMatchObject({ ok: false, uncertain: true })
    // At the first moment only the lost 5 has expired, at the second one also the attempt in doubt.
    await advanceTo(agent, startedMs + lifetimeMs)
    expect(observed(platform)).toHaveLength(4)
    await advanceTo(agent, startedMs + 2 * lifetimeMs)
    await platform.requests(5)
    expect(observed(platform)).toEqual([5, 3, 2, 2, repaired])
  })
}

test('a repair is made whenever the platform comes back', async () => {
  await using item = await startAfterLoss()
  const { platform, agent, startedMs } = item
  await platform.stop()
  for (let n = 1; n <= 3; n++) {
    await advanceTo(agent, startedMs + n * lifetimeMs)
    // Refused at once, because nothing listens. It is after the repair in the queue.
    expect(await agent.call('market.withdraw', { itemRef: 'item-1' })).toMatchObject({ status: 503 })
  }
  await platform.listen()
  await advanceTo(agent, agent.clock.monotonicMs() + lifetimeMs)
  await platform.requests(3)
  expect(observed(platform)).toEqual([5, 3, 3])
})

test('a repair shows whether calls go through, as a call does', async () => {
  await using item = await startAfterLoss()
  const { platform, agent, startedMs } = item
  const status = async () => (await fetch(`${agent.url}/status`)).json()
  await platform.stop()
  await advanceTo(agent, startedMs + lifetimeMs)
  await expect.poll(status, { timeout: 5_000 }).toMatchObject({ ready: false })
  await platform.listen()
  await advanceTo(agent, agent.clock.monotonicMs() + lifetimeMs)
  await platform.requests(3)
  await expect.poll(status, { timeout: 5_000 }).toMatchObject({ ready: true })
})

test('an observation whose repair cannot be noted is refused before it is sent', async () => {
  const sent: string[] = []
  const results = [{ kind: 'failed', wasSent: true, cause: new Error('lost') }, answeredWith(200, '')] as const
  const { call, clock, deps } = callPipeline(
    async (_operation, { body }) => {
      sent.push(body)
      return results[Math.min(sent.length, results.length) - 1] ?? expect.unreachable()
    },
    { repairs: { leave: (left) => repairs.leave(left), end: (...ended) => repairs.end(...ended) } },
  )
  let isFull = false
  const { turns, sending } = deps
  const journal = memoryRepairJournal(clock)
  const repairs = new Repairs({
    observations: notedIn(
      {
        ...journal,
        async noteRepair(repair) {
          if (isFull) throw new StoreFullError('ENOSPC', new Error('full'))
          await journal.noteRepair(repair)
        },
      },
      clock,
    ),
    turns,
    sending,
    onRepair: () => undefined,
    onError: unexpected,
  })
  await repairs.start()
  expect(await call(...adjust(5))).toMatchObject({ ok: true })
  expect(sent).toHaveLength(2)
  isFull = true
  expect(await call(...adjust(3))).toMatchObject({ ok: false, code: 'JOURNAL_FULL', uncertain: false })
  expect(sent).toHaveLength(2)
  isFull = false
  expect(await call(...adjust(2))).toMatchObject({ ok: true })
  expect(await journal.findRepairs()).toMatchObject([{ itemRef: 'item-1', quantity: 2 }])
})

/** What a repair reports whose turn cannot be had. */
async function reportedOf(failure: Error): Promise<unknown[]> {
  const { clock, deps } = callPipeline(unexpected)
  const errors: unknown[] = []
  const journal = memoryRepairJournal(clock)
  await journal.noteRepair({ itemRef: 'item-1', quantity: 3, dueInMs: 0 })
  const turns = {
    ...deps.turns,
    take: () => ({ ...deps.turns.take('', 'join-later'), wait: () => Promise.reject(failure) }),
  }
  const repairs = new Repairs({
    observations: notedIn(journal, clock),
    turns,
    sending: deps.sending,
    onRepair: unexpected,
    onError: (error) => errors.push(error),
  })
  await repairs.start()
  clock.advance(lifetimeMs)
  for (let turn = 0; turn < 4; turn++) await new Promise(setImmediate)
  return errors
}

test('a repair that a bug ends is reported', async () => {
  const bug = new Error('a bug')
  expect(await reportedOf(bug)).toEqual([bug])
})

test.each([new StoreFullError('53100', new Error('full')), new StoreUnreachableError('the connection ended')])(
  'a repair that has no turn because of its store is not reported as a bug: %s',
  async (failure) => {
    expect(await reportedOf(failure)).toEqual([])
  },
)

test('a repair whose journal fails is reported, and rejects nowhere', async () => {
  const results = [{ kind: 'failed', wasSent: true, cause: new Error('lost') }, answeredWith(200, '')] as const
  let attempts = 0
  const { call, clock, deps } = callPipeline(async () => results[Math.min(attempts++, 1)] ?? expect.unreachable(), {
    repairs: { leave: (left) => repairs.leave(left), end: (...ended) => repairs.end(...ended) },
  })
  const errors: unknown[] = []
  const broken = new Error('the disk failed')
  const { turns, sending } = deps
  const repairs = new Repairs({
    observations: notedIn(memoryRepairJournal(clock, { removeRepair: () => Promise.reject(broken) }), clock),
    turns,
    sending,
    onRepair: unexpected,
    onError: (error) => errors.push(error),
  })
  await repairs.start()
  expect(await call(...adjust(5))).toMatchObject({ ok: true })
  expect(await call(...adjust(3))).toMatchObject({ ok: true })
  clock.advance(lifetimeMs)
  for (let turn = 0; turn < 4; turn++) await new Promise(setImmediate)
  expect(attempts).toBe(4)
  expect(errors).toEqual([broken])
})

test('a start that fails leaves what the last process may have on its way to the next start', async () => {
  const { clock, deps } = callPipeline(unexpected)
  const { turns, sending } = deps
  const journal = memoryRepairJournal(clock)
  await journal.begin(lifetimeMs)
  const failed = new Repairs({
    observations: notedIn(journal, clock),
    turns,
    sending,
    onRepair: unexpected,
    onError: unexpected,
  })
  await failed.close()
  expect(await journal.begin(lifetimeMs)).toBe(lifetimeMs)
})

test('an observation writes nothing where no attempt was abandoned', async () => {
  const written: string[] = []
  const { call, clock, deps } = callPipeline(async () => answeredWith(200, ''), {
    repairs: { leave: (left) => repairs.leave(left), end: (...ended) => repairs.end(...ended) },
  })
  const journal = memoryRepairJournal(clock, {
    noteRepair: async ({ itemRef }) => void written.push(itemRef),
    removeRepair: async (itemRef) => void written.push(itemRef),
  })
  const { turns, sending } = deps
  const repairs = new Repairs({
    observations: notedIn(journal, clock),
    turns,
    sending,
    onRepair: () => undefined,
    onError: unexpected,
  })
  await repairs.start()
  for (const quantity of [5, 4, 3]) expect(await call(...adjust(quantity))).toMatchObject({ ok: true })
  await call('market.withdraw', { itemRef: 'item-1' })
  expect(written).toEqual([])
})
