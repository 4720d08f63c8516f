import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import { pipeline } from 'node:stream'
import { createServer } from 'node:tls'

const file = (name: string) => join(import.meta.dirname, '..', 'test', 'agent', 'fixtures', 'tls', name)

/** TLS before a platform. Disposing ends it when its connections have ended. */
interface TlsFront extends AsyncDisposable {
  /** Makes a program use it. */
  readonly env: Readonly<Record<string, string>>
}

/** Puts TLS before a platform that speaks http on loopback, with the certificate of the tests. */
export async function startTlsFront(platformUrl: string): Promise<TlsFront> {
  const behind = Number(new URL(platformUrl).port)
  const [key, cert] = ['server-key.pem', 'server.pem'].map((name) => readFileSync(file(name)))
  const server = createServer({ key, cert }, (socket) =>
    pipeline(socket, connect(behind, '127.0.0.1'), socket, () => undefined),
  )
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const ca = file('ca.pem')
  // The agent reads one variable, a program that uses Node's own fetch the other.
  const env = { SERVICE_BASE_URL: `https://127.0.0.1:${port}`, SERVICE_CA_FILE: ca, NODE_EXTRA_CA_CERTS: ca }
  return { env, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}
