import { limits } from '../../contract/limits.ts'
import { type CallAnswer, inDoubt } from '../call/answer.ts'
import {
  type Claim,
  type IdempotencyJournal,
  isHarmfulTwice,
  isSentOnce,
  type JournalEntry,
  type JournalledCall,
  onceOperationNames,
} from '../call/idempotency-journal.ts'
import type { JournalOptions } from '../call/open-journal.ts'
import type { Turn } from '../call/turn.ts'
import { isWithin } from '../clock/within.ts'
import { ignoreStoreFailure, isStoreFailure, StoreFullError, StoreUnreachableError } from '../database/store-errors.ts'
import { Bell } from './bell.ts'
import type { Database } from './database.ts'
import type { OwedWrites } from './owed-writes.ts'
import { startPurging } from './purge-calls.ts'
import type { Row } from './session.ts'
import { storable } from './storable.ts'
import { StoreRoom } from './store-room.ts'
import { nameOfKey, StoreTurn, type StoreTurns } from './store-turns.ts'

/** What a journal in the store works with. */
export interface StoreJournalOptions extends Pick<JournalOptions, 'clock' | 'isUnanswered' | 'onFull'> {
  readonly database: Database
  /** The life of this agent. */
  readonly epoch: string
  /** As in `LeaseOptions`. */
  readonly stateDirId: string
  readonly owed: OwedWrites
  readonly turns: StoreTurns
}

const inDoubtText = JSON.stringify(inDoubt)
const select = 'SELECT fingerprint, answer, epoch FROM market_agent.call WHERE id = $1'

/** The journal of all agents that share a store. */
export interface StoreJournal extends IdempotencyJournal {
  /** The ids of calls of this agent whose end the store may not know, as the store names them. */
  readonly idsUnderWay: () => readonly string[]
}

