import type { Environment } from '@threadbox/sdk'
import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../../page/client/use-format.ts'
import { Switch } from '../../../ui/switch.tsx'

/** The option to include running processes and memory, and its outcome. */
export function KeptMemory(props: {
  isWanted: boolean
  onWanted: (isWanted: boolean) => void
  /** Undefined while the copy is being made. */
  environment: Environment | undefined
}) {
  const { t } = useTranslation('agents')
  const format = useFormat()
  const id = useId()
  const memory = props.environment?.memory ?? null
  return (
    <div>
      <div className="row-line">
        <label className="grow" htmlFor={id}>
          {t('keepMemory')}
        </label>
        <Switch id={id} isOn={props.isWanted} onChange={props.onWanted} />
      </div>
      <p className="help">{t('keepMemoryHelp')}</p>
      {memory !== null && (
        <p className="facts" role="status">
          {memory.kept ? t('memoryKept', { size: format.bytes(memory.bytes) }) : t(`memoryUnkept.${memory.reason}`)}
        </p>
      )}
    </div>
  )
}
