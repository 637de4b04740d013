import type { ToolCallEntry } from '@threadbox/sdk'
import { useTranslation } from 'react-i18next'
import { useClient } from '../../../page/client/client.ts'
import { Card } from '../../../ui/card.tsx'
import { inputOf, isOpenByDefault } from '../state/call.logic.ts'
import { useCardOpen } from '../state/use-card-open.ts'
import { CallError } from './call-error.tsx'
import { CallMeta } from './call-meta.tsx'

/** A page that the agent viewed: its screenshot, and the problems found. */
export function PageCard(props: { entry: ToolCallEntry }) {
  const { t } = useTranslation('cards')
  const client = useClient()
  const { entry } = props
  const [isOpen, toggle] = useCardOpen(isOpenByDefault(entry))
  const result = entry.result?.kind === 'image' ? entry.result : null
  const { url, service, path } = inputOf(entry)
  const address = result?.path ?? (url || [service, path].filter((part) => part !== '').join(' '))
  const title = result?.page?.title ?? ''
  const problems = result?.page?.problems ?? []
  return (
    <Card
      label={t('tool.view_page')}
      isOpen={isOpen}
      onToggle={toggle}
      title={
        <>
          <span className="card-name">{t('tool.view_page')}</span>
          <span className="trunc mono">{address}</span>
        </>
      }
      meta={<CallMeta entry={entry} />}
    >
      <CallError entry={entry} />
      {result !== null && (
        <figure className="fig">
          <a href={client.urlOf(result.url)} target="_blank" rel="noreferrer">
            <img src={client.urlOf(result.url)} alt={t('pagePicture', { page: title || address })} loading="lazy" />
          </a>
        </figure>
      )}
      {problems.length > 0 && (
        <div className="card-note card-note--err" role="note">
          <b>{t('pageProblems', { count: problems.length })}</b>
          {problems.map((problem) => (
            <p key={problem} className="mono">
              {problem}
            </p>
          ))}
        </div>
      )}
    </Card>
  )
}
