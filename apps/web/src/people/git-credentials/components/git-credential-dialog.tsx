import type { GitCredential } from '@threadbox/sdk'
import { type FormEvent, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { focusFirstInvalid } from '../../../page/parts/focus-first-invalid.ts'
import { FormProblem } from '../../../page/parts/form-problem.tsx'
import { PasswordField } from '../../../page/parts/password-field.tsx'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { DialogActions } from '../../../ui/dialog-actions.tsx'
import { Field } from '../../../ui/field.tsx'
import { Input } from '../../../ui/input.tsx'
import { Select } from '../../../ui/select.tsx'
import { useWorkspaces } from '../../workspaces/api/workspaces.queries.ts'
import { useSaveGitCredential } from '../api/git-credentials.queries.ts'
import {
  createGitRequest,
  type GitCredentialForm,
  type GitCredentialProblems,
  gitFormOf,
  gitProblemsOf,
  serverOf,
  updateGitRequest,
} from '../state/git-credential-form.ts'

/** Adds or edits a Git credential. */
export function GitCredentialDialog(props: { saved: GitCredential | null; onClose: () => void }) {
  const { t } = useTranslation(['gitCredentials', 'common'])
  const { saved } = props
  const formId = useId()
  const save = useSaveGitCredential()
  const [form, setForm] = useState(() => gitFormOf(saved))
  const [wasSent, setWasSent] = useState(false)
  const problems = gitProblemsOf(form, saved)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    setWasSent(true)
    if (Object.keys(problems).length > 0) return focusFirstInvalid(event.currentTarget)
    const order =
      saved === null ? { request: createGitRequest(form) } : { id: saved.id, request: updateGitRequest(form) }
    save.mutate(order, { onSuccess: props.onClose })
  }
  return (
    <Dialog
      isOpen
      onOpenChange={(isOpen) => !isOpen && props.onClose()}
      title={saved === null ? t('add') : t('dialog.editTitle', { name: serverOf(saved.address) })}
      description={t('dialog.lead')}
      closeLabel={t('common:close')}
      footer={
        <DialogActions cancelLabel={t('common:cancel')} onCancel={props.onClose}>
          <Button size="md" variant="primary" type="submit" form={formId} isLoading={save.isPending}>
            {save.isPending ? t('dialog.saving') : t('dialog.save')}
          </Button>
        </DialogActions>
      }
    >
      <form id={formId} className="model-form" onSubmit={submit} noValidate>
        <Fields
          form={form}
          saved={saved}
          problems={wasSent ? problems : {}}
          onChange={(part) => {
            setForm({ ...form, ...part })
            save.reset()
          }}
        />
        {save.error !== null && <FormProblem error={save.error} />}
      </form>
    </Dialog>
  )
}

type FieldsProps = {
  form: GitCredentialForm
  saved: GitCredential | null
  problems: GitCredentialProblems
  onChange: (part: Partial<GitCredentialForm>) => void
}

function Fields(props: FieldsProps) {
  const { t } = useTranslation('gitCredentials')
  const { form, saved, problems, onChange } = props
  const error = (field: keyof GitCredentialProblems) => {
    const problem = problems[field]
    return problem === undefined ? undefined : t(`problem.${problem}`)
  }
  return (
    <>
      {/* The server can’t be changed: the token was entered for it. */}
      {saved === null && (
        <TextField {...props} field="address" help={t('dialog.addressHelp')} error={error('address')} />
      )}
      <TextField {...props} field="username" help={t('dialog.usernameHelp')} error={error('username')} />
      <PasswordField
        label={t('dialog.token')}
        help={saved === null ? t('dialog.tokenHelp') : t('dialog.tokenStored')}
        error={error('token')}
        value={form.token}
        autoComplete="off"
        onChange={(token) => onChange({ token })}
      />
      <Field label={t('dialog.access')} help={t('dialog.accessHelp')}>
        {(control) => (
          <Select
            id={control.id}
            value={form.access}
            options={(['read', 'push'] as const).map((value) => ({ value, label: t(`access.${value}`) }))}
            onChange={(access) => onChange({ access })}
          />
        )}
      </Field>
      <Field label={t('dialog.repositories')} help={t('dialog.repositoriesHelp')} error={error('repositories')}>
        {(control) => (
          <textarea
            {...control}
            className="input mono"
            rows={2}
            value={form.repositories}
            maxLength={10_000}
            spellCheck={false}
            onChange={(event) => onChange({ repositories: event.target.value })}
          />
        )}
      </Field>
      <WorkspacesField {...props} />
    </>
  )
}

function TextField(props: FieldsProps & { field: 'address' | 'username'; help: string; error: string | undefined }) {
  const { t } = useTranslation('gitCredentials')
  const { field } = props
  return (
    <Field label={t(`dialog.${field}`)} help={props.help} error={props.error}>
      {(control) => (
        <Input
          {...control}
          value={props.form[field]}
          maxLength={field === 'address' ? 300 : 200}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          onChange={(event) => props.onChange({ [field]: event.target.value })}
        />
      )}
    </Field>
  )
}

/** All threads of these workspaces can use it. Single threads get access in their sandbox pane. */
function WorkspacesField(props: FieldsProps) {
  const { t } = useTranslation('gitCredentials')
  const { form, onChange } = props
  const workspaces = useWorkspaces()
  if (workspaces.length === 0) return null
  const toggle = (id: string) => {
    const next = new Set(form.workspaceIds)
    if (!next.delete(id)) next.add(id)
    onChange({ workspaceIds: workspaces.map((workspace) => workspace.id).filter((one) => next.has(one)) })
  }
  return (
    <fieldset className="findings">
      <legend>{t('dialog.workspaces')}</legend>
      <ul>
        {workspaces.map(({ id, name }) => (
          <li key={id}>
            <label>
              <input type="checkbox" checked={form.workspaceIds.includes(id)} onChange={() => toggle(id)} />
              <span className="grow">{name}</span>
            </label>
          </li>
        ))}
      </ul>
    </fieldset>
  )
}
