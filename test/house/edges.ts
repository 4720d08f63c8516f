/** Which files of a program are below its edge: what they need of the outside is handed in by the composition. */
export interface Edge {
  /** Folders and files. */
  readonly below: readonly string[]
  /** Those among them that are the outside themselves. Nothing else below the edge imports them, but for their types. */
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

/** Modules of Node, and packages, that reach outside. */
export const outsideModules: readonly string[] = [
  'node:child_process',
  'node:cluster',
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
  'chokidar',
  'write-file-atomic',
]

/** What computes in `node:crypto`; the rest is chance, or work of other threads. */
export const pureOfCrypto: readonly string[] = [
  'KeyObject',
  'createHash',
  'createHmac',
  'createPrivateKey',
  'createPublicKey',
  'hash',
]
