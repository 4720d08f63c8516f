/**
 * The whole world under one seed: programs, disks, clocks and network in one process, on one virtual clock.
 *
 * The parts, from the bottom:
 *
 * - `scheduler.ts`: one heap of events by virtual time. Whatever happens is an event of an actor.
 * - `random.ts`, `trace.ts`: everything that is drawn comes from the seed; everything that happened is in one hash.
 * - `host.ts`, `process.ts`, `host-clock.ts`: hosts with clocks and a disk, and programs that are started, killed, paused.
 * - `disk/`: `node:fs` in memory, which knows what a power cut leaves. `file-system.test.ts` compares it with the real one.
 * - `stores/`: the agent's own journal and ledger over SQLite in memory, which a power cut takes back. Their contracts
 *   compare them with SQLite on a disk.
 * - `sql/`: PostgreSQL itself, in this process: servers, sessions and the network between them and agents.
 * - `network/`: requests between processes. Each has a connection of its own; what arrives is an event of the receiver.
 * - `faults/`: each kind of fault is a line in a table. A run draws some of them, and `shrink` leaves out what is not needed.
 * - `coverage.ts`: counts rows of the programs' own tables.
 * - `agent/`, `world/`: the real agent on the models, and the whole world around it with the checks of its promises.
 * - `mutants/`: faults of the programs that a simulation must find. `simulate.ts` is the command.
 *
 * How a world is assembled (`assemble` below gets the parts):
 *
 * 1. Make a `ModelHost` for each machine. Directories that exist before the start: `host.disk.mkdir(…)`, then
 *    `host.disk.sync(…)` of the directory above.
 * 2. `host.install(name, main)` for each program. `main` gets a `ModelProcess` and starts the real composition with ports
 *    over it: `clockOver(process.time)`, `modelFs(host.disk, host.diskFaults, process)`, `openModelJournal(…)`,
 *    `openModelLedger(…)`, `network.listen(…)`, `network.send(…)`, and for chance `process.random`.
 * 3. A port of your own asks `process.enter(what)` before it acts, or goes through `process.enterSlowly(…)` if it takes
 *    time. A message of another process arrives by `process.after(…)` of the process that it is for, never by a promise
 *    of the sender: so nothing reaches a dead process.
 * 4. A process that has died runs on to its next call of a port, which throws `ProcessDied`. A callback of it meanwhile
 *    (`onFatal`, a log) counts only while `process.state` is not `dead`. A rejection that it leaves unhandled is
 *    ignored.
 * 5. A program that ends by itself calls `process.end()`. The world decides who starts it again: `program.start()`.
 * 6. Stores belong to the host: make the `ModelDatabase` next to it, and
 *    `host.onPowerCut((random) => database.cutPower(random))`.
 * 7. Return the checks. `checkSafety` is asked before each event, so it must be cheap. `heal` ends what the faults have
 *    left, then the world has time to become quiet, then `checkLiveness` is asked once. Both throw `BrokenPromise`.
 *
 * `runSeeds` of `run-seeds.ts` runs many seeds, `runSideBySide` in several threads. Run them in a process of their own, because vitest reports what a dead
 * process leaves unhandled.
 */
import { drawFaults, type Fault, type FaultCounts, type FaultKind, scheduleFaults } from './faults/fault.ts'
import { shrink } from './faults/shrink.ts'
import { watchOutside } from './outside.ts'
import { ProcessDied } from './process.ts'
import { Random } from './random.ts'
import { Scheduler } from './scheduler.ts'
import { Trace } from './trace.ts'

/** What the programs must never do, or must do in the end, and did not. */
export class BrokenPromise extends Error {
  override readonly name = 'BrokenPromise'
  /** One sentence, the same for each run that breaks it. */
  readonly promise: string

  /** @param facts Of this run: ids, times, answers. */
  constructor(promise: string, facts?: string) {
    super(facts === undefined ? promise : `${promise} (${facts})`)
    this.promise = promise
  }
}

/** What two failing runs have in common if they fail alike. */
function kindOf(violation: Error | undefined): string | undefined {
  return violation instanceof BrokenPromise ? violation.promise : violation && `${violation.name}: ${violation.message}`
}

/** What a world is made of. */
export interface WorldParts {
  readonly scheduler: Scheduler
  readonly random: Random
  /**
   * Notes what the world breaks by itself after the storm.
   *
   * @param kind As it is counted. @param where Which one of its kind.
   * @returns Whether it happens. A run may leave it out.
   */
  readonly noteStrike: (kind: string, where: string) => boolean
}

/** A world, as the run sees it. */
export interface World<Targets> {
  /** What the faults strike. */
  readonly targets: Targets
  /** @throws {BrokenPromise} */
  readonly checkSafety: () => void
  /** The storm is over: starts what is down. Faults have healed themselves. */
  readonly heal: () => void
  /** Whether nothing is waited for any more. */
  readonly isQuiet: () => boolean
  /** @throws {BrokenPromise} */
  readonly checkLiveness: () => void
  /** Gives back what the world has taken from the process that runs it. */
  readonly end?: () => void
}

