import { observedQuantityOf } from '../../../contract/events.ts'
import { readStrictJson } from '../../../contract/strict-json.ts'
import { isAcknowledgement, type PostOutcome } from '../../webhooks/webhook-post.ts'
import type { Probe } from './probe.ts'
import type { SignedWebhook } from './workbench.ts'

/** `unjudged`: the receiver refuses proper webhooks of this event, so its other refusals prove nothing. */
export type Verdict = 'ok' | 'failed' | 'unjudged'

/** The result of one probe. */
export interface Finding {
  readonly probe: Probe
  readonly verdict: Verdict
  /** The answers to the webhooks that are judged. */
  readonly reactions: readonly Reaction[]
}

/** The answer to one webhook. */
export interface Reaction {
  readonly webhook: SignedWebhook
  readonly outcome: PostOutcome
}

/** What to do in the receiver; null where the probe passed, or was not judged. */
export function cureOf({ probe, verdict, reactions }: Finding): string | null {
  if (verdict !== 'failed') return null
  const isUnanswered = reactions.some(({ outcome }) => outcome.kind === 'failure')
  return isUnanswered ? 'answer every webhook with a status within 10 s, one that you refuse with 401' : probe.cure
}

/** Whether the platform would end the delivery. @see interface section 6, delivery rule 1 */
export function isAcknowledged({ outcome }: Reaction): boolean {
  return outcome.kind === 'answer' && isAcknowledgement(outcome.status)
}

/** @param taken The events of which the receiver has acknowledged a proper webhook. */
export function judge(probe: Probe, all: readonly Reaction[], taken: ReadonlySet<SignedWebhook['event']>): Finding {
  const reactions = all.filter(({ webhook }) => !webhook.isGroundwork)
  const takesProperOnes = reactions.every(({ webhook }) => taken.has(webhook.event))
  return { probe, verdict: verdictOf(probe, reactions, takesProperOnes), reactions }
}

function verdictOf({ expected }: Probe, reactions: readonly Reaction[], takesProperOnes: boolean): Verdict {
  if (expected === 'taken') return reactions.every(isTaken) ? 'ok' : 'failed'
  // A broken connection is not a refusal.
  if (reactions.some((reaction) => isAcknowledged(reaction) || reaction.outcome.kind === 'failure')) return 'failed'
  return takesProperOnes ? 'ok' : 'unjudged'
}

/** The answer to an order must have the stock. The answer to an end may have any body. */
function isTaken(reaction: Reaction): boolean {
  if (!isAcknowledged(reaction)) return false
  return reaction.webhook.event === 'transaction_terminal' || reportsStock(reaction.outcome)
}

function reportsStock(outcome: PostOutcome): boolean {
  const reading = outcome.kind === 'answer' ? readStrictJson(outcome.body) : undefined
  return reading?.ok === true && observedQuantityOf(reading.object.value) !== undefined
}
