import { useTranslation } from 'react-i18next'
import { CodeText } from '../../../page/parts/code-text.tsx'
import { Loaded } from '../../../page/parts/loaded.tsx'
import { Group, SectionHead } from '../../../page/parts/section.tsx'
import { isNetworkSetting, isSleepSetting } from '../../../page/parts/setting-groups.ts'
import { useSettings } from '../api/settings.queries.ts'
import { SettingRows } from './setting-rows.tsx'

/** The limits of sandboxes and turns: first those that can be changed here, then those set where the server starts. */
export function LimitsSection() {
  const { t } = useTranslation('settings')
  const settings = useSettings()
  return (
    <>
      <SectionHead title={t('limits.title')} lead={t('limits.lead')} />
      <Loaded query={settings}>
        {({ settings: all }) => {
          const rows = all.filter((setting) => !isNetworkSetting(setting.name) && !isSleepSetting(setting.name))
          return (
            <>
              <SettingRows settings={rows.filter((setting) => setting.isEditable)} />
              <Group title={t('limits.all')}>
                <p className="muted">
                  <CodeText text={t('limits.readOnly')} />
                </p>
                <SettingRows settings={rows.filter((setting) => !setting.isEditable)} />
              </Group>
            </>
          )
        }}
      </Loaded>
    </>
  )
}
