import { useTranslation } from 'react-i18next'
import { relativeTime } from '../../../i18n/relative-time.ts'
import { Group } from '../../../page/parts/section.tsx'
import { useErrorToast } from '../../../page/parts/use-error-toast.ts'
import { Button } from '../../../ui/button.tsx'
import { useConnectIdentity, useDisconnectIdentity, useIdentities, useSignInButtons } from '../api/providers.queries.ts'
import { ProviderProblem } from './provider-buttons.tsx'

/** The providers that are connected to one’s account. Hidden where there is none. */
export function IdentitiesGroup() {
  const { t, i18n } = useTranslation('signIn')
  const providers = useSignInButtons().data?.providers ?? []
  const identities = useIdentities().data?.identities ?? []
  const connect = useConnectIdentity()
  const disconnect = useDisconnectIdentity()
  const showError = useErrorToast()
  if (providers.length === 0) return null
  const others = providers.filter(({ id }) => identities.every(({ providerId }) => providerId !== id))
  // The server puts it there when a provider’s account could not be connected.
  const problem = new URLSearchParams(location.search).get('problem') ?? undefined
  return (
    <Group title={t('you.title')}>
      <ProviderProblem code={problem} />
      {identities.length === 0 && <p className="nothing">{t('you.empty')}</p>}
      <ul className="rows">
        {identities.map(({ id, providerName, email, usedAt }) => (
          <li key={id} className="row row-line">
            <div className="grow">
              <b>{providerName}</b>
              <p className="facts">
                {t('you.since', {
                  email: email ?? '–',
                  when: relativeTime(usedAt, { now: Date.now(), locale: i18n.language }),
                })}
              </p>
            </div>
            <Button
              aria-label={t('you.disconnectOf', { name: providerName })}
              isLoading={disconnect.isPending && disconnect.variables === id}
              onClick={() => disconnect.mutate(id, { onError: showError })}
            >
              {t('you.disconnect')}
            </Button>
          </li>
        ))}
      </ul>
      {others.map(({ id, name }) => (
        <Button
          key={id}
          isLoading={connect.isPending && connect.variables === id}
          onClick={() => connect.mutate(id, { onError: showError })}
        >
          {t('you.connect', { name })}
        </Button>
      ))}
    </Group>
  )
}
