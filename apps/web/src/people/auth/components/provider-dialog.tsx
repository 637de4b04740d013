import type { SignInProvider } from '@threadbox/sdk'
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
import { Switch } from '../../../ui/switch.tsx'
import { useSaveProvider } from '../api/sign-in-providers.queries.ts'
import { formOf, type ProviderForm, problemsOfProvider, settingsIn } from '../state/provider-form.ts'

type Fields = {
  form: ProviderForm
  change: (part: Partial<ProviderForm>) => void
  errorOf: (field: keyof ProviderForm) => string | undefined
}

/** Adds a provider, or edits one. Its issuer can’t be changed: accounts belong to it. */
export function ProviderDialog(props: { provider: SignInProvider | null; onClose: () => void }) {
  const { t } = useTranslation(['signIn', 'auth', 'common'])
  const { provider } = props
  const formId = useId()
  const save = useSaveProvider()
  const [form, setForm] = useState(() => formOf(provider))
  const [wasSent, setWasSent] = useState(false)
  const problems = problemsOfProvider(form)
  const fields: Fields = {
    form,
    change: (part) => setForm({ ...form, ...part }),
    errorOf: (field) => {
      const problem = problems[field]
      if (!wasSent || problem === undefined) return undefined
      if (problem === 'missing') return t('auth:problem.missing')
      return t(({ 'not-a-url': 'issuerHelp', mappings: 'mappingsProblem', hours: 'recheckHelp' } as const)[problem])
    },
  }
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    setWasSent(true)
    if (Object.keys(problems).length > 0) return focusFirstInvalid(event.currentTarget)
    const settings = settingsIn(form, provider)
    const order =
      provider === null
        ? { create: { ...settings, issuer: form.issuer.trim() } }
        : { id: provider.id, update: settings }
    save.mutate(order, { onSuccess: props.onClose })
  }
  return (
    <Dialog
      isOpen
      onOpenChange={(isOpen) => !isOpen && props.onClose()}
      title={provider === null ? t('newTitle') : t('editOf', { name: provider.name })}
      closeLabel={t('common:close')}
      footer={
        <DialogActions cancelLabel={t('common:cancel')} onCancel={props.onClose}>
          <Button size="md" variant="primary" type="submit" form={formId} isLoading={save.isPending}>
            {save.isPending ? t('saving') : t('save')}
          </Button>
        </DialogActions>
      }
    >
      <form id={formId} className="model-form" onSubmit={submit} noValidate>
        <ClientFields {...fields} provider={provider} />
        <JoinFields {...fields} />
        <GroupFields {...fields} />
        {save.error !== null && <FormProblem error={save.error} />}
      </form>
    </Dialog>
  )
}

type TextName = 'name' | 'issuer' | 'clientId' | 'clientSecret' | 'domains' | 'group' | 'claim' | 'recheckHours'

function TextField(
  props: Fields & { field: TextName; label: string; help?: string; isReadOnly?: boolean; type?: 'password' },
) {
  const { form, field } = props
  const change = (text: string) => {
    const part: Partial<Record<TextName, string>> = { [field]: text }
    props.change(part)
  }
  return (
    <Field label={props.label} help={props.help} error={props.errorOf(field)}>
      {(control) => (
        <Input
          {...control}
          type={props.type ?? 'text'}
          value={form[field]}
          autoComplete="off"
          spellCheck={false}
          readOnly={props.isReadOnly === true}
          onChange={(event) => change(event.target.value)}
        />
      )}
    </Field>
  )
}

function ClientFields({ provider, ...fields }: Fields & { provider: SignInProvider | null }) {
  const { t } = useTranslation('signIn')
  const isKept = provider?.hasClientSecret === true
  return (
    <>
      <TextField {...fields} field="name" label={t('name')} />
      <TextField {...fields} field="issuer" label={t('issuer')} help={t('issuerHelp')} isReadOnly={provider !== null} />
      <TextField {...fields} field="clientId" label={t('clientId')} />
      <TextField
        {...fields}
        field="clientSecret"
        type="password"
        label={t('clientSecret')}
        help={isKept ? t('clientSecretKept') : t('clientSecretHelp')}
      />
    </>
  )
}

function JoinFields(fields: Fields) {
  const { t } = useTranslation('signIn')
  const { form, change } = fields
  const rules = ['closed', 'invited', 'domains', 'group'] as const
  return (
    <>
      <Field label={t('rule')}>
        {(control) => (
          <Select
            id={control.id}
            value={form.rule}
            options={rules.map((value) => ({ value, label: t(`rules.${value}`) }))}
            onChange={(rule) => change({ rule })}
          />
        )}
      </Field>
      {form.rule === 'domains' && (
        <TextField {...fields} field="domains" label={t('domains')} help={t('domainsHelp')} />
      )}
      {form.rule === 'group' && <TextField {...fields} field="group" label={t('group')} />}
      <Field label={t('link')} help={t('linkHelp')}>
        {(control) => (
          <Switch
            id={control.id}
            isOn={form.linkByVerifiedEmail}
            onChange={(linkByVerifiedEmail) => change({ linkByVerifiedEmail })}
          />
        )}
      </Field>
      <TextField {...fields} field="recheckHours" label={t('recheck')} help={t('recheckHelp')} />
    </>
  )
}

function GroupFields(fields: Fields) {
  const { t } = useTranslation('signIn')
  const { form, change } = fields
  return (
    <>
      <TextField {...fields} field="claim" label={t('claim')} help={t('claimHelp')} />
      <Field label={t('source')}>
        {(control) => (
          <Select
            id={control.id}
            value={form.source}
            options={(['id-token', 'userinfo'] as const).map((value) => ({ value, label: t(`sources.${value}`) }))}
            onChange={(source) => change({ source })}
          />
        )}
      </Field>
      <Field label={t('mappings')} help={t('mappingsHelp')} error={fields.errorOf('mappings')}>
        {(control) => (
          <textarea
            {...control}
            className="input"
            rows={3}
            value={form.mappings}
            onChange={(event) => change({ mappings: event.target.value })}
          />
        )}
      </Field>
    </>
  )
}
