import { useQuery } from '@tanstack/react-query'
import { Check, FolderClosed, FolderOutput, Plus } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useClient } from '../../../page/client/client.ts'
import { openLayer } from '../../../page/client/layers.ts'
import { threadsQuery } from '../../../page/thread/api/thread-queries.ts'
import { useWorkspaces } from '../../../people/workspaces/api/workspaces.queries.ts'
import { useMoveThreadTo } from '../../../people/workspaces/state/use-move-thread.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'

/** Chooses the workspace of a thread. */
export function MoveThreadDialog(props: { threadId: string; onClose: () => void }) {
  const { t } = useTranslation(['workspaces', 'threads', 'common'])
  const threads = useQuery(threadsQuery(useClient()))
  const workspaces = useWorkspaces().filter(({ archivedAt }) => archivedAt === null)
  const moveTo = useMoveThreadTo()
  const thread = threads.data?.find(({ id }) => id === props.threadId)
  if (thread === undefined) return null
  const title = thread.title === '' ? t('threads:untitled') : thread.title
  const choice = (workspaceId: string | null, name: string, icon: ReactNode) => (
    <li key={workspaceId}>
      <Button
        variant="ghost"
        size="md"
        isBlock
        className="ws-choice"
        icon={icon}
        aria-current={thread.workspaceId === workspaceId || undefined}
        onClick={() => {
          props.onClose()
          moveTo(thread, workspaceId)
        }}
      >
        <span className="trunc grow">{name}</span>
        {thread.workspaceId === workspaceId && <Check className="i" size={14} />}
      </Button>
    </li>
  )
  return (
    <Dialog
      isOpen
      onOpenChange={(isOpen) => !isOpen && props.onClose()}
      title={t('moveTitle', { title })}
      description={t('moveText')}
      closeLabel={t('common:close')}
    >
      <ul className="ws-choices">
        {workspaces.map(({ id, name }) => choice(id, name, <FolderClosed className="i" size={16} />))}
        {workspaces.length > 0 && choice(null, t('outside'), <FolderOutput className="i" size={16} />)}
        <li>
          <Button
            variant="ghost"
            size="md"
            isBlock
            className="ws-choice"
            icon={<Plus className="i" size={16} />}
            onClick={() => openLayer({ kind: 'create-workspace', threadId: thread.id })}
          >
            <span className="trunc grow">{t('createFor')}</span>
          </Button>
        </li>
      </ul>
    </Dialog>
  )
}
