import type { FileRecord, GameCall, Told } from '../game/call-agent.ts'
import type { Break } from './judge.ts'

/** Each file that was written once gets exactly one answer, even from a reader that removes answers at once (I1, I3). */
export class FilePromises implements FileRecord {
  readonly calls = new Map<string, GameCall>()
  readonly #break: Break
  /** Written and synced, with no answer yet. */
  readonly #unanswered = new Set<string>()
  readonly #answers = new Map<string, string>()
  readonly #name: string
  #ids = 0
  /** The power cuts before each file was written. */
  readonly #writtenInCut = new Map<string, number>()
  #cuts = 0

  constructor(name: string, onBroken: Break) {
    this.#name = name
    this.#break = onBroken
  }

  newId(): string {
    return `${this.#name}-${++this.#ids}`
  }

  onWritten(id: string): void {
    this.#writtenInCut.set(id, this.#cuts)
    if (!this.#answers.has(id)) this.#unanswered.add(id)
  }

  onPowerCut(): void {
    this.#cuts++
  }

  readonly onTold = ({ id }: GameCall, { text }: Told): void => {
    if (id === undefined) return
    const before = this.#answers.get(id)
    this.#unanswered.delete(id)
    this.#answers.set(id, text)
    // A power cut may bring back a file that has just been answered, or an answer that has just been removed.
    if (before !== undefined && (this.#writtenInCut.get(id) ?? 0) === this.#cuts)
      this.#break('a file gets one answer', `${id}: ${before} and ${text}`)
  }

  get unanswered(): ReadonlySet<string> {
    return this.#unanswered
  }
}
