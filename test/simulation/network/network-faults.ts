import { ActiveMaximum } from '../active-maximum.ts'
import { startOfRunMs } from '../host-clock.ts'
import type { Random } from '../random.ts'
import type { NetworkAnswer } from './message.ts'

/** What can become of one exchange. */
export type NetworkFault =
  | 'refused'
  | 'reset before it arrives'
  | 'reset after it arrived'
  | 'request dropped'
  | 'request duplicated'
  | 'answer dropped'
  | 'answer cut off'
  | 'answer replaced'
  | 'answer of another'
  | 'answer of an intermediary'
  | 'intermediary gives up'
  | 'turned away'
  | 'wrong date'

interface ActiveFault {
  readonly fault: NetworkFault
  readonly rate: number
  /** The only address that it affects; all if undefined. */
  readonly address: string | undefined
  readonly random: Random
}

/** How long a way of a network takes at most that is not slow, ms. */
export const usualMsMax = 40

/** The faults of the network that are active, and how slow it is. */
export class NetworkFaults {
  /** How long one way may take, in ms. */
  readonly slowMsMax = new ActiveMaximum(usualMsMax)
  readonly #active = new Set<ActiveFault>()

  /** Makes exchanges fail from now on. The returned function ends that. */
  add(fault: ActiveFault): () => void {
    this.#active.add(fault)
    return () => void this.#active.delete(fault)
  }

  /** Whether a fault strikes an exchange with an address: the generator that says how, or undefined. */
  strikes(fault: NetworkFault, address: string): Random | undefined {
    for (const active of this.#active) {
      if (active.fault !== fault || (active.address ?? address) !== address) continue
      if (active.random.happens(active.rate)) return active.random
    }
    return undefined
  }
}

const html = { 'content-type': 'text/html' }
const page = Buffer.from('<html><body>Bad Gateway</body></html>')

const redirect = { status: 302, headers: { location: 'http://login.example/' }, body: Buffer.alloc(0) }
const notFound = { status: 404, headers: html, body: page }
const notLoggedIn = { status: 401, headers: html, body: page }

/** When a maintenance ends, as was announced. */
const maintenanceEnds = [90_000, 150_000].map((atMs) => new Date(startOfRunMs + atMs).toUTCString())

/** What a proxy answers that lets nobody through who has not logged in, or that does not know the way. */
export const turnedAway: readonly NetworkAnswer[] = [redirect, notFound, notLoggedIn]

/**
 * What proxies answer by themselves. The server knows nothing about it. An empty 200 is not there: to a PUT it is the
 * platform's own.
 */
export const intermediaryAnswers: readonly NetworkAnswer[] = [
  notFound,
  { status: 502, headers: html, body: page },
  { status: 503, headers: { ...html, 'retry-after': '1' }, body: page },
  { status: 503, headers: { ...html, 'retry-after': '31536000' }, body: page },
  ...maintenanceEnds.map((date) => ({ status: 503, headers: { ...html, 'retry-after': date }, body: page })),
  { status: 200, headers: html, body: page },
  { status: 202, headers: html, body: page },
  redirect,
  notLoggedIn,
  { status: 403, headers: html, body: page },
  { status: 407, headers: html, body: page },
  { status: 400, headers: { 'content-type': 'application/json' }, body: Buffer.from('{"error":"bad request"}') },
]

/** What a proxy answers that has passed a request on and waits no longer. */
export const givenUp: readonly NetworkAnswer[] = [502, 503, 504].map((status) => ({
  status,
  headers: html,
  body: page,
}))

/** What a proxy gives in place of a server's answer. None of these is an answer of the interface. */
export const replacements: readonly NetworkAnswer[] = [
  { status: 200, headers: html, body: page },
  { status: 202, headers: html, body: page },
  { status: 200, headers: { 'content-type': 'application/json' }, body: Buffer.from('{}') },
  { status: 200, headers: { 'content-type': 'application/json' }, body: Buffer.from('{"data":{"id":1') },
]

/** Dates that are missing, garbage, or of a clock that is wrong. */
export function wrongDate(random: Random, rightMs: number): string | undefined {
  return random.pick([
    undefined,
    'yesterday',
    new Date(rightMs + random.magnitude(1_000, 1e9) * random.pick([1, -1])).toUTCString(),
  ])
}
