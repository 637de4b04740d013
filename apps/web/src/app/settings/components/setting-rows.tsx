import type { Setting } from '@threadbox/sdk'
import { useTranslation } from 'react-i18next'
import { SettingRow } from './setting-row.tsx'

/** A list of settings, or a line that says there are none. */
export function SettingRows(props: { settings: readonly Setting[] }) {
  const { t } = useTranslation('settings')
  if (props.settings.length === 0) return <p className="nothing">{t('limits.empty')}</p>
  return (
    <ul className="rows">
      {props.settings.map((setting) => (
        <SettingRow key={setting.name} setting={setting} />
      ))}
    </ul>
  )
}
