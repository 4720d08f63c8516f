import { type Clock, clockOver } from '../../../../agent/clock/clock.ts'
import { modelFs } from '../../disk/model-fs.ts'
import type { Program } from '../../host.ts'
import type { ModelProcess } from '../../process.ts'
import type { Day } from '../day.ts'
import { callByFiles, callOverHttp, sendMistake } from './call-agent.ts'
import type { GameParts } from './game-parts.ts'
import { openGameStore } from './game-store.ts'
import { liveDay, play } from './live-day.ts'
import { fileMistakes, httpMistakes, tokenMistakes } from './mistakes.ts'
import { report } from './report.ts'
import { askForOrders, hasUnreadReply, readEvents, takePushes } from './take-orders.ts'

/** When half of the mailboxes are full. */
const crowdedPhases: ReadonlySet<Day['phase']> = new Set(['wave', 'hush'])
/** A call over HTTP has reached the agent of the same host after this time. A reply that leaves later says something newer. */
const arrivesWithinMs = 1_000
/** What a game server may say about a result. */
const details = [undefined, '', 'mailbox full', 'Correio cheio: João \ud83d\ude00 \u0000 "\\', 'x'.repeat(60_000)]

/** Installs a game server that sells items, does what buyers want, sells inside the game, and handles orders. */
export function installGame(parts: GameParts): Program {
  const { host, network, callsBy, ordersBy, reportsBy, spool } = parts
  return host.install('game', (process) => {
    const fs = modelFs(host.disk, host.diskFaults, process)
    const clock = clockOver(process.time)
    const store = openGameStore(fs)
    const files =
      callsBy === 'files'
        ? callByFiles(process, fs, clock, spool, parts.record, parts.quirks, parts.witness)
        : undefined
    const callDoors = parts.callAddresses.map((address) => ({ address, access: parts.callAccess }))
    const callByHttp = callOverHttp(process, clock, network, callDoors, parts.quirks, parts.witness)
    const silentWitness = { ...parts.witness, onAsked: parts.witness.onUnheard, onTold: () => undefined }
    const callUnheard = callOverHttp(process, clock, network, callDoors, parts.quirks, silentWitness)
    const call = files?.call ?? callByHttp
    // Two threads of the game server may ask at once.
    const askingThreads = ordersBy === 'asking' ? process.random.pick([1, 1, 2]) : 1
    // It does not know when a call ends for which it does not wait, or which of two replies at once counts.
    const { isImpatient, takesBackSoon } = parts.quirks
    const waits = !isImpatient && !(callsBy === 'files' && takesBackSoon)
    const mayRely = reportsBy === 'reply' && waits && askingThreads === 1
    const relies = mayRely && process.random.happens(0.5)
    const reporting = new Map<string, Set<number>>()
    const hasArrived = (sinceMs: number) => callsBy === 'http' && clock.monotonicMs() > sinceMs + arrivesWithinMs
    const replying = new Set<string>()
    const repliedMs = new Map<string, number>()
    /** A second reply, or a call by file, may overtake one that is on its way. */
    const hasJustReplied = (itemRef: string) =>
      clock.monotonicMs() <= (repliedMs.get(itemRef) ?? Number.NEGATIVE_INFINITY) + arrivesWithinMs
    /** Two replies at once may change places on their way. */
    const isFirstForAWhile = (itemRef: string): boolean => {
      const isFirst = !hasJustReplied(itemRef)
      repliedMs.set(itemRef, clock.monotonicMs())
      return isFirst
    }
    const orders = {
      replying,
      process,
      store,
      reportsBy,
      quirks: parts.quirks,
      canGive: () => process.random.happens(crowdedPhases.has(parts.day.phase) ? 0.5 : 0.85),
      detail: () => process.random.pick(details),
      saysByReply: (itemRef: string) =>
        isFirstForAWhile(itemRef) && relies && (reporting.get(itemRef)?.values().every(hasArrived) ?? true),
      onEndTold: parts.witness.onEndTold,
      onReplyWritten: parts.witness.onReplyWritten,
      onReplyTakenAway: parts.witness.onReplyTakenAway,
    }
    const again = (what: () => 'more' | undefined) => void everyMoment(process, clock, what)
    if (files)
      again(() => {
        if (!parts.quirks.readsNothing) files.readInbox()
        return undefined
      })
    if (ordersBy === 'url') takePushes(orders, network, parts.orderDoor)
    if (ordersBy === 'files')
      again(() => (parts.quirks.isSlow ? undefined : readEvents(orders, { process, clock, fs }, spool)))
    if (ordersBy === 'asking')
      for (let threads = askingThreads; threads > 0; threads--)
        void untilDead(process, clock, () => askForOrders(orders, clock, call))
    const isReplying = (itemRef: string) =>
      replying.has(itemRef) ||
      (ordersBy === 'url' && hasJustReplied(itemRef)) ||
      (ordersBy === 'files' && hasUnreadReply(store, fs, spool, itemRef))
    const makeMistake = () => {
      const { random } = process
      if (files && random.happens(0.5)) return files.makeMistake(random.pick(fileMistakes))
      const door = random.pick(callDoors)
      const isForToken = door.access.token !== undefined && random.happens(0.2)
      void sendMistake(process, network, door, random.pick(isForToken ? tokenMistakes : httpMistakes), parts.witness)
    }
    // With a single item, all that happens at once is about the same stock. With many, most of them do not change for long.
    const itemsMax = process.random.pick([1, 3, 6])
    const ways = { call, callByHttp, callUnheard }
    const dayParts = { ...parts, ...ways, process, clock, store, makeMistake, reporting, isReplying, itemsMax }
    for (const live of [liveDay, report, play]) void untilDead(process, clock, () => live(dayParts))
  })
}

/**
 * Does something about three times a second, and again soon while there is `more`. A disk that fails is tried
 * again.
 */
async function everyMoment(process: ModelProcess, clock: Clock, what: () => 'more' | undefined): Promise<void> {
  let left: 'more' | undefined
  for (;;) {
    await clock.sleep(left === 'more' ? process.random.between(1, 60) : process.random.between(150, 600))
    left = undefined
    try {
      left = what()
    } catch (error) {
      if (process.state === 'dead') throw error
    }
  }
}

/** Begins again after each error of the disk. */
async function untilDead(process: ModelProcess, clock: Clock, work: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      await work()
    } catch (error) {
      if (process.state === 'dead') throw error
    }
    await clock.sleep(1_000)
  }
}
