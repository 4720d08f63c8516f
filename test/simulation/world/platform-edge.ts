import { headOf } from '../../../platform-stub/http/answer.ts'
import { requestOf } from '../../../platform-stub/http/http-request.ts'
import type { ComposedPlatform } from '../../../platform-stub/server/compose-platform.ts'
import { type PostOutcome, sentHeaders, type WebhookPost } from '../../../platform-stub/webhooks/webhook-post.ts'
import type { Handler, NetworkRequest } from '../network/message.ts'
import type { Network } from '../network/network.ts'
import type { ModelProcess } from '../process.ts'
import { fieldsIn } from './promises/fields-in.ts'

/** What a platform answers that has acted and then failed. */
const failed = { status: 500, headers: {}, body: Buffer.from('{"message":"Erro interno."}') }

/** What it answers to a report that it does not like. */
const tooLong = { status: 422, headers: {}, body: Buffer.from('{"message":"O campo detail é muito longo."}') }
const detailMax = 500

function hasLongDetail(body: Uint8Array): boolean {
  const { detail = '' } = fieldsIn<{ readonly detail: string }>(body)
  return detail.length > detailMax
}

/** The end of an itemRef that does not belong to its transaction. */
const ofAnother = '-of-another'

/** Whether the platform shows a transaction with another item than its own. */
export function isOfAnother(itemRef: unknown): boolean {
  return typeof itemRef === 'string' && itemRef.endsWith(ofAnother)
}

interface EdgeOptions {
  /** Whether the platform fails after it acted. */
  readonly fails: () => boolean
  /** Whether it shows a transaction with another item than its own. */
  readonly confuses: () => boolean
  /** Whether it takes no long `detail`, ever. */
  readonly takesNoDetail: boolean
  /** Whether it leaves out what the interface does not promise: the number of a purchase, and a body where there is nothing to return. */
  readonly saysLittle: boolean
  /** Called with each request that the platform has accepted, and with the body of its answer. */
  readonly onAccepted: (request: NetworkRequest, answer: string) => void
}

/** The partner routes, as the network calls them. */
export function answererOf(
  { answerPartner, journal, clock }: ComposedPlatform,
  { fails, confuses, takesNoDetail, saysLittle, onAccepted }: EdgeOptions,
): Handler {
  return async (request) => {
    const { method, path, headers, body } = request
    if (takesNoDetail && hasLongDetail(body)) return tooLong
    const readBody = async () => Buffer.from(body)
    // The client of a real connection adds it.
    const rawHeaders = [...headers, 'content-length', String(body.length)]
    const answer = await answerPartner(requestOf({ method, target: path, rawHeaders, remoteAddress: '', readBody }))
    // The answer does not show that the connection was dropped before anything acted.
    if (journal.newest(1)[0]?.status === 200) onAccepted(request, String(answer.body))
    if (answer.ending !== undefined && answer.ending !== 'whole') return undefined
    if (fails()) return failed
    const text = answer.body as string
    const shown = method === 'GET' && confuses() ? text.replace(/"itemRef":"[^"]*/, `$&${ofAnother}`) : text
    const said = saysLittle && path === '/v1/api/transactions' ? shown.replace(/"transactionId":\d+,/, '') : shown
    const status = saysLittle && answer.status === 200 && said === '' ? 204 : answer.status
    return { status, headers: recordOf(headOf(answer, clock.nowMs())), body: Buffer.from(said) }
  }
}

/** Names and values in turn, as a record with names in lower case. */
function recordOf(head: readonly string[]): Record<string, string> {
  const record: Record<string, string> = {}
  for (let at = 0; at < head.length; at += 2) record[(head[at] ?? '').toLowerCase()] = head[at + 1] ?? ''
  return record
}

/** Posts a webhook over the network of the world. @param copiesTo Addresses that get a copy. Their answers do not count. */
export async function postOver(
  network: Network,
  process: ModelProcess,
  post: WebhookPost,
  copiesTo: readonly string[],
): Promise<PostOutcome> {
  const { host, pathname } = new URL(post.url)
  const body = Buffer.from(post.body)
  const request = { method: 'POST', path: pathname, headers: sentHeaders(post).flat(), body }
  for (const address of copiesTo) network.send(process, address, request)
  const { ended, giveUp } = network.send(process, host, request)
  const cancel = process.time.setTimer(post.timeoutMs, () => giveUp(new Error('timeout')))
  const breakOff = () => giveUp(new Error(String(post.signal?.reason)))
  post.signal?.addEventListener('abort', breakOff)
  const exchange = await ended
  cancel()
  post.signal?.removeEventListener('abort', breakOff)
  if (exchange.kind === 'failed') return { kind: 'failure', failure: exchange.cause.message }
  const { status, headers, body: answered } = exchange.answer
  return { kind: 'answer', status, headers: Object.entries(headers), body: Buffer.from(answered).toString() }
}
