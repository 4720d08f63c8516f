import type { Network } from '../../network/network.ts'
import type { GameCall, Told } from '../game/call-agent.ts'
import type { ModelPlatform } from '../model-platform.ts'
import { actedAsTold, isProvable } from './acted.ts'
import type { Break } from './judge.ts'

/** Calls of a game server that mean the same, which the platform had not done when the first was made. */
interface Asked {
  readonly calls: Set<GameCall>
  /** Those that were told to be refused, for certain. */
  readonly refused: Set<GameCall>
}

/** A call whose end nobody is told. */
const unknown: GameCall = { operation: '', input: {}, id: undefined }

interface RefusalPromisesParts {
  readonly break: Break
  readonly platform: ModelPlatform
  readonly network: Network
  readonly gameServerId: () => number | undefined
}

/** A refusal without `uncertain` means that the platform did not act (I5): of calls that are not purchases. */
export class RefusalPromises {
  readonly #parts: RefusalPromisesParts
  /** By key, as long as every answer was a refusal for certain. */
  readonly #asked = new Map<string, Asked>()

  constructor(parts: RefusalPromisesParts) {
    this.#parts = parts
  }

  onAsked(call: GameCall): void {
    if (!isProvable(call)) return
    const key = keyOf(call)
    this.#check(key, call)
    if (this.#hasActed(call)) this.#asked.delete(key)
    else {
      const asked = this.#asked.get(key) ?? { calls: new Set(), refused: new Set() }
      this.#asked.set(key, asked)
      asked.calls.add(call)
    }
  }

  onTold(call: GameCall, told: Told): void {
    const key = keyOf(call)
    const asked = this.#asked.get(key)
    if (!asked?.calls.has(call) || told.ok || told.isUncertain) return
    asked.refused.add(call)
    this.#check(key, call, told.text)
  }

  /** The claim of a call that may be repeated is not synced: its file may come back, and nobody knows that it was sent. */
  onPowerCut(): void {
    for (const { calls } of this.#asked.values()) calls.add(unknown)
  }

  /** Nothing else that this game server or its agent has said can have made the platform act. */
  #check(key: string, call: GameCall, said = 'earlier'): void {
    const asked = this.#asked.get(key)
    if (asked && asked.calls.size === asked.refused.size && !this.#parts.network.wasRepeated && this.#hasActed(call))
      this.#parts.break('a refusal without uncertain means that the platform did not act', `${key}: ${said}`)
  }

  #hasActed(call: GameCall): boolean {
    const { platform, gameServerId } = this.#parts
    return actedAsTold(call, platform, gameServerId())
  }
}

/** Calls that the platform shows in one way have one key. */
function keyOf({ operation, input: { itemRef, transactionId, reason } }: GameCall): string {
  return [operation, itemRef, transactionId, reason].join(' ')
}
