import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { dpkgLog } from './packages.ts'

/** A disk's state at its first boot: tells later changes from what the image contains. */
export type DiskBaseline = { aptLogStart: number }

/** Records the baseline at the first boot. A disk that cannot be written counts as new. */
export function recordBaseline(stateDirectory: string): DiskBaseline {
  const path = join(stateDirectory, 'born')
  const now = { aptLogStart: statSync(dpkgLog, { throwIfNoEntry: false })?.size ?? 0 }
  try {
    mkdirSync(stateDirectory, { recursive: true, mode: 0o711 })
    // A kernel reads its saved variables as its user, who must be able to traverse this directory.
    chmodSync(stateDirectory, 0o711)
    writeFileSync(path, JSON.stringify(now), { flag: 'wx', mode: 0o600 })
    return now
  } catch {
    return readBaseline(path) ?? now
  }
}

function readBaseline(path: string): DiskBaseline | undefined {
  try {
    const { aptLogStart } = JSON.parse(readFileSync(path, 'utf8')) as { aptLogStart?: unknown }
    return typeof aptLogStart === 'number' ? { aptLogStart } : undefined
  } catch {
    return undefined
  }
}
