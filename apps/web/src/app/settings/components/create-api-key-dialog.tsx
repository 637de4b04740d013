import { type CreatedApiKey, defaultKeyScopes, type KeyScope, keyScopes } from '@threadbox/sdk'
import { type FormEvent, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { CopyButton } from '../../../page/parts/copy-button.tsx'
import { focusFirstInvalid } from '../../../page/parts/focus-first-invalid.ts'
import { FormProblem } from '../../../page/parts/form-problem.tsx'
import { useWorkspaces } from '../../../people/workspaces/api/workspaces.queries.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { DialogActions } from '../../../ui/dialog-actions.tsx'
import { Field } from '../../../ui/field.tsx'
import { Input } from '../../../ui/input.tsx'
import { Select } from '../../../ui/select.tsx'
import { useCreateApiKey } from '../api/settings.queries.ts'

const lifetimes = { never: null, d30: 30, d90: 90, d365: 365 } as const
type Lifetime = keyof typeof lifetimes

/** Creates a key and shows its secret once. Closing the dialog removes it from the page. */
export function CreateApiKeyDialog(props: { onClose: () => void }) {
  const [created, setCreated] = useState<CreatedApiKey | null>(null)
  return created === null ? (
    <KeyForm onCreated={setCreated} onClose={props.onClose} />
  ) : (
    <SecretOnce apiKey={created} onClose={props.onClose} />
  )
}

function KeyForm(props: { onCreated: (apiKey: CreatedApiKey) => void; onClose: () => void }) {
  const { t } = useTranslation(['settings', 'common'])
  const formId = useId()
  const create = useCreateApiKey()
  const [name, setName] = useState('')
  const [lifetime, setLifetime] = useState<Lifetime>('d90')
  const [scopes, setScopes] = useState<ReadonlySet<KeyScope>>(new Set(defaultKeyScopes))
  const [workspaceIds, setWorkspaceIds] = useState<ReadonlySet<string>>(new Set())
  const [wasSent, setWasSent] = useState(false)
  const isMissing = name.trim() === ''
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    setWasSent(true)
    if (isMissing || scopes.size === 0) return focusFirstInvalid(event.currentTarget)
    const reach = workspaceIds.size === 0 ? null : [...workspaceIds]
    create.mutate(
      { name: name.trim(), expiresInDays: lifetimes[lifetime], scopes: [...scopes], workspaceIds: reach },
      { onSuccess: props.onCreated },
    )
  }
  return (
    <Dialog
      isOpen
      onOpenChange={(isOpen) => !isOpen && props.onClose()}
      title={t('apiKeys.create')}
      closeLabel={t('common:close')}
      footer={
        <DialogActions cancelLabel={t('common:cancel')} onCancel={props.onClose}>
          <Button size="md" variant="primary" type="submit" form={formId} isLoading={create.isPending}>
            {create.isPending ? t('apiKeys.creating') : t('apiKeys.create')}
          </Button>
        </DialogActions>
      }
    >
      <form id={formId} className="model-form" onSubmit={submit} noValidate>
        <Field
          label={t('apiKeys.name')}
          help={t('apiKeys.nameHelp')}
          error={wasSent && isMissing ? t('apiKeys.problem.missing') : undefined}
        >
          {(control) => (
            <Input
              {...control}
              value={name}
              maxLength={80}
              autoComplete="off"
              onChange={(event) => setName(event.target.value)}
            />
          )}
        </Field>
        <Field label={t('apiKeys.expires')}>
          {(control) => (
            <Select
              id={control.id}
              value={lifetime}
              options={(Object.keys(lifetimes) as Lifetime[]).map((value) => ({
                value,
                label: t(`apiKeys.expiresIn.${value}`),
              }))}
              onChange={setLifetime}
            />
          )}
        </Field>
        <ScopeBoxes scopes={scopes} onChange={setScopes} isInvalid={wasSent && scopes.size === 0} />
        <WorkspaceBoxes workspaceIds={workspaceIds} onChange={setWorkspaceIds} />
        {create.error !== null && <FormProblem error={create.error} />}
      </form>
    </Dialog>
  )
}

function ScopeBoxes(props: {
  scopes: ReadonlySet<KeyScope>
  onChange: (scopes: ReadonlySet<KeyScope>) => void
  isInvalid: boolean
}) {
  const { t } = useTranslation('settings')
  const problemId = useId()
  const toggle = (scope: KeyScope) => {
    const next = new Set(props.scopes)
    if (!next.delete(scope)) next.add(scope)
    props.onChange(next)
  }
  const problem = props.isInvalid ? { 'aria-invalid': true, 'aria-describedby': problemId } : {}
  return (
    <fieldset className="findings">
      <legend>{t('apiKeys.scopes')}</legend>
      <ul>
        {keyScopes.map((scope) => (
          <li key={scope}>
            <label>
              <input type="checkbox" checked={props.scopes.has(scope)} onChange={() => toggle(scope)} {...problem} />
              <span className="grow">{t(`apiKeys.scope.${scope}`)}</span>
              <code className="mono faint">{scope}</code>
            </label>
          </li>
        ))}
      </ul>
      {props.isInvalid && (
        <p id={problemId} className="help" role="alert">
          {t('apiKeys.scopesMissing')}
        </p>
      )}
    </fieldset>
  )
}

/** The workspaces to which the key is limited. None chosen: it is not limited. */
function WorkspaceBoxes(props: {
  workspaceIds: ReadonlySet<string>
  onChange: (workspaceIds: ReadonlySet<string>) => void
}) {
  const { t } = useTranslation('settings')
  const helpId = useId()
  const workspaces = useWorkspaces()
  if (workspaces.length === 0) return null
  const toggle = (id: string) => {
    const next = new Set(props.workspaceIds)
    if (!next.delete(id)) next.add(id)
    props.onChange(next)
  }
  return (
    <fieldset className="findings" aria-describedby={helpId}>
      <legend>{t('apiKeys.workspaces')}</legend>
      <p id={helpId} className="help">
        {t('apiKeys.workspacesHelp')}
      </p>
      <ul>
        {workspaces.map(({ id, name }) => (
          <li key={id}>
            <label>
              <input type="checkbox" checked={props.workspaceIds.has(id)} onChange={() => toggle(id)} />
              <span className="grow">{name}</span>
            </label>
          </li>
        ))}
      </ul>
    </fieldset>
  )
}

function SecretOnce(props: { apiKey: CreatedApiKey; onClose: () => void }) {
  const { t } = useTranslation(['settings', 'common'])
  return (
    <Dialog
      isOpen
      onOpenChange={(isOpen) => !isOpen && props.onClose()}
      title={t('apiKeys.secretTitle')}
      description={t('apiKeys.secretText')}
      closeLabel={t('common:close')}
      footer={
        <>
          <span className="grow" />
          <Button size="md" onClick={props.onClose}>
            {t('apiKeys.done')}
          </Button>
        </>
      }
    >
      <div className="model-form">
        <Field label={t('apiKeys.secretLabel', { name: props.apiKey.name })}>
          {(control) => (
            <Input
              {...control}
              className="mono"
              value={props.apiKey.secret}
              readOnly
              onFocus={(event) => event.target.select()}
            />
          )}
        </Field>
        <div>
          <CopyButton text={props.apiKey.secret} size="md" isPrimary />
        </div>
      </div>
    </Dialog>
  )
}
