import type { Passkey } from '@threadbox/sdk'
import { type FormEvent, type ReactNode, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { focusFirstInvalid } from '../../../page/parts/focus-first-invalid.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { DialogActions } from '../../../ui/dialog-actions.tsx'
import { Field } from '../../../ui/field.tsx'
import { Input } from '../../../ui/input.tsx'
import { useAddPasskey, useRenamePasskey } from '../api/passkeys.queries.ts'
import { PasskeyProblem } from './passkey-problem.tsx'

/** Names a new passkey, then the browser asks for the device. */
export function AddPasskeyDialog(props: { device: string; onClose: () => void }) {
  const { t } = useTranslation('passkeys')
  const add = useAddPasskey()
  return (
    <NameDialog
      title={t('addTitle')}
      description={t('addText')}
      first={props.device}
      action={add.isPending ? t('adding') : t('addAction')}
      isPending={add.isPending}
      problem={add.error === null ? null : <PasskeyProblem error={add.error} />}
      onNamed={(name) => add.mutate(name, { onSuccess: props.onClose })}
      onClose={props.onClose}
    />
  )
}

export function RenamePasskeyDialog(props: { passkey: Passkey; onClose: () => void }) {
  const { t } = useTranslation('passkeys')
  const rename = useRenamePasskey()
  const { id, name } = props.passkey
  return (
    <NameDialog
      title={t('renameOf', { name })}
      description={t('renameText')}
      first={name}
      action={rename.isPending ? t('saving') : t('save')}
      isPending={rename.isPending}
      problem={rename.error === null ? null : <PasskeyProblem error={rename.error} />}
      onNamed={(wanted) => rename.mutate({ id, name: wanted }, { onSuccess: props.onClose })}
      onClose={props.onClose}
    />
  )
}

function NameDialog(props: {
  title: string
  description: string
  first: string
  action: string
  isPending: boolean
  problem: ReactNode
  onNamed: (name: string) => void
  onClose: () => void
}) {
  const { t } = useTranslation(['passkeys', 'auth', 'common'])
  const formId = useId()
  const [name, setName] = useState(props.first)
  const [wasSent, setWasSent] = useState(false)
  const isMissing = name.trim() === ''
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    setWasSent(true)
    if (isMissing) return focusFirstInvalid(event.currentTarget)
    props.onNamed(name.trim())
  }
  return (
    <Dialog
      isOpen
      onOpenChange={(isOpen) => !isOpen && props.onClose()}
      title={props.title}
      description={props.description}
      closeLabel={t('common:close')}
      footer={
        <DialogActions cancelLabel={t('common:cancel')} onCancel={props.onClose}>
          <Button size="md" variant="primary" type="submit" form={formId} isLoading={props.isPending}>
            {props.action}
          </Button>
        </DialogActions>
      }
    >
      <form id={formId} className="model-form" onSubmit={submit} noValidate>
        <Field label={t('name')} error={wasSent && isMissing ? t('auth:problem.missing') : undefined}>
          {(control) => (
            <Input
              {...control}
              value={name}
              maxLength={80}
              autoComplete="off"
              onChange={(event) => setName(event.target.value)}
            />
          )}
        </Field>
        {props.problem}
      </form>
    </Dialog>
  )
}
