import { closeLayer, useLayer } from '../../../page/client/layers.ts'
import { NetworkDialog } from '../../../people/network/components/network-dialog.tsx'
import { PersonalDialog } from '../../../people/team/components/personal-names.tsx'
import { useWorkspaces } from '../../../people/workspaces/api/workspaces.queries.ts'
import { CreateWorkspaceDialog } from './create-workspace-dialog.tsx'
import { DeleteWorkspaceDialog } from './delete-workspace-dialog.tsx'
import { MembersDialog } from './members-dialog.tsx'
import { MoveThreadDialog } from './move-thread-dialog.tsx'
import { WorkspaceSettingsDialog } from './workspace-settings-dialog.tsx'

/** The open dialog about workspaces, if there is one; once per app. */
export function WorkspaceDialogs() {
  const layer = useLayer(
    'create-workspace',
    'workspace-settings',
    'workspace-members',
    'workspace-network',
    'delete-workspace',
    'move-thread',
    'personal',
  )
  const workspaces = useWorkspaces()
  if (layer === null) return null
  const close = () => closeLayer(layer.kind)
  if (layer.kind === 'create-workspace') return <CreateWorkspaceDialog threadId={layer.threadId} onClose={close} />
  if (layer.kind === 'move-thread') return <MoveThreadDialog threadId={layer.threadId} onClose={close} />
  if (layer.kind === 'personal') {
    return <PersonalDialog names={layer.names} onProceed={layer.proceed} onClose={close} />
  }
  const workspace = workspaces.find(({ id }) => id === layer.workspaceId)
  if (workspace === undefined) return null
  if (layer.kind === 'workspace-members') return <MembersDialog workspace={workspace} onClose={close} />
  if (layer.kind === 'delete-workspace') return <DeleteWorkspaceDialog workspace={workspace} onClose={close} />
  if (layer.kind === 'workspace-network') {
    return <NetworkDialog target={{ level: 'workspace', id: workspace.id }} onClose={close} />
  }
  return <WorkspaceSettingsDialog workspace={workspace} onClose={close} />
}
