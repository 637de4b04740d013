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

/** A release whose server ends immediately. */
export async function addBrokenRelease(dataDirectory: string): Promise<string> {
  await addRelease(dataDirectory, 'broken', async (release) => {
    // The file is shared with the release that it was copied from.
    await rm(join(release, 'server/main.js'))
    await writeFile(join(release, 'server/main.js'), 'process.exit(1)\n')
  })
  return 'broken'
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
