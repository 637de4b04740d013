import type { CreatedInvite } from '@threadbox/sdk'
import { type FormEvent, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { focusFirstInvalid } from '../../../page/parts/focus-first-invalid.ts'
import { FormProblem } from '../../../page/parts/form-problem.tsx'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { DialogActions } from '../../../ui/dialog-actions.tsx'
import { Field } from '../../../ui/field.tsx'
import { Input } from '../../../ui/input.tsx'
import { Select } from '../../../ui/select.tsx'
import { problemOfEmail } from '../../auth/state/sign-up-form.ts'
import { useWorkspaces } from '../../workspaces/api/workspaces.queries.ts'
import { useCreateInvite } from '../api/people.queries.ts'
import { LinkOnce } from './link-once.tsx'

const useChoices = ['1', '5', '15', '50'] as const
const dayChoices = ['1', '7', '30'] as const
type Form = {
  email: string
  role: 'member' | 'admin'
  uses: (typeof useChoices)[number]
  days: (typeof dayChoices)[number]
  workspaceIds: ReadonlySet<string>
}
const emptyForm: Form = { email: '', role: 'member', uses: '1', days: '7', workspaceIds: new Set() }

/** Creates an invite, and shows its link once. */
export function InviteDialog(props: { canInviteAdmins: boolean; onClose: () => void }) {
  const { t } = useTranslation('people')
  const [created, setCreated] = useState<CreatedInvite | null>(null)
  if (created === null) return <InviteForm {...props} onCreated={setCreated} />
  return (
    <LinkOnce title={t('invite.linkTitle')} text={t('invite.linkText')} path={created.path} onClose={props.onClose} />
  )
}

function InviteForm(props: {
  canInviteAdmins: boolean
  onCreated: (invite: CreatedInvite) => void
  onClose: () => void
}) {
  const { t } = useTranslation(['people', 'auth', 'common'])
  const formId = useId()
  const create = useCreateInvite()
  const [form, setForm] = useState(emptyForm)
  const [wasSent, setWasSent] = useState(false)
  const problem = form.email.trim() === '' ? null : problemOfEmail(form.email)
  const change = (part: Partial<Form>) => setForm({ ...form, ...part })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    setWasSent(true)
    if (problem !== null) return focusFirstInvalid(event.currentTarget)
    create.mutate(
      {
        ...(form.email.trim() === '' ? {} : { email: form.email.trim() }),
        role: form.role,
        uses: Number(form.uses),
        expiresInDays: Number(form.days),
        workspaceIds: [...form.workspaceIds],
      },
      { onSuccess: props.onCreated },
    )
  }
  return (
    <Dialog
      isOpen
      onOpenChange={(isOpen) => !isOpen && props.onClose()}
      title={t('invite.create')}
      closeLabel={t('common:close')}
      footer={
        <DialogActions cancelLabel={t('common:cancel')} onCancel={props.onClose}>
          <Button size="md" variant="primary" type="submit" form={formId} isLoading={create.isPending}>
            {create.isPending ? t('invite.creating') : t('invite.create')}
          </Button>
        </DialogActions>
      }
    >
      <form id={formId} className="model-form" onSubmit={submit} noValidate>
        <Field
          label={t('invite.email')}
          help={t('invite.emailHelp')}
          error={wasSent && problem !== null ? t(`auth:problem.${problem}`) : undefined}
        >
          {(control) => (
            <Input
              {...control}
              type="email"
              value={form.email}
              autoComplete="off"
              onChange={(event) => change({ email: event.target.value })}
            />
          )}
        </Field>
        {props.canInviteAdmins && (
          <Field label={t('invite.role')} help={t('invite.roleHelp')}>
            {(control) => (
              <Select
                id={control.id}
                value={form.role}
                options={(['member', 'admin'] as const).map((value) => ({ value, label: t(`role.${value}`) }))}
                onChange={(role) => change({ role })}
              />
            )}
          </Field>
        )}
        <Field label={t('invite.uses')}>
          {(control) => (
            <Select
              id={control.id}
              value={form.uses}
              options={useChoices.map((value) => ({
                value,
                label: t('invite.usesOption', { count: Number(value) }),
              }))}
              onChange={(uses) => change({ uses })}
            />
          )}
        </Field>
        <Field label={t('invite.expires')}>
          {(control) => (
            <Select
              id={control.id}
              value={form.days}
              options={dayChoices.map((value) => ({ value, label: t('invite.days', { count: Number(value) }) }))}
              onChange={(days) => change({ days })}
            />
          )}
        </Field>
        <WorkspaceBoxes chosen={form.workspaceIds} onChange={(workspaceIds) => change({ workspaceIds })} />
        {create.error !== null && <FormProblem error={create.error} />}
      </form>
    </Dialog>
  )
}

/** The workspaces that the people join: those that this person manages. */
function WorkspaceBoxes(props: { chosen: ReadonlySet<string>; onChange: (chosen: ReadonlySet<string>) => void }) {
  const { t } = useTranslation('people')
  const helpId = useId()
  const managed = useWorkspaces().filter(({ allowed, archivedAt }) => allowed.includes('manage') && archivedAt === null)
  if (managed.length === 0) return null
  const toggle = (id: string) => {
    const next = new Set(props.chosen)
    if (!next.delete(id)) next.add(id)
    props.onChange(next)
  }
  return (
    <fieldset className="findings" aria-describedby={helpId}>
      <legend>{t('invite.workspaces')}</legend>
      <p id={helpId} className="help">
        {t('invite.workspacesHelp')}
      </p>
      <ul>
        {managed.map(({ id, name }) => (
          <li key={id}>
            <label>
              <input type="checkbox" checked={props.chosen.has(id)} onChange={() => toggle(id)} />
              <span className="grow">{name}</span>
            </label>
          </li>
        ))}
      </ul>
    </fieldset>
  )
}
