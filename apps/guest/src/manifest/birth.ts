import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { dpkgLog } from './packages.ts'

/** What a disk was like when it was first booted, to tell what was done since from what the image brought. */
export type Birth = { aptLogStart: number }

/** Notes it down at the first boot. A disk that cannot be written counts as new. */
export function markBirth(stateDirectory: string): Birth {
  const path = join(stateDirectory, 'born')
  const now = { aptLogStart: statSync(dpkgLog, { throwIfNoEntry: false })?.size ?? 0 }
  try {
    mkdirSync(stateDirectory, { recursive: true, mode: 0o711 })
    // A kernel reads back what was kept of it as its user, who must be able to pass through.
    chmodSync(stateDirectory, 0o711)
    writeFileSync(path, JSON.stringify(now), { flag: 'wx', mode: 0o600 })
    return now
  } catch {
    return readBirth(path) ?? now
  }
}

function readBirth(path: string): Birth | undefined {
  try {
    const { aptLogStart } = JSON.parse(readFileSync(path, 'utf8')) as { aptLogStart?: unknown }
    return typeof aptLogStart === 'number' ? { aptLogStart } : undefined
  } catch {
    return undefined
  }
}