/** Everything but the seed. */
export interface Simulation<Targets> {
  readonly table: readonly FaultKind<Targets>[]
  /** How long faults strike, and how long the world may need at most to become quiet while it is awake: virtual ms. */
  readonly stormMs: number
  readonly quietMsMax: number
  readonly assemble: (parts: WorldParts) => World<Targets> | Promise<World<Targets>>
  /** After the last run: gives back what worlds share. */
  readonly end?: () => Promise<void>
}

/** What became of a run. */
export interface Run {
  readonly seed: string
  readonly faults: readonly Fault[]
  /** What the world has broken by itself after the storm. */
  readonly strikes: readonly string[]
  /** A broken promise, or an error that a program did not catch. */
  readonly violation: Error | undefined
  /** Of everything that happened. */
  readonly hash: string
  readonly events: number
  readonly virtualMs: number
  readonly faultCounts: FaultCounts
  /** Each event in one line; empty if they were not asked for. */
  readonly lines: readonly string[]
}

/** How a run differs from the usual. */
export interface RunOptions {
  /** In place of those that the seed draws. */
  readonly faults?: readonly Fault[]
  /** The others are left out. */
  readonly strikes?: readonly string[]
  readonly keepsLines?: boolean
  /** Called before each event. */
  readonly onEvent?: (virtualMs: number) => void
}

/** Runs one seed: the storm, then the quiet. */
export async function runSeed<Targets>(
  { table, stormMs, quietMsMax, assemble }: Simulation<Targets>,
  seed: string,
  options: RunOptions = {},
): Promise<Run> {
  const random = new Random(seed)
  const trace = new Trace({ keepsLines: options.keepsLines ?? false })
  const scheduler = new Scheduler(random, trace)
  const faults = options.faults ?? drawFaults(table, random, stormMs)
  const faultCounts: FaultCounts = new Map()
  const strikes: string[] = []
  const noteStrike = (kind: string, where: string) => {
    const what = `${kind} (${where})`
    if (options.strikes?.includes(what) === false) return false
    strikes.push(what)
    faultCounts.set(kind, (faultCounts.get(kind) ?? 0) + 1)
    return true
  }
  const world = await assemble({ scheduler, random: random.part('world'), noteStrike })
  scheduleFaults(faults, table, { targets: world.targets, scheduler, random, counts: faultCounts })
  const violation = await firstViolation(scheduler, async (check) => {
    const isOver = (atMs: number, isQuiet: () => boolean) => () => {
      options.onEvent?.(scheduler.nowMs)
      check()
      world.checkSafety()
      return scheduler.nowMs - scheduler.sleptMs >= atMs || isQuiet()
    }
    await scheduler.run(isOver(stormMs, () => false))
    world.heal()
    await scheduler.run(isOver(stormMs + quietMsMax, world.isQuiet))
    world.checkLiveness()
  })
  world.end?.()
  const { count: events, nowMs: virtualMs } = scheduler
  return { seed, faults, strikes, violation, hash: trace.hash, events, virtualMs, faultCounts, lines: trace.lines }
}

/** The faults and strikes that a failing run needs, and what it looks like with only these: the same promise is broken. */
export async function explain<Targets>(simulation: Simulation<Targets>, failed: Run): Promise<Run> {
  const failsWith = async (faults: readonly Fault[], strikes: readonly string[]) => {
    const { violation } = await runSeed(simulation, failed.seed, { faults, strikes })
    return kindOf(violation) === kindOf(failed.violation)
  }
  // One after the other: mostly only one of the two is needed, and that takes one run to know.
  const faults = await shrink(failed.faults, (kept) => failsWith(kept, failed.strikes))
  const strikes = await shrink(failed.strikes, (kept) => failsWith(faults, kept))
  return runSeed(simulation, failed.seed, { faults, strikes, keepsLines: true })
}

/**
 * Runs until the first error. A rejection that nobody handles is one, and so is a way out of the world: `check` throws
 * them. A rejection that a dead process leaves is not an error.
 */
async function firstViolation(
  scheduler: Scheduler,
  run: (check: () => void) => Promise<void>,
): Promise<Error | undefined> {
  using outside = watchOutside()
  const unhandled: Error[] = []
  const onUnhandled = (error: unknown) => {
    // A process that is killed while it stops leaves promises that are rejected with it.
    const isOfDead = scheduler.actor?.state === 'dead' || error instanceof ProcessDied
    if (!isOfDead) unhandled.push(error as Error)
  }
  const check = () => {
    const error = outside.firstTry ?? unhandled[0]
    if (error) throw error
  }
  process.on('unhandledRejection', onUnhandled)
  try {
    await run(check)
    return undefined
  } catch (error) {
    return error as Error
  } finally {
    process.off('unhandledRejection', onUnhandled)
  }
}
