import type { PartnerFault } from '../../../../platform-stub/faults/partner-fault.ts'
import { waveMs } from '../day.ts'
import type { ModelPlatform } from '../model-platform.ts'
import { hushOften, type WaveTime } from './wave-time.ts'

const copies = 2
const timesMax = 5
const timesWithoutEnd = 1_000

/** A copy of an order is not another order. */
export function repeatWebhooks(platform: ModelPlatform, { random, within }: WaveTime): void {
  within(0, 'webhooks come twice', () =>
    platform.composed.faults.webhook.add({ kind: 'duplicate', copies, times: random.integer(1, timesMax) }),
  )
}

/** The next webhooks have a wrong kid, are too old, or have another body than the signed one. */
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

/** Removes every fault, but ends no delay: if all delayed calls arrived in one moment, their effects could not be told apart. */
function removeFaults({ composed }: ModelPlatform): void {
  const { partner } = composed.faults
  for (const { id } of partner.newest(Number.MAX_SAFE_INTEGER)) partner.remove(id)
}

const results = ['transaction.delivery', 'transaction.delivery-failure'] as const
const aboutTransactions = ['transaction.get', ...results] as const
const dayS = 86_400

type OfAnyCall<Fault> = Fault extends unknown ? Omit<Fault, 'operation' | 'times'> : never
type StatusFault = Omit<Extract<PartnerFault, { kind: 'status' }>, 'times'>

/** An order that the platform does not know now may still be open. */
const denials = aboutTransactions.map((operation): StatusFault => ({ kind: 'status', status: 404, operation }))
/** A stock that is refused leaves the one before it, which may still have to be sent again. */
const stockDenials: readonly StatusFault[] = [{ kind: 'status', status: 404, operation: 'market.adjust-stock' }]
/** No platform needs a day. */
const delays = results.map(
  (operation): StatusFault => ({ kind: 'status', status: 429, retryAfterSeconds: dayS, operation }),
)

/** For a while the platform answers 404 about transactions that it knows. */
export function denyTransactions(platform: ModelPlatform, time: WaveTime): void {
  time.within(wrongMs.max, 'the platform does not know what it knows', () => answerWrongly(platform, time, denials))
}

/** For a while it shows half of them with another item. */
export function confuseTransactions({ confusing }: ModelPlatform, { within, later }: WaveTime): void {
  within(wrongMs.max, 'the platform shows other items', () => {
    confusing.isOn = true
    later(wrongMs, 'the platform shows each item as it is', () => {
      confusing.isOn = false
    })
  })
}

/** As `denyTransactions`, but without an end and about every transaction. */
export function denyEveryTransaction(platform: ModelPlatform, time: WaveTime): void {
  answerWrongly(platform, time, denials, timesWithoutEnd)
}

/** For a while the platform answers 404 to each stock. */
export function denyStocks(platform: ModelPlatform, time: WaveTime): void {
  afterLostStocks(platform, time, wrongMs.max, 'the platform does not know what is on sale', () => {
    answerWrongly(platform, time, stockDenials)
    hushOften(time)
  })
}

const lostMax = 3
/** By then a newer stock has followed, which is sent again if the older one may still arrive. */
const untilNextFaultMs = { min: 500, max: 15_000 }

/**
 * The platform acts on some stocks without saying so. Each is sent again at once, and the first attempt may still arrive. Then
 * something else happens, which lasts at most so long.
 */
export function afterLostStocks(
  platform: ModelPlatform,
  { random, within, later }: WaveTime,
  lastsMs: number,
  what: string,
  act: () => void,
): void {
  within(untilNextFaultMs.max + lastsMs, 'answers to stocks are lost', () => {
    const times = random.integer(0, lostMax)
    // Of the process that runs by then.
    const { partner } = platform.composed.faults
    if (times > 0) partner.add({ kind: 'hang-up-after', operation: 'market.adjust-stock', times })
    later(untilNextFaultMs, what, act)
  })
}

/** Operations whose effects depend on each other. */
const dependentOperations = [
  'market.adjust-stock',
  'transaction.create',
  'transaction.get',
  'transaction.delivery',
  'transaction.delivery-failure',
] as const
/** Less than most attempts may take. */
const heldUpMs = { min: 300, max: 9_000 }
const heldUpMax = 8

/** For a while the platform takes its time for one kind of call, so that others overtake it. */
export function holdUpOneKind(platform: ModelPlatform, time: WaveTime): void {
  const { random, within, atEnd } = time
  within(wrongMs.max, 'the platform is slow with one kind of call', () => {
    const { partner } = platform.composed.faults
    const operation = random.pick(dependentOperations)
    for (let count = random.integer(1, heldUpMax); count > 0; count--)
      partner.add({
        kind: 'delay',
        operation,
        delayMs: Math.round(random.magnitude(heldUpMs.min, heldUpMs.max)),
        times: 1,
      })
    hushOften(time)
  })
  atEnd('the platform is as fast as ever', () => removeFaults(platform))
}

/** Longer than the agent waits by itself before a second attempt. */
const askedS = 3

/** Of some the platform acts without an answer, of the others it does not act. A purchase is not tried again after most of them. */
const failures: readonly OfAnyCall<PartnerFault>[] = [
  { kind: 'hang-up-before' },
  { kind: 'hang-up-after' },
  { kind: 'truncate' },
  ...[408, 425, 500, 502, 503, 504].map((status) => ({ kind: 'status', status }) as const),
  ...[429, 503, 503].map((status) => ({ kind: 'status', status, retryAfterSeconds: askedS }) as const),
  // Like a date in the past, 0 asks for no wait.
  { kind: 'status', status: 429, retryAfterSeconds: 0 },
]

/** The next calls of one kind fail. They are made again later, and others overtake them. */
export function failOneKind(platform: ModelPlatform, { random, within, atEnd }: WaveTime): void {
  within(wrongMs.max, 'calls of one kind fail', () => {
    const operation = random.pick(dependentOperations)
    platform.composed.faults.partner.add({ ...random.pick(failures), operation, times: random.integer(1, timesMax) })
  })
  atEnd('calls of each kind succeed', () => removeFaults(platform))
}

/** For a while the platform asks to wait for a day with each result. */
export function putResultsOff(platform: ModelPlatform, time: WaveTime): void {
  time.within(wrongMs.max, 'the platform asks for a day', () => answerWrongly(platform, time, delays))
}

/** Prepares a platform that refuses results which it may have accepted before. @returns Begins that. */
export function prepareRefusals(platform: ModelPlatform, time: WaveTime): () => void {
  time.atEnd('the platform accepts everything again', () => {
    platform.program.start()
    removeFaults(platform)
  })
  return time.random.pick([
    () => stayAway(platform, time),
    () => answerWrongly(platform, time, denials),
    () => answerWrongly(platform, time, delays),
  ])
}

/** For how long answers of the platform may be wrong. */
const wrongMs = { min: 5_000, max: 40_000 }

function answerWrongly(
  platform: ModelPlatform,
  { random, later }: WaveTime,
  faults: readonly StatusFault[],
  times = random.integer(1, timesMax),
): void {
  // Of the process that runs now: the platform may have been started again in this wave.
  const { partner } = platform.composed.faults
  const ids = faults.map((fault) => partner.add({ ...fault, times }).id)
  later(wrongMs, 'the platform answers correctly again', () => {
    for (const id of ids) partner.remove(id)
  })
}
