import type { Thread } from '@threadbox/sdk'
import { Archive, ChevronDown, ChevronRight, Plus } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { openLayer } from '../../../page/client/layers.ts'
import { useWorkspaces } from '../../../people/workspaces/api/workspaces.queries.ts'
import { useMoveThreadTo } from '../../../people/workspaces/state/use-move-thread.ts'
import { byWorkspace } from '../../../people/workspaces/state/workspace-groups.logic.ts'
import { classNames } from '../../../ui/class-names.ts'
import { IconButton } from '../../../ui/icon-button.tsx'
import { useDropTarget } from '../state/drag.ts'
import { WorkspaceGroup } from './workspace-group.tsx'

/**
 * Workspaces with their threads, above the threads outside any workspace. Without workspaces it is just the list of
 * threads.
 */
export function WorkspaceSection(props: {
  threads: readonly Thread[]
  now: number
  children: (outside: readonly Thread[]) => ReactNode
}) {
  const { t } = useTranslation('workspaces')
  const workspaces = useWorkspaces()
  const moveTo = useMoveThreadTo()
  const { threads, now } = props
  const { isDraggedOver, target } = useDropTarget({
    thread: (id) => {
      const thread = threads.find((candidate) => candidate.id === id)
      if (thread !== undefined) moveTo(thread, null)
    },
  })
  if (workspaces.length === 0) return props.children(threads)
  const { groups, archived, outside } = byWorkspace(threads, workspaces)
  return (
    <>
      <section aria-label={t('title')}>
        <h2 className="side-h">
          <span className="grow">{t('title')}</span>
          <IconButton
            size="sm"
            label={t('create')}
            onClick={() => openLayer({ kind: 'create-workspace', threadId: null })}
          >
            <Plus className="i" size={14} />
          </IconButton>
        </h2>
        {groups.map((group) => (
          <WorkspaceGroup key={group.workspace.id} {...group} threadsOfAll={threads} now={now} />
        ))}
      </section>
      {archived.length > 0 && (
        <ArchivedWorkspaces count={archived.length}>
          {archived.map((group) => (
            <WorkspaceGroup key={group.workspace.id} {...group} threadsOfAll={threads} now={now} />
          ))}
        </ArchivedWorkspaces>
      )}
      <div className={classNames('ws-outside', isDraggedOver && 'is-over')} {...target}>
        {props.children(outside)}
      </div>
    </>
  )
}

function ArchivedWorkspaces(props: { count: number; children: ReactNode }) {
  const { t } = useTranslation('workspaces')
  const [isOpen, setIsOpen] = useState(false)
  const Chevron = isOpen ? ChevronDown : ChevronRight
  return (
    <section aria-label={t('archived')}>
      <button type="button" className="nav ws-archive" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
        <Archive className="i" size={14} />
        <span className="grow">{t('archived')}</span>
        <span className="w num">{props.count}</span>
        <Chevron className="i" size={14} />
      </button>
      {isOpen && props.children}
    </section>
  )
}
