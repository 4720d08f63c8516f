import type { PartnerFault } from '../../../../platform-stub/faults/partner-fault.ts'
import type { Network } from '../../network/network.ts'
import { waveMs } from '../day.ts'
import { type ModelPlatform, platformAddress } from '../model-platform.ts'
import type { WaveTime } from './wave-time.ts'

const copies = 2
const timesMax = 5

/** A copy of an order is not another order. */
export function repeatWebhooks(platform: ModelPlatform, { random, within }: WaveTime): void {
  within(0, 'webhooks come twice', () =>
    platform.composed.faults.webhook.add({ kind: 'duplicate', copies, times: random.integer(1, timesMax) }),
  )
}

/** Somebody else sends them, or an old one again. */
export function breakWebhooks(platform: ModelPlatform, { random, within }: WaveTime): void {
  const kind = random.pick(['wrong-kid', 'expired', 'altered-body'] as const)
  within(0, 'webhooks are not signed as they must be', () =>
    platform.composed.faults.webhook.add({ kind, times: random.integer(1, timesMax) }),
  )
}

/** Mostly longer than the shorter deadline of a call. */
const awayMs = { min: 5_000, max: waveMs / 2 }

/** Calls are refused without an effect. */
export function endPlatform(platform: ModelPlatform, time: WaveTime): void {
  time.within(awayMs.max, 'the platform ends', () => stayAway(platform, time))
}

function stayAway({ program }: ModelPlatform, { later }: WaveTime): void {
  program.process?.end()
  later(awayMs, 'the platform is started again', () => program.start())
}

const results = ['transaction.delivery', 'transaction.delivery-failure'] as const
const aboutTransactions = ['transaction.get', ...results] as const
const dayS = 86_400

const lossFaults = ['answer dropped', 'reset after it arrived', 'intermediary gives up'] as const
const lossMs = { min: 2_000, max: 15_000 }

/** The platform acts, and nobody hears it: for so long that a call may end in doubt. */
export function loseAnswers(network: Network, { random, within, later }: WaveTime): void {
  within(lossMs.max, 'answers of the platform are lost', () => {
    const fault = random.pick(lossFaults)
    const stopLosing = network.faults.add({ fault, address: platformAddress, rate: random.pick([0.5, 1]), random })
    later(lossMs, 'no answer of the platform is lost any more', stopLosing)
  })
}

type StatusFault = Omit<Extract<PartnerFault, { kind: 'status' }>, 'times'>

/** An order that the platform does not know now may still be open. */
const denials = aboutTransactions.map((operation): StatusFault => ({ kind: 'status', status: 404, operation }))
/** A stock that is refused leaves the one before it, which may still have to be sent again. */
const stockDenials: readonly StatusFault[] = [{ kind: 'status', status: 404, operation: 'market.adjust-stock' }]
/** No platform needs a day. */
const delays = results.map(
  (operation): StatusFault => ({ kind: 'status', status: 429, retryAfterSeconds: dayS, operation }),
)

export function denyTransactions(platform: ModelPlatform, time: WaveTime): void {
  time.within(wrongMs.max, 'the platform does not know what it knows', () => answerWrongly(platform, time, denials))
}

export function denyStocks(platform: ModelPlatform, time: WaveTime): void {
  time.within(wrongMs.max, 'the platform does not know what is on sale', () =>
    answerWrongly(platform, time, stockDenials),
  )
}

export function putResultsOff(platform: ModelPlatform, time: WaveTime): void {
  time.within(wrongMs.max, 'the platform asks for a day', () => answerWrongly(platform, time, delays))
}

/** @returns Called when something was sent that will be sent again: what the platform accepted then, it refuses now. */
export function refuseRepetitions(platform: ModelPlatform, time: WaveTime): () => void {
  time.atEnd('the platform accepts everything again', () => {
    platform.program.start()
    platform.composed.faults.partner.clear()
  })
  return time.random.pick([
    () => stayAway(platform, time),
    () => answerWrongly(platform, time, denials),
    () => answerWrongly(platform, time, delays),
  ])
}

/** For how long answers of the platform may be wrong. */
const wrongMs = { min: 5_000, max: 40_000 }

function answerWrongly(platform: ModelPlatform, { random, later }: WaveTime, faults: readonly StatusFault[]): void {
  // Of the process that runs now: the platform may have been started again in this wave.
  const { partner } = platform.composed.faults
  for (const fault of faults) partner.add({ ...fault, times: random.integer(1, timesMax) })
  later(wrongMs, 'the platform answers correctly again', () => partner.clear())
}
