import { type FormEvent, type ReactNode, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { focusFirstInvalid } from '../../../page/parts/focus-first-invalid.ts'
import { FormProblem } from '../../../page/parts/form-problem.tsx'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { DialogActions } from '../../../ui/dialog-actions.tsx'
import { type LimitFields, wrongField } from '../state/limit-fields.ts'
import { LimitInputs } from './limit-inputs.tsx'

/** A dialog with the fields of all limits, and what the caller adds above them. */
export function LimitsFormDialog(props: {
  title: string
  help: string
  initial: LimitFields
  /** Not shown in the fields, and decides with them whether the form can be sent. */
  isComplete?: boolean
  above?: ReactNode
  isPending: boolean
  error: Error | null
  onSave: (fields: LimitFields) => void
  onClose: () => void
}) {
  const { t } = useTranslation(['usage', 'common'])
  const formId = useId()
  const [fields, setFields] = useState(props.initial)
  const [wasSent, setWasSent] = useState(false)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    setWasSent(true)
    if (wrongField(fields) !== undefined || props.isComplete === false) return focusFirstInvalid(event.currentTarget)
    props.onSave(fields)
  }
  return (
    <Dialog
      isOpen
      onOpenChange={(isOpen) => !isOpen && props.onClose()}
      title={props.title}
      closeLabel={t('common:close')}
      footer={
        <DialogActions cancelLabel={t('common:cancel')} onCancel={props.onClose}>
          <Button size="md" variant="primary" type="submit" form={formId} isLoading={props.isPending}>
            {t('limits.save')}
          </Button>
        </DialogActions>
      }
    >
      <form id={formId} className="model-form" onSubmit={submit} noValidate>
        {props.above}
        <LimitInputs fields={fields} help={props.help} showsProblems={wasSent} onChange={setFields} />
        {props.error !== null && <FormProblem error={props.error} />}
      </form>
    </Dialog>
  )
}
