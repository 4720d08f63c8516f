import type { PathLike } from 'node:fs'
import { basename, dirname } from 'node:path'
import type { Door } from '../../../agent/http/door.ts'
import type { Order } from '../../../agent/orders/order.ts'
import type { KnownObservation, OrderLedger } from '../../../agent/orders/order-ledger.ts'
import type { OrderPhase } from '../../../agent/orders/order-moves.ts'
import type { Outside } from '../../../agent/outside.ts'
import type { AttemptResult } from '../../../agent/platform/attempt-result.ts'
import type { Status } from '../../../agent/status/status.ts'
import { isNotTakenYet } from '../../../contract/events.ts'
import type { HostAddresses } from './agent-program.ts'
import { orderOfFile } from './order-of-file.ts'
import { type Fields, readSentRequest, type SentRequest } from './sent-request.ts'

/** Sees what crosses the edge of an agent, at the moment when it does. */
export interface AgentWitness {
  /** @param shown As the game server gets it; undefined for a file. */
  readonly onHandedOver: (transactionId: number, by: string, shown?: Fields) => void
  /** The answer to a webhook is a 2xx. */
  readonly onAcknowledged: (event: string, transactionId: number, webhook: AnsweredWebhook) => void
  /** The answer to a webhook is a 401. */
  readonly onWebhookRefused: (webhook: ReceivedWebhook) => void
  /** The answer to a webhook is that its transaction is nothing to this game server: any other 4xx. */
  readonly onWebhookDenied: (transactionId: number, webhook: ReceivedWebhook) => void
  /** The answer to a webhook is that the game server has not taken the order yet. */
  readonly onNotTaken: (transactionId: number, webhook: ReceivedWebhook) => void
  /** The answer to a webhook has left, with a stock. */
  readonly onStockAnswered: (stock: AnsweredStock) => void
  /** The kid of a signature that is about to be made. */
  readonly onSigned: (kid: string) => void
  /** An order, or a terminal event, leaves for the game server. */
  readonly onPushed: (headers: readonly string[], event: string | undefined) => void
  /** A request leaves for the platform. The function that it returns is called when the attempt has ended. */
  readonly onSent: (request: SentRequest) => ((result: AttemptResult) => void) | undefined
  /** A call over HTTP arrives. */
  readonly onTaken: (call: GivenCall, headers: readonly string[]) => void
  /** The answer to a call over HTTP is given. */
  readonly onGiven: (call: GivenCall, answer: string) => void
  /** @param requestedMs When its request arrived. */
  readonly onStatusGiven: (status: Status, requestedMs: number) => void
  /** An operator gets the answer that the platform was asked about every open order. @param requestedMs When the request arrived. */
  readonly onOrdersChecked: (requestedMs: number) => void
  /** The list for operators. */
  readonly onOrdersGiven: (list: OrderList) => void
  readonly onLogged: (line: LoggedLine) => void
  /** The agent reads the newest stock of an item in its ledger. */
  readonly onObservationRead: (observation: KnownObservation) => void
  /** The agent notes a stock in its ledger, but not that of a reply. */
  readonly onObserved: (itemRef: string, observation: KnownObservation) => void
  /** A file of the spool is about to be opened. */
  readonly onOpening: (path: string) => void
  /** A file of the spool is about to get another name. */
  readonly onRenaming: (from: string, to: string) => void
  /** A file of the spool has got another name. */
  readonly onRenamed: (from: string, to: string) => void
  /** A file of the spool is about to be removed. */
  readonly onRemoving: (path: string) => void
  /** A file of a call is removed. */
  readonly onRemoved: (path: string) => void
}

/** The orders of an agent: those that are open, and some that are not. */
export interface OrderList {
  readonly orders: readonly ListedOrder[]
  readonly closed: readonly ListedOrder[]
  /** Not all of those that are closed are in it. */
  readonly more: boolean
}

type ListedOrder = Readonly<
  Pick<Order, 'transactionId' | 'result'> & { state: string; receivedAt: string; since: string; retryAt: string | null }
>

/** The stock in the answer to a webhook. */
export interface AnsweredStock {
  readonly transactionId: number
  readonly itemRef: string
  readonly quantity: number
  /** When the webhook arrived. */
  readonly arrivedMs: number
}

