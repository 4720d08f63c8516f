import type { StoreClient, StoreSession } from '../../../../agent/postgres/session.ts'

type Values = Parameters<StoreClient['query']>[1]
type Result = ReturnType<StoreClient['query']>

/**
 * The same session of an agent with its store, watched.
 *
 * @param watch Called with each statement, which it sends by `ask`. It returns the result.
 */
export function watchedSession(
  session: StoreSession,
  watch: (statement: { readonly sql: string; readonly values: Values }, ask: () => Result) => Result,
): StoreSession {
  const { client } = session
  return {
    ...session,
    client: {
      query: (sql, values) => watch({ sql, values }, () => client.query(sql, values)),
      on: (event, listener) => client.on(event, listener),
    },
  }
}
