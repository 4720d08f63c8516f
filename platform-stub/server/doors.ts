import type { Server } from 'node:http'
import type { Handler } from '../http/answer.ts'
import { frameworkHandler } from '../http/framework.ts'
import type { HttpRequest } from '../http/http-request.ts'
import { closeServer, listen, makeServer } from '../http/http-server.ts'
import { isLoopback } from '../http/origin.ts'
import { answer } from '../http/write-answer.ts'
import type { Audience } from './app.ts'
import type { ComposedPlatform } from './compose-platform.ts'
import type { Addresses } from './open-platform.ts'
import type { StubOptions } from './platform-stub.ts'

/** The listeners of a stub. */
interface Doors {
  /** Takes the ports. Requests wait until `open`. @throws {ListenError} */
  listen(): Promise<Addresses>
  /** From now on requests are answered. */
  open(): void
  /** Takes nothing new, and lets requests in flight finish. */
  close(): Promise<void>
  /** Closes every connection at once. */
  cut(): void
}

/** What is answered where: all on one port, or control routes and console on a port of their own. */
export function makeDoors(parts: ComposedPlatform, options: StubOptions): Doors {
  const { platform, clock, addresses } = parts
  const { promise: opened, resolve: open } = Promise.withResolvers<void>()
  const doorTo = (handler: Handler): Server =>
    makeServer(
      answer((request) => opened.then(() => handler(request)), platform),
      clock,
    )
  const pagesFor = (audience: Audience): Handler =>
    frameworkHandler(async () => (await import('./app.ts')).makeApp(parts, audience, options.service))
  // Headers cannot tell a proxy that adds none. Everything that may be reached through one is on a listener without the
  // rest.
  const isShared = options.publicUrl !== null || !isLoopback(options.host)
  const pages = pagesFor(isShared ? 'public' : 'both')
  const main = doorTo((request) => (isPartnerPath(request) ? parts.answerPartner(request) : pages(request)))
  const developer = isShared ? doorTo(pagesFor('developer')) : undefined
  const servers = developer ? [main, developer] : [main]

  return {
    open,
    async listen() {
      const { host, port } = options
      addresses.url = await listen(main, { host, port, option: '--port' })
      addresses.publicUrl ||= addresses.url
      addresses.developerUrl = developer ? await listen(developer, developerAddress(options)) : addresses.url
      return addresses
    },
    async close() {
      await Promise.all(servers.map((server) => closeServer(server, clock)))
    },
    cut() {
      for (const server of servers) {
        server.close()
        server.closeAllConnections()
      }
    },
  }
}

/** Whether a request is for the interface's routes, all of which are below `/v1`. */
function isPartnerPath({ path }: HttpRequest): boolean {
  return path === '/v1' || path.startsWith('/v1/')
}

function developerAddress({ port, developerPort }: StubOptions) {
  const isOneAbove = port > 0 && port < 65_535
  return { host: '127.0.0.1', port: developerPort ?? (isOneAbove ? port + 1 : 0), option: '--developer-port' } as const
}
