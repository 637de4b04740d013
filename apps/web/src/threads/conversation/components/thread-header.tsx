import type { Thread } from '@threadbox/sdk'
import { Bot, Download, Ellipsis, FolderInput, GitFork, History, Pin, PinOff, Share2, Trash2 } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useClient } from '../../../page/client/client.ts'
import { download } from '../../../page/client/download.ts'
import { openLayer } from '../../../page/client/layers.ts'
import { Crumb, SidebarButton } from '../../../page/parts/plain-header.tsx'
import { useDeleteThread, usePinThread } from '../../../page/thread/api/thread-mutations.ts'
import { useOfferThreadActions } from '../../../page/thread/state/thread-actions.ts'
import { useThreadActions } from '../../../page/thread/state/thread-context.ts'
import { useWorkspaces } from '../../../people/workspaces/api/workspaces.queries.ts'
import { useMoveThreadTo } from '../../../people/workspaces/state/use-move-thread.ts'
import { PaneToggles } from '../../../sandboxes/panes/components/pane-toggles.tsx'
import { openPane } from '../../../sandboxes/panes/state/pane-store.ts'
import { usePanes } from '../../../sandboxes/panes/state/panes-context.ts'
import { SandboxChip } from '../../../sandboxes/sandbox/components/sandbox-chip.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { Menu, MenuItem, MenuLabel, MenuSeparator } from '../../../ui/menu.tsx'
import { useForkThread } from '../api/use-fork-thread.ts'
import { ThreadTitle } from './thread-title.tsx'

/** Title, sandbox state and actions of the thread. */
export function ThreadHeader(props: { thread: Thread | undefined }) {
  const { thread } = props
  return (
    <header className="topbar">
      <SidebarButton />
      <div className="row-flex t1">
        {thread !== undefined && <WorkspaceCrumb workspaceId={thread.workspaceId} />}
        {thread !== undefined && <ThreadTitle thread={thread} />}
      </div>
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

function WorkspaceCrumb(props: { workspaceId: string | null }) {
  const workspace = useWorkspaces().find(({ id }) => id === props.workspaceId)
  return workspace === undefined ? null : <Crumb name={workspace.name} />
}

/** Renders nothing: adds the actions of the menu to the command palette. */
function PaletteActions(props: { thread: Thread }) {
  const { t } = useTranslation([
    'threads',
    'sandbox',
    'preview',
    'files',
    'terminal',
    'git',
    'workspaces',
    'sharing',
    'agents',
  ])
  const pin = usePinThread()
  const remove = useDeleteThread()
  const { thread } = props
  const fork = useForkThread(thread.id)
  const { chooseRewind } = useThreadActions()
  const panes = usePanes()
  useOfferThreadActions([
    { id: 'pin', label: thread.isPinned ? t('unpin') : t('pin'), run: () => pin(thread) },
    { id: 'fork', label: t('fork'), run: () => fork({}) },
    ...(chooseRewind === null ? [] : [{ id: 'rewind', label: t('rewindTo'), run: chooseRewind }]),
    { id: 'save-agent', label: t('agents:saveOpen'), run: () => openLayer({ kind: 'save-agent', thread }) },
    ...panes.map(({ name, title }) => ({ id: name, label: t(title), run: () => openPane(name) })),
    ...useMoveActions(thread),
    { id: 'share', label: t('sharing:open'), run: () => openLayer({ kind: 'share-thread', threadId: thread.id }) },
    { id: 'delete', label: t('delete'), run: () => remove(thread) },
  ])
  return null
}

function useMoveActions(thread: Thread) {
  const { t } = useTranslation('workspaces')
  const moveTo = useMoveThreadTo()
  const others = useWorkspaces().filter(({ id, archivedAt }) => archivedAt === null && id !== thread.workspaceId)
  return [
    ...others.map(({ id, name }) => ({
      id: `move-${id}`,
      label: t('moveTo', { name }),
      run: () => moveTo(thread, id),
    })),
    ...(thread.workspaceId === null ? [] : [{ id: 'move-out', label: t('takeOut'), run: () => moveTo(thread, null) }]),
  ]
}

const exportFormats = ['markdown', 'html', 'notebook'] as const

function ThreadMenu(props: { thread: Thread }) {
  const { t } = useTranslation(['threads', 'workspaces', 'sharing', 'agents'])
  const client = useClient()
  const pin = usePinThread()
  const remove = useDeleteThread()
  const { thread } = props
  const fork = useForkThread(thread.id)
  const { chooseRewind } = useThreadActions()
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
      <MenuItem
        icon={<FolderInput className="i" size={14} />}
        onSelect={() => openLayer({ kind: 'move-thread', threadId: thread.id })}
      >
        {t('workspaces:move')}
      </MenuItem>
      <MenuItem icon={<GitFork className="i" size={14} />} onSelect={() => fork({})}>
        {t('fork')}
      </MenuItem>
      {chooseRewind !== null && (
        <MenuItem icon={<History className="i" size={14} />} onSelect={chooseRewind}>
          {t('rewindTo')}
        </MenuItem>
      )}
      <MenuItem icon={<Bot className="i" size={14} />} onSelect={() => openLayer({ kind: 'save-agent', thread })}>
        {t('agents:saveOpen')}
      </MenuItem>
      <MenuItem
        icon={<Share2 className="i" size={14} />}
        onSelect={() => openLayer({ kind: 'share-thread', threadId: thread.id })}
      >
        {t('sharing:open')}
      </MenuItem>
      <MenuLabel>{t('export')}</MenuLabel>
      {exportFormats.map((format) => (
        <MenuItem
          key={format}
          icon={<Download className="i" size={14} />}
          onSelect={() => download(client.threads.exportUrl(thread.id, format))}
        >
          {t(`exportAs.${format}`)}
        </MenuItem>
      ))}
      <MenuSeparator />
      <MenuItem isDanger icon={<Trash2 className="i" size={14} />} onSelect={() => remove(thread)}>
        {t('delete')}
      </MenuItem>
    </Menu>
  )
}