/** Opens the journal of all agents that share a store, for one of them. */
export async function openStoreJournal(options: StoreJournalOptions): Promise<StoreJournal> {
  const { database, clock, epoch, owed, turns, onFull } = options
  const [store] = await database.query('SELECT name FROM market_agent.store')
  const room = new StoreRoom(database, clock, onFull)
  const stopPurging = startPurging(options)
  /** The calls of this agent whose ids are claimed. */
  const claims = new Map<string, { readonly turn: StoreTurn | undefined; mayBeSent: boolean }>()
  /** The once calls of this agent that were told to be in doubt because their answer could not be stored in time. */
  const doubts = new Map<string, JournalEntry & { readonly endsAtMs: number }>()

  async function tryToClaim(call: JournalledCall, turn: StoreTurn | undefined): Promise<Row> {
    const wantsTicket = turn !== undefined && (await turn.isFirstOfAgent())
    owed.assertPaid(nameOfId(call))
    if (wantsTicket) owed.assertPaid(nameOfKey(turn.key))
    const leaves = turn === undefined || wantsTicket
    const sql = 'SELECT * FROM market_agent.claim($1, $2, $3, $4, $5, $6, $7)'
    const key = wantsTicket ? turn.key : undefined
    const values = [epoch, ...namesOf(call), isSentOnce(call), key, leaves]
    const claim = () => room.write(() => database.query(sql, values))
    const [row = {}] = await owed.ask(claim, () => {
      owed.owe(nameOfId(call), () => release(call, false)(undefined))
      if (key !== undefined) turns.oweLeave(key)
    })
    if (row['kind'] !== 'own') return row
    const hasTurn = row['has_turn'] === true
    claims.set(call.id, { turn, mayBeSent: leaves && (hasTurn || turn === undefined) })
    turn?.claim(isSentOnce(call) ? storable(call.id) : undefined, wantsTicket ? row : undefined)
    return row
  }

  /**
   * Writes what became of a call. Whatever happens, its turn ends with it: nothing may use the id or the turn before the
   * store knows.
   */
  async function end(call: JournalledCall, write: Write, later = write): Promise<void> {
    const turn = claims.get(call.id)?.turn
    const key = turn?.keyToLeave
    const mayLeave = key !== undefined && !owed.has(nameOfKey(key))
    try {
      await owed.write(
        nameOfId(call),
        () => room.write(() => write(mayLeave ? key : undefined)),
        () => later(undefined),
      )
      if (mayLeave) turns.forget(key)
      else if (key !== undefined) turns.oweLeave(key)
    } catch (error) {
      if (key !== undefined && isStoreFailure(error)) turns.oweLeave(key)
      throw error
    } finally {
      claims.delete(call.id)
      turn?.endClaim(key !== undefined)
    }
  }

  const finish = (call: JournalledCall, answerText: string, keepMs: number, unlessStored = false) => {
    const values = [epoch, ...namesOf(call), answerText, Math.round(keepMs), isHarmfulTwice(call), unlessStored]
    const sql = 'SELECT market_agent.finish($1, $2, $3, $4, $5, $6, $7, $8, $9)'
    return (key: string | undefined) => database.query(sql, [...values, key])
  }
  const release = (call: JournalledCall, isStoredToo: boolean) => (key: string | undefined) =>
    database.query('SELECT market_agent.release($1, $2, $3, $4)', [epoch, storable(call.id), isStoredToo, key])

  /**
   * A once call whose answer cannot be stored until its deadline is in doubt, for this agent at once and for others when that
   * is written. An answer that was stored after all stays: another agent may have given it.
   */
  async function endSentOnce(call: JournalledCall, write: Write, deadlineMs: number): Promise<void> {
    const writeDoubt = finish(call, inDoubtText, limits.idempotencyWindowMs, true)
    const { promise: isWritten, resolve } = Promise.withResolvers<void>()
    let isInDoubt = false
    try {
      await end(call, write, async () => {
        await (isInDoubt ? writeDoubt : write)(undefined)
        resolve()
      })
    } catch (error) {
      const mayComeBack = error instanceof StoreUnreachableError
      if (mayComeBack && (await isWithin(clock, isWritten, deadlineMs))) return
      isInDoubt = true
      if (isStoreFailure(error)) addDoubt(call)
      throw error
    }
  }

  function addDoubt({ id, fingerprint }: JournalledCall): void {
    const nowMs = clock.monotonicMs()
    for (const [ended, { endsAtMs }] of doubts) if (endsAtMs < nowMs) doubts.delete(ended)
    doubts.set(id, { fingerprint, answer: inDoubt, endsAtMs: nowMs + limits.idempotencyWindowMs })
  }

  /** Makes an id this call's own, or waits for the end of an equal call of another agent. */
  async function claimOrWait(call: JournalledCall, turn: StoreTurn | undefined, deadlineMs: number): Promise<Claim> {
    using bell = new Bell(database, clock, `id ${storable(call.id)}`)
    /** Of the call of another agent for which this one waits. */
    let fingerprint: string | undefined
    for (;;) {
      const row = await tryToClaim(call, turn).catch((error: unknown) => {
        // The other agent may have sent it, so "nothing was sent" would not be true. The store may come back in time.
        if (fingerprint === undefined || !isStoreFailure(error)) throw error
        return { kind: 'unknown', fingerprint }
      })
      if (row['kind'] === 'own') return { kind: 'own' }
      if (row['kind'] === 'stored') return { kind: 'stored', ...entryOf(row) }
      if (row['kind'] === 'gone') continue
      fingerprint = String(row['fingerprint'])
      const isEqual = fingerprint === call.fingerprint
      if (!isEqual || !(await bell.rings(deadlineMs))) return { kind: 'under-way', fingerprint }
    }
  }

  /** The call that has an answer, or may have been sent. While an agent works on it, it has the epoch of that agent. */
  async function findLive(id: string): Promise<Row | undefined> {
    const isLive = 'ends_at_ms >= market_agent.now_ms() OR (ends_at_ms IS NULL AND in_doubt)'
    const [row] = await database.query(`${select} AND (${isLive})`, [storable(id)])
    return row
  }

  return {
    name: String(store?.['name']),
    unansweredKeptMs: limits.idempotencyWindowMs,

    async claim(call, turn: Turn, deadlineMs): Promise<Claim> {
      const doubt = doubts.get(call.id)
      if (doubt && doubt.endsAtMs >= clock.monotonicMs())
        return { kind: 'stored', fingerprint: doubt.fingerprint, answer: doubt.answer }
      try {
        await room.assert()
        return await claimOrWait(call, turn instanceof StoreTurn ? turn : undefined, deadlineMs)
      } catch (error) {
        // Without room, an answer is still given again. A claim that this agent has not given back yet was never sent.
        if (!(error instanceof StoreFullError) || owed.has(nameOfId(call))) throw error
        const row = await findLive(call.id)
        if (!row) throw error
        return row['epoch'] === null
          ? { kind: 'stored', ...entryOf(row) }
          : { kind: 'under-way', fingerprint: String(row['fingerprint']) }
      }
    },

    async find(id) {
      const row = await findLive(id)
      return row && entryOf(row)
    },

    idsUnderWay: () => [...claims.keys(), ...owed.names.flatMap(idOfName)].map(storable),

    async findUnanswered(id) {
      // The calls of a former life have ended with it. Another agent that is at work on the id is waited for.
      const isKnown = 'answer IS NOT NULL OR (in_doubt AND epoch = $2)'
      const [row] = await database.query(`${select} AND (${isKnown})`, [storable(id), epoch])
      return row && entryOf(row)
    },

    async forgetEnded(id) {
      const sql = 'DELETE FROM market_agent.call WHERE id = $1 AND epoch IS NULL AND ends_at_ms < market_agent.now_ms()'
      await database.query(sql, [storable(id)])
    },

    async recordIntent(call) {
      await room.assert()
      const claimed = claims.get(call.id)
      if (!isSentOnce(call) || claimed?.mayBeSent || claimed?.turn?.isMarked) return
      const sql = 'SELECT market_agent.intend($1, $2, $3, $4) AS is_intended'
      const [row] = await room.write(() => database.query(sql, [epoch, ...namesOf(call)]))
      if (row?.['is_intended'] !== true) throw new StoreUnreachableError('the store has lost the claim of this id')
    },

    async recordAnswer(call, answer, keepMs, deadlineMs = 0) {
      const write = finish(call, JSON.stringify(answer), keepMs)
      // An answer that was not stored was not given, or was given as one that is not stored.
      await (isSentOnce(call) ? endSentOnce(call, write, deadlineMs) : end(call, write, release(call, false)))
    },

    async restartWindow(id, answer) {
      const sql = `UPDATE market_agent.call SET ends_at_ms = market_agent.now_ms() + $3
        WHERE id = $1 AND epoch IS NULL AND answer = $2 AND operation = ANY($4)`
      const values = [storable(id), JSON.stringify(answer), limits.idempotencyWindowMs, onceOperationNames]
      await room.write(() => database.query(sql, values)).catch(ignoreStoreFailure)
    },

    async release(call) {
      // A call that has not claimed its id replaces an answer that must not be given again.
      await end(call, release(call, !claims.has(call.id)))
    },

    async count() {
      const [row] = await database.query('SELECT count(*)::int AS count FROM market_agent.call')
      return Number(row?.['count'])
    },

    async close() {
      stopPurging()
      room.close()
    },
  }
}

type Write = (keyToLeave: string | undefined) => Promise<unknown>

/** Under this name everything is owed that must be done before a call claims an id. */
function nameOfId({ id }: JournalledCall): string {
  return `id ${id}`
}

function idOfName(name: string): readonly string[] {
  return name.startsWith('id ') ? [name.slice(3)] : []
}

function namesOf({ id, fingerprint, operationName }: JournalledCall): readonly string[] {
  return [storable(id), fingerprint, operationName]
}

/** A call that may have been sent has no answer yet. */
function entryOf(row: Row): JournalEntry {
  const { fingerprint, answer } = row
  return {
    fingerprint: String(fingerprint),
    answer: typeof answer === 'string' ? (JSON.parse(answer) as CallAnswer) : inDoubt,
  }
}
