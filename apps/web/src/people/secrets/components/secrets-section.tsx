import type { Secret } from '@threadbox/sdk'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { relativeTime } from '../../../i18n/relative-time.ts'
import { useFormat } from '../../../page/client/use-format.ts'
import { docsPlaces } from '../../../page/docs/docs-places.ts'
import { ConfirmDialog } from '../../../page/parts/confirm-dialog.tsx'
import { LoadedRows } from '../../../page/parts/loaded.tsx'
import { SectionHead } from '../../../page/parts/section.tsx'
import { SectionActions } from '../../../page/parts/section-actions.tsx'
import { Button } from '../../../ui/button.tsx'
import { useWorkspaces } from '../../workspaces/api/workspaces.queries.ts'
import { useRemoveSecret, useSecrets } from '../api/secrets.queries.ts'
import { SecretDialog } from './secret-dialog.tsx'

type Open = { kind: 'edit'; saved: Secret | null } | { kind: 'remove'; secret: Secret }

/** Values that programs in sandboxes use without getting them. */
export function SecretsSection() {
  const { t } = useTranslation('secrets')
  const secrets = useSecrets()
  const [open, setOpen] = useState<Open | null>(null)
  const close = () => setOpen(null)
  return (
    <>
      <SectionHead title={t('title')} lead={t('lead')} />
      <SectionActions addLabel={t('add')} onAdd={() => setOpen({ kind: 'edit', saved: null })} />
      <LoadedRows
        query={secrets}
        empty={t('empty')}
        docs={docsPlaces.secrets}
        row={(secret) => (
          <SecretRow
            key={secret.id}
            secret={secret}
            onEdit={() => setOpen({ kind: 'edit', saved: secret })}
            onRemove={() => setOpen({ kind: 'remove', secret })}
          />
        )}
      />
      {open?.kind === 'edit' && <SecretDialog saved={open.saved} onClose={close} />}
      {open?.kind === 'remove' && <RemoveDialog secret={open.secret} onClose={close} />}
    </>
  )
}

const shownThreads = 3

function SecretRow(props: { secret: Secret; onEdit: () => void; onRemove: () => void }) {
  const { t, i18n } = useTranslation('secrets')
  const format = useFormat()
  const { secret } = props
  const { name, hosts, owner, workspaceId, workspaceIds, threads, threadCount, lastUsedAt } = secret
  const workspaces = useWorkspaces()
  const nameOf = (id: string | null) => workspaces.find((workspace) => workspace.id === id)?.name ?? ''
  const shown = threads.slice(0, shownThreads).map(({ title }) => title)
  const further = threadCount - shown.length
  const places = [
    ...workspaces.filter(({ id }) => workspaceIds.includes(id)).map((workspace) => workspace.name),
    ...shown.filter((title) => title !== ''),
    ...(further > 0 ? [t('threads', { count: further })] : []),
  ]
  const now = { now: Date.now(), locale: i18n.language }
  const facts = [
    t('forHosts', { hosts: format.items(hosts) }),
    places.length === 0 ? t('nowhere') : t('usedIn', { places: format.items(places) }),
    lastUsedAt === null ? t('unused') : t('lastUsed', { when: relativeTime(lastUsedAt, now) }),
  ]
  return (
    <li className="row">
      <div className="row-line">
        <div className="grow">
          <b className="mono">{name}</b>{' '}
          <span className="badge">{t(`owner.${owner}`, { name: nameOf(workspaceId) })}</span>
          <p className="facts">{facts.join(' · ')}</p>
        </div>
        <Button onClick={props.onEdit} aria-label={t('editOf', { name })}>
          {t('edit')}
        </Button>
        <Button onClick={props.onRemove} aria-label={t('removeOf', { name })}>
          {t('remove')}
        </Button>
      </div>
    </li>
  )
}

function RemoveDialog(props: { secret: Secret; onClose: () => void }) {
  const { t } = useTranslation('secrets')
  const remove = useRemoveSecret()
  const { id, name } = props.secret
  return (
    <ConfirmDialog
      title={t('removeTitle', { name })}
      text={t('removeText')}
      action={remove.isPending ? t('removing') : t('remove')}
      isPending={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate(id, { onSuccess: props.onClose })}
      onClose={props.onClose}
    />
  )
}
