import { ThreadboxError } from '@threadbox/sdk'
import { useTranslation } from 'react-i18next'
import { FormProblem } from '../../../page/parts/form-problem.tsx'
import { Button } from '../../../ui/button.tsx'
import { useSignInButtons, useStartProviderSignIn } from '../api/providers.queries.ts'

/** A button for each provider. `secret`: of the invite that the person has opened. */
export function ProviderButtons(props: { returnTo?: string; secret?: string }) {
  const { t } = useTranslation('signIn')
  const buttons = useSignInButtons()
  const start = useStartProviderSignIn()
  const providers = buttons.data?.providers ?? []
  if (providers.length === 0) return null
  return (
    <div className="auth-providers">
      <p className="muted">{t('or')}</p>
      {start.error !== null && <FormProblem error={start.error} />}
      {providers.map(({ id, name }) => (
        <Button
          key={id}
          size="lg"
          isBlock
          isLoading={start.isPending && start.variables.providerId === id}
          onClick={() => start.mutate({ providerId: id, ...props })}
        >
          {t('continue', { name })}
        </Button>
      ))}
    </div>
  )
}

/** Why a provider’s sign-in was refused: the address has the code, the server its words. */
export function ProviderProblem({ code }: { code: string | undefined }) {
  const problem = useSignInButtons(code).data?.problem
  if (code === undefined || problem === undefined || problem === null) return null
  return <FormProblem error={new ThreadboxError({ ...problem, kind: 'forbidden' })} />
}
