import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { focusFirstInvalid } from '../../../page/parts/focus-first-invalid.ts'
import { FormProblem } from '../../../page/parts/form-problem.tsx'
import { PasswordField } from '../../../page/parts/password-field.tsx'
import { Group } from '../../../page/parts/section.tsx'
import { useChangePassword } from '../../../people/auth/api/session.queries.ts'
import { PasswordMeasure } from '../../../people/auth/components/password-measure.tsx'
import { checkPassword, passwordBounds } from '../../../people/auth/state/password-rules.ts'
import { serverProblemsOf } from '../../../people/auth/state/server-problems.ts'
import { Button } from '../../../ui/button.tsx'
import { showToast } from '../../../ui/toast.tsx'

const nothing = { current: '', next: '' }

export function PasswordGroup() {
  const { t } = useTranslation(['settings', 'auth'])
  const change = useChangePassword()
  const [form, setForm] = useState(nothing)
  const [wasSent, setWasSent] = useState(false)
  const problem = checkPassword(form.next).problem
  const fromServer = serverProblemsOf(change.error, ['currentPassword', 'newPassword'])
  const edit = (part: Partial<typeof nothing>) => {
    setForm({ ...form, ...part })
    change.reset()
  }
  const finish = () => {
    setForm(nothing)
    setWasSent(false)
    showToast(t('you.passwordChanged'))
  }
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    setWasSent(true)
    if (form.current === '' || problem !== null) return focusFirstInvalid(event.currentTarget)
    change.mutate({ currentPassword: form.current, newPassword: form.next }, { onSuccess: finish })
  }
  const currentError = wasSent && form.current === '' ? t('auth:problem.missing') : fromServer.fields.currentPassword
  const nextError =
    wasSent && problem !== null ? t(`auth:problem.${problem}`, passwordBounds) : fromServer.fields.newPassword
  return (
    <Group title={t('you.passwordTitle')}>
      <form className="settings-form" onSubmit={submit} noValidate>
        <PasswordField
          label={t('you.currentPassword')}
          value={form.current}
          onChange={(current) => edit({ current })}
          autoComplete="current-password"
          error={currentError}
        />
        <PasswordField
          label={t('you.newPassword')}
          value={form.next}
          onChange={(next) => edit({ next })}
          autoComplete="new-password"
          help={<PasswordMeasure password={form.next} />}
          error={nextError}
        />
        {change.error !== null && !fromServer.isShownAtFields && <FormProblem error={change.error} />}
        <div>
          <Button type="submit" size="md" isLoading={change.isPending}>
            {change.isPending ? t('you.changingPassword') : t('you.changePassword')}
          </Button>
        </div>
      </form>
    </Group>
  )
}
