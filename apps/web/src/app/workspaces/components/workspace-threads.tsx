import type { Thread } from '@threadbox/sdk'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { LearnMore } from '../../../page/docs/docs-link.tsx'
import { docsPlaces } from '../../../page/docs/docs-places.ts'
import { ThreadItem } from './thread-item.tsx'

const shownAtFirst = 50
const shownMore = 200

/** The threads of one workspace: a first part, then more on request. */
export function WorkspaceThreadList(props: { threads: readonly Thread[]; total: number; now: number; label: string }) {
  const { t } = useTranslation('workspaces')
  const [limit, setLimit] = useState(shownAtFirst)
  const { threads, now } = props
  const isAll = threads.length <= limit
  const missing = props.total - threads.length
  if (threads.length === 0)
    return (
      <p className="side-empty ws-empty">
        {t('noThreads')} <LearnMore to={docsPlaces.workspaces} />
      </p>
    )
  return (
    <ul aria-label={props.label}>
      {threads.slice(0, limit).map((thread) => (
        <ThreadItem key={thread.id} thread={thread} now={now} />
      ))}
      {!isAll && (
        <li>
          <button type="button" className="nav ws-more" onClick={() => setLimit(limit + shownMore)}>
            {t('showMore', { count: threads.length - limit })}
          </button>
        </li>
      )}
      {isAll && missing > 0 && <li className="side-empty ws-empty">{t('older', { count: missing })}</li>}
    </ul>
  )
}
