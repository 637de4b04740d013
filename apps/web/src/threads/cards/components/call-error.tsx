import type { ToolCallEntry } from '@threadbox/sdk'
import { useTranslation } from 'react-i18next'
import { ErrorCode } from '../../../page/docs/docs-link.tsx'
import { inLanguage } from '../../../page/parts/problem.ts'

/** Why a call failed, and what to do. */
export function CallError(props: { entry: ToolCallEntry }) {
  const { t, i18n } = useTranslation('cards')
  const { error, status } = props.entry
  if (status === 'interrupted') return <p className="card-note">{t('interruptedText')}</p>
  if (error === null) return null
  const { message, remedy } = inLanguage(error, i18n.language)
  return (
    <div className="card-note card-note--err" role="note">
      <b>{message}</b>
      {remedy !== '' && <p>{remedy}</p>}
      <ErrorCode code={error.code} />
    </div>
  )
}
