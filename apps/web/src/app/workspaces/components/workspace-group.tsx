import { useNavigate } from '@tanstack/react-router'
import type { Thread, Workspace } from '@threadbox/sdk'
import {
  Archive,
  ArchiveRestore,
  ArrowDown,
  ArrowUp,
  ChevronDown,
  ChevronRight,
  Ellipsis,
  Globe,
  Settings2,
  SquarePen,
  Trash2,
  Users,
} from 'lucide-react'
import { type KeyboardEvent, useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { focusMark, keepFocusOn, keepsFocus } from '../../../page/client/kept-focus.ts'
import { openLayer } from '../../../page/client/layers.ts'
import { closeDrawer } from '../../../page/client/ui-state.ts'
import {
  useChangeWorkspace,
  usePlaceWorkspace,
  useWorkspaces,
} from '../../../people/workspaces/api/workspaces.queries.ts'
import { useMoveThreadTo } from '../../../people/workspaces/state/use-move-thread.ts'
import { placeByOne, placeOnto } from '../../../people/workspaces/state/workspace-groups.logic.ts'
import { classNames } from '../../../ui/class-names.ts'
import { Menu, MenuItem, MenuSeparator } from '../../../ui/menu.tsx'
import { dragSource, useDropTarget } from '../state/drag.ts'
import { WorkspaceThreadList } from './workspace-threads.tsx'

/** A workspace in the sidebar: a click on its name folds it; threads and other workspaces can be dropped on it. */
export function WorkspaceGroup(props: {
  workspace: Workspace
  threads: Thread[]
  /** The threads in which a dropped one is found. */
  threadsOfAll: readonly Thread[]
  now: number
}) {
  const { workspace, threads } = props
  const moveTo = useMoveThreadTo()
  const place = usePlaceWorkspace()
  const order = useOrder()
  const isArchived = workspace.archivedAt !== null
  const { isDraggedOver, target } = useDropTarget(
    isArchived
      ? {}
      : {
          thread: (id) => {
            const thread = props.threadsOfAll.find((candidate) => candidate.id === id)
            if (thread !== undefined) moveTo(thread, workspace.id)
          },
          workspace: (id) => id !== workspace.id && place(id, placeOnto(order, id, workspace.id)),
        },
  )
  return (
    <section className={classNames('ws', isDraggedOver && 'is-over')} aria-label={workspace.name} {...target}>
      <div className="ws-head" {...(isArchived ? {} : dragSource('workspace', workspace.id))}>
        <WorkspaceName workspace={workspace} />
        <WorkspaceMenu workspace={workspace} />
      </div>
      {!workspace.isCollapsed && (
        <WorkspaceThreadList threads={threads} total={workspace.threadCount} now={props.now} label={workspace.name} />
      )}
    </section>
  )
}

/** IDs of the workspaces in the order of the sidebar. */
function useOrder(): string[] {
  return useWorkspaces().flatMap(({ id, archivedAt }) => (archivedAt === null ? [id] : []))
}

function WorkspaceName(props: { workspace: Workspace }) {
  const { t } = useTranslation('workspaces')
  const change = useChangeWorkspace()
  const place = usePlaceWorkspace()
  const order = useOrder()
  const button = useRef<HTMLButtonElement>(null)
  const { workspace } = props
  const { isCollapsed } = workspace
  useEffect(() => {
    if (keepsFocus(workspace.id)) button.current?.focus()
  })
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : undefined
    if (step === undefined || !event.altKey || !event.shiftKey) return
    event.preventDefault()
    event.stopPropagation()
    const before = placeByOne(order, workspace.id, step)
    if (before === undefined) return
    keepFocusOn(workspace.id)
    place(workspace.id, before)
  }
  const Chevron = isCollapsed ? ChevronRight : ChevronDown
  return (
    <button
      ref={button}
      {...focusMark(workspace.id)}
      type="button"
      className="ws-name"
      aria-expanded={!isCollapsed}
      title={workspace.name}
      onClick={() => change(workspace, { isCollapsed: !isCollapsed }, { isCollapsed: !isCollapsed })}
      onKeyDown={onKeyDown}
    >
      <Chevron className="i" size={14} />
      <span className="trunc grow">{workspace.name}</span>
      <span className="w num">{workspace.threadCount}</span>
      <span className="sr">{t('threads', { count: workspace.threadCount })}</span>
    </button>
  )
}

