import type { ApiKey } from '@threadbox/sdk'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { relativeTime } from '../../../i18n/relative-time.ts'
import { useClient } from '../../../page/client/client.ts'
import { useFormat } from '../../../page/client/use-format.ts'
import { docsPlaces } from '../../../page/docs/docs-places.ts'
import { ConfirmDialog } from '../../../page/parts/confirm-dialog.tsx'
import { LoadedRows } from '../../../page/parts/loaded.tsx'
import { SectionHead } from '../../../page/parts/section.tsx'
import { SectionActions } from '../../../page/parts/section-actions.tsx'
import { useWorkspaces } from '../../../people/workspaces/api/workspaces.queries.ts'
import { Button } from '../../../ui/button.tsx'
import { useApiKeys, useDeleteApiKey } from '../api/settings.queries.ts'
import { CreateApiKeyDialog } from './create-api-key-dialog.tsx'

/** API keys: what each is for and when it was last used, with buttons to create and remove keys. */
export function ApiKeysSection() {
  const { t } = useTranslation('settings')
  const client = useClient()
  const keys = useApiKeys()
  const [open, setOpen] = useState<{ kind: 'create' } | { kind: 'remove'; apiKey: ApiKey } | null>(null)
  const close = () => setOpen(null)
  return (
    <>
      <SectionHead title={t('apiKeys.title')} lead={t('apiKeys.lead')} />
      <SectionActions addLabel={t('apiKeys.create')} onAdd={() => setOpen({ kind: 'create' })}>
        <a className="link" href={client.urlOf('/openapi.json')} target="_blank" rel="noreferrer">
          {t('apiKeys.docs')}
        </a>
      </SectionActions>
      <LoadedRows
        query={keys}
        empty={t('apiKeys.empty')}
        docs={docsPlaces.api}
        row={(apiKey) => (
          <ApiKeyRow key={apiKey.id} apiKey={apiKey} onRemove={() => setOpen({ kind: 'remove', apiKey })} />
        )}
      />
      {open?.kind === 'create' && <CreateApiKeyDialog onClose={close} />}
      {open?.kind === 'remove' && <RemoveApiKeyDialog apiKey={open.apiKey} onClose={close} />}
    </>
  )
}

function ApiKeyRow(props: { apiKey: ApiKey; onRemove: () => void }) {
  const { t, i18n } = useTranslation('settings')
  const format = useFormat()
  const { apiKey } = props
  const now = Date.now()
  const when = (at: number) => ({ when: relativeTime(at, { now, locale: i18n.language }) })
  const end =
    apiKey.expiresAt === null
      ? t('apiKeys.noExpiry')
      : t(apiKey.expiresAt <= now ? 'apiKeys.expired' : 'apiKeys.expiresAt', when(apiKey.expiresAt))
  const use = apiKey.lastUsedAt === null ? t('apiKeys.neverUsed') : t('apiKeys.used', when(apiKey.lastUsedAt))
  return (
    <li className="row row-line">
      <div className="grow">
        <b>{apiKey.name}</b> <code className="mono faint">{`${apiKey.prefix}…`}</code>
        <p className="facts" title={format.fullMoment(apiKey.createdAt)}>
          {[t('apiKeys.created', when(apiKey.createdAt)), use, end].join(' · ')}
        </p>
        <p className="facts">{t('apiKeys.can', { scopes: apiKey.scopes.join(', ') })}</p>
        <Reach apiKey={apiKey} />
        <Refused apiKey={apiKey} />
      </div>
      <Button aria-label={t('apiKeys.removeOf', { name: apiKey.name })} onClick={props.onRemove}>
        {t('apiKeys.remove')}
      </Button>
    </li>
  )
}

/** The workspaces to which the key is limited. */
function Reach({ apiKey: { workspaceIds } }: { apiKey: ApiKey }) {
  const { t } = useTranslation('settings')
  const workspaces = useWorkspaces()
  if (workspaceIds === null) return null
  const names = workspaces.flatMap(({ id, name }) => (workspaceIds.includes(id) ? [name] : []))
  const text = names.length === 0 ? t('apiKeys.reachesNothing') : t('apiKeys.reaches', { workspaces: names.join(', ') })
  return <p className="facts">{text}</p>
}

/** The calls of the last 30 days that the key was refused, with what it lacks for them. */
function Refused({ apiKey }: { apiKey: ApiKey }) {
  const { t } = useTranslation('settings')
  const count = apiKey.refused.reduce((sum, refused) => sum + refused.count, 0)
  if (count === 0) return null
  const needs = apiKey.refused.map(({ requirement }) =>
    requirement === 'session' || requirement === 'confirmed' ? t('apiKeys.needsPerson') : requirement,
  )
  return <p className="facts">{t('apiKeys.refused', { count, scopes: [...new Set(needs)].join(', ') })}</p>
}

function RemoveApiKeyDialog(props: { apiKey: ApiKey; onClose: () => void }) {
  const { t } = useTranslation('settings')
  const remove = useDeleteApiKey()
  return (
    <ConfirmDialog
      title={t('apiKeys.removeTitle', { name: props.apiKey.name })}
      text={t('apiKeys.removeText')}
      action={remove.isPending ? t('apiKeys.removing') : t('apiKeys.remove')}
      isPending={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate(props.apiKey.id, { onSuccess: props.onClose })}
      onClose={props.onClose}
    />
  )
}
