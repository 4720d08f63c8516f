import type { Status } from '../../../../agent/status/status.ts'
import type { ModelHost } from '../../host.ts'
import { eventOfFile } from '../order-of-file.ts'
import type { Break } from './judge.ts'
import { Since } from './since.ts'

interface HeartbeatPromisesParts {
  readonly break: Break
  readonly host: ModelHost
  readonly spool: string
  /** As the operator saw it last; undefined if no process of the agent runs now, or nobody has seen it yet. */
  readonly status: () => Pick<Status, 'ready' | 'spool'> | undefined
  readonly nowMs: () => number
}

const listedMax = 100
/** One heartbeat is written every five seconds. */
const ageMsMax = 7_000
/** What the drift of a host's clock and a status that was seen earlier may add. */
const wrongMsMax = 20_000

/**
 * `agent.json` shows a program that cannot do HTTP what the status shows: that the agent runs, and whether it is ready. It shows one that
 * cannot list a directory what is in `events/`.
 */
export class HeartbeatPromises {
  readonly #parts: HeartbeatPromisesParts
  readonly #wrong: Since

  constructor(parts: HeartbeatPromisesParts) {
    this.#parts = parts
    this.#wrong = new Since(parts.nowMs)
  }

  /** While the agent runs and its disk is healthy. */
  check(): void {
    const { host } = this.#parts
    const wrong = this.#wrong.look(this.#findWrong(), wrongMsMax)
    if (wrong !== undefined) this.#parts.break('agent.json shows whether the agent works', `${host.name}: ${wrong}`)
  }

  /** Begins again: in a wave or a night an agent may be away. */
  reset(): void {
    this.#wrong.reset()
  }

  *#findWrong(): Generator<string> {
    const { host, spool, status } = this.#parts
    const seen = status()
    if (!seen?.spool) return
    const path = `${spool}/agent.json`
    if (!host.disk.find(path, 'stat')) return void (yield 'it is missing')
    const text = host.disk.textOf(path)
    // A power cut may leave a part of it, or nothing.
    if (!text.endsWith('}\n')) return void (yield 'it is not whole')
    const { at, ready, events } = JSON.parse(text) as { at: string; ready: boolean; events: readonly string[] }
    if (Math.abs(host.clock.wallMs - Date.parse(at)) > ageMsMax) yield 'it is old'
    if (ready !== seen.ready) yield `its ready is ${ready}`
    const there = host.disk.namesIn(`${spool}/events`).filter((name) => eventOfFile(name) !== undefined)
    for (const name of there) if (events.length < listedMax && !events.includes(name)) yield `it does not name ${name}`
    for (const name of events) if (!there.includes(name)) yield `it names ${name}`
  }
}
