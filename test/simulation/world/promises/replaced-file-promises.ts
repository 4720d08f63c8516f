import { basename, dirname } from 'node:path'
import { idOfRequest } from '../../../../agent/spool/names.ts'
import type { Disk } from '../../disk/disk.ts'
import type { AgentWitness } from '../witnessed.ts'
import type { Break } from './judge.ts'

interface ReplacedFileParts {
  readonly break: Break
  readonly disk: Disk
  readonly spool: string
}

/** No rename replaces a request or an answer: a newer request keeps its name, and an unread answer is set aside first. */
export class ReplacedFilePromises implements Partial<AgentWitness> {
  readonly #parts: ReplacedFileParts

  constructor(parts: ReplacedFileParts) {
    this.#parts = parts
  }

  onRenaming(from: string, to: string): void {
    const { disk, spool } = this.#parts
    const isOfCall =
      idOfRequest(basename(to)) !== undefined && [`${spool}/outbox`, `${spool}/inbox`].includes(dirname(to))
    if (isOfCall && disk.find(from, 'rename') && disk.find(to, 'rename'))
      this.#parts.break('no request and no answer loses its name to another one', `${from} to ${to}`)
  }
}
