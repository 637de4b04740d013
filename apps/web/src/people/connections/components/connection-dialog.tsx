import type { Connection, ConnectionPreset } from '@threadbox/sdk'
import { type FormEvent, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { focusFirstInvalid } from '../../../page/parts/focus-first-invalid.ts'
import { FormProblem } from '../../../page/parts/form-problem.tsx'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { DialogActions } from '../../../ui/dialog-actions.tsx'
import { useSaveConnection } from '../api/connections.queries.ts'
import { createRequest, emptyForm, formOf, problemsOf, updateRequest } from '../state/connection-form.ts'
import { hasProblems, programProblemsOf } from '../state/program-form.ts'
import { ConnectionFields } from './connection-fields.tsx'

export type ConnectionTarget =
  | { kind: 'add'; preset: ConnectionPreset | null }
  | { kind: 'edit'; connection: Connection }

/**
 * Adds or edits a connection. It is stored before its server is contacted, so the dialog closes even if that fails. The
 * row then shows the reason, beside the button that opens this dialog again.
 */
export function ConnectionDialog(props: { target: ConnectionTarget; onClose: () => void }) {
  const { t } = useTranslation(['connections', 'common'])
  const { target } = props
  const formId = useId()
  const save = useSaveConnection()
  const saved = target.kind === 'edit' ? target.connection : null
  const preset = target.kind === 'add' ? target.preset : null
  const [form, setForm] = useState(() => (saved === null ? emptyForm(preset) : formOf(saved)))
  const [wasSent, setWasSent] = useState(false)
  const problems = problemsOf(form, saved)
  const programProblems = programProblemsOf(form.program, saved?.program ?? null)
  const isWrong = Object.keys(problems).length > 0 || (form.kind === 'stdio' && hasProblems(programProblems))
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    setWasSent(true)
    if (isWrong) return focusFirstInvalid(event.currentTarget)
    const order =
      saved === null ? { request: createRequest(form, preset) } : { id: saved.id, request: updateRequest(form, saved) }
    save.mutate(order, { onSuccess: props.onClose })
  }
  const title =
    saved !== null
      ? t('dialog.editTitle', { name: saved.name })
      : preset === null
        ? t('dialog.title')
        : t('connectName', { name: preset.name })
  return (
    <Dialog
      isOpen
      onOpenChange={(isOpen) => !isOpen && props.onClose()}
      title={title}
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
        <ConnectionFields
          form={form}
          preset={preset}
          saved={saved}
          problems={wasSent ? problems : {}}
          programProblems={wasSent ? programProblems : { names: {}, values: {} }}
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
