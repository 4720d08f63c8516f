import type { PartnerFault } from '../../../../platform-stub/faults/partner-fault.ts'
import { waveMs } from '../day.ts'
import type { ModelPlatform } from '../model-platform.ts'
import type { WaveTime } from './wave-time.ts'

const copies = 2
const timesMax = 5

/** A copy of an order is not another order. */
export function repeatWebhooks(platform: ModelPlatform, { random, within }: WaveTime): void {
  within(0, 'webhooks come twice', () =>
    platform.composed.faults.webhook.add({ kind: 'duplicate', copies, times: random.integer(1, timesMax) }),
  )
}

/** Mostly longer than the shorter deadline of a call. */
const awayMs = { min: 5_000, max: waveMs / 2 }

/** Calls are refused without an effect. */
export function endPlatform({ program }: ModelPlatform, { within, later }: WaveTime): void {
  within(awayMs.max, 'the platform ends', () => {
    program.process?.end()
    later(awayMs, 'the platform is started again', () => program.start())
  })
}

const results = ['transaction.delivery', 'transaction.delivery-failure'] as const
const aboutTransactions = ['transaction.get', ...results] as const
const dayS = 86_400

/** An order that the platform does not know now may still be open. */
export function denyTransactions(platform: ModelPlatform, time: WaveTime): void {
  answerWrongly(
    platform,
    time,
    'the platform does not know what it knows',
    aboutTransactions.map((operation) => ({ kind: 'status', status: 404, operation })),
  )
}

/** No platform needs a day. */
export function putResultsOff(platform: ModelPlatform, time: WaveTime): void {
  answerWrongly(
    platform,
    time,
    'the platform asks for a day',
    results.map((operation) => ({ kind: 'status', status: 429, retryAfterSeconds: dayS, operation })),
  )
}

type StatusFault = Omit<Extract<PartnerFault, { kind: 'status' }>, 'times'>

/** For how long answers of the platform may be wrong. */
const wrongMs = { min: 5_000, max: 40_000 }

function answerWrongly(
  platform: ModelPlatform,
  { random, within, later }: WaveTime,
  what: string,
  faults: readonly StatusFault[],
): void {
  within(wrongMs.max, what, () => {
    // Of the process that runs now: the platform may have been started again in this wave.
    const { partner } = platform.composed.faults
    for (const fault of faults) partner.add({ ...fault, times: random.integer(1, timesMax) })
    later(wrongMs, 'the platform answers correctly again', () => partner.clear())
  })
}
