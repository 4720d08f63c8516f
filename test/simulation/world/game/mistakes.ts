import { limits } from '../../../../contract/limits.ts'
import type { NetworkRequest } from '../../network/message.ts'

/** A request that is wrong for good. */
export interface Mistake {
  /** Of the answer. */
  readonly code: string
}

/** A file that cannot become a call. */
export interface FileMistake extends Mistake {
  readonly bytes: Uint8Array
}

/** A request over HTTP that cannot become a call. */
export interface HttpMistake extends Mistake {
  /** Whether it shows the token of the agent, if that has one. */
  readonly hasRightToken: boolean
  readonly request: NetworkRequest
}

const question = '{"action":"market.eligibility","characterRef":"João"}'
const fileTexts: readonly (readonly [code: string, text: string, encoding?: BufferEncoding])[] = [
  ['OPERATION_MISSING', '{"characterRef":"Ana"}'],
  ['OPERATION_UNKNOWN', '{"action":"market.nothing"}'],
  ['INPUT_INVALID', '{"action":"market.adjust-stock","itemRef":"sword","observedQuantity":-1}'],
  ['ID_DIFFERS', '{"action":"market.eligibility","characterRef":"Ana","id":"another"}'],
  ['JSON_INVALID', '{"action":"market.eligibility","characterRef":"Ana"}}'],
  ['FILE_HALF_WRITTEN', '{"action":"transaction.create","itemRef":"sword"'],
  ['FILE_UTF16', question, 'utf16le'],
  ['BODY_NOT_UTF8', question, 'latin1'],
  ['FILE_TOO_LARGE', question.padEnd(limits.bodyBytesMax + 1)],
]

/** What stays wrong however long the agent waits for its writer. */
export const fileMistakes: readonly FileMistake[] = fileTexts.map(([code, text, encoding]) => ({
  code,
  bytes: Buffer.from(text, encoding),
}))

const rightHeaders = ['host', 'localhost', 'content-type', 'application/json']
const rightBody = { operation: 'market.eligibility', input: { characterRef: 'Ana' } }

function mistake(code: string, { body = rightBody as unknown, ...wrong }): HttpMistake {
  const bytes = body instanceof Uint8Array ? body : Buffer.from(JSON.stringify(body))
  return {
    code,
    hasRightToken: true,
    request: { method: 'POST', path: '/call', headers: rightHeaders, ...wrong, body: bytes },
  }
}

const routesWithToken = [
  ...['/orders', '/orders/all-worlds', '/status', '/metrics', '/operations'].map((path) => ({ method: 'GET', path })),
  ...['/orders/check', '/reload'].map((path) => ({ method: 'POST', path })),
]

/** What an agent refuses that has a token. */
export const tokenMistakes: readonly HttpMistake[] = [
  ...routesWithToken.map((route) => ({ ...route, body: Buffer.alloc(0) })),
  {},
  { headers: [...rightHeaders, 'authorization', 'Bearer call-token2'] },
].map((request) => ({ ...mistake('TOKEN_INVALID', request), hasRightToken: false }))

/** What a web page, or a game server that is not finished, sends to the port of the agent. */
export const httpMistakes: readonly HttpMistake[] = [
  mistake('ROUTE_UNKNOWN', { path: '/calls' }),
  mistake('METHOD_NOT_ALLOWED', { method: 'GET' }),
  mistake('HOST_NOT_LOOPBACK', { headers: ['host', 'market.example', 'content-type', 'application/json'] }),
  mistake('HOST_NOT_LOOPBACK', { headers: ['host', 'localhost.market.example', 'content-type', 'application/json'] }),
  mistake('FROM_BROWSER', { headers: [...rightHeaders, 'origin', 'http://market.example'] }),
  mistake('CONTENT_TYPE_INVALID', { headers: ['host', 'localhost', 'content-type', 'text/plain'] }),
  mistake('CONTENT_TYPE_INVALID', { headers: [...rightHeaders, 'content-encoding', 'gzip'] }),
  mistake('TRANSFER_ENCODING_INVALID', { headers: [...rightHeaders, 'transfer-encoding', 'gzip, chunked'] }),
  mistake('LENGTH_INVALID', { headers: [...rightHeaders, 'content-length', 'ten'] }),
  mistake('BODY_TOO_LARGE', { headers: [...rightHeaders, 'content-length', String(limits.bodyBytesMax + 1)] }),
  mistake('BODY_NOT_UTF8', { body: Buffer.from(question, 'latin1') }),
  mistake('JSON_INVALID', { body: Buffer.from('{"operation":') }),
  mistake('JSON_INVALID', {
    body: Buffer.from('{"operation":"transaction.get","input":{"transactionId":9007199254740993}}'),
  }),
  mistake('OPERATION_MISSING', { body: { ...rightBody, operation: undefined } }),
  mistake('OPERATION_UNKNOWN', { body: { ...rightBody, operation: 'market.nothing' } }),
  mistake('INPUT_MISSING', { body: { ...rightBody, input: undefined } }),
  mistake('INPUT_NOT_OBJECT', { body: { ...rightBody, input: [] } }),
  mistake('INPUT_INVALID', { body: { ...rightBody, input: {} } }),
  mistake('ID_INVALID', { body: { ...rightBody, id: '' } }),
  mistake('WEBHOOK_BODY_INVALID', { body: { operation: 'webhook.verify', input: { signature: 'a..b' } } }),
  mistake('WEBHOOK_BODY_INVALID', {
    body: { operation: 'webhook.verify', input: { signature: 'a..b', bodyBase64: '{}' } },
  }),
  mistake('ORDER_UNKNOWN', {
    body: { operation: 'orders.take', input: { transactionId: 1_000_000, observedQuantity: 1 } },
  }),
]
