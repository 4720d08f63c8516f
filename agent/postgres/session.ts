import type { StoreHost } from '../config/store-url.ts'

/** One row of a result. */
export type Row = Readonly<Record<string, unknown>>

/** What is asked of the client of a session: statements one after another, and notifications. */
export interface StoreClient {
  /** Without values, the text may have several statements. */
  query(sql: string, values?: unknown[]): Promise<{ readonly rows: readonly Row[] }>
  on(event: 'notification', listener: (notification: { readonly payload?: string | undefined }) => void): unknown
}

/** A session with a host that accepted writes when it began. */
export interface StoreSession {
  readonly client: StoreClient
  /** The host that was used. */
  readonly host: StoreHost
  /** Ends the session cleanly, or after a second without the server. */
  end(): Promise<void>
}
