import type { Workspace, WorkspaceMember, WorkspaceRole } from '@threadbox/sdk'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { openLayer } from '../../../page/client/layers.ts'
import { ConfirmDialog } from '../../../page/parts/confirm-dialog.tsx'
import { FormProblem } from '../../../page/parts/form-problem.tsx'
import { Loaded } from '../../../page/parts/loaded.tsx'
import { useErrorToast } from '../../../page/parts/use-error-toast.ts'
import { hasNames } from '../../../page/thread/state/use-ask-personal.ts'
import { useMe } from '../../../people/auth/api/session.queries.ts'
import { usePersonalUsesIn } from '../../../people/team/api/leaving.queries.ts'
import { useLeaveWorkspace, useMembers, usePeople, useSetMember } from '../../../people/team/api/people.queries.ts'
import { PersonalNamesList } from '../../../people/team/components/personal-names.tsx'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Field } from '../../../ui/field.tsx'
import { Select } from '../../../ui/select.tsx'

const roles: readonly WorkspaceRole[] = ['owner', 'member', 'viewer']

/** Who is in a workspace with which role; its owners add people, change roles and remove people. */
export function MembersDialog(props: { workspace: Workspace; onClose: () => void }) {
  const { t } = useTranslation(['people', 'common'])
  const { workspace, onClose } = props
  const members = useMembers(workspace.id)
  const [removed, setRemoved] = useState<WorkspaceMember | null>(null)
  const [isLeaving, setLeaving] = useState(false)
  const canManage = workspace.allowed.includes('manage')
  if (removed !== null) {
    return <RemoveDialog workspace={workspace} member={removed} onClose={() => setRemoved(null)} />
  }
  if (isLeaving) return <LeaveDialog workspace={workspace} onClose={() => setLeaving(false)} onLeft={onClose} />
  return (
    <Dialog
      isOpen
      onOpenChange={(isOpen) => !isOpen && onClose()}
      className="ws-settings"
      title={t('members.title', { name: workspace.name })}
      description={t('members.lead')}
      closeLabel={t('common:close')}
      footer={
        <>
          <Button size="md" onClick={() => setLeaving(true)}>
            {t('members.leave')}
          </Button>
          <span className="grow" />
          <Button size="md" onClick={onClose}>
            {t('common:close')}
          </Button>
        </>
      }
    >
      <Loaded query={members}>
        {(list) => (
          <>
            <ul className="rows">
              {list.map((member) => (
                <MemberRow
                  key={member.userId}
                  member={member}
                  workspaceId={workspace.id}
                  canManage={canManage}
                  onRemove={() => setRemoved(member)}
                />
              ))}
            </ul>
            {canManage && <AddMember workspaceId={workspace.id} members={list} />}
          </>
        )}
      </Loaded>
    </Dialog>
  )
}

function MemberRow(props: { member: WorkspaceMember; workspaceId: string; canManage: boolean; onRemove: () => void }) {
  const { t } = useTranslation('people')
  const me = useMe().data
  const set = useSetMember(props.workspaceId)
  const showError = useErrorToast()
  const { member, canManage } = props
  const personal = usePersonalUsesIn(props.workspaceId)
  const change = (role: WorkspaceRole) => {
    const proceed = () => set.mutate({ userId: member.userId, role }, { onError: showError })
    const opens = member.role === 'viewer' && role !== 'viewer'
    if (opens && personal !== undefined && hasNames(personal)) openLayer({ kind: 'personal', names: personal, proceed })
    else proceed()
  }
  return (
    <li className="row row-line">
      <div className="grow">
        <b>{member.name}</b> {member.userId === me?.id && <span className="badge badge--acc">{t('you')}</span>}
      </div>
      {canManage ? (
        <Select
          label={t('members.roleOf', { name: member.name })}
          value={member.role}
          isDisabled={set.isPending}
          options={roles.map((value) => ({ value, label: t(`members.role.${value}`) }))}
          onChange={change}
        />
      ) : (
        <span>{t(`members.role.${member.role}`)}</span>
      )}
      {canManage && member.userId !== me?.id && (
        <Button aria-label={t('members.removeOf', { name: member.name })} onClick={props.onRemove}>
          {t('members.remove')}
        </Button>
      )}
    </li>
  )
}

function AddMember(props: { workspaceId: string; members: readonly WorkspaceMember[] }) {
  const { t } = useTranslation('people')
  const people = usePeople().data ?? []
  const set = useSetMember(props.workspaceId)
  const [userId, setUserId] = useState('')
  const [role, setRole] = useState<WorkspaceRole>('member')
  const personal = usePersonalUsesIn(props.workspaceId)
  const others = people.filter(
    ({ id, isDisabled }) => !isDisabled && !props.members.some((member) => member.userId === id),
  )
  if (others.length === 0) return <p className="nothing">{t('members.none')}</p>
  const chosen = others.some(({ id }) => id === userId) ? userId : (others[0]?.id ?? '')
  return (
    <div className="model-form">
      <p className="help">
        <b>{t('members.personalTitle')}</b> {t('members.personalText')}
      </p>
      {personal !== undefined && hasNames(personal) && <PersonalNamesList names={personal} />}
      <Field label={t('members.person')}>
        {(control) => (
          <Select
            id={control.id}
            value={chosen}
            options={others.map(({ id, name }) => ({ value: id, label: name }))}
            onChange={setUserId}
          />
        )}
      </Field>
      <Field label={t('invite.role')}>
        {(control) => (
          <Select
            id={control.id}
            value={role}
            options={roles.map((value) => ({ value, label: t(`members.role.${value}`) }))}
            onChange={setRole}
          />
        )}
      </Field>
      {set.error !== null && <FormProblem error={set.error} />}
      <div>
        <Button
          size="md"
          variant="primary"
          isLoading={set.isPending}
          onClick={() => set.mutate({ userId: chosen, role })}
        >
          {set.isPending ? t('members.adding') : t('members.add')}
        </Button>
      </div>
    </div>
  )
}

function RemoveDialog(props: { workspace: Workspace; member: WorkspaceMember; onClose: () => void }) {
  const { t } = useTranslation('people')
  const { workspace, member, onClose } = props
  const set = useSetMember(workspace.id)
  return (
    <ConfirmDialog
      title={t('members.removeTitle', { name: member.name, workspace: workspace.name })}
      text={t('members.removeText')}
      action={t('members.remove')}
      isPending={set.isPending}
      error={set.error}
      onConfirm={() => set.mutate({ userId: member.userId, role: null }, { onSuccess: onClose })}
      onClose={onClose}
    />
  )
}

function LeaveDialog(props: { workspace: Workspace; onClose: () => void; onLeft: () => void }) {
  const { t } = useTranslation('people')
  const { workspace } = props
  const leave = useLeaveWorkspace()
  return (
    <ConfirmDialog
      title={t('members.leaveTitle', { workspace: workspace.name })}
      text={t('members.leaveText')}
      action={t('members.leaveAction')}
      isPending={leave.isPending}
      error={leave.error}
      onConfirm={() => leave.mutate(workspace.id, { onSuccess: props.onLeft })}
      onClose={props.onClose}
    />
  )
}
