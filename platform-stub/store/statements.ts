import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'

/** What a statement is given: values for its `?` in their order, or one object for its `:names`. */
type Given = readonly (SQLInputValue | object)[]

/** Makes statements of a database, each prepared once. The caller names what a statement is given and what a row is. */
export function statementsOf(database: DatabaseSync) {
  const prepare = (sql: string): StatementSync => {
    const statement = database.prepare(sql)
    // A whole row may be given to a statement that uses some of its columns.
    statement.setAllowUnknownNamedParameters(true)
    return statement
  }

  /** The first row. */
  function get<Row, Values extends Given>(sql: string) {
    const statement = prepare(sql)
    return (...values: Values) => statement.get(...(values as readonly SQLInputValue[])) as Row | undefined
  }

  /** All rows. */
  function all<Row, Values extends Given = []>(sql: string) {
    const statement = prepare(sql)
    return (...values: Values) => statement.all(...(values as readonly SQLInputValue[])) as Row[]
  }

  /** The one number of a query that always has a row. */
  function count<Values extends Given = []>(sql: string) {
    const row = get<Readonly<Record<string, number>>, Values>(sql)
    return (...values: Values) => Number(Object.values(row(...values) ?? {})[0])
  }

  /** Writes. @returns How many rows changed. */
  function change<Values extends Given>(sql: string) {
    const statement = prepare(sql)
    return (...values: Values) => Number(statement.run(...(values as readonly SQLInputValue[])).changes)
  }

  /** Writes. */
  function run<Values extends Given>(sql: string) {
    const write = change<Values>(sql)
    return (...values: Values): void => {
      write(...values)
    }
  }

  /**
   * Writes rows into a table and returns them. The columns are named where the statement is made: a row that has other
   * fields as well sets none of them, and a column that is not named gets its default.
   */
  function insert<Row extends object>(table: string, { verb = 'insert', onConflict = '' } = {}) {
    return <Column extends keyof Row & string>(...columns: readonly Column[]) => {
      const values = columns.map((name) => `:${name}`)
      return get<Row, [row: Pick<Row, Column>]>(
        `${verb} into ${table} (${columns.join(', ')}) values (${values.join(', ')}) ${onConflict} returning *`,
      )
    }
  }

  /** The id that the next row of a table gets. */
  function nextId(table: string) {
    return count(`select coalesce(max(seq), 0) + 1 from sqlite_sequence where name = '${table}'`)
  }

  return { get, all, count, change, run, insert, nextId }
}
