import type { Check } from '@threadbox/sdk'
import { Check as CheckIcon, Minus, TriangleAlert, X } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { CodeText } from './code-text.tsx'

const icons = { ok: CheckIcon, warning: TriangleAlert, failed: X, skipped: Minus } as const

/** One check: state, title, result, and the suggested fix if there is one. */
export function CheckRow(props: { check: Omit<Check, 'id'> }) {
  const { t } = useTranslation('settings')
  const { status, title, detail, cure } = props.check
  const Icon = icons[status]
  return (
    <li className={`check check--${status}`}>
      <Icon className="i" size={16} aria-hidden="true" />
      <b>{title}</b>
      <span className="sr">{t(`checkStatus.${status}`)}</span>
      {detail === '' ? null : <span className="muted">{detail}</span>}
      {cure === null ? null : (
        <span>
          <CodeText text={t('about.cure', { cure })} />
        </span>
      )}
    </li>
  )
}
