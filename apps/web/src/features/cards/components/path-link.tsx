import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useClient } from '../../../app/client.ts'
import { showFile } from '../../files/state/files-store.ts'
import { useCards } from '../state/card-context.ts'
import { shortPath } from '../state/paths.models.ts'

/** A file of the sandbox as a link that shows it in the files pane; opened elsewhere (middle click) it is downloaded. */
export function PathLink(props: { path: string; children?: ReactNode }) {
  const { t } = useTranslation('cards')
  const client = useClient()
  const { threadId } = useCards()
  return (
    <a
      className="path-link mono"
      href={client.files.contentUrl(threadId, props.path, { download: true })}
      title={t('showFile', { name: props.path })}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return
        event.preventDefault()
        showFile(threadId, props.path)
      }}
    >
      {props.children ?? shortPath(props.path)}
    </a>
  )
}
