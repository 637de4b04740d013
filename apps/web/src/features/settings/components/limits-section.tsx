import type { Setting, Settings } from '@threadbox/sdk'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../../app/use-format.ts'
import { useSettings } from '../api/settings.queries.ts'
import { isNetworkSetting } from '../state/setting-groups.ts'
import { Loaded } from './loaded.tsx'
import { Group, SectionHead } from './section.tsx'
import { SettingRow } from './setting-row.tsx'

export function LimitsSection() {
  const { t } = useTranslation('settings')
  const settings = useSettings()
  return (
    <>
      <SectionHead title={t('limits.title')} lead={t('limits.lead')} />
      <Loaded query={settings}>
        {(answer) => (
          <>
            <SandboxLimits limits={answer.limits} />
            <Group title={t('limits.all')}>
              <SettingRows settings={answer.settings.filter((setting) => !isNetworkSetting(setting.name))} />
            </Group>
          </>
        )}
      </Loaded>
    </>
  )
}

function SettingRows(props: { settings: readonly Setting[] }) {
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

function SandboxLimits(props: { limits: Settings['limits'] }) {
  const { t } = useTranslation('settings')
  const format = useFormat()
  const { memoryBytes, cpus, processes, diskBytes } = props.limits
  return (
    <Group title={t('limits.sandbox')}>
      <dl className="figures num">
        <div>
          <dt>{t('limits.memory')}</dt>
          <dd>{format.binaryBytes(memoryBytes)}</dd>
        </div>
        <div>
          <dt>{t('limits.cpus')}</dt>
          <dd>{format.number(cpus)}</dd>
        </div>
        <div>
          <dt>{t('limits.processes')}</dt>
          <dd>{format.number(processes)}</dd>
        </div>
        <div>
          <dt>{t('limits.disk')}</dt>
          <dd>{format.binaryBytes(diskBytes)}</dd>
        </div>
      </dl>
    </Group>
  )
}
