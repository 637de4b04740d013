import type { Webhook } from '@threadbox/sdk'
import { Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { relativeTime } from '../../../i18n/relative-time.ts'
import { Button } from '../../../ui/button.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { Switch } from '../../../ui/switch.tsx'
import { ConfirmDialog } from '../../connection/components/confirm-dialog.tsx'
import { FormProblem } from '../../connection/components/form-problem.tsx'
import { Loaded } from '../../settings/components/loaded.tsx'
import { Group } from '../../settings/components/section.tsx'
import { useChangeWebhook, useDeleteWebhook, useWebhooks } from '../api/runs.queries.ts'
import { WebhookDialog } from './webhook-dialog.tsx'

type Open = { kind: 'new' } | { kind: 'remove'; webhook: Webhook }

/** Addresses at which a signed request runs the agent. */
export function WebhookList(props: { agentId: string }) {
  const { t } = useTranslation('runs')
  const webhooks = useWebhooks(props.agentId)
  const [open, setOpen] = useState<Open | null>(null)
  const close = () => setOpen(null)
  return (
    <Group
      title={t('webhooks')}
      action={
        <Button size="md" icon={<Plus className="i" size={16} />} onClick={() => setOpen({ kind: 'new' })}>
          {t('newWebhook')}
        </Button>
      }
    >
      <Loaded query={webhooks}>
        {(list) =>
          list.length === 0 ? (
            <p className="nothing">{t('noWebhook')}</p>
          ) : (
            <ul className="rows">
              {list.map((webhook) => (
                <WebhookRow key={webhook.id} webhook={webhook} onRemove={() => setOpen({ kind: 'remove', webhook })} />
              ))}
            </ul>
          )
        }
      </Loaded>
      {open?.kind === 'new' && <WebhookDialog agentId={props.agentId} onClose={close} />}
      {open?.kind === 'remove' && <RemoveWebhook webhook={open.webhook} onClose={close} />}
    </Group>
  )
}

function WebhookRow(props: { webhook: Webhook; onRemove: () => void }) {
  const { t, i18n } = useTranslation('runs')
  const change = useChangeWebhook()
  const { id, name, url, lastUsedAt, isEnabled } = props.webhook
  const used =
    lastUsedAt === null
      ? t('neverUsed')
      : t('usedAt', { when: relativeTime(lastUsedAt, { now: Date.now(), locale: i18n.language }) })
  return (
    <li className="row">
      <div className="row-line">
        <div className="grow">
          <b>{name}</b>
          <p className="facts">
            <code className="mono">{url}</code>
          </p>
          <p className="facts">{used}</p>
        </div>
        <Switch
          label={t('onOf', { name })}
          isOn={isEnabled}
          onChange={(isOn) => change.mutate({ id, request: { isEnabled: isOn } })}
        />
        <IconButton label={t('removeOf', { name })} onClick={props.onRemove}>
          <Trash2 className="i" size={16} />
        </IconButton>
      </div>
      {change.error !== null && <FormProblem error={change.error} />}
    </li>
  )
}

function RemoveWebhook(props: { webhook: Webhook; onClose: () => void }) {
  const { t } = useTranslation('runs')
  const remove = useDeleteWebhook()
  return (
    <ConfirmDialog
      title={t('removeTitle', { name: props.webhook.name })}
      text={t('removeWebhookText')}
      action={t('remove')}
      isPending={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate(props.webhook.id, { onSuccess: props.onClose })}
      onClose={props.onClose}
    />
  )
}
