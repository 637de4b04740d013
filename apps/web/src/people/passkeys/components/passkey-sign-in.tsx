import { FingerprintPattern } from 'lucide-react'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { useClient } from '../../../page/client/client.ts'
import { useStable } from '../../../page/client/use-stable.ts'
import { Button } from '../../../ui/button.tsx'
import { useSignInWithPasskey } from '../api/passkeys.queries.ts'
import { passkeyAvailability } from '../state/availability.ts'
import { offerPasskeys } from '../state/ceremony.ts'
import { PasskeyProblem } from './passkey-problem.tsx'

/** Signs in with a passkey: by the button, or from the list that the browser shows in the email field. */
export function PasskeySignIn(props: { onSignedIn: () => void }) {
  const { t } = useTranslation('passkeys')
  const client = useClient()
  const signIn = useSignInWithPasskey()
  const availability = passkeyAvailability()
  const start = useStable((chosen: Parameters<typeof signIn.mutate>[0]) =>
    signIn.mutate(chosen, { onSuccess: props.onSignedIn }),
  )
  useEffect(() => {
    if (availability !== 'available') return
    return offerPasskeys({ request: () => client.passkeys.signInRequest(), onChosen: start })
  }, [availability, client, start])
  return (
    <div className="auth-passkey">
      <p className="auth-or faint">{t('or')}</p>
      {availability === 'available' ? (
        <Button
          size="lg"
          isBlock
          icon={<FingerprintPattern size={16} aria-hidden />}
          isLoading={signIn.isPending}
          onClick={() => start(null)}
        >
          {t('use')}
        </Button>
      ) : (
        <p className="muted">{t(`unavailable.${availability}`)}</p>
      )}
      {signIn.error !== null && <PasskeyProblem error={signIn.error} />}
    </div>
  )
}
