import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** Where gVisor publishes its releases. */
const releases = 'https://storage.googleapis.com/gvisor/releases/release'
/** A machine without access fails in seconds; the archive itself can take longer. */
const answerTimeoutMs = 8000

/**
 * Downloads gVisor’s release of a day for a processor and unpacks it to `folder`, which then holds `runsc` and its
 * companion programs. Rejects, leaving nothing, if the archive’s checksum differs from `sha512`.
 */
export async function fetchRunsc(options: {
  releases: string
  day: string
  machine: string
  sha512: string
  folder: string
}): Promise<{ bytes: number }> {
  const address = `${options.releases}/${options.day}/${options.machine}/gvisor.tar.bz2`
  const stop = new AbortController()
  const tooLate = setTimeout(
    () => stop.abort(new Error(`no response within ${answerTimeoutMs / 1000} s`)),
    answerTimeoutMs,
  )
  const answer = await fetch(address, { signal: stop.signal }).finally(() => clearTimeout(tooLate))
  if (!answer.ok) throw new Error(`${address} responded with ${answer.status}`)
  const archive = Buffer.from(await answer.arrayBuffer())
  const found = createHash('sha512').update(archive).digest('hex')
  if (found !== options.sha512) throw new Error(`${address} has checksum ${found}, not the pinned one`)
  await unpack(archive, options.folder)
  return { bytes: archive.length }
}

async function unpack(archive: Buffer, folder: string): Promise<void> {
  await mkdir(dirname(folder), { recursive: true })
  const work = await mkdtemp(join(dirname(folder), '.unpacking-'))
  try {
    await writeFile(join(work, 'archive'), archive)
    await mkdir(join(work, 'content'))
    execFileSync('tar', ['-xjf', join(work, 'archive'), '-C', join(work, 'content'), '--no-same-owner'])
    await rm(folder, { recursive: true, force: true })
    await rename(join(work, 'content'), folder)
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

if (import.meta.main) {
  const [day = '', machine = '', sha512 = '', folder = ''] = process.argv.slice(2)
  const { bytes } = await fetchRunsc({ releases, day, machine, sha512, folder })
  process.stdout.write(`downloaded: ${bytes}\n`)
}
