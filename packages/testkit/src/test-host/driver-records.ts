import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'

type DriverRecord = { sandboxId: string; phase: string; process: { pid: number } | null }

/** Processes on the host in which a sandbox of a test host runs, or is frozen, by what its driver wrote down. */
export async function sandboxPids(options: { dataDirectory: string; sandboxId: string }): Promise<number[]> {
  const boots = path.join(options.dataDirectory, 'host/driver/boots')
  const texts = await Promise.all(
    (await readdir(boots)).map((name) =>
      readFile(path.join(boots, name, 'record.json'), 'utf8').catch(() => undefined),
    ),
  )
  return texts
    .filter((text) => text !== undefined)
    .map((text) => JSON.parse(text) as DriverRecord)
    .filter((record) => record.sandboxId === options.sandboxId && record.phase === 'running')
    .flatMap((record) => record.process?.pid ?? [])
}
