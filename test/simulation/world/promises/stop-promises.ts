import { ownFileOf } from '../../../../agent/spool/names.ts'
import type { ModelHost } from '../../host.ts'
import type { Break } from './judge.ts'

const dirs = ['', '/outbox', '/inbox', '/events', '/replies']

/** A clean stop leaves no claim and no temporary file (I9). */
export class StopPromises {
  readonly #break: Break
  readonly #host: ModelHost
  readonly #spool: string

  constructor(onBroken: Break, host: ModelHost, spool: string) {
    this.#break = onBroken
    this.#host = host
    this.#spool = spool
  }

  /** A stop begins. @returns Called when it has ended. */
  onStop(): () => void {
    const before = new Set(this.#ownFiles('claim', 'done'))
    return () => {
      // One of an earlier agent may have been sent, so it stays.
      const claim = this.#ownFiles('claim', 'done').find((file) => !before.has(file))
      if (claim !== undefined) this.#break('a stop leaves no claim', claim)
      const [temporary] = this.#ownFiles('temporary')
      // One that could not be removed stays until the next start.
      if (temporary !== undefined && !this.#host.diskFaults.failedCalls.has('unlink'))
        this.#break('a stop leaves no temporary file', temporary)
    }
  }

  #ownFiles(...kinds: readonly string[]): readonly string[] {
    const { name, disk } = this.#host
    return dirs.flatMap((dir) =>
      disk
        .namesIn(`${this.#spool}${dir}`)
        .filter((file) => kinds.includes(ownFileOf(file)?.kind ?? ''))
        .map((file) => `${name} ${dir}/${file}`),
    )
  }
}
