import { dirname } from 'node:path'
import { systemError } from '../disk/system-error.ts'
import type { ModelProcess } from '../process.ts'
import type { Random } from '../random.ts'
import type { Exchange, HandledAnswer, Handler, NetworkAnswer, NetworkRequest } from './message.ts'
import {
  givenUp,
  intermediaryAnswers,
  type NetworkFault,
  NetworkFaults,
  replacements,
  turnedAway,
  usualMsMax,
  wrongDate,
} from './network-faults.ts'

/** A network is slow if a way takes longer than this. */
const slowFromMs = 1_000
/** How many ways of a slow network are slow. */
const slowRate = 0.2
/** A gateway answers these although what it has passed on may still arrive. */
const mayBeEarly: ReadonlySet<number> = new Set([502, 504])
/** How long a gateway waits, and how late what it has passed on may arrive. */
const gatewayMs = { min: 1, max: 10_000, late: 25_000 }

interface Listener {
  readonly process: ModelProcess
  readonly handle: Handler
}

/** A request under way. */
export interface Sending {
  /** Stays open until the connection ends: a caller that does not want to wait for ever gives up. */
  readonly ended: Promise<Exchange>
  /** Hangs up. A request that has left may still arrive. */
  giveUp(cause: Error): void
}

/**
 * Connects processes. Each request has a connection of its own, so that all of them overtake each other. An arrival is
 * an event of the process at which it arrives: a paused one gets it later, a dead one never.
 */
export class Network {
  readonly faults = new NetworkFaults()
  readonly #random: Random
  readonly #listeners = new Map<string, Listener>()
  /** The last answer to a question of each kind, as a proxy keeps it. */
  readonly #kept = new Map<string, { readonly path: string; readonly answer: NetworkAnswer }>()

  constructor(random: Random) {
    this.#random = random.part('network')
  }

  /** Where a 200 is final. A proxy that gives one by itself loses what was sent, and nobody can know. */
  readonly finalAddresses = new Set<string>()
  /**
   * The way to these is never slow. Two observations that a game server sends by different ways would overtake each other,
   * and nobody could know which one is newer.
   */
  readonly nearAddresses = new Set<string>()
  /** Whether an answer has had a date that is not the server's. */
  wasDateWrong = false
  /** Whether a proxy has repeated a request: its sender gets one answer of two. */
  wasRepeated = false
  /** Every address at which somebody has listened. */
  readonly addresses: string[] = []

  /** @throws {NodeJS.ErrnoException} Another process listens there. The returned function closes the port. */
  listen(process: ModelProcess, address: string, handle: Handler): () => void {
    process.enter(`listen at ${address}`)
    if (this.#listeners.has(address)) throw systemError('EADDRINUSE', 'listen', address)
    if (!this.addresses.includes(address)) this.addresses.push(address)
    this.#listeners.set(address, { process, handle })
    const close = () => void this.#listeners.delete(address)
    process.onEnd(close)
    return close
  }

  /** Sends a request over a new connection. */
  send(client: ModelProcess, address: string, request: NetworkRequest): Sending {
    const { promise: ended, resolve } = Promise.withResolvers<Exchange>()
    const what = `${request.method} ${address}${request.path}`
    let isOver = false
    let wasSent = false
    const end = (exchange: Exchange) => {
      isOver = true
      resolve(exchange)
    }
    const answer = (found: NetworkAnswer, delayMs = 0): void => {
      client.after(delayMs + this.#wayMs(address), `${found.status} to ${what}`, () =>
        end({ kind: 'answered', answer: found }),
      )
    }
    const fail = (code: string): void => {
      const cause = systemError(code, 'connect', address)
      client.after(this.#wayMs(address), `${code} to ${what}`, () => end({ kind: 'failed', wasSent, cause }))
    }
    client.enter(what)
    client.after(this.#wayMs(address), `connected: ${what}`, () => {
      if (isOver) return
      const listener = this.#listeners.get(address)
      if (!listener || this.faults.strikes('refused', address)) return fail('ECONNREFUSED')
      wasSent = true
      this.#exchange({ address, request, what, listener, answer, fail, isOver: () => isOver })
    })
    return { ended, giveUp: (cause) => end({ kind: 'failed', wasSent, cause }) }
  }

  /** An intermediary answers everything in one way while it does. */
  #pageOf(intermediary: Random, address: string): NetworkAnswer {
    const isFinal = this.finalAddresses.has(address)
    return intermediary.part('page').pick(intermediaryAnswers.filter(({ status }) => status >= 300 || !isFinal))
  }

