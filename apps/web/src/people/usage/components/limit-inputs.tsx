import type { QuotaName } from '@threadbox/sdk'
import { useTranslation } from 'react-i18next'
import { Field } from '../../../ui/field.tsx'
import { Input } from '../../../ui/input.tsx'
import { type LimitFields, limitOf, quotaNames } from '../state/limit-fields.ts'

/** One field for each limit. */
export function LimitInputs(props: {
  fields: LimitFields
  quotas?: readonly QuotaName[]
  help: string
  showsProblems: boolean
  onChange: (fields: LimitFields) => void
}) {
  const { t } = useTranslation('usage')
  const { fields, onChange } = props
  return (props.quotas ?? quotaNames).map((quota) => {
    const isWrong = props.showsProblems && limitOf(quota, fields[quota]) === undefined
    return (
      <Field
        key={quota}
        label={t(`limits.name.${quota}`)}
        help={props.help}
        error={isWrong ? t('limits.notALimit') : undefined}
      >
        {(control) => (
          <Input
            {...control}
            inputMode="decimal"
            autoComplete="off"
            value={fields[quota]}
            onChange={(event) => onChange({ ...fields, [quota]: event.target.value })}
          />
        )}
      </Field>
    )
  })
}
