import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { relativeTime } from '../../../i18n/relative-time.ts'
import { useFormat } from '../../../page/client/use-format.ts'
import { shownText } from '../../../page/content/state/names.logic.ts'
import { Group } from '../../../page/parts/section.tsx'
import { useWorkspaces } from '../../../people/workspaces/api/workspaces.queries.ts'
import { useAgentDrafts } from '../api/agent-drafts.queries.ts'

/** Imported agent files that wait for a review. Empty if there are none. */
export function DraftList() {
  const { t, i18n } = useTranslation('agents')
  const format = useFormat()
  const workspaces = useWorkspaces()
  const drafts = useAgentDrafts().data ?? []
  if (drafts.length === 0) return null
  return (
    <Group title={t('review.waiting')}>
      <ul className="rows">
        {drafts.map(({ id, name, workspaceId, importedAt, file }) => {
          const shown = shownText(name)
          const facts = [
            workspaces.find((workspace) => workspace.id === workspaceId)?.name,
            t('review.importedAt', { when: relativeTime(importedAt, { now: Date.now(), locale: i18n.language }) }),
            format.bytes(file.sizeBytes),
          ]
          return (
            <li key={id} className="row row-line">
              <div className="grow">
                <b>{shown}</b>
                <p className="facts" title={format.fullMoment(importedAt)}>
                  {facts.filter(Boolean).join(' · ')}
                </p>
              </div>
              <Link
                className="btn"
                to="/agent-drafts/$draftId"
                params={{ draftId: id }}
                aria-label={t('review.openOf', { name: shown })}
              >
                {t('review.open')}
              </Link>
            </li>
          )
        })}
      </ul>
    </Group>
  )
}
