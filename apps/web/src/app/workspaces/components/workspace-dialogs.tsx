import { useWorkspaces } from '../../../people/workspaces/api/workspaces.queries.ts'
import { openWorkspaceLayer, useWorkspaceLayer } from '../../../people/workspaces/state/workspace-layer.ts'
import { CreateWorkspaceDialog } from './create-workspace-dialog.tsx'
import { DeleteWorkspaceDialog } from './delete-workspace-dialog.tsx'
import { MoveThreadDialog } from './move-thread-dialog.tsx'
import { WorkspaceSettingsDialog } from './workspace-settings-dialog.tsx'

/** The dialog about workspaces that is open; once per app. */
export function WorkspaceDialogs() {
  const layer = useWorkspaceLayer()
  const workspaces = useWorkspaces()
  const close = () => openWorkspaceLayer(null)
  if (layer === null) return null
  if (layer.kind === 'create') return <CreateWorkspaceDialog threadId={layer.threadId} onClose={close} />
  if (layer.kind === 'move') return <MoveThreadDialog threadId={layer.threadId} onClose={close} />
  const workspace = workspaces.find(({ id }) => id === layer.workspaceId)
  if (workspace === undefined) return null
  if (layer.kind === 'delete') return <DeleteWorkspaceDialog workspace={workspace} onClose={close} />
  return <WorkspaceSettingsDialog workspace={workspace} onClose={close} />
}
