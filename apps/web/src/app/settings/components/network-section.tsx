import { useTranslation } from 'react-i18next'
import { reachOf, tunnelCommand } from '../../../page/parts/address.ts'
import { CopyButton } from '../../../page/parts/copy-button.tsx'
import { Loaded } from '../../../page/parts/loaded.tsx'
import { Group, SectionHead } from '../../../page/parts/section.tsx'
import { isNetworkSetting } from '../../../page/parts/setting-groups.ts'
import { NetworkGroup } from '../../../people/network/components/network-group.tsx'
import { useSettings } from '../api/settings.queries.ts'
import { SettingRow } from './setting-row.tsx'

/** How this installation is reached now, and the alternatives. */
export function NetworkSection() {
  const { t } = useTranslation('settings')
  const settings = useSettings()
  const reach = reachOf(new URL(location.href))
  const words = { encrypted: t('network.secureYes'), local: t('network.secureLocal'), open: t('network.secureNo') }
  const tunnel = tunnelCommand(new URL(location.href))
  return (
    <>
      <SectionHead title={t('network.title')} lead={t('network.lead')} />
      <dl className="figures">
        <div>
          <dt>{t('network.address')}</dt>
          <dd className="mono">{location.origin}</dd>
        </div>
        <div>
          <dt>{t('network.secure')}</dt>
          <dd className={reach === 'open' ? 'bad' : undefined}>{words[reach]}</dd>
        </div>
      </dl>
      <Group title={t('network.elsewhere')}>
        <p>{t('network.tunnel')}</p>
        <CodeLine text={tunnel} />
        <p>{t('network.name')}</p>
        <CodeLine text="./threadbox up --domain box.example.org" />
        <CodeLine text="./threadbox up --host 0.0.0.0" />
      </Group>
      <NetworkGroup />
      <Loaded query={settings}>
        {(answer) => {
          const rows = answer.settings.filter((setting) => isNetworkSetting(setting.name))
          return rows.length === 0 ? null : (
            <Group title={t('network.settings')}>
              <ul className="rows">
                {rows.map((setting) => (
                  <SettingRow key={setting.name} setting={setting} />
                ))}
              </ul>
            </Group>
          )
        }}
      </Loaded>
    </>
  )
}

function CodeLine(props: { text: string }) {
  return (
    <div className="code-line">
      <code className="mono">{props.text}</code>
      <CopyButton text={props.text} />
    </div>
  )
}
