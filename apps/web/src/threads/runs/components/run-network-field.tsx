import type { Schedule } from '@threadbox/sdk'
import { useTranslation } from 'react-i18next'
import { Field } from '../../../ui/field.tsx'
import { Select } from '../../../ui/select.tsx'

type Policy = Schedule['network']

/** Proposed for new triggers: their runs start without a person. */
export const proposedRunNetwork: Policy = { kind: 'allowlist', names: [], presets: ['package-registries'] }

const choices = { inherit: null, registries: proposedRunNetwork, none: { kind: 'none' } } as const satisfies Record<
  string,
  Policy
>
type Choice = keyof typeof choices

/** What the sandboxes of a trigger’s runs can reach. A list that was set through the API is kept until another choice. */
export function RunNetworkField(props: { value: Policy; onChange: (policy: Policy) => void }) {
  const { t } = useTranslation('runs')
  const { value, onChange } = props
  const known = (Object.keys(choices) as Choice[]).find((choice) => isSame(choices[choice], value))
  const own = known === undefined ? (['own'] as const) : []
  return (
    <Field label={t('networkLabel')} help={t('networkHelp')}>
      {(control) => (
        <Select
          id={control.id}
          value={known ?? 'own'}
          options={[...(Object.keys(choices) as Choice[]), ...own].map((choice) => ({
            value: choice,
            label: t(`network.${choice}`),
          }))}
          onChange={(choice) => choice !== 'own' && onChange(choices[choice])}
        />
      )}
    </Field>
  )
}

function isSame(one: Policy, other: Policy): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
