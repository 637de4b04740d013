import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useClient } from '../../../page/client/client.ts'
import { nameOfPath, shownName } from '../../../page/content/state/names.logic.ts'
import type { FileKind } from '../state/kinds.logic.ts'
import type { ShownFile } from './file-content.tsx'

/** Formats that the browser displays. A page is framed without the rights of this one. */
export function MediaPreview(props: ShownFile & { kind: FileKind }) {
  const { t } = useTranslation('files')
  const client = useClient()
  const { threadId, entry, kind, isReadable } = props
  const [hasFailed, setHasFailed] = useState('')
  if (!isReadable) return <p className="files-none">{t('asleepFile')}</p>
  if (hasFailed === entry.version) return <p className="files-none">{t('notUnderstood')}</p>
  const address = client.files.contentUrl(threadId, entry.path, { version: entry.version, wake: false })
  const name = shownName(nameOfPath(entry.path))
  const fail = () => setHasFailed(entry.version)
  if (kind === 'image') {
    return (
      <div className="viewer-b viewer-media">
        <img key={entry.version} src={address} alt={name} onError={fail} />
      </div>
    )
  }
  if (kind === 'audio' || kind === 'video') {
    const Player = kind
    return (
      <div className="viewer-b viewer-media">
        <Player key={entry.version} src={address} controls preload="metadata" aria-label={name} onError={fail} />
      </div>
    )
  }
  // The browser’s PDF viewer doesn’t work inside `sandbox`. The headers of the response itself remove every right.
  const limits = kind === 'pdf' ? {} : { sandbox: 'allow-scripts' }
  return <iframe key={entry.version} className="viewer-frame" src={address} title={name} {...limits} />
}
