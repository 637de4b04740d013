import SqliteDatabase from 'better-sqlite3'

/**
 * Copies a database that others use, as it is at one moment, to a file that does not exist yet. Writers do not wait for it, and
 * what they commit in the meantime is not in the copy.
 */
export async function copySqlite(file: string, to: string): Promise<void> {
  const connection = new SqliteDatabase(file, { readonly: true, fileMustExist: true })
  try {
    connection.pragma('busy_timeout = 5000')
    // In one step: a copy in several begins again with each write of another process.
    await connection.backup(to, { progress: () => 2 ** 31 - 1 })
  } finally {
    connection.close()
  }
  const copy = new SqliteDatabase(to)
  try {
    // One file, without a log beside it.
    copy.pragma('journal_mode = DELETE')
  } finally {
    copy.close()
  }
}
