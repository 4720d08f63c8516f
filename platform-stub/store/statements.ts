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
    return (...values: Values) => void write(...values)
  }

  /** Writes a row, whose fields are named as the columns, and returns it. A column that it does not have becomes null. */
  function insert<NewRow extends object, Row = NewRow>(table: string, onConflict = '', verb = 'insert') {
    const columns = all<{ readonly name: string }>(`select name from pragma_table_info('${table}')`)()
    const names = columns.map(({ name }) => name)
    const values = names.map((name) => `:${name}`)
    return get<Row, [row: NewRow]>(
      `${verb} into ${table} (${names.join(', ')}) values (${values.join(', ')}) ${onConflict} returning *`,
    )
  }

  /** The same, in place of the row with the same key. */
  function replace<NewRow extends object>(table: string) {
    const write = insert<NewRow>(table, '', 'insert or replace')
    return (row: NewRow) => void write(row)
  }

  /** The id that the next row of a table gets. */
  function nextId(table: string) {
    return count(`select coalesce(max(seq), 0) + 1 from sqlite_sequence where name = '${table}'`)
  }

  return { get, all, count, change, run, insert, replace, nextId }
}
