import { clockOver } from '../../../agent/clock/clock.ts'
import type { Status } from '../../../agent/status/status.ts'
import type { ModelHost, Program } from '../host.ts'
import type { NetworkAnswer } from '../network/message.ts'
import type { Network } from '../network/network.ts'
import { authorization, type CallDoor } from './call-door.ts'

const lookMs = 5_000

/** What else an operator asks now and then. It does not ask for the metrics, because their module is loaded outside of virtual time. */
const pages = [
  ['GET', '/health'],
  ['GET', '/operations'],
  ['GET', '/orders'],
  ['GET', '/orders/all-worlds'],
] as const
/** What an operator asks makes the agent ask about each order. It hides what the agent would forget. */
const check = ['POST', '/orders/check'] as const
const pageRate = 0.2
/** While the status shows a problem, or none comes. */
const pageRateInTrouble = 1
const pagePatienceMs = 60_000

interface Heard {
  readonly onStatus: (status: Status) => void
  /**
   * A page is asked for.
   *
   * @param isWell Whether the status has just said that the agent is ready.
   * @returns Called with what comes in its place.
   */
  readonly onPageAsked: (path: string, isWell: boolean) => (answer: NetworkAnswer) => void
}

/**
 * Installs somebody who looks at `GET /status` every five seconds and at other pages now and then.
 *
 * @param ways.checksOrders Whether this one also makes the agent ask the platform about its orders.
 */
export function installOperator(
  host: ModelHost,
  network: Network,
  door: CallDoor,
  { onStatus, onPageAsked }: Heard,
  { checksOrders }: { readonly checksOrders: boolean },
): Program {
  return host.install('operator', (process) => {
    const clock = clockOver(process.time)
    const ask = async (method: string, path: string, patienceMs: number) => {
      // A monitor of the host has no token.
      const headers = ['host', 'localhost', ...(path === '/health' ? [] : authorization(door))]
      const { ended, giveUp } = network.send(process, door.address, { method, path, headers, body: Buffer.alloc(0) })
      const cancel = clock.after(patienceMs, () => giveUp(new Error('no answer')))
      const exchange = await ended
      cancel()
      return exchange.kind === 'answered' ? exchange.answer : undefined
    }
    const askForPage = async (isWell: boolean) => {
      const [method, path] = process.random.pick(checksOrders ? [...pages, check] : pages)
      const onNoPage = onPageAsked(path, isWell)
      const answer = await ask(method, path, pagePatienceMs)
      if (answer && answer.status !== 200) onNoPage(answer)
    }
    const look = async () => {
      for (;;) {
        await clock.sleep(lookMs)
        const onNoPage = onPageAsked('/status', false)
        const answer = await ask('GET', '/status', lookMs)
        const status = answer?.status === 200 ? read(Buffer.from(answer.body)) : undefined
        if (status) onStatus(status)
        else if (answer && answer.status !== 200) onNoPage(answer)
        const isWell = status?.ready === true
        if (process.random.happens(isWell ? pageRate : pageRateInTrouble)) void askForPage(isWell)
      }
    }
    void look()
  })
}

/** @returns Undefined for a proxy's page. */
function read(body: Buffer): Status | undefined {
  try {
    return JSON.parse(body.toString()) as Status
  } catch {
    return undefined
  }
}
