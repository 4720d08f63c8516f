import { type HostClock, wasSetSince } from '../../host-clock.ts'
import type { AgentWitness } from '../witnessed.ts'
import type { Break } from './judge.ts'

interface KeptFileParts {
  readonly break: Break
  readonly clock: Pick<HostClock, 'lastSetMs'>
  readonly nowMs: () => number
}

const setAside = /\.json\.(?:rejected|unread)/
/** What a clock may drift in a day is less. */
const keptMsMin = 23 * 3_600_000

/** A file that an agent sets aside stays for a day: a refused request, an unread answer, or a reply that does not count. */
export class KeptFilePromises implements Partial<AgentWitness> {
  readonly #parts: KeptFileParts
  /** By path. */
  readonly #setAsideMs = new Map<string, number>()

  constructor(parts: KeptFileParts) {
    this.#parts = parts
  }

  onRenamed(_from: string, to: string): void {
    if (setAside.test(to)) this.#setAsideMs.set(to, this.#parts.nowMs())
  }

  onRemoving(path: string): void {
    const setAsideMs = this.#setAsideMs.get(path)
    const { clock, nowMs } = this.#parts
    // The next process goes by the clock of its host.
    const isAgeKnown = setAsideMs !== undefined && !wasSetSince(clock, setAsideMs)
    if (isAgeKnown && nowMs() < setAsideMs + keptMsMin)
      this.#parts.break('what is set aside is kept for a day', `${path}: ${nowMs() - setAsideMs} ms`)
  }
}
