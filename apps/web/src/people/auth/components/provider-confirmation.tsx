import type { Identity } from '@threadbox/sdk'
import { useTranslation } from 'react-i18next'
import { FormProblem } from '../../../page/parts/form-problem.tsx'
import { Button } from '../../../ui/button.tsx'
import { useConfirmAtProvider } from '../api/providers.queries.ts'

/** Confirms by signing in at a connected provider again. */
export function ProviderConfirmation(props: { identities: readonly Identity[] }) {
  const { t } = useTranslation('signIn')
  const confirm = useConfirmAtProvider()
  const providers = new Map(props.identities.map(({ providerId, providerName }) => [providerId, providerName]))
  if (providers.size === 0) return null
  return (
    <div className="auth-providers">
      {confirm.error !== null && <FormProblem error={confirm.error} />}
      {[...providers].map(([id, name]) => (
        <Button
          key={id}
          size="md"
          isBlock
          isLoading={confirm.isPending && confirm.variables === id}
          onClick={() => confirm.mutate(id)}
        >
          {t('continue', { name })}
        </Button>
      ))}
      <p className="help">{t('confirmAgain')}</p>
    </div>
  )
}
