import type { Thread, WorkspaceAction } from '@threadbox/sdk'
import {
  Bot,
  Download,
  Ellipsis,
  FolderInput,
  GitFork,
  History,
  Lock,
  Pin,
  PinOff,
  Share2,
  Trash2,
  Users,
} from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useClient } from '../../../page/client/client.ts'
import { download } from '../../../page/client/download.ts'
import { openLayer } from '../../../page/client/layers.ts'
import { Crumb, SidebarButton } from '../../../page/parts/plain-header.tsx'
import { useDeleteThread, usePinThread, useSetPrivate } from '../../../page/thread/api/thread-mutations.ts'
import { useOfferThreadActions } from '../../../page/thread/state/thread-actions.ts'
import { useThreadActions } from '../../../page/thread/state/thread-context.ts'
import { useAskPersonal } from '../../../page/thread/state/use-ask-personal.ts'
import { useMe } from '../../../people/auth/api/session.queries.ts'
import { useWorkspaces } from '../../../people/workspaces/api/workspaces.queries.ts'
import { useMoveThreadTo } from '../../../people/workspaces/state/use-move-thread.ts'
import { PaneToggles } from '../../../sandboxes/panes/components/pane-toggles.tsx'
import { openPane } from '../../../sandboxes/panes/state/pane-store.ts'
import { usePanes } from '../../../sandboxes/panes/state/panes-context.ts'
import { SandboxChip } from '../../../sandboxes/sandbox/components/sandbox-chip.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { Menu, MenuItem, MenuLabel, MenuSeparator } from '../../../ui/menu.tsx'
import { showToast } from '../../../ui/toast.tsx'
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
        {thread?.isPrivate === true && <PrivateBadge />}
      </div>
      {thread !== undefined && (
        <span className="only-m">{thread.allowed.includes('read') && <ThreadMenu thread={thread} />}</span>
      )}
      <span className="brk only-m" />
      {thread !== undefined && <SandboxChip threadId={thread.id} sandbox={thread.sandbox} />}
      {thread !== undefined && <PaletteActions thread={thread} />}
      <div className="acts">
        {thread !== undefined && (
          <span className="not-m">{thread.allowed.includes('read') && <ThreadMenu thread={thread} />}</span>
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

function PrivateBadge() {
  const { t } = useTranslation('people')
  return <span className="badge">{t('thread.isPrivate')}</span>
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
  const when = <Item,>(action: WorkspaceAction, item: Item): Item[] => (thread.allowed.includes(action) ? [item] : [])
  useOfferThreadActions([
    { id: 'pin', label: thread.isPinned ? t('unpin') : t('pin'), run: () => pin(thread) },
    { id: 'fork', label: t('fork'), run: () => fork({}) },
    ...(chooseRewind === null ? [] : [{ id: 'rewind', label: t('rewindTo'), run: chooseRewind }]),
    ...when('work', {
      id: 'save-agent',
      label: t('agents:saveOpen'),
      run: () => openLayer({ kind: 'save-agent', thread }),
    }),
    ...panes.map(({ name, title }) => ({ id: name, label: t(title), run: () => openPane(name) })),
    ...useMoveActions(thread),
    ...when('change', {
      id: 'share',
      label: t('sharing:open'),
      run: () => openLayer({ kind: 'share-thread', threadId: thread.id }),
    }),
    ...when('change', { id: 'delete', label: t('delete'), run: () => remove(thread) }),
  ])
  return null
}

function useMoveActions(thread: Thread) {
  const { t } = useTranslation('workspaces')
  const moveTo = useMoveThreadTo()
  const me = useMe().data
  const others = useWorkspaces().filter(
    ({ id, archivedAt, allowed }) => archivedAt === null && id !== thread.workspaceId && allowed.includes('work'),
  )
  if (!thread.allowed.includes('change')) return []
  return [
    ...others.map(({ id, name }) => ({
      id: `move-${id}`,
      label: t('moveTo', { name }),
      run: () => moveTo(thread, id),
    })),
    ...(thread.workspaceId === null || thread.creatorId !== me?.id
      ? []
      : [{ id: 'move-out', label: t('takeOut'), run: () => moveTo(thread, null) }]),
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
  const canChange = thread.allowed.includes('change')
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
      {canChange && (
        <MenuItem
          icon={<FolderInput className="i" size={14} />}
          onSelect={() => openLayer({ kind: 'move-thread', threadId: thread.id })}
        >
          {t('workspaces:move')}
        </MenuItem>
      )}
      <PrivacyItem thread={thread} />
      <MenuItem icon={<GitFork className="i" size={14} />} onSelect={() => fork({})}>
        {t('fork')}
      </MenuItem>
      {chooseRewind !== null && (
        <MenuItem icon={<History className="i" size={14} />} onSelect={chooseRewind}>
          {t('rewindTo')}
        </MenuItem>
      )}
      {thread.allowed.includes('work') && (
        <MenuItem icon={<Bot className="i" size={14} />} onSelect={() => openLayer({ kind: 'save-agent', thread })}>
          {t('agents:saveOpen')}
        </MenuItem>
      )}
      {canChange && (
        <MenuItem
          icon={<Share2 className="i" size={14} />}
          onSelect={() => openLayer({ kind: 'share-thread', threadId: thread.id })}
        >
          {t('sharing:open')}
        </MenuItem>
      )}
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
      {canChange && (
        <>
          <MenuSeparator />
          <MenuItem isDanger icon={<Trash2 className="i" size={14} />} onSelect={() => remove(thread)}>
            {t('delete')}
          </MenuItem>
        </>
      )}
    </Menu>
  )
}

/** In a workspace, a thread’s creator decides whether the others see it. */
function PrivacyItem({ thread }: { thread: Thread }) {
  const { t } = useTranslation('people')
  const me = useMe().data
  const setPrivate = useSetPrivate()
  const askPersonal = useAskPersonal()
  const workspace = useWorkspaces().find(({ id }) => id === thread.workspaceId)
  if (workspace === undefined || thread.creatorId !== me?.id || !thread.allowed.includes('change')) return null
  if (thread.isPrivate) {
    const share = () =>
      askPersonal(thread.id, () =>
        setPrivate(thread, false, () => showToast(t('thread.shared', { workspace: workspace.name }))),
      )
    return (
      <MenuItem icon={<Users className="i" size={14} />} onSelect={share}>
        {t('thread.share')}
      </MenuItem>
    )
  }
  return (
    <MenuItem
      icon={<Lock className="i" size={14} />}
      onSelect={() => setPrivate(thread, true, () => showToast(t('thread.madePrivate')))}
    >
      {t('thread.makePrivate')}
    </MenuItem>
  )
}
