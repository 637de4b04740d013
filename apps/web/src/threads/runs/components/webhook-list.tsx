import type { Webhook } from '@threadbox/sdk'
import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { relativeTime } from '../../../i18n/relative-time.ts'
import { IconButton } from '../../../ui/icon-button.tsx'
import { useChangeWebhook, useDeleteWebhook, useWebhooks } from '../api/runs.queries.ts'
import { RemoveTrigger, TriggerGroup, TriggerRow } from './trigger-list.tsx'
import { WebhookDialog, WebhookSecretDialog } from './webhook-dialog.tsx'

type Open = { kind: 'new' } | { kind: 'remove' | 'secret'; webhook: Webhook }

/** The addresses at which a signed request runs the agent. */
export function WebhookList(props: { agentId: string }) {
  const { t } = useTranslation('runs')
  const webhooks = useWebhooks(props.agentId)
  const remove = useDeleteWebhook()
  const [open, setOpen] = useState<Open | null>(null)
  const close = () => setOpen(null)
  return (
    <TriggerGroup
      title={t('webhooks')}
      newLabel={t('newWebhook')}
      noneText={t('noWebhook')}
      query={webhooks}
      onNew={() => setOpen({ kind: 'new' })}
      row={(webhook) => (
        <WebhookRow
          key={webhook.id}
          webhook={webhook}
          onNewSecret={() => setOpen({ kind: 'secret', webhook })}
          onRemove={() => {
            remove.reset()
            setOpen({ kind: 'remove', webhook })
          }}
        />
      )}
    >
      {open?.kind === 'new' && <WebhookDialog agentId={props.agentId} onClose={close} />}
      {open?.kind === 'secret' && <WebhookSecretDialog webhook={open.webhook} onClose={close} />}
      {open?.kind === 'remove' && (
        <RemoveTrigger trigger={open.webhook} text={t('removeWebhookText')} remove={remove} onClose={close} />
      )}
    </TriggerGroup>
  )
}

function WebhookRow(props: { webhook: Webhook; onNewSecret: () => void; onRemove: () => void }) {
  const { t, i18n } = useTranslation('runs')
  const change = useChangeWebhook()
  const { id, name, url, lastUsedAt, isEnabled } = props.webhook
  const used =
    lastUsedAt === null
      ? t('neverUsed')
      : t('usedAt', { when: relativeTime(lastUsedAt, { now: Date.now(), locale: i18n.language }) })
  return (
    <TriggerRow
      name={name}
      isEnabled={isEnabled}
      onEnabled={(isOn) => change.mutate({ id, request: { isEnabled: isOn } })}
      error={change.error}
      actions={
        <IconButton label={t('newSecretOf', { name })} onClick={props.onNewSecret}>
          <KeyRound className="i" size={16} />
        </IconButton>
      }
      onRemove={props.onRemove}
    >
      <p className="facts">
        <code className="mono">{url}</code>
      </p>
      <p className="facts">{used}</p>
    </TriggerRow>
  )
}
