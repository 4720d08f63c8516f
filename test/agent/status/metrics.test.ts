import { expect, test } from 'vitest'
import { StoreFullError } from '../../../agent/database/store-errors.ts'
import { Counters } from '../../../agent/status/counters.ts'
import manifest from '../../../package.json' with { type: 'json' }
import { answeredWith, callPipeline, memoryJournal } from '../fixtures/call-pipeline.ts'
import { end } from '../fixtures/events.ts'
import { ScriptedPlatform } from '../fixtures/scripted-platform.ts'
import { goodBodies, goodInputs, startTestAgent, type TestAgent } from '../fixtures/test-agent.ts'
import { startTestBridge } from '../fixtures/test-bridge.ts'

/** Each sample of a scrape by its name and labels. */
async function scrape(agent: TestAgent): Promise<ReadonlyMap<string, number>> {
  const response = await fetch(`${agent.url}/metrics`)
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  const lines = (await response.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]))
}

const labelsOfFamilies = async (agent: TestAgent) => {
  const families = new Map<string, Set<string>>()
  for (const sample of (await scrape(agent)).keys()) {
    const [, name = '', labels = ''] = /^(\w+?)(?:_bucket|_sum|_count)?(?:\{(.*)\})?$/.exec(sample) ?? []
    const known = families.get(name) ?? new Set()
    for (const [, label = ''] of labels.matchAll(/(\w+)="/g)) known.add(label)
    families.set(name, known)
  }
  return Object.fromEntries([...families].map(([name, labels]) => [name, [...labels]]))
}

test('the metrics have the documented names and labels, and no others', async () => {
  await using bridge = await startTestBridge({ withSpool: true })
  await bridge.agent.call('market.eligibility', goodInputs['market.eligibility'])
  await bridge.webhook(end)
  expect(await labelsOfFamilies(bridge.agent)).toEqual({
    market_agent_calls_total: ['operation', 'outcome', 'source'],
    market_agent_attempts_total: ['operation', 'result'],
    market_agent_call_duration_seconds: ['le'],
    market_agent_calls_in_flight: [],
    market_agent_spool_backlog: [],
    market_agent_spool_oldest_age_seconds: [],
    market_agent_clock_offset_seconds: [],
    market_agent_last_contact_timestamp_seconds: [],
    market_agent_orders_open: [],
    market_agent_orders_oldest_age_seconds: [],
    market_agent_webhooks_total: ['event', 'result'],
    market_agent_ready: [],
    market_agent_build_info: ['version'],
  })
})

test('calls, attempts and durations are counted from the start, before the first scrape', async () => {
  await using platform = await ScriptedPlatform.start([{ status: 503, body: '{"message":"Espere."}' }])
  platform.otherwise = { status: 200, body: goodBodies['market.eligibility'] ?? '' }
  await using agent = await startTestAgent(platform.url)
  for (let n = 0; n < 2; n++) await agent.call('market.eligibility', goodInputs['market.eligibility'], 'same')
  const samples = await scrape(agent)
  const calls = (source: string) =>
    samples.get(`market_agent_calls_total{operation="market.eligibility",outcome="ok",source="${source}"}`)
  expect([calls('platform'), calls('stored')]).toEqual([1, 1])
  const attempts = (result: string) =>
    samples.get(`market_agent_attempts_total{operation="market.eligibility",result="${result}"}`)
  expect([attempts('unavailable'), attempts('ok')]).toEqual([1, 1])
  expect(samples.get('market_agent_call_duration_seconds_count')).toBe(2)
  expect(samples.get('market_agent_call_duration_seconds_bucket{le="+Inf"}')).toBe(2)
  expect(samples.get('market_agent_call_duration_seconds_bucket{le="0.005"}')).toBe(1)
  expect(samples.get('market_agent_ready')).toBe(1)
  expect(samples.get('market_agent_last_contact_timestamp_seconds')).toBeCloseTo(agent.clock.wallMs() / 1000, 0)
  expect(samples.get(`market_agent_build_info{version="${manifest.version}"}`)).toBe(1)
})

test('the first uncertain call is a rise from 0, which an alert can see', async () => {
  await using platform = await ScriptedPlatform.start()
  await using agent = await startTestAgent(platform.url)
  const uncertain = 'market_agent_calls_total{operation="transaction.create",outcome="uncertain",source="platform"}'
  expect((await scrape(agent)).get(uncertain)).toBe(0)
  platform.otherwise = { fault: 'reset' }
  await agent.call('transaction.create', goodInputs['transaction.create'])
  expect((await scrape(agent)).get(uncertain)).toBe(1)
})

test('no label has a value that a caller chose', async () => {
  await using platform = await ScriptedPlatform.start()
  await using agent = await startTestAgent(platform.url)
  await agent.call('market.eligibility', { characterRef: 'chosen-by-a-caller' }, 'chosen-by-a-caller')
  await agent.call('chosen-by-a-caller', {}, 'chosen-by-a-caller')
  expect([...(await scrape(agent)).keys()].join('\n')).not.toContain('chosen')
})

test('an answer that the journal could not keep is counted as such', async () => {
  const counters = new Counters()
  const { call } = callPipeline(async () => answeredWith(200, goodBodies['market.eligibility'] ?? ''), {
    journal: memoryJournal({
      recordAnswer: async () => {
        throw new StoreFullError('ENOSPC', new Error('full'))
      },
    }),
    onDone: (...answered) => counters.onAnswered(...answered),
  })
  expect(await call('market.eligibility', goodInputs['market.eligibility'], 'id-1')).toMatchObject({ ok: true })
  const notKept = [...counters.calls.entries()].filter(({ labels }) => labels.outcome === 'not-kept')
  expect(notKept.filter(({ count }) => count > 0)).toEqual([
    { labels: { operation: 'market.eligibility', outcome: 'not-kept', source: 'platform' }, count: 1 },
  ])
})
