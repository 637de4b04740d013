import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useClient } from '../../../app/client.ts'
import { useCards } from '../state/card-context.ts'
import { nameOf, shortPath } from '../state/paths.models.ts'

/** A file of the sandbox as a link that downloads it. */
export function PathLink(props: { path: string; children?: ReactNode }) {
  const { t } = useTranslation('cards')
  const client = useClient()
  const { threadId } = useCards()
  return (
    <a
      className="path-link mono"
      href={client.files.contentUrl(threadId, props.path, { download: true })}
      download={nameOf(props.path)}
      title={t('downloadFile', { name: props.path })}
    >
      {props.children ?? shortPath(props.path)}
    </a>
  )
}
