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

const namedMsMax = 20_000
const likeRequest = /^[^.].*\.(?:json|txt)$/

/** The log names what lies in the outbox and looks like a request, but can never be one. */
export class IgnoredPromises implements Partial<AgentWitness> {
  readonly #parts: IgnoredPromisesParts
  /** By the process that was started then. */
  #named = { startedMs: -1, names: new Set<string>() }
  readonly #unnamed: Since

  constructor(parts: IgnoredPromisesParts) {
    this.#parts = parts
    this.#unnamed = new Since(parts.nowMs)
  }

  onLogged({ msg, name = '' }: LoggedLine): void {
    const startedMs = this.#parts.startedMs() ?? -1
    if (msg !== 'ignored in the spool') return
    if (startedMs !== this.#named.startedMs) this.#named = { startedMs, names: new Set() }
    this.#named.names.add(name)
  }

  /** While nothing is broken. */
  check(): void {
    const unnamed = this.#unnamed.look(this.#findUnnamed(), namedMsMax)
    if (unnamed !== undefined) this.#parts.break('the log names what looks like a request and is none', unnamed)
  }

  /** Begins again: in a wave the spool may not be there. */
  reset(): void {
    this.#unnamed.reset()
  }

  *#findUnnamed(): Generator<string> {
    const { host, spool } = this.#parts
    const startedMs = this.#parts.startedMs()
    if (startedMs === undefined) return
    const named = this.#named.startedMs === startedMs ? this.#named.names : undefined
    for (const name of host.disk.namesIn(`${spool}/outbox`))
      if (isStrange(`outbox/${name}`) && likeRequest.test(name) && !named?.has(name))
        yield `${host.name}: ${name} of the agent since ${startedMs}`
  }
}
