import net from 'node:net'
import { point, pointAfter } from './point.ts'
import { callThrough, type Methods, wrap } from './wrap.ts'

/** Connections to the platform and what passes through them, the port that is taken, and answers to callers. */
export function watchSockets(): void {
  const sockets = net.Socket.prototype
  /** Our connections, each with its other end. */
  const connected = new WeakMap<object, string>()
  if (!('_writeGeneric' in sockets)) throw new Error('net.Socket of this Node has no _writeGeneric')

  wrap(
    net.Server.prototype,
    'listen',
    (original) =>
      function (this: unknown, ...args) {
        const error = point('listen', 'loopback')
        if (!error) return callThrough(original, this, args)
        process.nextTick(() => (this as net.Server).emit('error', Object.assign(error, { syscall: 'listen' })))
        return this
      },
  )
  wrap(
    sockets,
    'connect',
    (original) =>
      function (this: unknown, ...args) {
        const socket = this as net.Socket
        const to = receiverOf(args)
        connected.set(socket, to)
        const error = point('connect', to)
        if (!error) return callThrough(original, socket, args)
        process.nextTick(() => socket.destroy(error))
        return socket
      },
  )
  wrap(
    sockets,
    '_writeGeneric',
    (original) =>
      function (this: unknown, ...args) {
        const socket = this as net.Socket
        const isAccepted = Boolean((socket as { server?: unknown }).server)
        // Standard output and error may be sockets too.
        if (socket.connecting || !(isAccepted || connected.has(socket))) return callThrough(original, socket, args)
        const where = isAccepted ? 'answer to a caller' : `request to the ${connected.get(socket)}`
        const error = point('send', where)
        if (error) return (args.at(-1) as (error: Error) => void)(error)
        const result = callThrough(original, socket, args)
        pointAfter('send', where)
        return result
      },
  )
  // What callers send is read below JavaScript; what the platform answers is pushed into the stream.
  const inherited = (sockets as unknown as Methods)['push']
  if (!inherited) throw new Error('net.Socket of this Node has no push')
  Object.assign(sockets, {
    push(this: net.Socket, ...args: unknown[]) {
      const from = connected.get(this)
      const error = from !== undefined && args[0] !== null ? point('receive', `answer of the ${from}`) : undefined
      if (!error) return callThrough(inherited, this, args)
      this.destroy(error)
      return false
    },
  })
}

const platformPort = new URL(process.env['SERVICE_BASE_URL'] ?? 'http://nowhere').port

/** `net.connect` passes its arguments on as one list, options first. */
function receiverOf(args: readonly unknown[]): string {
  const [options] = args.flat() as [{ readonly port?: number | string | null } | undefined]
  return String(options?.port) === platformPort ? 'platform' : 'game server'
}
