/** What one stage found. */
export interface Check {
  readonly name: CheckName
  /** Null: it could not be checked. */
  readonly ok: boolean | null
  readonly message: string
  /** What a person can do. Null where nothing is to be done. */
  readonly cure: string | null
}

/** The stages, in the order in which they are run and printed. */
export const checkNames = [
  'settings',
  'files',
  'signing-key',
  'platform-keys',
  'user',
  'state-dir',
  'journal',
  'orders-ledger',
  'state-owner',
  'store',
  'store-schema',
  'store-commits',
  'store-agents',
  'spool-dirs',
  'spool-group',
  'spool-links',
  'spool-disk',
  'spool-events',
  'log',
  'port',
  'webhook-port',
  'forward-url',
  'platform',
  'name',
  'tcp',
  'proxy',
  'tls',
  'address',
  'credentials',
  'clock',
] as const
export type CheckName = (typeof checkNames)[number]

/** What a stage says, without its name. */
export type Verdict = Omit<Check, 'name'>

export const right = (message: string): Verdict => ({ ok: true, message, cure: null })
/** Works, and still something should be done. */
export const warning = (message: string, cure: string): Verdict => ({ ok: true, message, cure })
export const wrong = (message: string, cure: string): Verdict => ({ ok: false, message, cure })
export const unknown = (message: string, cure: string | null = null): Verdict => ({ ok: null, message, cure })
