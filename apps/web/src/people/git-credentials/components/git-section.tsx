import type { GitCredential } from '@threadbox/sdk'
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
import { useGitCredentials, useRemoveGitCredential } from '../api/git-credentials.queries.ts'
import { serverOf } from '../state/git-credential-form.ts'
import { GitCredentialDialog } from './git-credential-dialog.tsx'

type Open = { kind: 'edit'; saved: GitCredential | null } | { kind: 'remove'; credential: GitCredential }

/** Tokens that threads use to clone from Git servers and push to them. */
export function GitSection() {
  const { t } = useTranslation('gitCredentials')
  const credentials = useGitCredentials()
  const [open, setOpen] = useState<Open | null>(null)
  const close = () => setOpen(null)
  return (
    <>
      <SectionHead title={t('title')} lead={t('lead')} />
      <SectionActions addLabel={t('add')} onAdd={() => setOpen({ kind: 'edit', saved: null })} />
      <LoadedRows
        query={credentials}
        empty={t('empty')}
        docs={docsPlaces.gitCredentials}
        row={(credential) => (
          <CredentialRow
            key={credential.id}
            credential={credential}
            onEdit={() => setOpen({ kind: 'edit', saved: credential })}
            onRemove={() => setOpen({ kind: 'remove', credential })}
          />
        )}
      />
      {open?.kind === 'edit' && <GitCredentialDialog saved={open.saved} onClose={close} />}
      {open?.kind === 'remove' && <RemoveDialog credential={open.credential} onClose={close} />}
    </>
  )
}

function CredentialRow(props: { credential: GitCredential; onEdit: () => void; onRemove: () => void }) {
  const { t, i18n } = useTranslation('gitCredentials')
  const format = useFormat()
  const { credential } = props
  const { username, repositories, threadCount, workspaceIds, lastUsedAt } = credential
  const name = serverOf(credential.address)
  const workspaces = useWorkspaces().filter(({ id }) => workspaceIds.includes(id))
  const places = [
    ...workspaces.map((workspace) => workspace.name),
    ...(threadCount === 0 ? [] : [t('threads', { count: threadCount })]),
  ]
  const now = { now: Date.now(), locale: i18n.language }
  const facts = [
    username,
    repositories.length === 0 ? t('allRepositories') : format.items(repositories),
    places.length === 0 ? t('nowhere') : t('usedIn', { places: format.items(places) }),
    lastUsedAt === null ? t('unused') : t('lastUsed', { when: relativeTime(lastUsedAt, now) }),
  ]
  return (
    <li className="row">
      <div className="row-line">
        <div className="grow">
          <b>{name}</b> <AccessBadge access={credential.access} />
          <p className="facts">{facts.join(' · ')}</p>
        </div>
        <Button onClick={props.onEdit} aria-label={t('editOf', { name, username })}>
          {t('edit')}
        </Button>
        <Button onClick={props.onRemove} aria-label={t('removeOf', { name, username })}>
          {t('remove')}
        </Button>
      </div>
    </li>
  )
}

export function AccessBadge(props: { access: GitCredential['access'] }) {
  const { t } = useTranslation('gitCredentials')
  const { access } = props
  return <span className={access === 'push' ? 'badge badge--acc' : 'badge'}>{t(`access.${access}`)}</span>
}

function RemoveDialog(props: { credential: GitCredential; onClose: () => void }) {
  const { t } = useTranslation('gitCredentials')
  const remove = useRemoveGitCredential()
  const { id, address, username } = props.credential
  return (
    <ConfirmDialog
      title={t('removeTitle', { name: serverOf(address), username })}
      text={t('removeText')}
      action={remove.isPending ? t('removing') : t('remove')}
      isPending={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate(id, { onSuccess: props.onClose })}
      onClose={props.onClose}
    />
  )
}
