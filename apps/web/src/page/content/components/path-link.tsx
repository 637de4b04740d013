import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useClient } from '../../client/client.ts'
import { useCardActions } from '../state/card-context.ts'
import { shortPath } from '../state/paths.logic.ts'

/**
 * A link to a file of the sandbox, which opens it in the files pane. Opened in a new tab (middle click) it downloads
 * the file.
 */
export function PathLink(props: { path: string; children?: ReactNode }) {
  const { t } = useTranslation('cards')
  const client = useClient()
  const { threadId, showFile } = useCardActions()
  return (
    <a
      className="path-link mono"
      href={client.files.contentUrl(threadId, props.path, { download: true })}
      title={t('showFile', { name: props.path })}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return
        event.preventDefault()
        showFile(props.path)
      }}
    >
      {props.children ?? shortPath(props.path)}
    </a>
  )
}
