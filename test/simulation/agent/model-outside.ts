import { createHash } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { KeyQueues } from '../../../agent/call/key-queues.ts'
import { oneGameServer } from '../../../agent/call/listings.ts'
import { clockOver } from '../../../agent/clock/clock.ts'
import { dirUnusable } from '../../../agent/durable-files/dir-unusable.ts'
import { makeDir } from '../../../agent/durable-files/make-dir.ts'
import { removeUnfinishedFiles } from '../../../agent/durable-files/replace-file.ts'
import { RemovedError, trackFile } from '../../../agent/durable-files/same-file.ts'
import type { Listen } from '../../../agent/http/listen.ts'
import type { Order } from '../../../agent/orders/order.ts'
import { isOver } from '../../../agent/orders/order-moves.ts'
import type { Outside } from '../../../agent/outside.ts'
import { LockedError, type TakeOwnership } from '../../../agent/ownership/ownership.ts'
import type { Connect } from '../../../agent/platform/connection.ts'
import type { Signing } from '../../../agent/signing/signing.ts'
import type { WatchDir } from '../../../agent/spool/outbox-events.ts'
import type { OpenStore } from '../../../agent/store.ts'
import { encodeProtectedHeader, signingInput } from '../../../contract/envelope/protected-header.ts'
import { modelFs } from '../disk/model-fs.ts'
import type { ModelHost } from '../host.ts'
import type { HandledAnswer, NetworkRequest } from '../network/message.ts'
import type { Network, Sending } from '../network/network.ts'
import type { ModelProcess } from '../process.ts'
import type { ModelDatabase } from '../stores/model-database.ts'
import { newJournalDatabase, newLedgerDatabase, openModelJournal, openModelLedger } from '../stores/model-stores.ts'

/** What agents of a host leave to the next one, besides their files. */
export interface AgentState {
  readonly journal: ModelDatabase
  readonly ledger: ModelDatabase
  /** The directories that a live process owns. */
  readonly owned: Map<string, string>
}

/** @param orders What the ledger has from before the world. */
export function newAgentState(host: ModelHost, orders: readonly Order[] = []): AgentState {
  const state = {
    journal: newJournalDatabase(host.name),
    ledger: newLedgerDatabase(orders),
    owned: new Map<string, string>(),
  }
  host.onPowerCut((random) => state.journal.cutPower(random))
  host.onPowerCut((random) => state.ledger.cutPower(random))
  return state
}

/** The orders in the ledger that are not over, or of whose end the game server does not know. */
export function openOrdersIn({ ledger }: AgentState): readonly Order[] {
  return ordersBy(ledger.db, `phase <> 'closed'`)
}

/** All orders in the ledger. */
export function ordersIn({ ledger }: AgentState): readonly Order[] {
  return ordersBy(ledger.db, 'TRUE')
}

/** The order of a transaction, as the ledger has it now. */
export function orderIn({ ledger }: AgentState, transactionId: number): Order | undefined {
  return ordersBy(ledger.db, 'transaction_id = ?', transactionId)[0]
}

/** The order of a transaction, as a power cut leaves it. */
export function durableOrderIn({ ledger }: AgentState, transactionId: number): Order | undefined {
  return ordersBy(ledger.syncedDb, 'transaction_id = ?', transactionId)[0]
}

function ordersBy(db: DatabaseSync, condition: string, ...values: number[]): Order[] {
  const rows = db.prepare(`SELECT record FROM orders WHERE ${condition}`).all(...values)
  return rows.map(({ record }) => JSON.parse(String(record)) as Order)
}

/** What a power cut leaves of the call of an id: its answer, or null while it is under way. */
export function durableAnswerIn({ journal }: AgentState, id: string): string | null | undefined {
  return journal.syncedDb.prepare('SELECT answer FROM call WHERE id = ?').get(id)?.['answer'] as
    | string
    | null
    | undefined
}

/**
 * When a process counts the window of an id as over, now or after a power cut: by the wall clock of its host, Unix ms. NaN if the
 * journal does not know the id.
 */
export function endOfWindowIn({ journal }: AgentState, id: string, when: 'now' | 'durable'): number {
  const query = 'SELECT ends_at_ms + wall_offset_ms AS ends_at_ms FROM call, journal WHERE id = ?'
  const db = when === 'now' ? journal.db : journal.syncedDb
  return Number(db.prepare(query).get(id)?.['ends_at_ms'])
}

/** Whether the next process expects that something may arrive late, also after a power cut. */
export function expectsLate({ journal }: AgentState): boolean {
  return Number(journal.syncedDb.prepare('SELECT attempt_lifetime_ms FROM journal').get()?.['attempt_lifetime_ms']) > 0
}

/** Whether the window of the oldest answer in the journal was over at a moment by the wall clock of its host, Unix ms. */
export function hasExpiredCall({ journal }: AgentState, wallMs: number): boolean {
  const query = `SELECT ends_at_ms + wall_offset_ms AS ends_at_ms FROM call, journal
    WHERE ends_at_ms IS NOT NULL ORDER BY call.rowid LIMIT 1`
  const oldest = journal.db.prepare(query).get()
  return oldest !== undefined && Number(oldest['ends_at_ms']) < wallMs
}

/** Whether the journal knows the id of a call now. */
export function isInJournal({ journal }: AgentState, id: string): boolean {
  return journal.db.prepare('SELECT 1 FROM call WHERE id = ?').get(id) !== undefined
}

/** The items whose stock must be sent again, each with this stock, as a journal has it now or as a power cut leaves it. */
export function notedRepairsIn(db: ModelDatabase['db']): ReadonlyMap<string, number> {
  const rows = db.prepare('SELECT item_ref, quantity FROM repair').all()
  return new Map(rows.map((row) => [String(row['item_ref']), Number(row['quantity'])]))
}

