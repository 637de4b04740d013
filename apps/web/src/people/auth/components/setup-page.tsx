import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { focusFirstInvalid } from '../../../page/parts/focus-first-invalid.ts'
import { FormProblem } from '../../../page/parts/form-problem.tsx'
import { PasswordField } from '../../../page/parts/password-field.tsx'
import { useDocumentTitle } from '../../../page/parts/use-document-title.ts'
import { Button } from '../../../ui/button.tsx'
import { Field } from '../../../ui/field.tsx'
import { Input } from '../../../ui/input.tsx'
import { useSetupState, useSignUp } from '../api/session.queries.ts'
import { passwordBounds } from '../state/password-rules.ts'
import { serverProblemsOf } from '../state/server-problems.ts'
import { problemsOfSignUp, type SignUpForm, signUpRequest } from '../state/sign-up-form.ts'
import { AuthSheet } from './auth-sheet.tsx'
import { PasswordMeasure } from './password-measure.tsx'
import { ServerChecks } from './server-checks.tsx'
import { SetupBlocked } from './sign-in-message.tsx'

const route = getRouteApi('/setup')

/** The first page of an installation: creates the owner account with the one-time link. */
export function SetupPage() {
  const { t } = useTranslation('auth')
  const { token } = route.useSearch()
  const setup = useSetupState()
  useDocumentTitle(t('setup.title'))
  if (setup.data?.ownerExists === true) return <SetupBlocked kind="done" />
  if (token === undefined) return <SetupBlocked kind="noToken" />
  return (
    <AuthSheet aside={<ServerChecks />}>
      <OwnerForm token={token} />
    </AuthSheet>
  )
}

const emptyForm: SignUpForm = { name: '', email: '', password: '' }

function OwnerForm(props: { token: string }) {
  const { t } = useTranslation('auth')
  const navigate = useNavigate()
  const signUp = useSignUp()
  const [form, setForm] = useState(emptyForm)
  const [wasSent, setWasSent] = useState(false)
  const problems = problemsOfSignUp(form)
  const fromServer = serverProblemsOf(signUp.error, ['name', 'email', 'password'])
  const change = (part: Partial<SignUpForm>) => {
    setForm({ ...form, ...part })
    signUp.reset()
  }
  const errorOf = (field: keyof SignUpForm) => {
    const problem = problems[field]
    if (wasSent && problem !== undefined) return t(`problem.${problem}`, passwordBounds)
    return fromServer.fields[field]
  }
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    setWasSent(true)
    if (Object.keys(problems).length > 0) return focusFirstInvalid(event.currentTarget)
    signUp.mutate(signUpRequest(form, props.token), { onSuccess: () => void navigate({ to: '/', replace: true }) })
  }
  return (
    <form onSubmit={submit} noValidate>
      <h1>{t('setup.title')}</h1>
      <p className="muted auth-lead">{t('setup.lead')}</p>
      <Field label={t('setup.name')} error={errorOf('name')}>
        {(control) => (
          <Input
            {...control}
            value={form.name}
            onChange={(event) => change({ name: event.target.value })}
            autoComplete="name"
          />
        )}
      </Field>
      <Field label={t('setup.email')} error={errorOf('email')}>
        {(control) => (
          <Input
            {...control}
            type="email"
            value={form.email}
            onChange={(event) => change({ email: event.target.value })}
            autoComplete="username"
          />
        )}
      </Field>
      <PasswordField
        label={t('setup.password')}
        value={form.password}
        onChange={(password) => change({ password })}
        autoComplete="new-password"
        help={<PasswordMeasure password={form.password} />}
        error={errorOf('password')}
      />
      {signUp.error !== null && !fromServer.isShownAtFields && <FormProblem error={signUp.error} />}
      <Button type="submit" variant="primary" size="lg" isBlock isLoading={signUp.isPending}>
        {signUp.isPending ? t('setup.submitting') : t('setup.submit')}
      </Button>
      <p className="faint auth-note">{t('setup.privacy')}</p>
    </form>
  )
}
