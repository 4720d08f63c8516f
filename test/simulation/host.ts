import { Disk } from './disk/disk.ts'
import { DiskFaults } from './disk/disk-faults.ts'
import { HostClock } from './host-clock.ts'
import { ModelProcess } from './process.ts'
import type { Random } from './random.ts'
import { type Scheduler, worldActor } from './scheduler.ts'

const somebody = worldActor('somebody')

/** A machine: what outlives its processes, and what they lose together in a power cut. */
export class ModelHost {
  readonly name: string
  readonly clock: HostClock
  readonly disk: Disk
  readonly diskFaults = new DiskFaults()
  readonly programs: Program[] = []
  /** Directories that somebody may remove while programs use them. */
  readonly removableDirs: string[] = []
  readonly #scheduler: Scheduler
  readonly #random: Random
  readonly #onPowerCut: ((random: Random) => void)[] = []

  /** @param clockWrongByMs The wall clock before anybody sets it. */
  constructor(name: string, scheduler: Scheduler, random: Random, clockWrongByMs = 0) {
    this.name = name
    this.#scheduler = scheduler
    this.#random = random.part(name)
    this.clock = new HostClock(scheduler, clockWrongByMs)
    this.disk = new Disk(() => this.clock.wallMs)
    this.onPowerCut((cut) => this.disk.cutPower(cut))
  }

  /**
   * Installs a program. It does not run yet.
   *
   * @param main Called for each start. It belongs to the process: what it waits for ends with it.
   */
  install(name: string, main: (process: ModelProcess) => void): Program {
    let starts = 0
    const newProcess = () => {
      const id = `${name}-${++starts}`
      return new ModelProcess(`${this.name} ${id}`, this.clock, this.#scheduler, this.#random.part(id))
    }
    const program = new Program(name, newProcess, main)
    this.programs.push(program)
    return program
  }

  /** What else on this host loses what it has not synced: the stores. */
  onPowerCut(lose: (random: Random) => void): void {
    this.#onPowerCut.push(lose)
  }

  /** Somebody removes a directory, if it is there then. */
  removeDir(path: string, delayMs = 0): void {
    this.#scheduler.after(delayMs, somebody, `removes ${path} of ${this.name}`, () => {
      if (this.disk.find(path, 'rm')) this.disk.removeDir(path)
    })
  }

  /** Lets the power go while the disk is busy. */
  cutPowerLater(delayMs: number, random: Random): void {
    this.#scheduler.after(delayMs, somebody, `cuts the power of ${this.name}`, () => this.cutPower(random))
  }

  /** Starts every program that does not run. */
  startAll(): void {
    for (const program of this.programs) program.start()
  }

  /** Ends every process at once and drops what is not synced. */
  cutPower(random: Random): void {
    for (const program of this.programs) program.process?.end()
    for (const lose of this.#onPowerCut) lose(random)
  }
}

/** A program of a host, with the process that runs it now. */
export class Program {
  readonly name: string
  readonly #newProcess: () => ModelProcess
  readonly #main: (process: ModelProcess) => void
  #process: ModelProcess | undefined

  constructor(name: string, newProcess: () => ModelProcess, main: (process: ModelProcess) => void) {
    this.name = name
    this.#newProcess = newProcess
    this.#main = main
  }

  /** The process that runs it, paused ones included. */
  get process(): ModelProcess | undefined {
    return this.#process?.state === 'dead' ? undefined : this.#process
  }

  /** Starts it, if it does not run. */
  start(): void {
    if (this.process) return
    const process = this.#newProcess()
    this.#process = process
    process.after(0, 'starts', () => this.#main(process))
  }
}
