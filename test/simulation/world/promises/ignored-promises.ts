import { isLikeRequest } from '../../../../agent/spool/names.ts'
import type { ModelHost } from '../../host.ts'
import { isStrange } from '../strange-files.ts'
import type { AgentWitness, LoggedLine } from '../witnessed.ts'
import type { Break } from './judge.ts'
import { Since } from './since.ts'

interface IgnoredPromisesParts {
  readonly break: Break
  readonly host: ModelHost
  readonly spool: string
  /** When the agent that runs now was started; undefined if none runs. */
  readonly startedMs: () => number | undefined
  readonly nowMs: () => number
}

/** A scan finds each name, and some wait for a second. */
const namedMsMax = 20_000

/** The log names what lies in the outbox and looks like a request, but can never be one. */
export class IgnoredPromises implements Partial<AgentWitness> {
  readonly #parts: IgnoredPromisesParts
  /** The names that each process has logged, by its start. */
  readonly #named = new Map<number | undefined, Set<string | undefined>>()
  readonly #unnamed: Since

  constructor(parts: IgnoredPromisesParts) {
    this.#parts = parts
    this.#unnamed = new Since(parts.nowMs)
  }

  onLogged({ name }: LoggedLine): void {
    const startedMs = this.#parts.startedMs()
    this.#named.set(startedMs, (this.#named.get(startedMs) ?? new Set()).add(name))
  }

  /** While nothing is broken. */
  check(): void {
    const unnamed = this.#unnamed.look(this.#findUnnamed(), namedMsMax)
    if (unnamed !== undefined) this.#parts.break('the log names what looks like a request and is not one', unnamed)
  }

  /** Begins again: in a wave the spool may not be there. */
  reset(): void {
    this.#unnamed.reset()
  }

  *#findUnnamed(): Generator<string> {
    const { host, spool } = this.#parts
    const startedMs = this.#parts.startedMs()
    if (startedMs === undefined) return
    const named = this.#named.get(startedMs)
    for (const name of host.disk.namesIn(`${spool}/outbox`))
      if (isStrange(`outbox/${name}`) && isLikeRequest(name) && !named?.has(name))
        yield `${host.name}: ${name} of the agent since ${startedMs}`
  }
}
