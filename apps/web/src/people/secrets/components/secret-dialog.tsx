import type { Secret } from '@threadbox/sdk'
import { type FormEvent, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { focusFirstInvalid } from '../../../page/parts/focus-first-invalid.ts'
import { FormProblem } from '../../../page/parts/form-problem.tsx'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { DialogActions } from '../../../ui/dialog-actions.tsx'
import { useSaveSecret } from '../api/secrets.queries.ts'
import {
  createSecretRequest,
  type FoundSecret,
  secretFormOf,
  secretProblemsOf,
  updateSecretRequest,
} from '../state/secret-form.ts'
import { SecretFields } from './secret-fields.tsx'

/** Adds or edits a secret. `found`: a key from a message, to begin with. */
export function SecretDialog(props: {
  saved: Secret | null
  found?: FoundSecret
  onSaved?: (secret: Secret) => void
  onClose: () => void
}) {
  const { t } = useTranslation(['secrets', 'common'])
  const { saved } = props
  const formId = useId()
  const save = useSaveSecret()
  const [form, setForm] = useState(() => secretFormOf(saved, props.found))
  const [wasSent, setWasSent] = useState(false)
  const problems = secretProblemsOf(form, saved)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    setWasSent(true)
    if (Object.keys(problems).length > 0) return focusFirstInvalid(event.currentTarget)
    const { workspaceIds } = form
    const order =
      saved === null
        ? { request: createSecretRequest(form), workspaceIds }
        : { id: saved.id, request: updateSecretRequest(form), workspaceIds }
    save.mutate(order, {
      onSuccess: (secret) => {
        props.onSaved?.(secret)
        props.onClose()
      },
    })
  }
  return (
    <Dialog
      isOpen
      onOpenChange={(isOpen) => !isOpen && props.onClose()}
      title={saved === null ? t('add') : t('dialog.editTitle', { name: saved.name })}
      description={t('dialog.lead')}
      closeLabel={t('common:close')}
      footer={
        <DialogActions cancelLabel={t('common:cancel')} onCancel={props.onClose}>
          <Button size="md" variant="primary" type="submit" form={formId} isLoading={save.isPending}>
            {save.isPending ? t('dialog.saving') : t('dialog.save')}
          </Button>
        </DialogActions>
      }
    >
      <form id={formId} className="model-form" onSubmit={submit} noValidate>
        <SecretFields
          form={form}
          saved={saved}
          problems={wasSent ? problems : {}}
          onChange={(part) => {
            setForm({ ...form, ...part })
            save.reset()
          }}
        />
        {save.error !== null && <FormProblem error={save.error} />}
      </form>
    </Dialog>
  )
}
