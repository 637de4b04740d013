import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'

type DriverRecord = { sandboxId: string; phase: string; process: { pid: number } | null }

/** The processes on the host in which a sandbox of a test host is running or frozen, from its driver’s records. */
export async function sandboxPids(options: { dataDirectory: string; sandboxId: string }): Promise<number[]> {
  const allocationId = allocationOf(options)
  const boots = path.join(options.dataDirectory, 'host/driver/boots')
  const texts = await Promise.all(
    (await readdir(boots)).map((name) =>
      readFile(path.join(boots, name, 'record.json'), 'utf8').catch(() => undefined),
    ),
  )
  return texts
    .filter((text) => text !== undefined)
    .map((text) => JSON.parse(text) as DriverRecord)
    .filter((record) => record.sandboxId === allocationId && record.phase === 'running')
    .flatMap((record) => record.process?.pid ?? [])
}

/**
 * The driver knows a sandbox by its allocation, which was made ahead or is that of the spare it adopted, if so. A host
 * whose state cannot be opened from here (it runs in its own mount namespace) must keep no spares and no allocations.
 */
function allocationOf({ dataDirectory, sandboxId }: { dataDirectory: string; sandboxId: string }): string {
  // Seen through another process’s root, where SQLite cannot open anything.
  if (dataDirectory.startsWith('/proc/')) return sandboxId
  const file = path.join(dataDirectory, 'host/state.sqlite')
  const state = new DatabaseSync(file, { readOnly: true })
  try {
    const row = state.prepare('select placeId from sandboxes where sandboxId = ?').get(sandboxId)
    return typeof row?.placeId === 'string' ? row.placeId : sandboxId
  } finally {
    state.close()
  }
}
