import type { CreatedApiKey } from '@threadbox/sdk'
import { type FormEvent, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { CopyButton } from '../../../page/parts/copy-button.tsx'
import { focusFirstInvalid } from '../../../page/parts/focus-first-invalid.ts'
import { FormProblem } from '../../../page/parts/form-problem.tsx'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { DialogActions } from '../../../ui/dialog-actions.tsx'
import { Field } from '../../../ui/field.tsx'
import { Input } from '../../../ui/input.tsx'
import { Select } from '../../../ui/select.tsx'
import { useCreateApiKey } from '../api/settings.queries.ts'

const lifetimes = { never: undefined, d30: 30, d90: 90, d365: 365 } as const
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
  const [lifetime, setLifetime] = useState<Lifetime>('never')
  const [wasSent, setWasSent] = useState(false)
  const isMissing = name.trim() === ''
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    setWasSent(true)
    if (isMissing) return focusFirstInvalid(event.currentTarget)
    const days = lifetimes[lifetime]
    create.mutate(
      { name: name.trim(), ...(days === undefined ? {} : { expiresInDays: days }) },
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
        {create.error !== null && <FormProblem error={create.error} />}
      </form>
    </Dialog>
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
