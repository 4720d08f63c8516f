import type { FileRecord, GameCall, Told } from '../game/call-agent.ts'
import type { Mistake } from '../game/mistakes.ts'
import type { Break } from './judge.ts'
import { isRepetition } from './repetition.ts'

interface FilePromisesParts {
  readonly break: Break
  readonly nowMs: () => number
}

/** The files that were written under one id. */
interface Written {
  /** How many were begun, and when the last one was. A writer that died has not finished its file. */
  readonly begun: number
  readonly begunMs: number
  /** How many are whole and synced. */
  readonly whole: number
  readonly answers: readonly string[]
  /** How many answers power cuts may have brought back: each that was read, and one of an answered file. */
  readonly broughtBackMax: number
}

const nothing: Written = { begun: 0, begunMs: 0, whole: 0, answers: [], broughtBackMax: 0 }

const unread = /\/inbox\/([^/]+?)\.json\.unread/
/** The agent sets an unread answer aside when it writes another one with the same name. It keeps that, or a refused file, for at least this time. */
const setAsideKeptMs = 24 * 3_600_000

/** Each file that was written once gets exactly one answer, even from a reader that removes answers at once (I1, I3). */
export class FilePromises implements FileRecord {
  readonly calls = new Map<string, GameCall>()
  readonly mistakes = new Map<string, Mistake>()
  /** Files that are whole, with fewer answers than files, and since when. */
  readonly unanswered = new Map<string, number>()
  readonly #break: Break
  readonly #nowMs: () => number
  readonly #name: string
  readonly #written = new Map<string, Written>()
  readonly #tooSlow = new Set<string>()
  /** What the agent said about files that it called invalid before they were whole. */
  readonly #calledInvalid = new Map<string, string>()
  /** When an answer was set aside, by the name that it got. */
  readonly #setAsideMs = new Map<string, number>()
  #ids = 0
  #lastCutMs = Number.NEGATIVE_INFINITY

  constructor(name: string, { break: onBroken, nowMs }: FilePromisesParts) {
    this.#name = name
    this.#break = onBroken
    this.#nowMs = nowMs
  }

  /** The order of the names is not that of the files. */
  newId(): string {
    return `${this.#name}-${[...String(++this.#ids)].reverse().join('')}`
  }

  onBegun(id: string): void {
    const { begun, whole, answers, broughtBackMax } = this.#of(id)
    // An answer that a power cut brought back does not answer this file.
    const broughtBack = Math.max(0, answers.length - begun)
    this.#set(id, {
      ...{ begun: begun + broughtBack + 1, begunMs: this.#nowMs(), whole: whole + broughtBack, answers },
      broughtBackMax: Math.max(0, broughtBackMax - broughtBack),
    })
  }

  onWritten(id: string): void {
    const { whole, ...written } = this.#of(id)
    this.#set(id, { ...written, whole: whole + 1 })
    const said = this.#calledInvalid.get(id)
    if (said !== undefined) this.onCalledInvalid(id, said)
  }

  onWrittenTooSlowly(id: string): void {
    this.#tooSlow.add(id)
  }

  onTakingBack(id: string): void {
    const { whole, ...written } = this.#of(id)
    this.#set(id, { ...written, whole: whole - 1 })
  }

  onTakenBack(id: string): void {
    const { begun, ...written } = this.#of(id)
    this.#set(id, { ...written, begun: begun - 1 })
  }

  /** The agent says that a file is not a request. One whose writer died, or lost its power, may stay half-written. */
  onCalledInvalid(id: string, text: string): void {
    const { begun, whole } = this.#of(id)
    if (begun > whole) this.#calledInvalid.set(id, text)
    else if (!this.#tooSlow.has(id))
      this.#break('no request of a game server that writes correct ones is called invalid', text)
  }

  onPowerCut(): void {
    this.#lastCutMs = this.#nowMs()
    // A power cut may bring back an answered file and every answer that was removed.
    for (const [id, written] of this.#written)
      this.#set(id, { ...written, broughtBackMax: written.broughtBackMax + 1 + written.answers.length })
  }

  readonly onTold = ({ id }: Pick<GameCall, 'id'>, { text }: Told): void => {
    if (id === undefined) return
    const { answers: before, ...written } = this.#of(id)
    const answers = [...before, text]
    this.#set(id, { ...written, answers })
    if (isRepetition(text) && this.#isFirst(id))
      this.#break('the first answer to a file is not a repetition', `${id}: ${text}`)
    // A power cut may also bring back a file that has just been answered.
    if (answers.length > written.begun + written.broughtBackMax && !this.mayBeUndone(id))
      this.#break('a file gets one answer', `${id}: ${answers.join(' and ')}`)
  }

  /** A file of the spool has got another name. */
  readonly onRenamed = (_from: string, to: string): void => {
    if (unread.test(to)) this.#setAsideMs.set(to, this.#nowMs())
  }

  /** A file of the spool is removed. An answer that was there for a day counts as read. */
  readonly onRemoved = (path: string): void => {
    const [, id] = unread.exec(path) ?? []
    const setAsideMs = this.#setAsideMs.get(path)
    if (id === undefined || setAsideMs === undefined || this.#nowMs() < setAsideMs + setAsideKeptMs) return
    const { answers, ...written } = this.#of(id)
    this.#set(id, { ...written, answers: [...answers, 'removed after a day'] })
  }

  /** Whether a power cut may have taken back what became of the last file with this id. */
  mayBeUndone(id: string): boolean {
    return this.#of(id).begunMs <= this.#lastCutMs
  }

  /** Whether the last file with this id may be removed by now if it was refused. */
  mayBeExpired(id: string): boolean {
    return this.#nowMs() > this.#of(id).begunMs + setAsideKeptMs
  }

  /** Whether this is the only answer of the only file with this id, on any host. A power cut may bring back the file. */
  #isFirst(id: string): boolean {
    const { begun, answers } = this.#of(id)
    return id.startsWith(`${this.#name}-`) && answers.length === 1 && begun === 1 && !this.mayBeUndone(id)
  }

  #of(id: string): Written {
    return this.#written.get(id) ?? nothing
  }

  #set(id: string, written: Written): void {
    this.#written.set(id, written)
    if (written.whole <= written.answers.length) this.unanswered.delete(id)
    else if (!this.unanswered.has(id)) this.unanswered.set(id, this.#nowMs())
  }
}
