import { Link } from '@tanstack/react-router'
import type { ThreadSecret, ThreadSecrets as View } from '@threadbox/sdk'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../../page/client/use-format.ts'
import { HelpLink } from '../../../page/docs/docs-link.tsx'
import { docsPlaces } from '../../../page/docs/docs-places.ts'
import { ConfirmDialog } from '../../../page/parts/confirm-dialog.tsx'
import { useErrorToast } from '../../../page/parts/use-error-toast.ts'
import { Button } from '../../../ui/button.tsx'
import { Switch } from '../../../ui/switch.tsx'
import { useGrantSecret, useThreadSecrets } from '../api/secrets.queries.ts'

/** The secrets that programs of a thread can use. Empty if there are none to use. */
export function ThreadSecrets(props: { threadId: string }) {
  const { t } = useTranslation('secrets')
  const { data } = useThreadSecrets(props.threadId)
  const [giving, setGiving] = useState<ThreadSecret | null>(null)
  if (data === undefined || (data.secrets.length === 0 && data.taintedAt === null)) return null
  return (
    <section className="sec" aria-label={t('title')}>
      <div className="sec-h">
        <span>
          {t('title')} <HelpLink to={docsPlaces.secrets} about={t('title')} />
        </span>
        <Link to="/settings/$section" params={{ section: 'secrets' }} className="btn btn--sm">
          {t('thread.change')}
        </Link>
      </div>
      <p className="facts">{t('thread.lead')}</p>
      <ul className="git-allowed">
        {data.secrets.map((secret) => (
          <SecretRow key={secret.id} threadId={props.threadId} secret={secret} onGiveValue={() => setGiving(secret)} />
        ))}
      </ul>
      <Notes view={data} />
      {giving !== null && <GiveValue threadId={props.threadId} secret={giving} onClose={() => setGiving(null)} />}
    </section>
  )
}

function Notes({ view }: { view: View }) {
  const { t } = useTranslation('secrets')
  const isUsed = view.secrets.some(({ way, isGrantedByWorkspace }) => way !== null || isGrantedByWorkspace)
  return (
    <>
      {view.problem !== null && (
        <p className="help help--error" role="status">
          {t(`thread.notInEffect.${view.problem}`)}
        </p>
      )}
      {isUsed && view.problem === null && <p className="facts">{t('thread.newPrograms')}</p>}
      {view.taintedAt !== null && <p className="help help--error">{t('thread.tainted')}</p>}
    </>
  )
}

function SecretRow(props: { threadId: string; secret: ThreadSecret; onGiveValue: () => void }) {
  const { t } = useTranslation('secrets')
  const format = useFormat()
  const { secret } = props
  const { name, hosts, way, isGrantedByWorkspace, canGrant, obstacle } = secret
  const grant = useGrantSecret(props.threadId)
  const showError = useErrorToast()
  const change = (isOn: boolean) =>
    grant.mutate({ secretId: secret.id, way: isOn ? 'brokered' : null }, { onError: showError })
  return (
    <li>
      <div className="grow">
        <b className="mono">{name}</b>{' '}
        {way === 'direct' && <span className="badge badge--warn">{t('thread.direct')}</span>}
        <p className="facts">
          {t('forHosts', { hosts: format.items(hosts) })}
          {obstacle !== null && ` · ${t(`thread.${obstacle}`)}`}
        </p>
        {canGrant && way !== 'direct' && (
          <Button size="sm" variant="ghost" aria-label={t('thread.giveValueOf', { name })} onClick={props.onGiveValue}>
            {t('thread.giveValue')}
          </Button>
        )}
      </div>
      {isGrantedByWorkspace && way === null ? (
        <span className="badge">{t('thread.byWorkspace')}</span>
      ) : (
        <Switch isOn={way !== null} label={t('thread.useOf', { name })} onChange={change} />
      )}
    </li>
  )
}

function GiveValue(props: { threadId: string; secret: ThreadSecret; onClose: () => void }) {
  const { t } = useTranslation('secrets')
  const grant = useGrantSecret(props.threadId)
  const { id, name } = props.secret
  return (
    <ConfirmDialog
      title={t('thread.giveTitle', { name })}
      text={t('thread.giveText')}
      action={grant.isPending ? t('thread.giving') : t('thread.giveValue')}
      isPending={grant.isPending}
      error={grant.error}
      onConfirm={() => grant.mutate({ secretId: id, way: 'direct' }, { onSuccess: props.onClose })}
      onClose={props.onClose}
    />
  )
}
