import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { ChevronsUpDown, Keyboard, LogOut, Monitor, Moon, Settings, Sun } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { type Language, languages } from '../../../i18n/language.ts'
import { useClient } from '../../../page/client/client.ts'
import { openLayer } from '../../../page/client/layers.ts'
import { queryKeys } from '../../../page/client/query-keys.ts'
import { meQuery } from '../../../page/client/session.ts'
import { chooseTheme, type ThemeSetting, useThemeSetting } from '../../../page/client/theme.ts'
import { closeDrawer } from '../../../page/client/ui-state.ts'
import { useFormat } from '../../../page/client/use-format.ts'
import { useSwitchLanguage } from '../../../page/client/use-switch-language.ts'
import { useErrorToast } from '../../../page/parts/use-error-toast.ts'
import { AdminsMayReadNote } from '../../../people/team/components/open-thread-page.tsx'
import { Menu, MenuChoice, MenuItem, MenuLabel, MenuSeparator } from '../../../ui/menu.tsx'
import { Meter } from '../../../ui/meter.tsx'

/** The free resources of the host, and the signed-in user. */
export function SidebarFooter() {
  const { t } = useTranslation('sidebar')
  return (
    <div className="side-foot">
      <AdminsMayReadNote />
      <HostLine />
      <div className="row-flex side-user">
        <UserMenu />
        <Link
          to="/settings/$section"
          params={{ section: 'you' }}
          className="btn btn--ghost btn--icon"
          aria-label={t('settings')}
          title={t('settings')}
          onClick={closeDrawer}
        >
          <Settings className="i" size={16} />
        </Link>
      </div>
    </div>
  )
}

/** Awake sandboxes and the memory of the host, as last measured by the host daemon. */
function HostLine() {
  const { t } = useTranslation('sidebar')
  const client = useClient()
  const format = useFormat()
  const status = useQuery({
    queryKey: queryKeys.status,
    queryFn: ({ signal }) => client.installation.status(signal),
    refetchInterval: 60_000,
  })
  const host = status.data?.host
  if (host == null) return null
  if (!host.isReachable) return <p className="hostline">{t('hostAway')}</p>
  return (
    <div className="hostline num" title={t('hostMemory')}>
      <span>
        {t('hostAwake', {
          count: host.awakeSandboxes,
          used: format.binaryBytes(host.memoryUsedBytes),
          total: format.binaryBytes(host.memoryTotalBytes),
        })}
      </span>
      <Meter value={host.memoryUsedBytes} maximum={host.memoryTotalBytes} label={t('hostMemory')} />
    </div>
  )
}

const themes: readonly { setting: ThemeSetting; Icon: typeof Sun }[] = [
  { setting: 'system', Icon: Monitor },
  { setting: 'light', Icon: Sun },
  { setting: 'dark', Icon: Moon },
]

function UserMenu() {
  const { t, i18n } = useTranslation('sidebar')
  const switchLanguage = useSwitchLanguage()
  const client = useClient()
  const me = useQuery(meQuery(client))
  const theme = useThemeSetting()
  const signOut = useSignOut()
  const name = me.data?.name ?? ''
  return (
    <Menu
      side="top"
      label={t('account')}
      trigger={
        <button type="button" className="user nav">
          <span className="avatar" aria-hidden="true">
            {name.slice(0, 1).toUpperCase()}
          </span>
          <span className="trunc grow">{name}</span>
          <ChevronsUpDown className="i" size={14} />
        </button>
      }
    >
      <MenuLabel>{t('theme')}</MenuLabel>
      {themes.map(({ setting, Icon }) => (
        <MenuChoice
          key={setting}
          isChosen={setting === theme}
          end={<Icon className="i" size={14} />}
          onSelect={() => chooseTheme(setting)}
        >
          {t(`themes.${setting}`)}
        </MenuChoice>
      ))}
      <MenuLabel>{t('language')}</MenuLabel>
      {(Object.keys(languages) as Language[]).map((language) => (
        <MenuChoice key={language} isChosen={i18n.language === language} onSelect={() => switchLanguage(language)}>
          {languages[language]}
        </MenuChoice>
      ))}
      <MenuSeparator />
      <MenuItem icon={<Keyboard className="i" size={14} />} onSelect={() => openLayer({ kind: 'shortcuts' })}>
        {t('shortcuts')}
      </MenuItem>
      <MenuItem icon={<LogOut className="i" size={14} />} onSelect={signOut}>
        {t('signOut')}
      </MenuItem>
    </Menu>
  )
}

function useSignOut(): () => void {
  const client = useClient()
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const showError = useErrorToast()
  return () => {
    client.account.signOut().then(() => {
      queryClient.clear()
      return navigate({ to: '/login' })
    }, showError)
  }
}
