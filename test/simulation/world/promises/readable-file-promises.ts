import type { Disk } from '../../disk/disk.ts'
import type { AgentWitness } from '../witnessed.ts'
import type { Break } from './judge.ts'

interface ReadableFileParts {
  readonly break: Break
  readonly disk: Disk
  readonly spool: string
}

const rights = 0o777
const readable = 0o644
const oneLineOfAscii = /^[\x20-\x7e]+\n$/

/** What an agent writes for a game server can be read by another user of the host, and by a parser that does not know UTF-8. */
export class ReadableFilePromises implements Partial<AgentWitness> {
  readonly #parts: ReadableFileParts

  constructor(parts: ReadableFileParts) {
    this.#parts = parts
  }

  onRenamed(_from: string, to: string): void {
    const { disk, spool } = this.#parts
    const isForGame = to === `${spool}/agent.json` || /^\/(?:inbox|events)\/[^/]+\.json$/.test(to.slice(spool.length))
    if (!isForGame) return
    const mode = (disk.find(to, 'stat')?.mode ?? 0) & rights
    if (mode !== readable) this.#parts.break('another user can read what an agent writes', `${to}: ${mode.toString(8)}`)
    if (!oneLineOfAscii.test(disk.textOf(to)))
      this.#parts.break('what an agent writes is one line of ASCII', `${to}: ${disk.textOf(to)}`)
  }
}
