import { operations, type PlatformOperationName } from '../../../contract/operations.ts'

/** What leaves an agent for the platform. */
export interface SentRequest {
  readonly method: string
  readonly path: string
  readonly headers: readonly string[]
  /** The fields of its body. */
  readonly input: Fields
  /** For which call it is made; undefined for a path that the interface does not have. */
  readonly operation: PlatformOperationName | undefined
  /** Of the transaction that its path names. */
  readonly transactionId: number | undefined
}

export type Fields = Readonly<Record<string, unknown>>

const kinds = Object.entries(operations).flatMap(([name, operation]) =>
  operation.kind === 'platform'
    ? [
        {
          operation: name as PlatformOperationName,
          path: new RegExp(`^${operation.path.replace('{transactionId}', '(\\d+)').replace(/\{\w+\}/, '[^/]+')}$`),
          implied: operation.implied as { readonly action?: string },
        },
      ]
    : [],
)

/** What a request is for. */
export function readSentRequest({
  method,
  path,
  headers,
  input,
}: Pick<SentRequest, 'method' | 'path' | 'headers' | 'input'>): SentRequest {
  const kind = kinds.find((known) => known.path.test(path) && known.implied.action === input['action'])
  const [, named] = kind?.path.exec(path) ?? []
  const transactionId = named === undefined ? undefined : Number(named)
  return { method, path, headers, input, operation: kind?.operation, transactionId }
}
