import { FingerprintPattern } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../../ui/button.tsx'
import { useConfirmWithPasskey, usePasskeys } from '../api/passkeys.queries.ts'
import { passkeyAvailability } from '../state/availability.ts'
import { PasskeyProblem } from './passkey-problem.tsx'

/** Confirms with a passkey; nothing if the person has none for this page. */
export function PasskeyConfirmation(props: { onConfirmed: () => void }) {
  const { t } = useTranslation('passkeys')
  const passkeys = usePasskeys()
  const confirm = useConfirmWithPasskey()
  const isUsable = passkeys.data?.some(({ host }) => host === location.hostname) === true
  if (!isUsable || passkeyAvailability() !== 'available') return null
  return (
    <div className="auth-passkey">
      <Button
        size="md"
        isBlock
        icon={<FingerprintPattern size={16} aria-hidden />}
        isLoading={confirm.isPending}
        onClick={() => confirm.mutate(undefined, { onSuccess: props.onConfirmed })}
      >
        {t('use')}
      </Button>
      <p className="auth-or faint">{t('or')}</p>
      {confirm.error !== null && <PasskeyProblem error={confirm.error} />}
    </div>
  )
}
