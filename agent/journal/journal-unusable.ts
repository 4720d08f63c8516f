/** The store cannot be used: it is damaged, of a newer version, or another program's. It is left as it is. */
export class JournalUnusableError extends Error {
  override readonly name = 'JournalUnusableError'
}

/** SQLite reports damage. It reports the same for a failing disk, until the file is read to its end. */
export class JournalDamagedError extends JournalUnusableError {}
