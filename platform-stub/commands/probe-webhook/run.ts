import { limits } from '../../../contract/limits.ts'
import type { Clock } from '../../clock/clock.ts'
import { postWebhook } from '../../http/post-webhook.ts'
import type { Random } from '../../marketplace/random.ts'
import { type Finding, isAcknowledged, judge, type Reaction } from './judge.ts'
import type { ProbeKey } from './key.ts'
import type { Probe } from './probe.ts'
import { probesOfRefusing } from './refused.ts'
import { findingInWords, hasPassed, keyInWords, reportForPrograms, summaryInWords } from './report.ts'
import { probesOfTaking } from './taken.ts'
import { makeWorkbench, type ProbeSale, type SignedWebhook } from './workbench.ts'

/** The receiver, the key, the sale and the output of a probing. */
export interface Probing {
  /** The receiver's webhookUrl. */
  readonly url: string
  readonly key: ProbeKey
  readonly sale: ProbeSale
  readonly random: Random
  readonly clock: Clock
  /** Gets the probe that is under way, before each one: a receiver may need ten seconds for one. */
  readonly onProgress?: (text: string) => void
}

/** A probing with a place for its lines. */
export interface PrintedProbing extends Probing {
  /** Takes each line as soon as it is known. */
  readonly print: (line: string) => void
}

const probes: readonly Probe[] = [...probesOfTaking, ...probesOfRefusing]

/**
 * Tests a webhook receiver against the interface, and prints one line for each probe.
 *
 * @returns Whether every probe passed.
 * @see interface sections 5 and 6
 */
export async function probeWebhook({ print, ...probing }: PrintedProbing): Promise<boolean> {
  const nameLength = Math.max(...probes.map(({ name }) => name.length))
  const findings: Finding[] = []
  print(keyInWords(probing.key))
  for await (const finding of runProbes(probing)) {
    findings.push(finding)
    print(findingInWords(finding, nameLength))
  }
  for (const line of summaryInWords(findings, probes.length)) print(line)
  return hasPassed(findings, probes.length)
}

/** As `probeWebhook`, with the result as a value for programs. */
export async function probeForPrograms(probing: Probing) {
  return reportForPrograms(probing.key, await Array.fromAsync(runProbes(probing)), probes.length)
}

/** Sends one probe after another. It ends after the first one if nothing answers. */
async function* runProbes({ url, key, sale, random, clock, onProgress }: Probing): AsyncGenerator<Finding> {
  const bench = makeWorkbench({ key, sale, random, nowMs: () => clock.nowMs() + key.clockOffsetMs })
  const post = async (webhook: SignedWebhook): Promise<Reaction> => {
    const { body, signature } = webhook
    const sent = { url, body, signature, timeoutMs: limits.webhookTimeoutMs }
    return { webhook, outcome: await postWebhook(sent, (durationMs, wake) => clock.after(durationMs, wake)) }
  }
  const taken = new Set<SignedWebhook['event']>()
  for (const [at, probe] of probes.entries()) {
    onProgress?.(`${at + 1} of ${probes.length}: ${probe.name}`)
    const reactions = await send(probe.webhooks(bench, bench.order()), probe, post)
    if (probe.expected === 'taken') {
      for (const { webhook } of reactions.filter(isAcknowledged)) taken.add(webhook.event)
    }
    yield judge(probe, reactions, taken)
    // Nothing answers. The other probes would fail in the same way, after ten seconds each.
    if (at === 0 && reactions.every(({ outcome }) => outcome.kind === 'failure')) return
  }
}

async function send(
  webhooks: readonly SignedWebhook[],
  { areSentAtOnce }: Probe,
  post: (webhook: SignedWebhook) => Promise<Reaction>,
): Promise<Reaction[]> {
  if (areSentAtOnce) return Promise.all(webhooks.map(post))
  const reactions: Reaction[] = []
  for (const webhook of webhooks) reactions.push(await post(webhook))
  return reactions
}
