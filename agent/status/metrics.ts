import { Counter, Gauge, type Metric, Registry } from 'prom-client'
import type { Counters, LabelledCounts } from './counters.ts'
import type { Status } from './status.ts'

const prefix = 'market_agent_'

/** What GET /metrics answers. A caller cannot choose the value of a label. */
export async function writeMetrics(
  status: Status,
  counters: Counters,
  version: string,
): Promise<{ readonly text: string; readonly contentType: string }> {
  const registry = new Registry()
  const registers = [registry]
  const count = <Label extends string>(name: string, help: string, counts: LabelledCounts<Label>): void => {
    const counter = new Counter({ name: prefix + name, help, labelNames: counts.labels, registers })
    for (const { labels, count: value } of counts.entries()) counter.inc(labels, value)
  }
  const gauge = (name: string, help: string, value: number): void => {
    new Gauge({ name: prefix + name, help, registers }).set(value)
  }
  const { calls, platform, store, spool, orders } = status

  count('calls_total', 'Calls that ended. not-kept: the journal could not keep the answer.', counters.calls)
  count('attempts_total', 'Attempts to send a call to the platform, by their result.', counters.attempts)
  registry.registerMetric(durationsOf(counters))
  gauge('calls_in_flight', 'Calls without an answer.', calls.inFlight)
  if (store) {
    gauge('store_up', '1 if the store that agents share can be asked.', store.up ? 1 : 0)
    gauge('lease_seconds', 'How long the agent may act without renewing its lease.', store.leaseS)
    if (store.agents) gauge('agents', 'Agents that share the store and are alive.', store.agents.length)
  }
  if (spool) {
    gauge('spool_backlog', 'Request files that are not claimed.', spool.backlog)
    gauge('spool_oldest_age_seconds', 'Age of the oldest request file without an answer.', spool.oldestAgeS ?? 0)
  }
  if (platform.clockOffsetMs !== null)
    gauge('clock_offset_seconds', "The platform's clock minus this host's.", platform.clockOffsetMs / 1000)
  const lastContactMs = platform.lastContactAt === null ? 0 : Date.parse(platform.lastContactAt)
  gauge(
    'last_contact_timestamp_seconds',
    'The last proof that calls go through; 0 if there is none.',
    lastContactMs / 1000,
  )
  if (orders) {
    gauge('orders_open', 'Paid orders that are not closed.', orders.open)
    gauge('orders_oldest_age_seconds', 'Age of the oldest open order.', orders.oldestAgeS ?? 0)
  }
  count('webhooks_total', 'Webhooks that were answered, by their result.', counters.webhooks)
  gauge('ready', '1 if nothing is known that would make calls fail.', status.ready ? 1 : 0)
  new Gauge({ name: `${prefix}build_info`, help: 'The running version.', labelNames: ['version'], registers }).set(
    { version },
    1,
  )
  return { text: await registry.metrics(), contentType: registry.contentType }
}

/** A histogram of prom-client does not accept numbers that were counted elsewhere. So this writes its form. */
function durationsOf({ durations }: Counters): Metric<string> {
  const name = `${prefix}call_duration_seconds`
  const help = 'Time from a call to its answer.'
  const { boundsS, counts, sumS } = durations
  let total = 0
  const values = counts.map((count, n) => {
    total += count
    return { metricName: `${name}_bucket`, labels: { le: String(boundsS[n] ?? '+Inf') }, value: total }
  })
  values.push(
    { metricName: `${name}_sum`, labels: {} as { le: string }, value: sumS },
    { metricName: `${name}_count`, labels: {} as { le: string }, value: total },
  )
  return {
    name,
    get: async () => ({ name, help, type: 'histogram', values, aggregator: 'sum' }),
  } as unknown as Metric<string>
}
