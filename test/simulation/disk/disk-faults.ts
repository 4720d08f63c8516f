import { ActiveMaximum } from '../active-maximum.ts'
import type { Random } from '../random.ts'

/** What goes wrong with system calls on files. */
export interface DiskFault {
  /** Names of system calls: `open`, `rename`, … */
  readonly calls: readonly string[]
  /** One of these is the error. */
  readonly codes: readonly string[]
  /** The probability of each call to fail. */
  readonly rate: number
  /** Which paths it affects; all if it is left out. */
  readonly paths?: RegExp
  /** The most calls that fail. */
  readonly times?: number
  /** Whether a call that fails has been made, as on a network file system whose answer was lost. */
  readonly isMade?: boolean
}

/** How a call fails. */
export type CallFailure = Pick<DiskFault, 'isMade'> & { readonly code: string }

const ofFullDisks: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT'])

/** The faults of a disk that are active, and how slow it is. */
export class DiskFaults {
  /** How long a call that goes to the disk may take, in ms. */
  readonly slowMsMax = new ActiveMaximum(5)
  readonly #active = new Set<{ readonly fault: DiskFault; readonly random: Random; failures: number }>()

  /** How often a fault has begun or ended. */
  changes = 0
  /** Names of calls that have failed. */
  readonly failedCalls = new Set<string>()
  /** How many calls have failed for another reason than a full disk. */
  failures = 0

  /** Makes calls fail from now on. The returned function ends that. */
  add(fault: DiskFault, random: Random): () => void {
    const added = { fault, random, failures: 0 }
    this.#active.add(added)
    this.changes++
    return () => {
      this.#active.delete(added)
      this.changes++
    }
  }

  get isHealthy(): boolean {
    return this.#active.size === 0
  }

  /** Whether nothing can be written there. */
  isFullAt(path: string): boolean {
    return [...this.#active].some(({ fault: { calls, codes, rate, times, paths } }) => {
      const isCertain = rate === 1 && times === undefined && (paths?.test(path) ?? true)
      return isCertain && calls.includes('write') && codes.every((code) => ofFullDisks.has(code))
    })
  }

  /** How a call fails; undefined where it succeeds. */
  failureOf(call: string, path: string): CallFailure | undefined {
    for (const active of this.#active) {
      const { fault, random } = active
      const { calls, codes, rate, paths = /^/, times = Number.POSITIVE_INFINITY } = fault
      if (!calls.includes(call) || !paths.test(path) || active.failures >= times || !random.happens(rate)) continue
      const code = random.pick(codes)
      active.failures++
      if (!ofFullDisks.has(code)) this.failures++
      this.failedCalls.add(call)
      return { code, isMade: fault.isMade ?? false }
    }
    return undefined
  }
}
