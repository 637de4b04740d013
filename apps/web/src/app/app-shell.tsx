import { Outlet, useLocation, useParams } from '@tanstack/react-router'
import { type CSSProperties, useLayoutEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { useNarrow } from '../page/client/browser.ts'
import { closeDrawer, useUiState } from '../page/client/ui-state.ts'
import { ShortcutsDialog } from '../page/keys/components/shortcuts-dialog.tsx'
import { ConnectionBanner } from '../page/online/components/connection-banner.tsx'
import { CookiesBanner } from '../people/auth/components/cookies-banner.tsx'
import { BackupBanner } from '../people/machine/components/backup-banner.tsx'
import { PasskeyBanner } from '../people/passkeys/components/passkey-banner.tsx'
import { LimitBanner } from '../people/usage/components/limit-banner.tsx'
import { enterPage } from '../sandboxes/panes/state/pane-store.ts'
import { usePaneWidth } from '../sandboxes/panes/state/pane-width.ts'
import { PanesProvider } from '../sandboxes/panes/state/panes-context.ts'
import { useShownPane } from '../sandboxes/panes/state/use-shown-pane.ts'
import { SaveAgentLayer } from '../threads/agents/components/save-agent-dialog.tsx'
import { ShareThreadLayer } from '../threads/sharing/components/share-thread-dialog.tsx'
import { classNames } from '../ui/class-names.ts'
import { PaneHost } from './panes/pane-host.tsx'
import { panes } from './panes/registry.ts'
import { Palette } from './search/components/palette.tsx'
import { Sidebar } from './sidebar/components/sidebar.tsx'
import { useUserStream } from './sidebar/state/use-user-stream.ts'
import { useAppKeys } from './use-app-keys.ts'
import { WorkspaceDialogs } from './workspaces/components/workspace-dialogs.tsx'

/** The frame around every page of a signed-in user. */
export function AppShell() {
  const { t } = useTranslation(['sidebar', 'common'])
  const { isSidebarOpen, isDrawerOpen } = useUiState()
  const { threadId } = useParams({ strict: false })
  const { pathname } = useLocation()
  const hasMessage = pathname.startsWith('/threads/')
  const pane = usePane(threadId ?? null)
  useUserStream()
  useAppKeys()
  return (
    <div
      className={classNames('app', !isSidebarOpen && 'is-wide', isDrawerOpen && 'has-drawer')}
      data-pane={pane.shown?.pane}
    >
      <a className="skip" href={hasMessage ? '#message' : '#content'}>
        {t(hasMessage ? 'common:skipToMessage' : 'common:skipToContent')}
      </a>
      <Sidebar />
      {isDrawerOpen && <button type="button" className="drawer-scrim" aria-label={t('close')} onClick={closeDrawer} />}
      <div className="page-box" inert={isDrawerOpen}>
        <ConnectionBanner />
        <CookiesBanner />
        <PasskeyBanner />
        <BackupBanner />
        <LimitBanner />
        <div className="page-area" style={pane.style}>
          <div className="under-sheet" inert={pane.isSheet}>
            <PanesProvider value={panes}>
              <Outlet />
            </PanesProvider>
          </div>
          {pane.shown !== null && (
            <PaneHost panes={panes} shown={pane.shown} isSheet={pane.isSheet} width={pane.width} />
          )}
        </div>
      </div>
      <Palette />
      <ShortcutsDialog />
      <WorkspaceDialogs />
      <ShareThreadLayer />
      <SaveAgentLayer />
    </div>
  )
}

/** The pane beside the page, and its width. */
function usePane(threadId: string | null) {
  const found = useShownPane(threadId)
  const isNarrow = useNarrow()
  useLayoutEffect(() => enterPage(threadId), [threadId])
  // A remembered name may be of a pane that no longer exists.
  const shown = panes.some(({ name }) => name === found?.pane) ? found : null
  const width = usePaneWidth(shown?.pane ?? '')
  const chosen = shown === null || isNarrow ? null : width[0]
  const style = chosen === null ? undefined : { '--pane-w': `clamp(400px, ${chosen}px, 70%)` }
  return { shown, width, isSheet: shown !== null && isNarrow, style: style as CSSProperties | undefined }
}
