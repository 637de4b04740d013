import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useClient } from '../../../page/client/client.ts'
import { answerConfirmation, useIsConfirmationAsked } from '../../../page/client/confirmation.ts'
import { focusFirstInvalid } from '../../../page/parts/focus-first-invalid.ts'
import { FormProblem } from '../../../page/parts/form-problem.tsx'
import { PasswordField } from '../../../page/parts/password-field.tsx'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { DialogActions } from '../../../ui/dialog-actions.tsx'
import { PasskeyConfirmation } from '../../passkeys/components/passkey-confirmation.tsx'
import { useIdentities } from '../api/providers.queries.ts'
import { ProviderConfirmation } from './provider-confirmation.tsx'

/** Asks for the password, a passkey or a connected provider when a request needs it again. The request that asked is then repeated. */
export function ConfirmationDialog() {
  return useIsConfirmationAsked() ? <PasswordAgain /> : null
}

function PasswordAgain() {
  const { t } = useTranslation(['auth', 'common'])
  const client = useClient()
  const formId = useId()
  const [password, setPassword] = useState('')
  const [wasSent, setWasSent] = useState(false)
  const ways = useIdentities().data
  const hasPassword = ways?.hasPassword !== false
  const confirm = useMutation({
    mutationFn: () => client.account.confirm({ password }),
    onSuccess: () => answerConfirmation(true),
    gcTime: 0,
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    // The dialog is rendered inside of no form, but React’s events also reach the one that is behind it.
    event.stopPropagation()
    setWasSent(true)
    if (password === '') return focusFirstInvalid(event.currentTarget)
    confirm.mutate()
  }
  const cancel = () => answerConfirmation(false)
  return (
    <Dialog
      isOpen
      onOpenChange={(isOpen) => !isOpen && cancel()}
      title={t('confirm.title')}
      description={t('confirm.lead')}
      closeLabel={t('common:close')}
      footer={
        <DialogActions cancelLabel={t('common:cancel')} onCancel={cancel}>
          {hasPassword && (
            <Button size="md" variant="primary" type="submit" form={formId} isLoading={confirm.isPending}>
              {confirm.isPending ? t('confirm.submitting') : t('confirm.submit')}
            </Button>
          )}
        </DialogActions>
      }
    >
      <PasskeyConfirmation onConfirmed={() => answerConfirmation(true)} />
      {hasPassword && (
        <form id={formId} className="model-form" onSubmit={submit} noValidate>
          <PasswordField
            label={t('confirm.password')}
            value={password}
            onChange={setPassword}
            autoComplete="current-password"
            error={wasSent && password === '' ? t('problem.missing') : undefined}
          />
          {confirm.error !== null && <FormProblem error={confirm.error} />}
        </form>
      )}
      <ProviderConfirmation identities={ways?.identities ?? []} />
    </Dialog>
  )
}
