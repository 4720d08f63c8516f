/** Which files of a program are below its edge: what they need of the outside is handed in by the composition. */
export interface Edge {
  /** Folders and files. */
  readonly below: readonly string[]
  /** Those among them that are the outside themselves. Nothing else below the edge imports them, except their types. */
  readonly adapters: readonly string[]
}

/** The marketplace of the stub, its webhooks and its schedule. */
export const stubEdge: Edge = {
  below: [
    'platform-stub/marketplace/',
    'platform-stub/webhooks/',
    'platform-stub/clock/',
    'platform-stub/faults/',
    'platform-stub/partner-api/',
    'platform-stub/store/',
    'platform-stub/http/',
    'platform-stub/server/compose-platform.ts',
    'platform-stub/server/open-platform.ts',
  ],
  adapters: [
    'platform-stub/clock/machine-time.ts',
    'platform-stub/http/http-server.ts',
    'platform-stub/http/post-webhook.ts',
    'platform-stub/http/read-request.ts',
    'platform-stub/http/write-answer.ts',
    'platform-stub/store/open.ts',
    'platform-stub/store/transact.ts',
  ],
}

/** The agent: all of it but its commands. */
export const agentEdge: Edge = {
  below: [
    'agent/agent.ts',
    'agent/outside.ts',
    'agent/store.ts',
    'agent/call/',
    'agent/clock/',
    'agent/config/',
    'agent/database/',
    'agent/durable-files/',
    'agent/http/',
    'agent/journal/',
    'agent/language/',
    'agent/log/',
    'agent/loopback/',
    'agent/orders/',
    'agent/ownership/',
    'agent/platform/',
    'agent/postgres/',
    'agent/signing/',
    'agent/spool/',
    'agent/status/',
    'agent/webhook-bridge/',
  ],
  adapters: [
    'agent/clock/system-clock.ts',
    'agent/database/database-writer.ts',
    'agent/database/not-opened.ts',
    'agent/database/open-database.ts',
    'agent/durable-files/database-fault.ts',
    'agent/durable-files/file-sync.ts',
    'agent/durable-files/host-files.ts',
    'agent/durable-files/private-file.ts',
    'agent/http/http-server.ts',
    'agent/http/take-port.ts',
    'agent/http/write-answer.ts',
    'agent/journal/ballast.ts',
    'agent/journal/open-store.ts',
    'agent/journal/schema.ts',
    'agent/journal/sqlite-journal.ts',
    'agent/log/log.ts',
    'agent/log/log-file.ts',
    'agent/log/standard-output.ts',
    'agent/orders/sqlite-order-ledger.ts',
    'agent/ownership/owner-lock.ts',
    'agent/platform/connector.ts',
    'agent/platform/undici-connection.ts',
    'agent/platform/trusted-cas.ts',
    'agent/postgres/connect.ts',
    'agent/postgres/kept-state.ts',
    'agent/signing/rsa-signing.ts',
    'agent/spool/watch-dir.ts',
  ],
}

/** Modules of Node, and packages, that reach outside. */
export const outsideModules: readonly string[] = [
  'node:child_process',
  'node:cluster',
  'node:crypto',
  'node:dgram',
  'node:dns',
  'node:fs',
  'node:http',
  'node:http2',
  'node:https',
  'node:net',
  'node:os',
  'node:perf_hooks',
  'node:process',
  'node:sqlite',
  'node:timers',
  'node:tls',
  'node:worker_threads',
  'undici',
  'pg',
  'chokidar',
  'pino',
  'write-file-atomic',
]

/** What may be imported from them by name: it computes, or is a number. The rest of `node:crypto` is chance, or work of other threads. */
export const pureNames: Readonly<Record<string, readonly string[]>> = {
  'node:crypto': [
    'KeyObject',
    'X509Certificate',
    'createHash',
    'createHmac',
    'createPrivateKey',
    'createPublicKey',
    'hash',
    'timingSafeEqual',
  ],
  'node:fs': ['constants'],
  'node:net': ['isIP', 'isIPv4', 'isIPv6'],
  'node:os': ['constants'],
}
