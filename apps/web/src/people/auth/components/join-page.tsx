import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { Join, Me, ResetPassword, SignInLink } from '@threadbox/sdk'
import { type FormEvent, type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useClient } from '../../../page/client/client.ts'
import { queryKeys } from '../../../page/client/query-keys.ts'
import { focusFirstInvalid } from '../../../page/parts/focus-first-invalid.ts'
import { FormProblem } from '../../../page/parts/form-problem.tsx'
import { PasswordField } from '../../../page/parts/password-field.tsx'
import { useDocumentTitle } from '../../../page/parts/use-document-title.ts'
import { Button } from '../../../ui/button.tsx'
import { Field } from '../../../ui/field.tsx'
import { Input } from '../../../ui/input.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { checkPassword, passwordBounds } from '../state/password-rules.ts'
import { serverProblemsOf } from '../state/server-problems.ts'
import { problemsOfSignUp, type SignUpForm } from '../state/sign-up-form.ts'
import { AuthSheet } from './auth-sheet.tsx'
import { PasswordMeasure } from './password-measure.tsx'
import { ProviderButtons } from './provider-buttons.tsx'

/** The secret of the link: its fragment, which no server and no log gets with the page. */
function secretOfLink(): string {
  return location.hash.slice(1)
}

/** Creates an account with an invite. */
export function JoinPage() {
  const { t } = useTranslation('people')
  useDocumentTitle(t('join.title'))
  return (
    <WithLink kind="invite">
      {(link, secret) => (
        <>
          <JoinForm link={link} secret={secret} />
          <ProviderButtons secret={secret} />
        </>
      )}
    </WithLink>
  )
}

/** Sets a new password with a link from an administrator. */
export function ResetPage() {
  const { t } = useTranslation('people')
  useDocumentTitle(t('reset.title'))
  return <WithLink kind="reset">{(_, secret) => <ResetForm secret={secret} />}</WithLink>
}

/** Checks the link, which uses nothing up, before anything is asked. */
function WithLink(props: { kind: SignInLink['kind']; children: (link: SignInLink, secret: string) => ReactNode }) {
  const { t } = useTranslation('people')
  const client = useClient()
  const [secret] = useState(secretOfLink)
  const link = useQuery({
    queryKey: queryKeys.signInLink(secret),
    queryFn: () => client.people.readLink(secret),
    retry: false,
    gcTime: 0,
  })
  const isOther = link.data !== undefined && link.data.kind !== props.kind
  return (
    <AuthSheet>
      {link.data !== undefined && !isOther ? (
        props.children(link.data, secret)
      ) : link.isPending ? (
        <Skeleton rows={4} label={t('join.checking')} />
      ) : (
        <>
          <h1>{t('join.invalid')}</h1>
          {link.error !== null && <FormProblem error={link.error} />}
        </>
      )}
    </AuthSheet>
  )
}

/** Signs in what the server responded with, and opens the app. */
function useEntered() {
  const queries = useQueryClient()
  const navigate = useNavigate()
  return (me: Me) => {
    queries.clear()
    queries.setQueryData(queryKeys.me, me)
    void navigate({ to: '/', replace: true })
  }
}

function JoinForm({ link, secret }: { link: SignInLink; secret: string }) {
  const { t } = useTranslation(['people', 'auth'])
  const client = useClient()
  const entered = useEntered()
  const join = useMutation({ mutationFn: (request: Join) => client.people.join(request), onSuccess: entered })
  const [form, setForm] = useState<SignUpForm>({ name: '', email: link.email ?? '', password: '' })
  const [wasSent, setWasSent] = useState(false)
  const problems = problemsOfSignUp(form)
  const fromServer = serverProblemsOf(join.error, ['name', 'email', 'password'])
  const change = (part: Partial<SignUpForm>) => {
    setForm({ ...form, ...part })
    join.reset()
  }
  const errorOf = (field: keyof SignUpForm) => {
    const problem = problems[field]
    if (wasSent && problem !== undefined) return t(`auth:problem.${problem}`, passwordBounds)
    return fromServer.fields[field]
  }
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    setWasSent(true)
    if (Object.keys(problems).length > 0) return focusFirstInvalid(event.currentTarget)
    join.mutate({ secret, name: form.name.trim(), email: form.email.trim(), password: form.password })
  }
  return (
    <form onSubmit={submit} noValidate>
      <h1>{t('join.title')}</h1>
      <p className="muted auth-lead">{t('join.lead')}</p>
      <Field label={t('auth:setup.name')} error={errorOf('name')}>
        {(control) => (
          <Input
            {...control}
            value={form.name}
            autoComplete="name"
            onChange={(event) => change({ name: event.target.value })}
          />
        )}
      </Field>
      <Field
        label={t('auth:setup.email')}
        help={link.email === null ? undefined : t('join.forEmail', { email: link.email })}
        error={errorOf('email')}
      >
        {(control) => (
          <Input
            {...control}
            type="email"
            value={form.email}
            autoComplete="username"
            onChange={(event) => change({ email: event.target.value })}
          />
        )}
      </Field>
      <PasswordField
        label={t('auth:setup.password')}
        value={form.password}
        onChange={(password) => change({ password })}
        autoComplete="new-password"
        help={<PasswordMeasure password={form.password} />}
        error={errorOf('password')}
      />
      {join.error !== null && !fromServer.isShownAtFields && <FormProblem error={join.error} />}
      <Button type="submit" variant="primary" size="lg" isBlock isLoading={join.isPending}>
        {join.isPending ? t('join.submitting') : t('join.submit')}
      </Button>
    </form>
  )
}

function ResetForm({ secret }: { secret: string }) {
  const { t } = useTranslation(['people', 'auth'])
  const client = useClient()
  const entered = useEntered()
  const reset = useMutation({
    mutationFn: (request: ResetPassword) => client.people.resetPassword(request),
    onSuccess: entered,
  })
  const [password, setPassword] = useState('')
  const [wasSent, setWasSent] = useState(false)
  const { problem } = checkPassword(password)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    setWasSent(true)
    if (problem !== null) return focusFirstInvalid(event.currentTarget)
    reset.mutate({ secret, password })
  }
  return (
    <form onSubmit={submit} noValidate>
      <h1>{t('reset.title')}</h1>
      <p className="muted auth-lead">{t('reset.lead')}</p>
      <PasswordField
        label={t('reset.password')}
        value={password}
        onChange={setPassword}
        autoComplete="new-password"
        help={<PasswordMeasure password={password} />}
        error={wasSent && problem !== null ? t(`auth:problem.${problem}`, passwordBounds) : undefined}
      />
      {reset.error !== null && <FormProblem error={reset.error} />}
      <Button type="submit" variant="primary" size="lg" isBlock isLoading={reset.isPending}>
        {reset.isPending ? t('reset.submitting') : t('reset.submit')}
      </Button>
    </form>
  )
}
