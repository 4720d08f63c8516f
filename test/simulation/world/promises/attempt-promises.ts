import type { AttemptResult } from '../../../../agent/platform/attempt-result.ts'
import type { DiskFaults } from '../../disk/disk-faults.ts'
import type { Network } from '../../network/network.ts'
import type { GameCall, Told } from '../game/call-agent.ts'
import type { ModelPlatform } from '../model-platform.ts'
import type { SentRequest } from '../witnessed.ts'
import { actedAsTold, isProvable } from './acted.ts'
import { keyOfCall, keyOfSent } from './call-keys.ts'
import type { Break } from './judge.ts'
import { outcomeOf } from './late-stocks.ts'

/** Calls of a game server that mean the same, which the platform had not done when the first was made. */
interface Asked {
  readonly calls: Set<GameCall>
  /** Those that were told to be refused, for certain. */
  readonly refused: Set<GameCall>
  /** Attempts for them that were not refused for certain. */
  readonly doubtful: Set<SentRequest>
  readonly sinceMs: number
  readonly diskChanges: number
}

/** A call whose end nobody is told. */
const unknown: GameCall = { operation: '', input: {}, id: undefined }

interface AttemptPromisesParts {
  readonly break: Break
  readonly platform: ModelPlatform
  readonly network: Network
  readonly gameServerId: () => number | undefined
  readonly nowMs: () => number
  /** Undefined for an agent that shares its store: another one may have made the attempts. */
  readonly own: OwnAgent | undefined
}

/** The only agent that makes attempts for a game server. */
export interface OwnAgent {
  readonly disk: Pick<DiskFaults, 'changes' | 'isHealthy'>
  /** When the process that runs now was started. */
  readonly startedMs: () => number
}

/**
 * What a caller is told is true of the attempts that were made (I5). A refusal without `uncertain` means that none of them
 * may have acted. `uncertain` means that one of them may.
 */
export class AttemptPromises {
  readonly #parts: AttemptPromisesParts
  /** By key, as long as every answer was a refusal for certain. */
  readonly #asked = new Map<string, Asked>()

  constructor(parts: AttemptPromisesParts) {
    this.#parts = parts
  }

  onAsked(call: GameCall): void {
    const key = keyOfCall(call)
    if (key === undefined) return
    this.#checkRefusal(key, call)
    if (this.#hasActed(call)) this.#asked.delete(key)
    else {
      const asked = this.#asked.get(key) ?? this.#newAsked()
      this.#asked.set(key, asked)
      asked.calls.add(call)
    }
  }

  #newAsked(): Asked {
    const { nowMs, own } = this.#parts
    const sinceMs = nowMs()
    return { calls: new Set(), refused: new Set(), doubtful: new Set(), sinceMs, diskChanges: own?.disk.changes ?? 0 }
  }

  /** An attempt leaves. @returns Called when it has ended. One of an agent that died has no end. */
  onSent(request: SentRequest): ((result: AttemptResult) => void) | undefined {
    const asked = this.#asked.get(keyOfSent(request) ?? '')
    asked?.doubtful.add(request)
    return (result) => {
      if (outcomeOf(result) === 'refused') asked?.doubtful.delete(request)
    }
  }

  onTold(call: GameCall, told: Told): void {
    const key = keyOfCall(call)
    const asked = this.#asked.get(key ?? '')
    if (key === undefined || !asked?.calls.has(call) || told.ok) return
    if (told.isUncertain) this.#checkDoubt(asked, `${key}: ${told.text}`)
    else {
      asked.refused.add(call)
      this.#checkRefusal(key, call, told.text)
    }
  }

  /** The claim of a call that may be repeated is not synced: its file may come back, and nobody knows that it was sent. */
  onPowerCut(): void {
    for (const { calls } of this.#asked.values()) calls.add(unknown)
  }

  /** Nothing else that this game server or its agent has said can have made the platform act. */
  #checkRefusal(key: string, call: GameCall, said = 'earlier'): void {
    const asked = this.#asked.get(key)
    if (!asked || asked.calls.size > asked.refused.size) return
    // A stock may also be one that the agent has sent again by itself.
    if (asked.doubtful.size > 0 && call.operation !== 'market.adjust-stock')
      this.#parts.break('a refusal without uncertain means that no attempt may have acted', `${key}: ${said}`)
    if (!this.#parts.network.wasRepeated && this.#hasActed(call))
      this.#parts.break('a refusal without uncertain means that the platform did not act', `${key}: ${said}`)
  }

  /** Another process may have sent the call, and an answer that cannot be stored is not given. */
  #checkDoubt({ doubtful, sinceMs, diskChanges }: Asked, said: string): void {
    const { own } = this.#parts
    const isKnown = own?.disk.isHealthy && own.disk.changes === diskChanges && own.startedMs() < sinceMs
    if (isKnown && doubtful.size === 0)
      this.#parts.break('a call is called uncertain only if an attempt may have acted', said)
  }

  #hasActed(call: GameCall): boolean {
    const { platform, gameServerId } = this.#parts
    return isProvable(call) && actedAsTold(call, platform, gameServerId())
  }
}
