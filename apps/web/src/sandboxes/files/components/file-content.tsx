import type { FileEntry } from '@threadbox/sdk'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { LoadFailed } from '../../../page/parts/load-failed.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { useFileBytes } from '../api/files.queries.ts'

/** A file whose content is shown. */
export type ShownFile = { threadId: string; entry: FileEntry; isReadable: boolean }

export type FileBytes = { bytes: Uint8Array<ArrayBuffer>; version: string; isWhole: boolean }

/** The first bytes of a file, once they are loaded. */
export function FileContent(
  props: ShownFile & {
    limitBytes: number
    /** True for formats of which only the whole file can be parsed. */
    isAllNeeded?: boolean
    children: (content: FileBytes) => ReactNode
  },
) {
  const { t } = useTranslation('files')
  const { threadId, entry, limitBytes } = props
  const isTooLarge = props.isAllNeeded === true && entry.sizeBytes > limitBytes
  const query = useFileBytes(threadId, entry, { limitBytes, isEnabled: props.isReadable && !isTooLarge })
  if (isTooLarge) return <p className="files-none">{t('tooLarge')}</p>
  if (query.data !== undefined) return <>{props.children(query.data)}</>
  if (query.isError) {
    return (
      <div className="sec">
        <LoadFailed error={query.error} isRetrying={query.isFetching} onRetry={() => void query.refetch()} />
      </div>
    )
  }
  if (!props.isReadable) return <p className="files-none">{t('asleepFile')}</p>
  return (
    <div className="sec">
      <Skeleton rows={4} label={t('loading')} />
    </div>
  )
}
