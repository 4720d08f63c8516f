import type { Random } from '../random.ts'
import { type Scheduler, worldActor } from '../scheduler.ts'

/** One kind of fault: a line of the table. */
export interface FaultKind<Targets> {
  /** What of the world it strikes: process, disk, network, … */
  readonly part: string
  readonly name: string
  /** How long it lasts, at least and at most, in ms. */
  readonly lastsMs: readonly [min: number, max: number]
  /**
   * Makes it happen. The generator that it gets decides what it strikes and how hard.
   *
   * @returns Heals it. Undefined if this world has nothing that it could strike.
   */
  readonly strike: (targets: Targets, random: Random) => (() => void) | undefined
}

/** One fault of a run. Each has a seed of its own, so that one that is left out changes nothing for the others. */
export interface Fault {
  /** `part: name` of its kind. */
  readonly kind: string
  readonly atMs: number
  readonly lastsMs: number
  readonly seed: string
}

/** How a kind is named in a fault. */
export function kindNameOf({ part, name }: FaultKind<never>): string {
  return `${part}: ${name}`
}

const calmRunRate = 1 / 8
const faultsPerKindMax = 6

/**
 * Draws the faults of a run, in the order of their moments. Which kinds there are, and how often each comes, differs from run to run; some
 * runs have none.
 */
export function drawFaults(table: readonly FaultKind<never>[], random: Random, stormMs: number): readonly Fault[] {
  const storm = random.part('storm')
  if (storm.happens(calmRunRate)) return []
  const kindRate = storm.unit()
  const faults = table.flatMap((kind) => {
    const name = kindNameOf(kind)
    const own = random.part(name)
    if (!own.happens(kindRate)) return []
    const [min, max] = kind.lastsMs
    return Array.from({ length: own.integer(1, faultsPerKindMax) }, (_, n): Fault => {
      const lastsMs = Math.min(own.magnitude(min, max), stormMs / 2)
      return { kind: name, atMs: own.between(0, stormMs - lastsMs), lastsMs, seed: `${name} ${n}` }
    })
  })
  return faults.sort((one, other) => one.atMs - other.atMs)
}

/** Counts how often each kind struck. */
export type FaultCounts = Map<string, number>

/** Makes faults happen at their moments and ends them. */
export function scheduleFaults<Targets>(
  faults: readonly Fault[],
  table: readonly FaultKind<Targets>[],
  {
    targets,
    scheduler,
    random,
    counts,
  }: {
    readonly targets: Targets
    readonly scheduler: Scheduler
    readonly random: Random
    readonly counts: FaultCounts
  },
): void {
  const kinds = new Map(table.map((kind) => [kindNameOf(kind), kind]))
  for (const { kind: name, atMs, lastsMs, seed } of faults) {
    const kind = kinds.get(name)
    if (!kind) throw new Error(`no fault has the name ${name}`)
    scheduler.after(atMs, storm, `${name} for ${Math.round(lastsMs)} ms`, () => {
      const heal = kind.strike(targets, random.part(seed))
      if (!heal) return
      counts.set(name, (counts.get(name) ?? 0) + 1)
      scheduler.after(lastsMs, storm, `${name} is over`, heal)
    })
  }
}

const storm = worldActor('storm')
