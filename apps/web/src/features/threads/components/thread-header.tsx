import type { Thread } from '@threadbox/sdk'
import { Ellipsis, Menu as MenuIcon, PanelLeft, Pin, PinOff, Trash2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { shortcutText } from '../../../app/keyboard.ts'
import { toggleSidebar, useUiState } from '../../../app/ui-state.ts'
import { IconButton } from '../../../ui/icon-button.tsx'
import { Menu, MenuItem, MenuSeparator } from '../../../ui/menu.tsx'
import { paneNames, panes } from '../../panes/components/pane-registry.ts'
import { PaneToggles } from '../../panes/components/pane-toggles.tsx'
import { openPane } from '../../panes/state/pane-store.ts'
import { SandboxChip } from '../../sandbox/components/sandbox-chip.tsx'
import { useOfferThreadActions } from '../../search/state/thread-actions.ts'
import { useDeleteThread, usePinThread } from '../api/thread-mutations.ts'
import { ThreadTitle } from './thread-title.tsx'

/** Title, state of the computer, and what can be done with the thread. */
export function ThreadHeader(props: { thread: Thread | undefined }) {
  const { thread } = props
  return (
    <header className="topbar">
      <SidebarButton />
      <div className="row-flex t1">{thread !== undefined && <ThreadTitle thread={thread} />}</div>
      {thread !== undefined && (
        <span className="only-m">
          <ThreadMenu thread={thread} />
        </span>
      )}
      <span className="brk only-m" />
      {thread !== undefined && <SandboxChip threadId={thread.id} sandbox={thread.sandbox} />}
      {thread !== undefined && <PaletteActions thread={thread} />}
      <div className="acts">
        {thread !== undefined && (
          <span className="not-m">
            <ThreadMenu thread={thread} />
          </span>
        )}
        {thread !== undefined && <PaneToggles threadId={thread.id} />}
      </div>
    </header>
  )
}

/** The header of a page without a thread. */
export function PlainHeader(props: { title: string; children?: ReactNode }) {
  return (
    <header className="topbar">
      <SidebarButton />
      <div className="row-flex t1">
        <h1 className="title title--plain">{props.title}</h1>
      </div>
      {props.children}
    </header>
  )
}

function SidebarButton() {
  const { t } = useTranslation('sidebar')
  const { isSidebarOpen } = useUiState()
  return (
    <>
      <IconButton className="only-m" label={t('open')} onClick={toggleSidebar}>
        <MenuIcon className="i" size={20} />
      </IconButton>
      {!isSidebarOpen && (
        <IconButton
          className="not-m"
          label={t('show')}
          shortcut={shortcutText({ mod: true, shift: true, key: 'S' })}
          onClick={toggleSidebar}
        >
          <PanelLeft className="i" size={16} />
        </IconButton>
      )}
    </>
  )
}

/** Draws nothing: what the menu offers can also be found by typing. */
function PaletteActions(props: { thread: Thread }) {
  const { t } = useTranslation(['threads', 'sandbox', 'preview', 'files', 'terminal'])
  const pin = usePinThread()
  const remove = useDeleteThread()
  const { thread } = props
  useOfferThreadActions([
    { id: 'pin', label: thread.isPinned ? t('unpin') : t('pin'), run: () => pin(thread) },
    ...paneNames.map((name) => ({ id: name, label: t(panes[name].title), run: () => openPane(name) })),
    { id: 'delete', label: t('delete'), run: () => remove(thread) },
  ])
  return null
}

function ThreadMenu(props: { thread: Thread }) {
  const { t } = useTranslation('threads')
  const pin = usePinThread()
  const remove = useDeleteThread()
  const { thread } = props
  return (
    <Menu
      align="end"
      label={t('more')}
      trigger={
        <IconButton label={t('more')}>
          <Ellipsis className="i" size={16} />
        </IconButton>
      }
    >
      <MenuItem
        icon={thread.isPinned ? <PinOff className="i" size={14} /> : <Pin className="i" size={14} />}
        onSelect={() => pin(thread)}
      >
        {thread.isPinned ? t('unpin') : t('pin')}
      </MenuItem>
      <MenuSeparator />
      <MenuItem isDanger icon={<Trash2 className="i" size={14} />} onSelect={() => remove(thread)}>
        {t('delete')}
      </MenuItem>
    </Menu>
  )
}
