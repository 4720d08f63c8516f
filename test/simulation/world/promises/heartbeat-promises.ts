import type { Status } from '../../../../agent/status/status.ts'
import type { ModelHost } from '../../host.ts'
import { eventOfFile } from '../order-of-file.ts'
import type { AgentWitness } from '../witnessed.ts'
import type { ProcessParts } from './judge.ts'
import { Since } from './since.ts'
import { SteadyDisk } from './steady-disk.ts'

interface HeartbeatPromisesParts extends ProcessParts {
  readonly host: ModelHost
  readonly spool: string
  /** As the operator saw it last; undefined if no process of the agent runs now, or nobody has seen it yet. */
  readonly status: () => Pick<Status, 'ready' | 'spool'> | undefined
}

const listedMax = 100
/** One heartbeat is written every five seconds. */
const ageMsMax = 7_000
/** What the drift of a host's clock and a status that was seen earlier may add. */
const wrongMsMax = 20_000
/** By the third heartbeat that finds a file, its name is there. An agent that removes one takes its name back first. */
const unnamedMsMax = 9_000
/** What failed on a disk is repeated by then. */
const settlingMs = 10_000

/**
 * `agent.json` shows a program that cannot do HTTP what the status shows: that the agent runs, and whether it is ready. It shows one that
 * cannot list a directory what is in `events/`.
 */
export class HeartbeatPromises implements Partial<AgentWitness> {
  readonly #parts: HeartbeatPromisesParts
  readonly #wrong: Since
  /** Files of `events/` that the heartbeats of one process do not name. */
  readonly #unnamed: Since
  readonly #disk: SteadyDisk

  constructor(parts: HeartbeatPromisesParts) {
    this.#parts = parts
    this.#wrong = new Since(parts.nowMs)
    this.#unnamed = new Since(parts.nowMs)
    this.#disk = new SteadyDisk(parts.host.diskFaults, parts.nowMs)
  }

  /** A heartbeat is written: also the first ones of a process, which has not heard the platform yet. */
  onRenamed(_from: string, to: string): void {
    const { spool, host, startedMs, nowMs } = this.#parts
    if (to !== `${spool}/agent.json`) return
    const steadyMs = this.#disk.look() ?? Number.POSITIVE_INFINITY
    if (steadyMs > nowMs() - settlingMs) {
      this.#unnamed.reset()
      return
    }
    const { events } = JSON.parse(host.disk.textOf(to)) as Heartbeat
    const name = this.#unnamed.look(
      this.#unnamedIn(events).map((one) => `${one} since ${startedMs()}`),
      unnamedMsMax,
    )
    if (name !== undefined) this.#parts.break('agent.json names the files of events/', `${host.name}: ${name}`)
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
    const { at, ready, events } = JSON.parse(text) as Heartbeat
    if (Math.abs(host.clock.wallMs - Date.parse(at)) > ageMsMax) yield 'it is old'
    if (ready !== seen.ready) yield `its ready is ${ready}`
    for (const name of this.#unnamedIn(events)) yield `it does not name ${name}`
    const there = this.#eventFiles()
    for (const name of events) if (!there.includes(name)) yield `it names ${name}`
  }

  /** None of a full list: it may leave some out. */
  #unnamedIn(events: readonly string[]): readonly string[] {
    return events.length < listedMax ? this.#eventFiles().filter((name) => !events.includes(name)) : []
  }

  #eventFiles(): readonly string[] {
    const { host, spool } = this.#parts
    return host.disk.namesIn(`${spool}/events`).filter((name) => eventOfFile(name) !== undefined)
  }
}

interface Heartbeat {
  readonly at: string
  readonly ready: boolean
  readonly events: readonly string[]
}
