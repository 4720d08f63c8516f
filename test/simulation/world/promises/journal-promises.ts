import type { CommitLog } from '../../stores/commit-log.ts'
import type { JournalRows } from '../../stores/model-journal.ts'
import type { GivenCall, SentRequest } from '../witnessed.ts'
import type { Break } from './judge.ts'

/**
 * What must survive a power cut before the next byte leaves: the intent of a purchase before it is sent, and its answer
 * before it is given. The buyer of each purchase has the name of its id.
 */
export class JournalPromises {
  readonly #break: Break
  readonly #journal: CommitLog<JournalRows>

  constructor(onBroken: Break, journal: CommitLog<JournalRows>) {
    this.#break = onBroken
    this.#journal = journal
  }

  readonly onSent = ({ path, body }: SentRequest): undefined => {
    if (path !== '/v1/api/transactions') return
    const { buyerCharacterRef: id } = JSON.parse(body) as { buyerCharacterRef: string }
    if (this.#journal.syncedRows.calls.get(id)?.answer !== null)
      this.#break('a purchase is sent only if its intent is on the disk', id)
  }

  readonly onGiven = ({ operation, id = '' }: GivenCall, text: string): void => {
    if (operation !== 'transaction.create' || !text.startsWith('{"ok":true')) return
    if (!this.#journal.syncedRows.calls.get(id)?.answer)
      this.#break('the answer to a purchase is given only if it is on the disk', id)
  }
}
