import { type FormEvent, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { FormProblem } from '../../../page/parts/form-problem.tsx'
import { useProblem } from '../../../page/parts/problem.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { DialogActions } from '../../../ui/dialog-actions.tsx'
import { Field } from '../../../ui/field.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { useSetPrivateAddresses } from '../api/network.queries.ts'
import {
  emptyPrivateAddress,
  fieldOfCode,
  type PrivateAddressForm,
  privateAddressOf,
} from '../state/private-address-form.ts'

const fields = ['name', 'port', 'range'] as const

/** Adds a service in a private network. */
export function PrivateAddressDialog(props: { onClose: () => void }) {
  const { t } = useTranslation(['network', 'common'])
  const formId = useId()
  const problemOf = useProblem()
  const save = useSetPrivateAddresses()
  const [form, setForm] = useState(emptyPrivateAddress)
  const problem = save.error === null ? undefined : problemOf(save.error)
  const failed = fieldOfCode(problem?.code)
  const change = (part: Partial<PrivateAddressForm>) => {
    setForm({ ...form, ...part })
    save.reset()
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (save.isPending) return
    save.mutate((present) => [...present, privateAddressOf(form)], {
      onSuccess: () => {
        showToast(t('saved'))
        props.onClose()
      },
    })
  }
  return (
    <Dialog
      isOpen
      onOpenChange={(isOpen) => !isOpen && props.onClose()}
      title={t('private.addTitle')}
      description={t('private.dialogLead')}
      closeLabel={t('common:close')}
      footer={
        <DialogActions cancelLabel={t('common:cancel')} onCancel={props.onClose}>
          <Button size="md" variant="primary" type="submit" form={formId} isLoading={save.isPending}>
            {t('private.add')}
          </Button>
        </DialogActions>
      }
    >
      <form id={formId} className="model-form" onSubmit={submit} noValidate>
        {fields.map((field) => (
          <Field
            key={field}
            label={t(`private.field.${field}`)}
            help={t(`private.help.${field}`)}
            error={failed === field ? `${problem?.message} ${problem?.remedy}` : undefined}
          >
            {(control) => (
              <input
                {...control}
                className="input mono"
                value={form[field]}
                maxLength={1000}
                spellCheck={false}
                autoCapitalize="none"
                autoComplete="off"
                inputMode={field === 'port' ? 'numeric' : undefined}
                onChange={(event) => change({ [field]: event.target.value })}
              />
            )}
          </Field>
        ))}
        {save.error !== null && failed === undefined && <FormProblem error={save.error} />}
      </form>
    </Dialog>
  )
}
