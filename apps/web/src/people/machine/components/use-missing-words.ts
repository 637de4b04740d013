import type { Backup } from '@threadbox/sdk'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../../page/client/use-format.ts'

const known = {
  'the memory of sandboxes': 'memory',
  'the machine’s settings and certificate authority': 'machine',
  'the disks of all sandboxes': 'disks',
} as const

function isKnown(what: string): what is keyof typeof known {
  return Object.hasOwn(known, what)
}

export function isMemory(what: string): boolean {
  return isKnown(what) && known[what] === 'memory'
}

/** What is not in a backup, in the reader’s language; paths and reasons stay as they were recorded. Null: nothing. */
export function useMissingWords(leftOut: Backup['leftOut']): string | null {
  const { t } = useTranslation('machine')
  const format = useFormat()
  const nameOfDisk = (what: string) => {
    const [, id] = /^the disk of (\S+)$/.exec(what) ?? []
    return id === undefined ? what : t('backup.leftOut.disk', { id })
  }
  if (leftOut === null) return t('backup.missingUnknown')
  if (leftOut.length === 0) return null
  const words = leftOut.map(({ what, reason }) => {
    const name = isKnown(what) ? t(`backup.leftOut.${known[what]}`) : nameOfDisk(what)
    // Memory never is in a backup: the reason would be the same in each.
    return isMemory(what) ? name : `${name} (${reason})`
  })
  return t('backup.missing', { what: format.list(words) })
}
