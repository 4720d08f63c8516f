import { join } from 'node:path'
import { orderReplyOf } from '../../contract/order-reply.ts'
import { decodeUtf8, readStrictJson } from '../../contract/strict-json.ts'
import type { Clock } from '../clock/clock.ts'
import type { Files } from '../durable-files/files.ts'
import { readBounded } from '../durable-files/read-bounded.ts'
import { removeUnfinishedFiles, replaceFile } from '../durable-files/replace-file.ts'
import { isGone } from '../durable-files/system-errors.ts'
import { LimitedLog } from '../log/limited-log.ts'
import type { Log } from '../log/log.ts'
import { type Reply, withMembers } from '../orders/message.ts'
import type { MessageFiles, NamedMessage } from '../orders/message-files.ts'
import { asciiLine } from '../spool/answer-file.ts'
import { IgnoredNames, mistakeAfterMs } from '../spool/ignored-names.ts'
import { isLikeRequest } from '../spool/names.ts'
import { assertNoLinks, makeDirsIn } from '../spool/spool-dirs.ts'

const messageFile = /^(transfer_order|transaction_terminal)-(\d{1,16})(?:-(\d{1,16}))?\.json$/
const rejectedFile = /^(?:transfer_order|transaction_terminal)-\d{1,16}(?:-\d{1,16})?\.json\.rejected$/

/**
 * Messages as files of a spool: the agent writes `events/<name>.json`, and the game server answers with
 * `replies/<name>.json`. A file that is not a reply to an open message becomes `<name>.json.rejected`.
 *
 * Each method throws the errors of its files, and a `SpoolUnusableError` where a directory is a link.
 */
export function eventFiles(files: Files, root: string, clock: Clock, log: Log): MessageFiles {
  const limitedLog = new LimitedLog(log, clock)
  const ignored = new IgnoredNames<'not-a-reply-name'>(clock, (name, why) =>
    limitedLog.warn({ name, why, cure: cureOfName }, 'ignored in the spool'),
  )
  const events = join(root, 'events')
  const replies = join(root, 'replies')
  const fileIn = (dir: string, name: string) => join(dir, `${name}.json`)

  return {
    removeUnfinished() {
      assertNoLinks(files, [events, replies])
      for (const dir of [events, replies]) if (files.existsSync(dir)) removeUnfinishedFiles(files, dir)
    },

    events() {
      assertNoLinks(files, [events])
      return files.existsSync(events) ? files.readdirSync(events).flatMap(messageNamed) : []
    },

    makeDirs() {
      assertNoLinks(files, [events, replies])
      const made = makeDirsIn(files, root, [events, replies])
      for (const { dir, mode } of made) log.info({ dir, mode }, 'made a directory of the spool')
      return made.some(({ dir }) => dir === events)
    },

    replies() {
      assertNoLinks(files, [replies])
      const all = files.readdirSync(replies)
      for (const file of all)
        if (isLikeRequest(file) && !messageFile.test(file)) ignored.add(file, 'not-a-reply-name', mistakeAfterMs)
      ignored.endScan()
      const written = all.flatMap(messageNamed).map((named) => {
        const stat = files.lstatSync(fileIn(replies, named.name), { throwIfNoEntry: false })
        return { named, writtenMs: stat?.mtimeMs ?? 0 }
      })
      // The newest reply has the newest observation of an item.
      return written.sort((one, other) => one.writtenMs - other.writtenMs).map(({ named }) => named)
    },

    show({ name, text }, actUntil) {
      assertNoLinks(files, [events])
      const shown = actUntil === undefined ? text : withMembers(text, { actUntil })
      replaceFile(files, fileIn(events, name), asciiLine(shown), 0o644)
    },

    readReply(message) {
      const read = readBounded(files, fileIn(replies, message.name))
      if (read === 'gone') return 'gone'
      if (typeof read === 'string') return { stamp: read, problem: problems[read] }
      return (
        replyIn(read.bytes, message) ?? {
          stamp: read.stamp,
          problem: 'it is not a reply: {"observedQuantity": n, "result": …}',
        }
      )
    },

    setAside(name) {
      const path = fileIn(replies, name)
      return unlessGone(() => files.renameSync(path, `${path}.rejected`))
    },

    removeEvent: (name) => void unlessGone(() => files.unlinkSync(fileIn(events, name))),
    removeReply: (name) => void unlessGone(() => files.unlinkSync(fileIn(replies, name))),

    removeRejectedBefore(beforeMs) {
      for (const file of files.readdirSync(replies)) {
        const path = join(replies, file)
        const stat = rejectedFile.test(file) ? files.lstatSync(path, { throwIfNoEntry: false }) : undefined
        if (stat?.isFile() && stat.ctimeMs < beforeMs) files.unlinkSync(path)
      }
    },
  }
}

const cureOfName = 'give a reply the name of its event, for example transfer_order-17.json, in lower case'
const problems = {
  'no-right': "the agent may not read it: give its user the right, or use the spool's group",
  'not-regular': 'it is not a regular file',
} as const

/** The message that a file is named after; nothing for a file that is not one. */
function messageNamed(file: string): readonly NamedMessage[] {
  const [, event, transactionId, generation = 1] = messageFile.exec(file) ?? []
  if (event === undefined) return []
  return [
    {
      event: event as NamedMessage['event'],
      transactionId: Number(transactionId),
      generation: Number(generation),
      name: file.slice(0, -'.json'.length),
    },
  ]
}

/** What a game server says to a message; undefined where it is not a reply to it. A byte order mark is fine. */
export function replyIn(bytes: Uint8Array, { event }: Pick<NamedMessage, 'event'>): Reply | undefined {
  const reading = readStrictJson(decodeUtf8(bytes)?.replace(/^\ufeff/, '') ?? '')
  if (!reading.ok) return undefined
  return event === 'transaction_terminal' ? 'confirmed' : orderReplyOf(reading.object.value)
}

/** @returns Whether it was there. */
function unlessGone(act: () => void): boolean {
  try {
    act()
    return true
  } catch (error) {
    if (!isGone(error)) throw error
    return false
  }
}
