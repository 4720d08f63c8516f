import type { FileRecord, GameCall, Told } from '../game/call-agent.ts'
import type { Day } from '../game/game-program.ts'
import type { Break } from './judge.ts'

interface FilePromisesParts {
  readonly break: Break
  readonly nowMs: () => number
  readonly day: Day
}

/** How long a change of the spool may take at most until it survives a power cut: no fault of a disk lasts longer. */
const syncMsMaxInStorm = 200_000
const syncMsMax = 2_000

/** Each file that was written once gets exactly one answer, even from a reader that removes answers at once (I1, I3). */
export class FilePromises implements FileRecord {
  readonly calls = new Map<string, GameCall>()
  readonly #break: Break
  /** Written and synced, with no answer yet. */
  readonly #unanswered = new Set<string>()
  readonly #tooSlow = new Set<string>()
  readonly #answers = new Map<string, string>()
  readonly #name: string
  #ids = 0
  /** When each file was written, and when its answer was read. */
  readonly #writtenMs = new Map<string, number>()
  readonly #answeredMs = new Map<string, number>()
  #lastCutMs = Number.NEGATIVE_INFINITY
  readonly #nowMs: () => number
  readonly #day: Day

  constructor(name: string, { break: onBroken, nowMs, day }: FilePromisesParts) {
    this.#name = name
    this.#break = onBroken
    this.#nowMs = nowMs
    this.#day = day
  }

  newId(): string {
    return `${this.#name}-${++this.#ids}`
  }

  onWritten(id: string): void {
    this.#writtenMs.set(id, this.#nowMs())
    if (!this.#answers.has(id)) this.#unanswered.add(id)
  }

  onWrittenTooSlowly(id: string): void {
    this.#tooSlow.add(id)
  }

  /** Whether the agent must take a file for a request. One whose writer died, or lost its power, may stay half-written. */
  isWrittenInTime(id: string | undefined): boolean {
    return id === undefined || (this.#writtenMs.has(id) && !this.#tooSlow.has(id))
  }

  onPowerCut(): void {
    this.#lastCutMs = this.#nowMs()
  }

  readonly onTold = ({ id }: GameCall, { text }: Told): void => {
    if (id === undefined) return
    const before = this.#answers.get(id)
    this.#unanswered.delete(id)
    this.#answers.set(id, text)
    const answeredMs = this.#answeredMs.get(id) ?? this.#nowMs()
    this.#answeredMs.set(id, answeredMs)
    if (before !== undefined && !this.#mayBeBack(id, answeredMs))
      this.#break('a file gets one answer', `${id}: ${before} and ${text}`)
  }

  /** A power cut may bring back a file that has just been answered, or an answer that has just been removed. */
  #mayBeBack(id: string, answeredMs: number): boolean {
    const syncedMs = answeredMs + (answeredMs > this.#day.stormEndedMs ? syncMsMax : syncMsMaxInStorm)
    return (this.#writtenMs.get(id) ?? 0) < this.#lastCutMs && this.#lastCutMs < syncedMs
  }

  get unanswered(): ReadonlySet<string> {
    return this.#unanswered
  }
}
