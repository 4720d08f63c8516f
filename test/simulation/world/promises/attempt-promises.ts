import type { AttemptResult } from '../../../../agent/platform/attempt-result.ts'
import type { DiskFaults } from '../../disk/disk-faults.ts'
import type { Network } from '../../network/network.ts'
import type { GameCall, Told } from '../game/call-agent.ts'
import type { ModelPlatform } from '../model-platform.ts'
import type { SentRequest } from '../sent-request.ts'
import { actedAsTold, isProvable } from './acted.ts'
import { outcomeOf } from './attempt-outcome.ts'
import { keyOfCall, keyOfSent } from './call-keys.ts'
import type { Break } from './judge.ts'

/** Calls of a game server that mean the same. */
interface CallsOfKey {
  /** Those that were not told to be refused, for certain. */
  readonly notRefused: Set<GameCall>
  /** Attempts for all of them that were not refused for certain. */
  readonly doubtful: Set<SentRequest>
  readonly sinceMs: number
  readonly diskChanges: number
}

/** A call whose end is not heard: that of a tool, or one that a power cut may bring back with its file. */
const unknown: GameCall = { operation: '', input: {}, id: undefined }

/** The agent says with this that a success does not match the contract. */
const notUnderstood = 'ANSWER_INVALID'

interface AttemptPromisesParts {
  readonly break: Break
  readonly platform: ModelPlatform
  readonly network: Network
  readonly gameServerId: () => number | undefined
  readonly nowMs: () => number
  /** Undefined for an agent that shares its store: another one may make the attempts, so they are not seen here. */
  readonly ownAgent: OwnAgent | undefined
}

/** The only agent that makes attempts for a game server. */
export interface OwnAgent {
  readonly diskFaults: Pick<DiskFaults, 'changes' | 'isHealthy'>
  /** When the process that runs now was started. */
  readonly startedMs: () => number
  /** Whether it has begun to work and has not been told to stop. */
  readonly isWorking: () => boolean
  /** What a call with all its attempts may take. */
  readonly callDeadlineMs: () => number
}

/**
 * What a caller is told is true of the attempts that were made (I5). A refusal without `uncertain` means that none of them
 * may have acted. `uncertain` means that one of them may.
 */
export class AttemptPromises {
  readonly #parts: AttemptPromisesParts
  /** Until the platform is seen to have acted. */
  readonly #byKey = new Map<string, CallsOfKey>()

  /** The keys with an attempt that was not clearly accepted or refused. A later call may get the same answer. */
  readonly #unclear = new Set<string>()

  constructor(parts: AttemptPromisesParts) {
    this.#parts = parts
  }

  onAsked(call: GameCall): void {
    const key = keyOfCall(call)
    if (key === undefined) return
    this.#checkRefusal(key, call)
    if (this.#hasActed(call)) this.#byKey.delete(key)
    else this.#callsOf(key).notRefused.add(call)
  }

  #callsOf(key: string): CallsOfKey {
    const known = this.#byKey.get(key)
    if (known) return known
    const { nowMs, ownAgent } = this.#parts
    const diskChanges = ownAgent?.diskFaults.changes ?? 0
    const calls = { notRefused: new Set<GameCall>(), doubtful: new Set<SentRequest>(), sinceMs: nowMs(), diskChanges }
    this.#byKey.set(key, calls)
    return calls
  }

  /** An attempt leaves. @returns Called when it has ended. One of an agent that died has no end. */
  onSent(request: SentRequest): ((result: AttemptResult) => void) | undefined {
    const key = keyOfSent(request) ?? ''
    const calls = this.#byKey.get(key)
    calls?.doubtful.add(request)
    return (result) => {
      const outcome = outcomeOf(result)
      if (outcome !== 'accepted' && outcome !== 'refused') this.#unclear.add(key)
      if (outcome === 'refused') calls?.doubtful.delete(request)
    }
  }

  onTold(call: GameCall, told: Told): void {
    const key = keyOfCall(call)
    const calls = this.#byKey.get(key ?? '')
    // Nobody understands a page, or half of an answer.
    if (key !== undefined && told.code === notUnderstood && !this.#unclear.has(key))
      this.#parts.break('what the platform accepts is told as a success', `${key}: ${told.text}`)
    if (key === undefined || !calls || told.ok) return
    if (told.isUncertain) this.#checkDoubt(calls, `${key}: ${told.text}`)
    else {
      calls.notRefused.delete(call)
      this.#checkRefusal(key, call, told.text)
    }
  }

  /** Somebody asks for a call whose answer nobody hears. */
  onUnheard(call: GameCall): void {
    const key = keyOfCall(call)
    if (key !== undefined && !this.#hasActed(call)) this.#callsOf(key).notRefused.add(unknown)
  }

  /** The claim of a call that may be repeated is not synced: its file may come back, and nobody knows that it was sent. */
  onPowerCut(): void {
    for (const { notRefused } of this.#byKey.values()) notRefused.add(unknown)
  }

  /** If every call of a key was refused for certain, no attempt may have acted. */
  #checkRefusal(key: string, call: GameCall, said = 'earlier'): void {
    const calls = this.#byKey.get(key)
    if (!calls || calls.notRefused.size > 0) return
    // A stock may also be one that the agent has sent again by itself.
    if (calls.doubtful.size > 0 && call.operation !== 'market.adjust-stock')
      this.#parts.break('a refusal without uncertain means that no attempt may have acted', `${key}: ${said}`)
    if (!this.#parts.network.wasRepeated && this.#hasActed(call))
      this.#parts.break('a refusal without uncertain means that the platform did not act', `${key}: ${said}`)
  }

  /** Another process may have sent the call, and an answer that cannot be stored is not given. */
  #checkDoubt({ doubtful, sinceMs, diskChanges }: CallsOfKey, said: string): void {
    const { ownAgent } = this.#parts
    const isDiskSame = ownAgent?.diskFaults.isHealthy && ownAgent.diskFaults.changes === diskChanges
    if (isDiskSame && ownAgent.startedMs() < sinceMs && doubtful.size === 0)
      this.#parts.break('a call is called uncertain only if an attempt may have acted', said)
  }

  #hasActed(call: GameCall): boolean {
    const { platform, gameServerId } = this.#parts
    return isProvable(call) && actedAsTold(call, platform, gameServerId())
  }
}
