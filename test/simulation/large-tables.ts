import { join } from 'node:path'
import type { Actor, Scheduler } from './scheduler.ts'

const programsDir = join(import.meta.dirname, '../..')
/** More than an agent that has nothing to do keeps. */
const largeFrom = 40
/** It has a row for each operation with each result, so it has a bound. */
const counters = 'agent/status/counters.ts'

/** A `Map` or `Set` that has been large. */
interface LargeTable {
  readonly table: Map<unknown, unknown> | Set<unknown>
  readonly owner: Actor | undefined
  /** The line of a program that made it large; undefined for one of the simulation itself. */
  readonly line: string | undefined
}

/** Every table that has been large, while it is watched. */
export interface WatchedTables extends Disposable {
  /** The line that filled a table of a process which is still large; undefined if it has none. */
  findLarge(owner: Actor): string | undefined
}

/** Watches all tables of the programs, which does not change their behaviour. */
export function watchTables(scheduler: Pick<Scheduler, 'actor'>): WatchedTables {
  const noted = new Map<LargeTable['table'], LargeTable>()
  const { set } = Map.prototype
  const { add } = Set.prototype
  const note = (table: LargeTable['table']) => {
    if (table.size === largeFrom && !noted.has(table))
      set.call(noted, table, { table, owner: scheduler.actor, line: lineOfProgram() })
  }
  Map.prototype.set = function (key, value) {
    set.call(this, key, value)
    note(this)
    return this
  }
  Set.prototype.add = function (value) {
    add.call(this, value)
    note(this)
    return this
  }
  return {
    findLarge: (owner) =>
      noted.values().find((large) => large.owner === owner && large.line && large.table.size >= largeFrom)?.line,
    [Symbol.dispose]() {
      Map.prototype.set = set
      Set.prototype.add = add
    },
  }
}

/** The line that called `set` or `add`, if it is in the agent. Above it are the title, this function, `note` and the method. */
function lineOfProgram(): string | undefined {
  const callers = new Error().stack?.split('\n').slice(4) ?? []
  const caller = callers.find((line) => !line.includes('<anonymous>')) ?? ''
  const at = caller.indexOf(`${programsDir}/agent/`)
  return at < 0 || caller.includes(counters) ? undefined : caller.slice(at + programsDir.length + 1)
}
