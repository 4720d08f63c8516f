import { BareConnection } from './bare-connection.ts'

const patienceMs = 30_000

/** Keep-alive connections to a sidecar, as a game server has them. */
export interface CallerConnections {
  /**
   * POSTs JSON and gives the body of the answer.
   *
   * @throws {Error} The connection ended, or no answer came within 30 s.
   */
  readonly post: (path: string, json: string) => Promise<string>
  readonly close: () => void
}

/** Connections to a sidecar at this address, opened as they are needed. */
export function callerConnections(url: string): CallerConnections {
  const { host } = new URL(url)
  const idle: BareConnection[] = []
  const all: BareConnection[] = []

  async function opened(): Promise<BareConnection> {
    const connection = await BareConnection.open(url, patienceMs)
    all.push(connection)
    return connection
  }

  return {
    async post(path, json) {
      let connection = idle.pop()
      while (connection?.isOver) connection = idle.pop()
      connection ??= await opened()
      const head = `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: `
      const { body } = await connection.exchange(`${head}${Buffer.byteLength(json)}\r\n\r\n${json}`)
      idle.push(connection)
      return Buffer.from(body, 'latin1').toString('utf8')
    },
    close: () => {
      for (const connection of all) connection.end()
    },
  }
}