function WorkspaceMenu(props: { workspace: Workspace }) {
  const { t } = useTranslation('workspaces')
  const { workspace } = props
  return (
    <Menu
      align="end"
      label={workspace.name}
      trigger={
        <button
          type="button"
          className="btn btn--ghost btn--sm btn--icon th-more"
          aria-label={t('moreOf', { name: workspace.name })}
        >
          <Ellipsis className="i" size={14} />
        </button>
      }
    >
      {workspace.archivedAt === null ? <OpenItems workspace={workspace} /> : <ArchivedItems workspace={workspace} />}
      {workspace.allowed.includes('manage') && (
        <>
          <MenuSeparator />
          <MenuItem
            isDanger
            icon={<Trash2 className="i" size={14} />}
            onSelect={() => openLayer({ kind: 'delete-workspace', workspaceId: workspace.id })}
          >
            {t('delete')}
          </MenuItem>
        </>
      )}
    </Menu>
  )
}

function OpenItems(props: { workspace: Workspace }) {
  const { t } = useTranslation(['workspaces', 'people'])
  const navigate = useNavigate()
  const change = useChangeWorkspace()
  const place = usePlaceWorkspace()
  const order = useOrder()
  const { workspace } = props
  const canManage = workspace.allowed.includes('manage')
  const step = (by: -1 | 1) => {
    const before = placeByOne(order, workspace.id, by)
    if (before !== undefined) place(workspace.id, before)
  }
  const newThread = () => {
    closeDrawer()
    void navigate({ to: '/threads/new', search: { workspace: workspace.id } })
  }
  return (
    <>
      {workspace.allowed.includes('work') && (
        <MenuItem icon={<SquarePen className="i" size={14} />} onSelect={newThread}>
          {t('newThread')}
        </MenuItem>
      )}
      <MenuItem
        icon={<Users className="i" size={14} />}
        onSelect={() => openLayer({ kind: 'workspace-members', workspaceId: workspace.id })}
      >
        {t('people:members.open')}
      </MenuItem>
      {canManage && (
        <MenuItem
          icon={<Settings2 className="i" size={14} />}
          onSelect={() => openLayer({ kind: 'workspace-settings', workspaceId: workspace.id })}
        >
          {t('settings')}
        </MenuItem>
      )}
      {canManage && (
        <MenuItem
          icon={<Globe className="i" size={14} />}
          onSelect={() => openLayer({ kind: 'workspace-network', workspaceId: workspace.id })}
        >
          {t('network')}
        </MenuItem>
      )}
      <MenuItem
        icon={<ArrowUp className="i" size={14} />}
        isDisabled={order[0] === workspace.id}
        onSelect={() => step(-1)}
      >
        {t('moveUp')}
      </MenuItem>
      <MenuItem
        icon={<ArrowDown className="i" size={14} />}
        isDisabled={order.at(-1) === workspace.id}
        onSelect={() => step(1)}
      >
        {t('moveDown')}
      </MenuItem>
      {canManage && (
        <MenuItem
          icon={<Archive className="i" size={14} />}
          onSelect={() => change(workspace, { archivedAt: Date.now() }, { isArchived: true })}
        >
          {t('archive')}
        </MenuItem>
      )}
    </>
  )
}

function ArchivedItems(props: { workspace: Workspace }) {
  const { t } = useTranslation('workspaces')
  const change = useChangeWorkspace()
  if (!props.workspace.allowed.includes('manage')) return null
  return (
    <MenuItem
      icon={<ArchiveRestore className="i" size={14} />}
      onSelect={() => change(props.workspace, { archivedAt: null }, { isArchived: false })}
    >
      {t('unarchive')}
    </MenuItem>
  )
}
