import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Thread } from '@threadbox/sdk'
import { PanelLeft, Search, SquarePen, X } from 'lucide-react'
import { type KeyboardEvent, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { useClient } from '../../../page/client/client.ts'
import { shortcutText } from '../../../page/client/keyboard.ts'
import { openLayer } from '../../../page/client/layers.ts'
import { closeDrawer, toggleSidebar } from '../../../page/client/ui-state.ts'
import { useNow } from '../../../page/client/use-now.ts'
import { LearnMore } from '../../../page/docs/docs-link.tsx'
import { docsPlaces } from '../../../page/docs/docs-places.ts'
import { LoadFailed } from '../../../page/parts/load-failed.tsx'
import { threadsQuery } from '../../../page/thread/api/thread-queries.ts'
import { AgentsSection } from '../../../threads/agents/components/agents-section.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { Kbd } from '../../../ui/kbd.tsx'
import { Logo } from '../../../ui/logo.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { ThreadItem } from '../../workspaces/components/thread-item.tsx'
import { WorkspaceSection } from '../../workspaces/components/workspace-section.tsx'
import { groupThreads } from '../state/grouping.logic.ts'
import { SidebarFooter } from './sidebar-footer.tsx'

/** All threads, a button for a new one, and the signed-in user. */
export function Sidebar() {
  const { t } = useTranslation(['sidebar', 'common'])
  return (
    <aside className="sidebar" aria-label={t('label')} data-region="sidebar">
      <div className="brand">
        <Logo />
        <b>{t('common:productName')}</b>
        <span className="grow" />
        <IconButton
          className="not-m"
          label={t('hide')}
          shortcut={shortcutText({ mod: true, shift: true, key: 'S' })}
          onClick={toggleSidebar}
        >
          <PanelLeft className="i" size={16} />
        </IconButton>
        <IconButton className="only-m" label={t('close')} onClick={closeDrawer}>
          <X className="i" size={20} />
        </IconButton>
      </div>
      <div className="side-actions">
        <Link to="/threads/new" className="nav nav--new" onClick={closeDrawer}>
          <SquarePen className="i" size={16} />
          {t('newThread')}
          <Kbd>{shortcutText({ mod: true, shift: true, key: 'O' })}</Kbd>
        </Link>
        <button
          type="button"
          className="nav"
          onClick={() => {
            openLayer({ kind: 'palette' })
          }}
        >
          <Search className="i" size={16} />
          {t('search')}
          <Kbd>{shortcutText({ mod: true, key: 'K' })}</Kbd>
        </button>
      </div>
      <ThreadList />
      <SidebarFooter />
    </aside>
  )
}

function ThreadList() {
  const { t } = useTranslation('sidebar')
  const client = useClient()
  const threads = useQuery(threadsQuery(client))
  const now = useNow(60_000)
  return (
    <nav className="side-scroll" aria-label={t('threads')} onKeyDown={moveFocus}>
      {threads.isPending && <Skeleton rows={3} label={t('loading')} />}
      {threads.isError && threads.data === undefined && (
        <LoadFailed error={threads.error} onRetry={() => void threads.refetch()} isRetrying={threads.isFetching} />
      )}
      {threads.data?.length === 0 && (
        <p className="side-empty">
          {t('empty')} <LearnMore to={docsPlaces.firstThread} />
        </p>
      )}
      <WorkspaceSection threads={threads.data ?? none} now={now}>
        {(outside) => <ThreadsByAge threads={outside} now={now} />}
      </WorkspaceSection>
      <AgentsSection />
    </nav>
  )
}

const none: Thread[] = []

function ThreadsByAge(props: { threads: readonly Thread[]; now: number }) {
  const { t } = useTranslation('sidebar')
  const { threads, now } = props
  const groups = useMemo(() => groupThreads(threads, now), [threads, now])
  return groups.map((group) => (
    <section key={group.name} aria-label={t(`group.${group.name}`)}>
      <h2 className="side-h">{t(`group.${group.name}`)}</h2>
      <ul>
        {group.threads.map((thread) => (
          <ThreadItem key={thread.id} thread={thread} now={now} />
        ))}
      </ul>
    </section>
  ))
}

/** ↑ and ↓ move through threads and workspaces; Tab leaves the list. */
function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
  const links = [...event.currentTarget.querySelectorAll<HTMLElement>('a.th, .ws-name')]
  const index = links.indexOf(document.activeElement as HTMLElement)
  if (index < 0) return
  event.preventDefault()
  links[index + (event.key === 'ArrowDown' ? 1 : -1)]?.focus()
}