  /** What happens to a request that has left. */
  #exchange(connected: Connected): void {
    const { address, answer, fail } = connected
    const intermediary = this.faults.strikes('answer of an intermediary', address)
    const turned = this.faults.strikes('turned away', address)
    if (intermediary) answer(this.#pageOf(intermediary, address))
    else if (turned) answer(turned.pick(turnedAway))
    else if (this.faults.strikes('reset before it arrives', address)) fail('ECONNRESET')
    else if (!this.faults.strikes('request dropped', address)) this.#deliver(connected)
  }

  #deliver({ address, request, what, listener, answer, fail, isOver }: Connected): void {
    const { process, handle } = listener
    const strikes = (fault: NetworkFault) => this.faults.strikes(fault, address)
    const gateway = strikes('intermediary gives up')
    const given = gateway?.pick(givenUp)
    const isEarly = given !== undefined && mayBeEarly.has(given.status)
    if (gateway && isEarly) answer(given, gateway.magnitude(gatewayMs.min, gatewayMs.max))
    const isLate = gateway && isEarly && !this.nearAddresses.has(address) && gateway.happens(0.7)
    const lateMs = isLate ? gateway.between(0, gatewayMs.late) : 0
    const arrive = (respond: (found: HandledAnswer | undefined) => void) =>
      process.after(lateMs + this.#wayMs(address), `arrives: ${what}`, () => {
        void handle(request).then((found) => {
          // The connection of a dead process was reset when it died.
          if (process.state !== 'dead') respond(found)
        })
      })
    // A proxy must not repeat other methods by itself: RFC 9110 section 9.2.2.
    if (request.method !== 'POST' && strikes('request duplicated')) {
      // A question that is asked twice makes nobody act.
      this.wasRepeated ||= request.method !== 'GET'
      arrive(() => undefined)
    }
    const callOff = process.onEnd(() => fail('ECONNRESET'))
    arrive((found) => {
      callOff()
      const reset = strikes('reset after it arrived')
      void found?.onSent?.(!isOver() && !reset?.happens(0.5))
      if (isEarly) return
      // There is no proxy between the programs of one host, and none gives a 2xx in place of another answer.
      const isDirect = this.finalAddresses.has(address) || this.nearAddresses.has(address)
      const replacer = isDirect ? undefined : strikes('answer replaced')
      const another = isDirect || !found ? undefined : this.#answerOfAnother(address, request, found)
      if (given) answer(given)
      else if (replacer) answer(replacer.pick(replacements))
      else if (another) answer(another)
      else if (!found || reset || strikes('answer cut off')) fail('ECONNRESET')
      else if (!strikes('answer dropped')) answer(this.#dated(found, address, process))
    })
  }

  /** A proxy may give the answer to a similar question about something else. Only for a GET: it keeps no other answers. */
  #answerOfAnother(address: string, { method, path }: NetworkRequest, found: HandledAnswer): NetworkAnswer | undefined {
    if (method !== 'GET') return undefined
    const { onSent: _, ...answer } = found
    const kind = `${address} ${dirname(path)}`
    const kept = this.#kept.get(kind)
    if (found.status === 200) this.#kept.set(kind, { path, answer })
    if (!kept || kept.path === path || !this.faults.strikes('answer of another', address)) return undefined
    return withDate(kept.answer, found.headers['date'])
  }

  /** An answer as it arrives. */
  #dated({ onSent: _, ...answer }: HandledAnswer, address: string, { time }: ModelProcess): NetworkAnswer {
    const random = this.faults.strikes('wrong date', address)
    if (!random) return answer
    this.wasDateWrong = true
    return withDate(answer, wrongDate(random, time.wallMs()))
  }

  /** Most ways are short, on a slow network too. */
  #wayMs(address: string): number {
    const { value: maxMs } = this.faults.slowMsMax
    if (this.nearAddresses.has(address)) return this.#random.magnitude(0.1, usualMsMax)
    const isSlow = maxMs > slowFromMs && this.#random.happens(slowRate)
    return isSlow ? this.#random.between(0, maxMs) : this.#random.magnitude(0.1, maxMs)
  }
}

/** A connection that is made. */
interface Connected {
  readonly address: string
  readonly request: NetworkRequest
  readonly what: string
  readonly listener: Listener
  /** @param delayMs Before it takes its way. */
  readonly answer: (found: NetworkAnswer, delayMs?: number) => void
  readonly fail: (code: string) => void
  /** Whether the client has hung up, or got an answer. */
  readonly isOver: () => boolean
}

function withDate({ headers, ...answer }: NetworkAnswer, date: string | undefined): NetworkAnswer {
  const { date: _, ...others } = headers
  return { ...answer, headers: date === undefined ? others : { ...others, date } }
}
