import type { ToolCallEntry } from '@threadbox/sdk'
import { useTranslation } from 'react-i18next'

/** Why a call failed and what helps. */
export function CallError(props: { entry: ToolCallEntry }) {
  const { t } = useTranslation('cards')
  const { error, status } = props.entry
  if (status === 'interrupted') return <p className="card-note">{t('interruptedText')}</p>
  if (error === null) return null
  return (
    <div className="card-note card-note--err" role="note">
      <b>{error.message}</b>
      {error.remedy !== '' && <p>{error.remedy}</p>}
    </div>
  )
}
