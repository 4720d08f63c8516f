import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { text } from 'node:stream/consumers'
import { type PostgresServer, startPostgres } from '../agent/fixtures/postgres-server.ts'

const variable = 'TEST_POSTGRES_DOOR'

/** Before all tests. The server starts when the first test asks for it. */
export async function setup(): Promise<() => Promise<void>> {
  let shared: Promise<PostgresServer> | undefined
  const door = createServer(async (socket) => {
    shared ??= startPostgres()
    socket.end(
      await shared.then(
        ({ port, socketDir }) => JSON.stringify({ port, socketDir }),
        (error: Error) => JSON.stringify({ problem: error.message }),
      ),
    )
  })
  await once(door.listen(0, '127.0.0.1'), 'listening')
  process.env[variable] = String((door.address() as AddressInfo).port)
  return async () => {
    door.close()
    await shared?.then(
      (server) => server[Symbol.asyncDispose](),
      () => undefined,
    )
  }
}

/** The server that all tests of a run share. A test makes a database of its own in it. */
export async function sharedPostgres(): Promise<Pick<PostgresServer, 'port' | 'socketDir'>> {
  const answer = JSON.parse(await text(connect(Number(process.env[variable]), '127.0.0.1')))
  if (answer.problem !== undefined) throw new Error(answer.problem)
  return answer
}