/** A line of an agent's log. */
export interface LoggedLine {
  readonly text: string
  readonly level: number
  readonly msg: string
  readonly transactionId?: number
  /** Of a reply that the ledger has now. */
  readonly observedQuantity?: number | null
  /** What a person can do. */
  readonly cure?: string
  /** Of an order in the ledger. */
  readonly phase?: OrderPhase
  readonly generation?: number
  readonly result?: string | null
  /** Of a file. */
  readonly name?: string
}

/** A webhook as it arrived at an agent. */
export interface ReceivedWebhook {
  readonly rawHeaders: readonly string[]
  readonly body: Uint8Array
  readonly arrivedMs: number
}

/** The same, with the text that the agent answers. */
export interface AnsweredWebhook extends ReceivedWebhook {
  readonly answer: string
}

/** The fields of a call that promises are about. */
export interface GivenCall {
  readonly operation?: string
  readonly id?: string
  readonly input?: Fields
}

type DoorAnswer = NonNullable<Awaited<ReturnType<Door>>>

interface Event {
  readonly event?: string
  readonly transactionId?: number
}

/** The same outside, watched. @param isDead Whether the agent has died: it runs on to its next call, and nobody hears it. */
export function witnessOutside(
  outside: Outside,
  witness: AgentWitness,
  addresses: HostAddresses,
  nowMs: () => number,
  isDead: () => boolean,
): Outside {
  const eventOf = (text: string): Event => JSON.parse(text) as Event
  const { files } = outside
  const events = `${addresses.spool}/events`
  return {
    ...outside,
    files: {
      ...files,
      openSync(path, ...how) {
        witness.onOpening(String(path))
        return files.openSync(path, ...how)
      },
      renameSync(from, to) {
        witness.onRenaming(String(from), String(to))
        files.renameSync(from, to)
        const orderId = orderOfFile(basename(String(to)))
        if (orderId !== undefined && dirname(String(to)) === events) witness.onHandedOver(Number(orderId), 'file')
        witness.onRenamed(String(from), String(to))
      },
      unlinkSync(path) {
        witness.onRemoving(String(path))
        files.unlinkSync(path)
      },
      unlink: Object.assign(
        (path: PathLike, callback: (error: NodeJS.ErrnoException | null) => void) => {
          witness.onRemoving(String(path))
          files.unlink(path, (error) => {
            if (!error) witness.onRemoved(String(path))
            callback(error)
          })
        },
        { __promisify__: files.unlink.__promisify__ },
      ),
    },
    signing: {
      ...outside.signing,
      seal(header, body, key) {
        witness.onSigned(header.kid)
        return outside.signing.seal(header, body, key)
      },
    },
    async openStore(options) {
      const store = await outside.openStore(options)
      const { openLedger } = store
      return Object.assign(store, {
        openLedger: async (given: Parameters<typeof openLedger>[0]) => watchLedger(await openLedger(given)),
      })
    },
    connect(options) {
      const connection = outside.connect(options)
      const isToGame = options.origin.endsWith(addresses.orders)
      let isClosed = false
      return {
        close() {
          isClosed = true
          return connection.close()
        },
        async send(request, sendOptions) {
          if (isClosed) return connection.send(request, sendOptions)
          const input = fieldsOf(Buffer.from(request.body ?? '').toString())
          const { event, transactionId } = input as Event
          if (isToGame && event === 'transfer_order' && transactionId !== undefined)
            witness.onHandedOver(transactionId, 'push', input)
          const { method, path, headers } = request
          if (isToGame) witness.onPushed(headers, event)
          const onEnded = isToGame ? undefined : witness.onSent(readSentRequest({ method, path, headers, input }))
          const result = await connection.send(request, sendOptions)
          onEnded?.(result)
          return result
        },
      }
    },
    listen(options) {
      const isWebhook = options.port.port === addresses.webhook.port
      return outside.listen({ ...options, door: isWebhook ? webhookDoor(options.door) : callDoor(options.door) })
    },
  }

  function watchLedger(ledger: OrderLedger): OrderLedger {
    return {
      ...ledger,
      async observationOf(itemRef) {
        const known = await ledger.observationOf(itemRef)
        if (known) witness.onObservationRead(known)
        return known
      },
      observe(itemRef, observed, ifAway) {
        witness.onObserved(itemRef, observed)
        return ledger.observe(itemRef, observed, ifAway)
      },
    }
  }

  function webhookDoor(door: Door): Door {
    return async (request) => {
      const arrivedMs = nowMs()
      const body = await request.readBody()
      const answer = await door({ ...request, readBody: async () => body })
      const { rawHeaders } = request
      if (!answer || !Buffer.isBuffer(body)) return answer
      const webhook = { rawHeaders, body, arrivedMs }
      if (answer.status >= 400) noteRefusal(answer, webhook)
      if (answer.status >= 200 && answer.status < 300) {
        const { event, transactionId } = eventOf(body.toString())
        if (event !== undefined && transactionId !== undefined)
          witness.onAcknowledged(event, transactionId, { ...webhook, answer: answer.text })
        return { ...answer, onSent: (hasLeft: boolean) => noteAnswer(body, answer, arrivedMs, hasLeft) }
      }
      return answer
    }
  }

  function noteRefusal({ status, text }: DoorAnswer, webhook: ReceivedWebhook): void {
    // The body of one that is not signed as it must be may be anything.
    if (status === 401) {
      witness.onWebhookRefused(webhook)
      return
    }
    const { transactionId = 0 } = eventOf(Buffer.from(webhook.body).toString())
    if (isNotTakenYet(text)) witness.onNotTaken(transactionId, webhook)
    else if (status < 500) witness.onWebhookDenied(transactionId, webhook)
  }

  async function noteAnswer(body: Buffer, answer: DoorAnswer, arrivedMs: number, hasLeft: boolean): Promise<void> {
    const { transactionId, itemRef } = JSON.parse(body.toString()) as Omit<AnsweredStock, 'quantity' | 'arrivedMs'>
    const { observedQuantity: quantity } = JSON.parse(answer.text) as { readonly observedQuantity?: number }
    if (hasLeft && quantity !== undefined) witness.onStockAnswered({ transactionId, itemRef, quantity, arrivedMs })
    await answer.onSent?.(hasLeft)
  }

  function callDoor(door: Door): Door {
    return async (request) => {
      const requestedMs = nowMs()
      const body = await request.readBody()
      const call = request.target === '/call' ? callOf(String(body)) : undefined
      if (call) witness.onTaken(call, request.rawHeaders)
      const answer = await door({ ...request, readBody: async () => body })
      if (isDead()) return answer
      if (call && answer) witness.onGiven(call, answer.text)
      if (answer?.status === 200) notePage(request.target, answer.text, requestedMs)
      // The operator's list hands nothing over.
      const listed = call && answer?.text.includes('"state":"offered"') ? eventsListed(answer.text) : []
      for (const order of listed) witness.onHandedOver(order.transactionId, 'list', order)
      return answer
    }
  }

  function notePage(target: string, text: string, requestedMs: number): void {
    if (target === '/status') witness.onStatusGiven(JSON.parse(text) as Status, requestedMs)
    if (target === '/orders/check' && text.startsWith('{"ok":true')) witness.onOrdersChecked(requestedMs)
    if (target === '/orders') witness.onOrdersGiven(listIn(text))
  }
}

/** Undefined for a request that is wrong, as far as promises are concerned. */
function callOf(text: string): GivenCall | undefined {
  try {
    return JSON.parse(text) as GivenCall
  } catch {
    return undefined
  }
}

/** The orders that an answer of `orders.open` hands over. */
function eventsListed(text: string): readonly OfferedInList[] {
  const { data } = JSON.parse(text) as { data?: { orders?: readonly OfferedInList[] } }
  return (data?.orders ?? []).filter(({ state }) => state === 'offered')
}

interface OfferedInList extends Fields {
  readonly transactionId: number
  readonly state: string
}

function listIn(text: string): OrderList {
  return (JSON.parse(text) as { readonly data: OrderList }).data
}

/** No fields in an empty body. */
function fieldsOf(body: string): Fields {
  return body === '' ? {} : (JSON.parse(body) as Fields)
}
