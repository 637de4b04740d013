import { waitAtMost } from '@threadbox/concurrency'
import { type ServerFacts, serverFactsSchema } from '@threadbox/protocol/support'
import { supportSocketOf } from '../installation/support-socket.ts'
import { installedDatabase } from '../platform/database/installed-database.ts'
import { readDatabaseFacts } from './database-facts.ts'
import { readLiveFacts } from './live-facts.ts'

/**
 * Prints what the server and its database say of themselves, as JSON, for `doctor --bundle`. Runs as the server’s user,
 * beside a running server or without one. A part that can’t be read is missing, with the code of the reason.
 */
async function main(): Promise<void> {
  const installed = installedDatabase(process.env)
  const [database, live] = await Promise.all([
    found(async () => {
      if (!installed.exists) throw Object.assign(new Error('no database'), { code: 'ENOENT' })
      const open = installed.open()
      try {
        return await readDatabaseFacts(open, Date.now())
      } finally {
        await open.close()
      }
    }),
    found(() => readLiveFacts(supportSocketOf(installed.directory))),
  ])
  const facts: ServerFacts = {
    database: database.value,
    live: live.value,
    missing: { database: database.missing, live: live.missing },
  }
  // What is late must not keep the program running.
  process.stdout.write(`${JSON.stringify(serverFactsSchema.parse(facts))}\n`, () => process.exit(0))
}

/** A database on another machine can be out of reach. */
const limitMs = 20_000

async function found<Value>(read: () => Promise<Value>): Promise<{ value: Value | null; missing: string | null }> {
  try {
    const reading = read()
    const end = await waitAtMost(limitMs, { work: reading })
    if (end === 'late') throw Object.assign(new Error('too late'), { code: 'ETIMEDOUT' })
    return { value: await reading, missing: null }
  } catch (error) {
    const { code, name } = error as { code?: unknown; name?: unknown }
    return { value: null, missing: String(code ?? name ?? 'unknown') }
  }
}

await main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
})
