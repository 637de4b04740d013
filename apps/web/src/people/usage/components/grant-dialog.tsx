import type { QuotaRequest } from '@threadbox/sdk'
import { type FormEvent, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { focusFirstInvalid } from '../../../page/parts/focus-first-invalid.ts'
import { FormProblem } from '../../../page/parts/form-problem.tsx'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { DialogActions } from '../../../ui/dialog-actions.tsx'
import { Field } from '../../../ui/field.tsx'
import { Select } from '../../../ui/select.tsx'
import { usePersonName } from '../../team/api/people.queries.ts'
import { useDecideQuotaRequest } from '../api/quotas.queries.ts'
import { fieldsOf, limitOf } from '../state/limit-fields.ts'
import { LimitInputs } from './limit-inputs.tsx'

const dayChoices = ['1', '7', '30', 'always'] as const
const dayMs = 86_400_000

/** Grants a higher limit, for some days or for ever. */
export function GrantDialog({ request, onClose }: { request: QuotaRequest; onClose: () => void }) {
  const { t } = useTranslation(['usage', 'common'])
  const formId = useId()
  const { id, quota } = request
  const name = usePersonName(request.userId) ?? t('former')
  const decide = useDecideQuotaRequest()
  const [fields, setFields] = useState(fieldsOf({}))
  const [days, setDays] = useState<(typeof dayChoices)[number]>('30')
  const [wasSent, setWasSent] = useState(false)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    setWasSent(true)
    const limit = limitOf(quota, fields[quota])
    if (limit === undefined) return focusFirstInvalid(event.currentTarget)
    const until = days === 'always' ? {} : { until: Date.now() + Number(days) * dayMs }
    decide.mutate({ id, limit, ...until }, { onSuccess: onClose })
  }
  return (
    <Dialog
      isOpen
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title={t('limits.grantOf', { name })}
      closeLabel={t('common:close')}
      footer={
        <DialogActions cancelLabel={t('common:cancel')} onCancel={onClose}>
          <Button size="md" variant="primary" type="submit" form={formId} isLoading={decide.isPending}>
            {t('limits.grant')}
          </Button>
        </DialogActions>
      }
    >
      <form id={formId} className="model-form" onSubmit={submit} noValidate>
        <LimitInputs
          fields={fields}
          quotas={[quota]}
          help={t('limits.emptyHelp')}
          showsProblems={wasSent}
          onChange={setFields}
        />
        <Field label={t('limits.validFor')}>
          {(control) => (
            <Select
              id={control.id}
              value={days}
              options={dayChoices.map((value) => ({
                value,
                label: value === 'always' ? t('limits.always') : t('limits.days', { count: Number(value) }),
              }))}
              onChange={setDays}
            />
          )}
        </Field>
        {decide.error !== null && <FormProblem error={decide.error} />}
      </form>
    </Dialog>
  )
}
