import type { FileRecord, GameCall, Told } from '../game/call-agent.ts'
import type { Break } from './judge.ts'

interface FilePromisesParts {
  readonly break: Break
  readonly nowMs: () => number
}

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
  /** When each file was written. */
  readonly #writtenMs = new Map<string, number>()
  #lastCutMs = Number.NEGATIVE_INFINITY
  readonly #nowMs: () => number

  constructor(name: string, { break: onBroken, nowMs }: FilePromisesParts) {
    this.#name = name
    this.#break = onBroken
    this.#nowMs = nowMs
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
    // A power cut may bring back a file that has just been answered, or an answer that has just been removed.
    if (before !== undefined && (this.#writtenMs.get(id) ?? 0) > this.#lastCutMs)
      this.#break('a file gets one answer', `${id}: ${before} and ${text}`)
  }

  get unanswered(): ReadonlySet<string> {
    return this.#unanswered
  }
}