/** The stock of an item in the ledger, now or as a power cut leaves it. */
export function stockIn({ ledger }: AgentState, itemRef: string, when: 'now' | 'durable'): number | undefined {
  const db = when === 'now' ? ledger.db : ledger.syncedDb
  const row = db.prepare('SELECT observed_quantity FROM observations WHERE item_ref = ?').get(itemRef)
  return row && Number(row['observed_quantity'])
}

/** What one process of an agent works with. */
export interface ModelOutsideParts {
  readonly host: ModelHost
  readonly process: ModelProcess
  readonly network: Network
  readonly state: AgentState
}

/** All that an agent reaches outside itself, in a world under one seed. */
export function modelOutside({ host, process, network, state }: ModelOutsideParts): Outside {
  const { random } = process
  const hex = (digits: number) => Array.from({ length: digits }, () => random.integer(0, 15).toString(16)).join('')
  const fs = modelFs(host.disk, host.diskFaults, process)
  const files = { ...fs, user: { uid: 0, gid: 0 }, newName: () => hex(32) }
  const parts = { process, faults: host.diskFaults }

  const takeOwnership: TakeOwnership = ({ setting, path, mode }, owner) => {
    makeDir(files, setting, path, mode)
    const other = state.owned.get(path)
    if (other !== undefined) throw new LockedError(path, other)
    const isSameDir = trackFile(files, path)
    try {
      removeUnfinishedFiles(files, path)
    } catch (error) {
      throw dirUnusable(setting, path, error)
    }
    state.owned.set(path, owner)
    const release = () => void state.owned.delete(path)
    const callOff = process.onEnd(release)
    return {
      assertSameDir() {
        if (!isSameDir()) throw new RemovedError(setting, path, 'make it again')
      },
      release() {
        callOff()
        release()
      },
    }
  }

  const watchDir: WatchDir = (dir, onEvent) =>
    host.disk.watch(dir, () => void process.after(random.magnitude(0.1, 20), 'file event', onEvent))

  const connect: Connect = ({ origin, clock }) => {
    const underWay = new Set<Sending>()
    const ended = new Error('the connection has ended')
    let isClosed = false
    return {
      async send({ method, path, headers, body }, { timeoutMs }) {
        if (isClosed) return { kind: 'failed', wasSent: false, cause: ended }
        const request = { method, path, headers, body: body ?? new Uint8Array() }
        const sending = network.send(process, new URL(origin).host, request)
        underWay.add(sending)
        const cancelTimer = clock.after(timeoutMs, () => sending.giveUp(new Error(`no answer within ${timeoutMs} ms`)))
        const exchange = await sending.ended
        underWay.delete(sending)
        cancelTimer()
        if (exchange.kind === 'failed') return exchange
        const { status, headers: answered, body: bytes } = exchange.answer
        return { kind: 'answered', status, date: answered['date'], retryAfter: answered['retry-after'], body: bytes }
      },
      async close() {
        isClosed = true
        for (const sending of underWay) sending.giveUp(ended)
      },
    }
  }

  const listen: Listen = async ({ port: { host: name, port }, door }) => {
    const address = `${name}:${port}`
    const requests = new Set<Promise<unknown>>()
    let isDestroyed = false
    const answer = async ({ method, path, headers, body }: NetworkRequest): Promise<HandledAnswer | undefined> => {
      const readBody = async () => Buffer.from(body)
      const answered = await door({ method, target: path, rawHeaders: headers, readBody })
      if (!answered || isDestroyed) return undefined
      const { status, text, onSent } = answered
      return { status, headers: {}, body: Buffer.from(text), ...(onSent && { onSent }) }
    }
    const takeNoMore = network.listen(process, address, (request) => {
      const handled = answer(request).finally(() => requests.delete(handled))
      requests.add(handled)
      return handled
    })
    return {
      url: `http://${address}`,
      async close() {
        takeNoMore()
        await Promise.all(requests)
      },
      destroy() {
        isDestroyed = true
        takeNoMore()
      },
    }
  }

  const openStore: OpenStore = async (options) => {
    const journal = openModelJournal({ ...options, ...parts, database: state.journal, path: 'journal.db' })
    return {
      journal,
      turns: new KeyQueues(options.clock),
      listings: oneGameServer,
      openLedger: async (given) => openModelLedger({ ...given, ...parts, database: state.ledger, path: 'orders.db' }),
      countOpenOrders: async () => openOrdersIn(state).filter(({ phase }) => !isOver(phase)).length,
      noteStock: async () => undefined,
      mayBegin: () => true,
      reasons: [],
      readStatus: async () => null,
      checkAlive: async () => undefined,
      close: () => journal.close(),
    }
  }

  return {
    clock: clockOver(process.time),
    random: () => random.unit(),
    newJti: () => hex(32),
    pid: 1,
    files,
    watchDir,
    takeOwnership,
    openStore,
    connect,
    listen,
    signing: signingIn(process),
  }
}

/** The signature of a signing input in the world. Anybody can make it. */
export function sumOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}

/** Signatures that cost no more than the time that they take in the world. */
export function signingIn(process: ModelProcess): Signing {
  return {
    seal(header, body) {
      const segment = encodeProtectedHeader(header)
      const sum = sumOf(signingInput(segment, body))
      return process.enterSlowly('sign', 1, () => `${segment}..${sum}`)
    },
    check: async ({ protected: segment, payload, signature }) =>
      signature === sumOf(`${segment}.${payload}`) ? 'valid' : 'other-bytes',
  }
}
