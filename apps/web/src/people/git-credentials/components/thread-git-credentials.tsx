import type { ThreadGitCredential } from '@threadbox/sdk'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../../page/client/use-format.ts'
import { useErrorToast } from '../../../page/parts/use-error-toast.ts'
import { Switch } from '../../../ui/switch.tsx'
import { useAllowGitCredential, useThreadGitCredentials } from '../api/git-credentials.queries.ts'
import { serverOf } from '../state/git-credential-form.ts'
import { AccessBadge } from './git-section.tsx'

/** The Git credentials that a thread can use. Empty if you have none. */
export function ThreadGitCredentials(props: { threadId: string }) {
  const { t } = useTranslation('gitCredentials')
  const credentials = useThreadGitCredentials(props.threadId)
  if (credentials.data === undefined || credentials.data.length === 0) return null
  return (
    <section className="sec" aria-label={t('title')}>
      <div className="sec-h">{t('title')}</div>
      <p className="facts">{t('thread.lead')}</p>
      <ul className="git-allowed">
        {credentials.data.map((credential) => (
          <AllowedRow key={credential.id} threadId={props.threadId} credential={credential} />
        ))}
      </ul>
    </section>
  )
}

function AllowedRow(props: { threadId: string; credential: ThreadGitCredential }) {
  const { t } = useTranslation('gitCredentials')
  const format = useFormat()
  const { credential } = props
  const allow = useAllowGitCredential(props.threadId)
  const showError = useErrorToast()
  const name = serverOf(credential.address)
  const { username, repositories } = credential
  return (
    <li>
      <div className="grow">
        <b>{name}</b> <AccessBadge access={credential.access} />
        <p className="facts">
          {[username, repositories.length === 0 ? t('allRepositories') : format.items(repositories)].join(' · ')}
        </p>
      </div>
      {credential.isAllowedByWorkspace ? (
        <span className="badge">{t('thread.byWorkspace')}</span>
      ) : (
        <Switch
          isOn={credential.isAllowed}
          label={t('thread.allowOf', { name, username })}
          onChange={(isAllowed) => allow.mutate({ credential, isAllowed }, { onError: showError })}
        />
      )}
    </li>
  )
}
