import { useTranslation } from 'react-i18next'
import { Loaded } from '../../../page/parts/loaded.tsx'
import { Group, SectionHead } from '../../../page/parts/section.tsx'
import { isRescueSetting, isSleepSetting } from '../../../page/parts/setting-groups.ts'
import { useSettings } from '../api/settings.queries.ts'
import { SettingRows } from './setting-rows.tsx'

/** When sandboxes sleep and what is kept, for all threads without values of their own. */
export function SleepSection() {
  const { t } = useTranslation('settings')
  const settings = useSettings()
  return (
    <>
      <SectionHead title={t('sleep.title')} lead={t('sleep.lead')} />
      <Loaded query={settings}>
        {({ settings: all }) => {
          const rows = all.filter((setting) => isSleepSetting(setting.name))
          return (
            <>
              <SettingRows settings={rows.filter((setting) => !isRescueSetting(setting.name))} />
              <Group title={t('sleep.rescue')}>
                <p className="muted">{t('sleep.rescueText')}</p>
                <SettingRows settings={rows.filter((setting) => isRescueSetting(setting.name))} />
              </Group>
            </>
          )
        }}
      </Loaded>
    </>
  )
}
