import { clockOver } from '../../../agent/clock/clock.ts'
import type { Status } from '../../../agent/status/status.ts'
import type { ModelHost, Program } from '../host.ts'
import type { Network } from '../network/network.ts'
import { authorization, type CallDoor } from './call-door.ts'

const lookMs = 5_000

/** Installs somebody who looks at `GET /status` every five seconds. */
export function installOperator(
  host: ModelHost,
  network: Network,
  door: CallDoor,
  onStatus: (status: Status) => void,
): Program {
  return host.install('operator', (process) => {
    const clock = clockOver(process.time)
    const look = async () => {
      for (;;) {
        await clock.sleep(lookMs)
        const headers = ['host', 'localhost', ...authorization(door)]
        const request = { method: 'GET', path: '/status', headers, body: Buffer.alloc(0) }
        const { ended, giveUp } = network.send(process, door.address, request)
        const cancel = clock.after(lookMs, () => giveUp(new Error('no answer')))
        const exchange = await ended
        cancel()
        if (exchange.kind === 'answered' && exchange.answer.status === 200) read(Buffer.from(exchange.answer.body))
      }
    }
    void look()
  })

  function read(body: Buffer): void {
    try {
      onStatus(JSON.parse(body.toString()) as Status)
    } catch {
      // A proxy's page.
    }
  }
}
