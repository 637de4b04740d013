import { execFile } from 'node:child_process'
import { cp, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { unpackPreviousRelease } from '@threadbox/testkit'

const run = promisify(execFile)

/**
 * Adds the previous release to an installation, as if it had been built there: its programs beside Node, pages, guest and
 * native modules of the present one. Returns its name, and the migrations that it knows.
 */
export async function addPreviousRelease(dataDirectory: string): Promise<{ name: string; migrations: string[] }> {
  const folder = await mkdtemp(join(tmpdir(), 'threadbox-previous-'))
  try {
    const previous = await unpackPreviousRelease(folder)
    await addRelease(dataDirectory, previous.name, async (release) => {
      for (const program of ['schema', 'reset-link']) await rm(join(release, program), { recursive: true })
      for (const entry of await readdir(folder)) {
        if (entry === 'release.json') continue
        await rm(join(release, entry), { recursive: true, force: true })
        await cp(join(folder, entry), join(release, entry), { recursive: true })
      }
    })
    return previous
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** A migration of {@link addBrokenRelease} that no other release knows. */
export const brokenMigration = '9000-of-a-broken-release'

/** A release whose server migrates, and ends. */
export async function addBrokenRelease(dataDirectory: string): Promise<string> {
  await addRelease(dataDirectory, 'broken', async (release) => {
    // The file is shared with the release that it was copied from.
    await rm(join(release, 'server/main.js'))
    const insert = `insert or ignore into kysely_migration values ('${brokenMigration}', '2026-01-01T00:00:00.000Z')`
    await writeFile(
      join(release, 'server/main.js'),
      `import { DatabaseSync } from 'node:sqlite'
const database = new DatabaseSync(process.env.THREADBOX_SERVER_DATA + '/server.db')
database.exec('pragma busy_timeout = 5000')
database.exec(${JSON.stringify(insert)})
process.exit(1)
`,
    )
  })
  return 'broken'
}

/** The present release under another name. */
export async function addWorkingRelease(dataDirectory: string): Promise<string> {
  await addRelease(dataDirectory, 'working', async () => {})
  return 'working'
}

async function addRelease(
  dataDirectory: string,
  name: string,
  change: (release: string) => Promise<void>,
): Promise<void> {
  const release = join(dataDirectory, 'releases', name)
  await run('cp', ['-al', await realpath(join(dataDirectory, 'current')), release])
  await change(release)
  const manifest = JSON.parse(await readFile(join(release, 'release.json'), 'utf8')) as object
  await rm(join(release, 'release.json'))
  await writeFile(join(release, 'release.json'), JSON.stringify({ ...manifest, release: name }))
}
