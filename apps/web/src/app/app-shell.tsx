import { Outlet, useParams } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { ConnectionBanner } from '../features/connection/components/connection-banner.tsx'
import { ShortcutsDialog } from '../features/help/components/shortcuts-dialog.tsx'
import { Palette } from '../features/search/components/palette.tsx'
import { Sidebar } from '../features/sidebar/components/sidebar.tsx'
import { useUserStream } from '../features/sidebar/state/use-user-stream.ts'
import { classNames } from '../ui/class-names.ts'
import { closeDrawer, useUiState } from './ui-state.ts'
import { useAppKeys } from './use-app-keys.ts'

/** The frame around every page of a signed-in person. */
export function AppShell() {
  const { t } = useTranslation(['sidebar', 'common'])
  const { isSidebarOpen, isDrawerOpen, pane } = useUiState()
  const { threadId } = useParams({ strict: false })
  useUserStream()
  useAppKeys()
  return (
    <div
      className={classNames('app', !isSidebarOpen && 'is-wide', isDrawerOpen && 'has-drawer')}
      data-pane={threadId === undefined ? undefined : (pane ?? undefined)}
    >
      <a className="skip" href="#message">
        {t('common:skipToMessage')}
      </a>
      <Sidebar />
      {isDrawerOpen && <button type="button" className="drawer-scrim" aria-label={t('close')} onClick={closeDrawer} />}
      <div className="page-box" inert={isDrawerOpen}>
        <ConnectionBanner />
        <Outlet />
      </div>
      <Palette />
      <ShortcutsDialog />
    </div>
  )
}
