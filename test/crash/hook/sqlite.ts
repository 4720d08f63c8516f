import sqlite from 'node:sqlite'
import { errorCode, isKilling, point, pointAfter, root } from './point.ts'
import { callThrough, wrap } from './wrap.ts'

/**
 * Statements, and the opening and closing of a database. The system calls that SQLite makes for them cannot be seen from
 * JavaScript: `system-calls.ts` goes through those.
 */
export function watchSqlite(): void {
  const { DatabaseSync, StatementSync } = sqlite
  for (const name of ['exec', 'prepare', 'close']) wrapCall(DatabaseSync.prototype, name)
  for (const name of ['run', 'get', 'all']) wrapCall(StatementSync.prototype, name)
  // What `using` calls is the function itself, and no method that could be found by its name.
  Object.defineProperty(DatabaseSync.prototype, Symbol.dispose, {
    value(this: InstanceType<typeof DatabaseSync>) {
      this.close()
    },
  })
  sqlite.DatabaseSync = class extends DatabaseSync {
    constructor(...args: ConstructorParameters<typeof DatabaseSync>) {
      const [path, options] = args
      const isOurs = String(path).startsWith(`${root}/`)
      const call = options?.readOnly ? 'open to look' : 'open database'
      throwIf(isOurs ? point(call, nameOf(String(path))) : undefined)
      super(...args)
    }
  }
}

const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1)

function wrapCall(prototype: object, name: string): void {
  wrap(
    prototype,
    name,
    (original) =>
      function (...args) {
        const where = name === 'exec' ? firstWord(String(args[0])) : 'statement'
        const error = point(name, where)
        // A database that says it could not close is closed all the same.
        if (name !== 'close') throwIf(error)
        const result = callThrough(original, this, args)
        throwIf(error)
        if (!/^(?:get|all|prepare)$/.test(name)) pointAfter(name, where)
        return result
      },
  )
}

const firstWord = (sql: string) => /[A-Z]+/.exec(sql)?.[0] ?? sql

/** What SQLite makes of the errors of system calls. */
const sqliteErrors: Readonly<Record<string, readonly [code: number, text: string]>> = {
  EIO: [10, 'disk I/O error'],
  ENOSPC: [13, 'database or disk is full'],
  EMFILE: [14, 'unable to open database file'],
}

function throwIf(error: Error | undefined): void {
  if (!error || isKilling) return
  const [errcode, text] = sqliteErrors[errorCode] ?? [10, 'disk I/O error']
  throw Object.assign(new Error(text), { code: 'ERR_SQLITE_ERROR', errcode, errstr: text })
}
