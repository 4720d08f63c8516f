import { join } from 'node:path'
import { startProgram } from '../../child-program.ts'
import { freePort } from '../../free-port.ts'
import { atLeast, ratio } from '../goals.ts'
import { BareConnection } from '../load/bare-connection.ts'
import { loopOverConnections } from '../load/closed-loop.ts'
import { compareThroughput } from '../load/throughput.ts'
import { temporaryDirectory } from '../platform/testbed.ts'
import type { Section } from '../section.ts'
import { type CommandOn, prismOn, stubOn } from '../stub/contenders.ts'
import { furnishStub, type StubWork, signedRequests } from '../stub/partner-requests.ts'

const [stub, prism] = ['platform-stub', 'Prism mock']
const works: readonly StubWork[] = ['reads', 'registrations']
const at = (work: StubWork, inFlight: number) => `${work}, ${inFlight} in flight`
/** Signed for each second of a load: what the slower one answers. */
const requestsPerS = 5_000

const wanted: Readonly<Record<StubWork, number>> = { reads: 1.5, registrations: 1.2 }

/** The stub next to a mock server of the same document, which neither verifies nor stores. */
export const stubBesidePrism: Section = {
  name: 'stub',
  title: 'The stub next to Prism',
  about:
    'Reads are `GET /v1/api/transactions/1`, registrations `POST /v1/api/market/listings`, each of another listing. Every' +
    ' envelope is signed ahead of time and used once. The stub' +
    ' verifies each, stores its jti and what is registered before it answers, and logs it. At the end an envelope is sent' +
    ' again, which the stub refuses. Prism checks the request against the document that the stub prints and answers an' +
    ' example. CPU is that of the server; the client is the load generator.',
  goals: works.map((work) =>
    atLeast(wanted[work], `${at(work, 8)}, stub / Prism`, ratio('perS', [stub, at(work, 8)], [prism, at(work, 8)])),
  ),
  async measure(settings) {
    const { stubCommand, inFlight, progress } = settings
    using dir = temporaryDirectory()
    const start = async (name: string, commandOn: CommandOn) => {
      const port = await freePort()
      const [listensAt, logFile] = [`http://127.0.0.1:${port}`, join(dir.path, `${name}.log`)]
      return startProgram({ name, command: commandOn(port), env: {}, logFile, listensAt })
    }
    await using stubProgram = await start(stub, stubOn(join(dir.path, 'data'), stubCommand))
    await using mock = await start(prism, prismOn(dir.path, stubCommand, progress))
    const server = await furnishStub(stubProgram.url)
    const cells = await compareThroughput({
      settings,
      contenders: [stubProgram, mock],
      loads: works.flatMap((work) => inFlight.map((count) => ({ name: at(work, count), work, inFlight: count }))),
      run: async ({ url }, { work }, pace) => {
        const requests = (await signedRequests(work, Math.ceil(pace.seconds * requestsPerS), server)).values()
        return await loopOverConnections(url, pace, async (connection) => {
          const { value: request } = requests.next()
          if (!request) return false
          const { status, body } = await connection.exchange(request)
          if (status !== 200 || body === '') throw new Error(`Not a 200 with a body: ${status} ${body}`)
          return true
        })
      },
    })
    const [used = Buffer.of()] = await signedRequests('reads', 1, server)
    await BareConnection.exchangeOnce(stubProgram.url, used)
    const { status } = await BareConnection.exchangeOnce(stubProgram.url, used)
    if (status !== 401) throw new Error(`The stub answered ${status} to an envelope that was used before`)
    return cells
  },
}
