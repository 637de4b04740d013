import type { CreatedWebhook, Webhook } from '@threadbox/sdk'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { AddressOnce } from '../../../page/parts/address-once.tsx'
import { FormProblem } from '../../../page/parts/form-problem.tsx'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Field } from '../../../ui/field.tsx'
import { Input } from '../../../ui/input.tsx'
import { useCreateWebhook, useRenewWebhookSecret } from '../api/runs.queries.ts'
import { proposedRunNetwork, RunNetworkField } from './run-network-field.tsx'

/** Creates a webhook and shows its secret once. */
export function WebhookDialog(props: { agentId: string; onClose: () => void }) {
  const { t } = useTranslation(['runs', 'common'])
  const [made, setMade] = useState<CreatedWebhook | null>(null)
  return (
    <Dialog
      isOpen
      onOpenChange={(isOpen) => !isOpen && props.onClose()}
      title={t('newWebhook')}
      description={t('webhookText')}
      closeLabel={t('common:close')}
      footer={
        <>
          <span className="grow" />
          <Button size="md" onClick={props.onClose}>
            {t(made === null ? 'common:cancel' : 'done')}
          </Button>
        </>
      }
    >
      <div className="model-form">
        {made === null ? (
          <WebhookForm agentId={props.agentId} onMade={setMade} />
        ) : (
          <SecretOnce webhook={made} onAnother={() => setMade(null)} />
        )}
      </div>
    </Dialog>
  )
}

/** Replaces the secret of a webhook; the new one is shown once. */
export function WebhookSecretDialog(props: { webhook: Webhook; onClose: () => void }) {
  const { t } = useTranslation(['runs', 'common'])
  const { webhook, onClose } = props
  const renew = useRenewWebhookSecret()
  return (
    <Dialog
      isOpen
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title={t('newSecretOf', { name: webhook.name })}
      closeLabel={t('common:close')}
      description={renew.data === undefined ? t('newSecretText') : undefined}
      footer={
        <>
          <span className="grow" />
          <Button size="md" onClick={onClose}>
            {t(renew.data === undefined ? 'common:cancel' : 'done')}
          </Button>
          {renew.data === undefined && (
            <Button
              size="md"
              variant="primary"
              isLoading={renew.isPending}
              onClick={() => !renew.isPending && renew.mutate(webhook.id)}
            >
              {t('makeSecret')}
            </Button>
          )}
        </>
      }
    >
      {renew.data !== undefined && <SecretOnce webhook={renew.data} />}
      {renew.error !== null && <FormProblem error={renew.error} />}
    </Dialog>
  )
}

function SecretOnce(props: { webhook: CreatedWebhook; onAnother?: () => void }) {
  const { t } = useTranslation('runs')
  const { webhook, onAnother } = props
  return (
    <AddressOnce
      url={webhook.secret}
      words={{ label: t('secret'), help: t('secretOnce'), another: t('another') }}
      note={
        <div className="code-line">
          <code className="mono">{webhook.url}</code>
        </div>
      }
      {...(onAnother && { onAnother })}
    />
  )
}

function WebhookForm(props: { agentId: string; onMade: (webhook: CreatedWebhook) => void }) {
  const { t } = useTranslation('runs')
  const create = useCreateWebhook(props.agentId)
  const [name, setName] = useState('')
  const [input, setInput] = useState('')
  const [network, setNetwork] = useState(proposedRunNetwork)
  const isComplete = name.trim() !== '' && input.trim() !== ''
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isComplete && !create.isPending) create.mutate({ name, input, network }, { onSuccess: props.onMade })
  }
  return (
    <form className="share-form" onSubmit={submit} noValidate>
      <Field label={t('name')}>
        {(control) => <Input {...control} value={name} onChange={(event) => setName(event.target.value)} />}
      </Field>
      <Field label={t('task')} help={t('webhookTaskHelp')}>
        {(control) => (
          <textarea
            {...control}
            className="input"
            rows={3}
            dir="auto"
            value={input}
            onChange={(event) => setInput(event.target.value)}
          />
        )}
      </Field>
      <RunNetworkField value={network} onChange={setNetwork} />
      <p className="help">{t('connectionsHelp')}</p>
      {create.error !== null && <FormProblem error={create.error} />}
      <div>
        <Button size="md" variant="primary" type="submit" isDisabled={!isComplete} isLoading={create.isPending}>
          {t('make')}
        </Button>
      </div>
    </form>
  )
}
