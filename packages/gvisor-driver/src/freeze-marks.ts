import { readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { BootRecords } from './boot-record.ts'

/**
 * Whether a boot is frozen. `no`: not by this release. `by-call`: its kernel was asked, so it has one stop, and runsc’s own
 * records say that it runs. `by-command`: `runsc pause` did it, and runsc’s records say so. `unsure`: it was asked, and
 * what became of it is not recorded.
 */
export type FreezeMark = 'no' | 'by-call' | 'by-command' | 'unsure'

/**
 * Survives the driver, not the host: then its boots are gone too. In a file of its own, because the end of a boot can be
 * recorded at any time.
 */
export type FreezeMarks = {
  read(bootId: string): Promise<FreezeMark>
  write(bootId: string, mark: FreezeMark): Promise<void>
}

export function makeFreezeMarks(records: Pick<BootRecords, 'directoryOf'>): FreezeMarks {
  const fileOf = (bootId: string) => path.join(records.directoryOf(bootId), 'freeze')
  return {
    read: async (bootId) => {
      const text = await readFile(fileOf(bootId), 'utf8').catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return 'no'
        throw error
      })
      // Anything else was cut off while it was written.
      return text === 'no' || text === 'by-call' || text === 'by-command' ? text : 'unsure'
    },
    write: async (bootId, mark) => {
      if (mark === 'no') await rm(fileOf(bootId), { force: true })
      else await writeFile(fileOf(bootId), mark, { mode: 0o600 })
    },
  }
}
