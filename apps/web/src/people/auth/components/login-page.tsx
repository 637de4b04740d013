import { getRouteApi, Navigate, useRouter } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { focusFirstInvalid } from '../../../page/parts/focus-first-invalid.ts'
import { FormProblem } from '../../../page/parts/form-problem.tsx'
import { PasswordField } from '../../../page/parts/password-field.tsx'
import { useDocumentTitle } from '../../../page/parts/use-document-title.ts'
import { Button } from '../../../ui/button.tsx'
import { Field } from '../../../ui/field.tsx'
import { Input } from '../../../ui/input.tsx'
import { PasskeySignIn } from '../../passkeys/components/passkey-sign-in.tsx'
import { useSetupState, useSignIn } from '../api/session.queries.ts'
import { safeReturnPath } from '../state/return-path.ts'
import { problemOfEmail } from '../state/sign-up-form.ts'
import { AuthSheet } from './auth-sheet.tsx'
import { ProviderButtons, ProviderProblem } from './provider-buttons.tsx'

const route = getRouteApi('/login')

/** Signs you in and returns to the page where you were. */
export function LoginPage() {
  const { t } = useTranslation(['auth', 'people'])
  const search = route.useSearch()
  const router = useRouter()
  const setup = useSetupState()
  useDocumentTitle(t('login.title'))
  if (setup.data?.ownerExists === false) return <Navigate to="/setup" replace />
  const version = setup.data?.version
  const returnPath = safeReturnPath(search.return)
  return (
    <AuthSheet footer={version === undefined ? undefined : t('login.footer', { host: location.host, version })}>
      <h1>{t('login.title')}</h1>
      <p className="muted auth-lead" role={search.expired === true ? 'status' : undefined}>
        {search.expired === true ? t('login.expired') : t('login.lead')}
      </p>
      {setup.data?.adminsMayRead === true && <p className="help">{t('people:leaving.opening.on')}</p>}
      <ProviderProblem code={search.problem} />
      <LoginForm returnPath={returnPath} />
      <PasskeySignIn onSignedIn={() => void router.history.replace(returnPath)} />
      <ProviderButtons returnTo={returnPath} />
    </AuthSheet>
  )
}

function LoginForm(props: { returnPath: string }) {
  const { t } = useTranslation('auth')
  const router = useRouter()
  const signIn = useSignIn()
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [wasSent, setWasSent] = useState(false)
  const emailProblem = problemOfEmail(email)
  const passwordProblem = password === '' ? ('missing' as const) : null
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    setWasSent(true)
    if (emailProblem !== null || passwordProblem !== null) return focusFirstInvalid(event.currentTarget)
    signIn.mutate({ email: email.trim(), password }, { onSuccess: () => void router.history.replace(props.returnPath) })
  }
  return (
    <form onSubmit={submit} noValidate>
      <Field
        label={t('login.email')}
        error={wasSent && emailProblem !== null ? t(`problem.${emailProblem}`) : undefined}
      >
        {(control) => (
          <Input
            {...control}
            type="email"
            value={email}
            onChange={(event) => setEmail(event.target.value)}
            autoComplete="username webauthn"
          />
        )}
      </Field>
      <PasswordField
        label={t('login.password')}
        value={password}
        onChange={setPassword}
        autoComplete="current-password"
        error={wasSent && passwordProblem !== null ? t(`problem.${passwordProblem}`) : undefined}
      />
      {signIn.error !== null && <FormProblem error={signIn.error} />}
      <Button type="submit" variant="primary" size="lg" isBlock isLoading={signIn.isPending}>
        {signIn.isPending ? t('login.submitting') : t('login.submit')}
      </Button>
    </form>
  )
}
