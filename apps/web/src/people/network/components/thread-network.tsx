import type { ThreadNetwork as View } from '@threadbox/sdk'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { HelpLink } from '../../../page/docs/docs-link.tsx'
import { docsPlaces } from '../../../page/docs/docs-places.ts'
import { LoadFailed } from '../../../page/parts/load-failed.tsx'
import { useErrorToast } from '../../../page/parts/use-error-toast.ts'
import { Button } from '../../../ui/button.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { useMe } from '../../auth/api/session.queries.ts'
import { useAllowName, useThreadNetwork } from '../api/network.queries.ts'
import { canBeAllowed } from '../state/network-form.ts'
import { NetworkDialog } from './network-dialog.tsx'
import { NetworkFacts } from './network-words.tsx'

const shownNames = 20

/** What a thread’s sandbox can reach, what it asked for, and what was refused. */
export function ThreadNetwork(props: { threadId: string }) {
  const { t } = useTranslation('network')
  const network = useThreadNetwork(props.threadId)
  const [isOpen, setOpen] = useState(false)
  const view = network.data
  return (
    <section className="sec" aria-label={t('title')}>
      <div className="sec-h">
        <span>
          {t('title')} <HelpLink to={docsPlaces.network} about={t('title')} />
        </span>
        <Button size="sm" aria-label={t('changeOfThread')} onClick={() => setOpen(true)}>
          {t('change')}
        </Button>
      </div>
      {view === undefined ? (
        network.error === null ? (
          <Skeleton rows={2} label={t('title')} />
        ) : (
          <LoadFailed error={network.error} isRetrying={network.isFetching} onRetry={() => void network.refetch()} />
        )
      ) : (
        <Facts threadId={props.threadId} view={view} />
      )}
      {isOpen && <NetworkDialog target={{ level: 'thread', id: props.threadId }} onClose={() => setOpen(false)} />}
    </section>
  )
}

function Facts(props: { threadId: string; view: View }) {
  const { t } = useTranslation('network')
  const { threadId, view } = props
  return (
    <>
      <NetworkFacts network={view} />
      {!view.isApplied && (
        <p className="help help--error" role="status">
          {t('notApplied')}
        </p>
      )}
      <Activity threadId={threadId} view={view} />
    </>
  )
}

/** Says how many names are not listed. */
function Further(props: { count: number }) {
  const { t } = useTranslation('network')
  return props.count > 0 ? <p className="facts">{t('further', { count: props.count })}</p> : null
}

function Activity(props: { threadId: string; view: View }) {
  const { t } = useTranslation('network')
  const me = useMe()
  const { activity, effective, privateNames } = props.view
  const isPrivate = (name: string) => privateNames.some((entry) => entry.startsWith(`${name}:`))
  if (activity === null) return <p className="facts">{t('activityUnknown')}</p>
  const { reached, refused } = activity
  const mayAllow = me.data?.isOwner === true && effective.kind === 'allowlist'
  return (
    <>
      {refused.length > 0 && (
        <>
          <p className="facts">{t('refused')}</p>
          <ul className="git-allowed">
            {refused.slice(0, shownNames).map((each) => (
              <RefusedRow
                key={`${each.name} ${each.reason}`}
                threadId={props.threadId}
                refused={each}
                mayAllow={mayAllow && each.reason === 'policy'}
              />
            ))}
          </ul>
          <Further count={refused.length - shownNames} />
        </>
      )}
      {reached.length > 0 && (
        <>
          <p className="facts">{t('reached')}</p>
          <p className="mono facts">
            {reached
              .slice(0, shownNames)
              .map(({ name }) => (isPrivate(name) ? t('privateName', { name }) : name))
              .join(' · ')}
          </p>
          <Further count={reached.length - shownNames} />
        </>
      )}
      {reached.length + refused.length === 0 && <p className="facts">{t('nothingAsked')}</p>}
    </>
  )
}

type Refused = NonNullable<View['activity']>['refused'][number]

function RefusedRow(props: { threadId: string; refused: Refused; mayAllow: boolean }) {
  const { t } = useTranslation('network')
  const allow = useAllowName(props.threadId)
  const showError = useErrorToast()
  const { name, count, reason } = props.refused
  return (
    <li>
      <div className="grow">
        <b className="mono">{name}</b>
        <p className="facts">
          {[t('times', { count }), ...(reason === 'policy' ? [] : [t(`reason.${reason}`)])].join(' · ')}
        </p>
      </div>
      {props.mayAllow && canBeAllowed(name) && (
        <Button
          size="sm"
          aria-label={t('allowOf', { name })}
          isLoading={allow.isPending}
          onClick={() => allow.mutate(name, { onSuccess: () => showToast(t('allowed', { name })), onError: showError })}
        >
          {t('allow')}
        </Button>
      )}
    </li>
  )
}
