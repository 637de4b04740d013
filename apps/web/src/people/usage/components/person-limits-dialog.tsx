import type { Person, PersonQuotas, QuotaLimits } from '@threadbox/sdk'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Loaded } from '../../../page/parts/loaded.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Field } from '../../../ui/field.tsx'
import { Select } from '../../../ui/select.tsx'
import { usePersonQuotas, useQuotaPresets, useUpdatePersonQuotas } from '../api/quotas.queries.ts'
import { fieldsOf, type LimitFields, limitsOf, quotaNames } from '../state/limit-fields.ts'
import { LimitsFormDialog } from './limits-form-dialog.tsx'

/** The preset of a person, and limits that replace those of the preset. */
export function PersonLimitsDialog({ person, onClose }: { person: Person; onClose: () => void }) {
  const { t } = useTranslation(['usage', 'common'])
  const quotas = usePersonQuotas(person.id)
  if (quotas.data !== undefined) return <LoadedDialog person={person} quotas={quotas.data} onClose={onClose} />
  return (
    <Dialog
      isOpen
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title={t('limits.editOf', { name: person.name })}
      closeLabel={t('common:close')}
    >
      <Loaded query={quotas}>{() => null}</Loaded>
    </Dialog>
  )
}

/** No preset: that of the role. */
const ofRole = 'of-role'

function LoadedDialog({ person, quotas, onClose }: { person: Person; quotas: PersonQuotas; onClose: () => void }) {
  const { t } = useTranslation('usage')
  const presets = useQuotaPresets().data ?? []
  const update = useUpdatePersonQuotas()
  const [preset, setPreset] = useState(quotas.presetId ?? ofRole)
  const save = (fields: LimitFields) =>
    update.mutate(
      { id: person.id, presetId: preset === ofRole ? null : preset, assigned: assignedOf(fields) },
      { onSuccess: onClose },
    )
  return (
    <LimitsFormDialog
      title={t('limits.editOf', { name: person.name })}
      help={t('limits.overrideHelp')}
      initial={fieldsOf(quotas.assigned)}
      above={
        <Field label={t('limits.preset')}>
          {(control) => (
            <Select
              id={control.id}
              value={preset}
              options={[
                { value: ofRole, label: t('limits.ofRole') },
                ...presets.map(({ id, name }) => ({ value: id, label: name })),
              ]}
              onChange={setPreset}
            />
          )}
        </Field>
      }
      isPending={update.isPending}
      error={update.error}
      onSave={save}
      onClose={onClose}
    />
  )
}

/** An empty field means here that the preset’s limit applies. */
function assignedOf(fields: LimitFields): Partial<QuotaLimits> {
  const limits = limitsOf(fields)
  return Object.fromEntries(quotaNames.filter((quota) => limits[quota] !== null).map((quota) => [quota, limits[quota]]))
}
