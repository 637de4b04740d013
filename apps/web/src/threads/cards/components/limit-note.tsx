import { Link } from '@tanstack/react-router'
import type { ToolCallEntry } from '@threadbox/sdk'
import { Gauge } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { limitHitOf } from '../state/limit-hit.logic.ts'

/** The sandbox limit that a call reached, with a link to raise it. Renders nothing for any other call. */
export function LimitNote(props: { entry: ToolCallEntry }) {
  const { t } = useTranslation('cards')
  const hit = limitHitOf(props.entry)
  if (hit === null) return null
  return (
    <div className="card-note limit-note" role="note">
      <Gauge className="i" size={16} aria-hidden="true" />
      <p className="grow">
        <b>{t(`limit.${hit.setting}`)}</b>
        {hit.quote !== null && <span className="mono">{hit.quote}</span>}
        <span>{t('limit.cure')}</span>
      </p>
      <Link className="btn btn--sm" to="/settings/$section" params={{ section: 'limits' }} hash={hit.setting}>
        {t('limit.raise')}
      </Link>
    </div>
  )
}
