import { useNavigate } from '@tanstack/react-router'
import type { Session } from '@threadbox/sdk'
import { useTranslation } from 'react-i18next'
import { relativeTime } from '../../../i18n/relative-time.ts'
import { useFormat } from '../../../page/client/use-format.ts'
import { Loaded } from '../../../page/parts/loaded.tsx'
import { Group } from '../../../page/parts/section.tsx'
import { useErrorToast } from '../../../page/parts/use-error-toast.ts'
import { useEndSession, useSessions, useSignOut } from '../../../people/auth/api/session.queries.ts'
import { Button } from '../../../ui/button.tsx'
import { deviceOf } from '../state/device-name.ts'

/** Your sessions, each with a button to sign out. */
export function SessionsGroup() {
  const { t } = useTranslation('settings')
  const sessions = useSessions()
  return (
    <Group title={t('you.sessionsTitle')}>
      <Loaded query={sessions}>
        {(list) =>
          list.length === 0 ? (
            <p className="nothing">{t('you.sessionsEmpty')}</p>
          ) : (
            <ul className="rows">
              {list
                .toSorted(
                  (left, right) => Number(right.isCurrent) - Number(left.isCurrent) || right.createdAt - left.createdAt,
                )
                .map((session) => (
                  <SessionRow key={session.id} session={session} />
                ))}
            </ul>
          )
        }
      </Loaded>
    </Group>
  )
}

function SessionRow(props: { session: Session }) {
  const { t, i18n } = useTranslation('settings')
  const format = useFormat()
  const endSession = useEndSession()
  const showError = useErrorToast()
  const { session } = props
  const { browser, system } = deviceOf(session.userAgent)
  const device =
    browser === null || system === null
      ? (browser ?? system ?? t('you.deviceUnknown'))
      : t('you.device', { browser, system })
  const now = Date.now()
  return (
    <li className="row row-line">
      <div className="grow">
        <b>{device}</b> {session.isCurrent && <span className="badge badge--acc">{t('you.thisDevice')}</span>}
        <p className="facts" title={format.fullMoment(session.createdAt)}>
          {t('you.signedInAt', {
            when: relativeTime(session.createdAt, { now, locale: i18n.language }),
            until: format.moment(session.expiresAt, now),
          })}
        </p>
      </div>
      {session.isCurrent ? (
        <SignOutButton />
      ) : (
        <Button
          isLoading={endSession.isPending}
          aria-label={t('you.endSessionOf', { device })}
          onClick={() => endSession.mutate(session.id, { onError: showError })}
        >
          {t('you.endSession')}
        </Button>
      )}
    </li>
  )
}

function SignOutButton() {
  const { t } = useTranslation('settings')
  const navigate = useNavigate()
  const signOut = useSignOut()
  const showError = useErrorToast()
  const leave = () =>
    signOut.mutate(undefined, { onSuccess: () => void navigate({ to: '/login', replace: true }), onError: showError })
  return (
    <Button isLoading={signOut.isPending} onClick={leave}>
      {signOut.isPending ? t('you.signingOut') : t('you.signOut')}
    </Button>
  )
}
