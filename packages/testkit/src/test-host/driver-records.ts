import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'

type DriverRecord = { sandboxId: string; phase: string; process: { pid: number } | null }

/** Processes on the host in which a sandbox of a test host runs, or is frozen, by what its driver wrote down. */
export async function sandboxPids(options: { dataDirectory: string; sandboxId: string }): Promise<number[]> {
  const place = placeOf(options)
  const boots = path.join(options.dataDirectory, 'host/driver/boots')
  const texts = await Promise.all(
    (await readdir(boots)).map((name) =>
      readFile(path.join(boots, name, 'record.json'), 'utf8').catch(() => undefined),
    ),
  )
  return texts
    .filter((text) => text !== undefined)
    .map((text) => JSON.parse(text) as DriverRecord)
    .filter((record) => record.sandboxId === place && record.phase === 'running')
    .flatMap((record) => record.process?.pid ?? [])
}

/**
 * The driver knows a sandbox by its place, which is that of the spare it was made from, if it was. A host that runs
 * where its state cannot be opened from here (a mount namespace of its own) must keep no spares.
 */
function placeOf({ dataDirectory, sandboxId }: { dataDirectory: string; sandboxId: string }): string {
  // Seen through another process's root, where SQLite opens nothing.
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
