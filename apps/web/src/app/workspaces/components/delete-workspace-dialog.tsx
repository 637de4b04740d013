import { useNavigate, useParams } from '@tanstack/react-router'
import type { Workspace, WorkspaceContents } from '@threadbox/sdk'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../../page/client/use-format.ts'
import { FormProblem } from '../../../page/parts/form-problem.tsx'
import { LoadFailed } from '../../../page/parts/load-failed.tsx'
import {
  useDeleteWorkspace,
  useRestoreWorkspace,
  useWorkspaceContents,
} from '../../../people/workspaces/api/workspaces.queries.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { DialogActions } from '../../../ui/dialog-actions.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { dismissToast, showToast } from '../../../ui/toast.tsx'

/** As long as the server keeps a deleted workspace for undo. */
const undoMs = 30_000

/** Lists everything that will be deleted. Deleting is possible only once the list is shown. */
export function DeleteWorkspaceDialog(props: { workspace: Workspace; onClose: () => void }) {
  const { t } = useTranslation(['workspaces', 'common'])
  const { workspace } = props
  const contents = useWorkspaceContents(workspace.id)
  const { remove, isPending, error } = useDeleteAndSay(workspace, props.onClose)
  return (
    <Dialog
      isOpen
      onOpenChange={(isOpen) => !isOpen && props.onClose()}
      className="ws-delete"
      title={t('deleteTitle', { name: workspace.name })}
      description={t('deleteText')}
      closeLabel={t('common:close')}
      footer={
        <DialogActions cancelLabel={t('common:cancel')} onCancel={props.onClose} autoFocusCancel>
          <Button
            size="md"
            variant="primary"
            className="btn--danger"
            isDisabled={contents.data === undefined}
            isLoading={isPending}
            onClick={remove}
          >
            {t('deleteAction')}
          </Button>
        </DialogActions>
      }
    >
      {contents.isPending && <Skeleton rows={3} label={t('looking')} />}
      {contents.isError && (
        <LoadFailed error={contents.error} onRetry={() => void contents.refetch()} isRetrying={contents.isFetching} />
      )}
      {contents.data !== undefined && <Contents contents={contents.data} />}
      {error !== null && <FormProblem error={error} />}
    </Dialog>
  )
}

function Contents(props: { contents: WorkspaceContents }) {
  const { t } = useTranslation(['workspaces', 'threads'])
  const format = useFormat()
  const { contents } = props
  const { threads, threadCount, unmeasuredCount } = contents
  return (
    <>
      <p className="ws-totals num">
        {[
          t('threads', { count: threadCount }),
          t('sandboxes', { count: contents.sandboxCount, size: format.binaryBytes(contents.diskBytes) }),
          t('services', { count: contents.serviceCount }),
        ].join(' · ')}
      </p>
      {unmeasuredCount > 0 && <p className="help">{t('unmeasured', { count: unmeasuredCount })}</p>}
      {contents.connections.length > 0 && (
        <p className="help">{t('connectionsToo', { names: format.items(contents.connections) })}</p>
      )}
      <ul className="ws-contents">
        {threads.map(({ id, title, sandbox, services }) => (
          <li key={id}>
            <span className="trunc grow">{title === '' ? t('threads:untitled') : title}</span>
            {services.length > 0 && <span className="faint trunc mono">{format.items(services)}</span>}
            <span className="w num">
              {sandbox === null
                ? t('noSandbox')
                : sandbox.diskBytes === null
                  ? t('sizeUnknown')
                  : format.binaryBytes(sandbox.diskBytes)}
            </span>
          </li>
        ))}
      </ul>
      {threadCount > threads.length && <p className="help">{t('andMore', { count: threadCount - threads.length })}</p>}
    </>
  )
}

/** Deletes immediately and offers to undo it for 30 s. */
function useDeleteAndSay(workspace: Workspace, onClose: () => void) {
  const { t } = useTranslation(['workspaces', 'threads'])
  const remove = useDeleteWorkspace()
  const restore = useRestoreWorkspace()
  const navigate = useNavigate()
  const { threadId } = useParams({ strict: false })
  const toastId = `deleted-${workspace.id}`
  const done = () => {
    onClose()
    if (threadId !== undefined) void navigate({ to: '/threads/new' })
    showToast(t('deleted', { name: workspace.name }), {
      id: toastId,
      durationMs: undoMs,
      action: {
        label: t('threads:undo'),
        onClick: () => {
          dismissToast(toastId)
          restore(workspace.id)
        },
      },
    })
  }
  return {
    remove: () => remove.mutate(workspace.id, { onSuccess: done }),
    isPending: remove.isPending,
    error: remove.error,
  }
}
