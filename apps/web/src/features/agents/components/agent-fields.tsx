import { useTranslation } from 'react-i18next'
import { Field } from '../../../ui/field.tsx'
import { Input } from '../../../ui/input.tsx'
import { Select } from '../../../ui/select.tsx'
import { useModels } from '../../models/api/models.queries.ts'

export type AgentForm = { name: string; description: string; instructions: string; modelId: string | null }

/** A select has no empty value. */
const inherited = 'inherited'

/** What a person says of an agent. */
export function AgentFields(props: { form: AgentForm; onForm: (form: AgentForm) => void }) {
  const { t } = useTranslation('agents')
  const { form, onForm } = props
  const models = useModels()
  return (
    <>
      <div className="agent-pair">
        <Field label={t('name')}>
          {(control) => (
            <Input
              {...control}
              value={form.name}
              maxLength={80}
              autoComplete="off"
              onChange={(event) => onForm({ ...form, name: event.target.value })}
            />
          )}
        </Field>
        <Field label={t('model')}>
          {({ id }) => (
            <Select
              id={id}
              value={form.modelId ?? inherited}
              options={[
                { value: inherited, label: t('inheritedModel') },
                ...(models.data ?? []).map(({ id: value, name }) => ({ value, label: name })),
              ]}
              onChange={(value) => onForm({ ...form, modelId: value === inherited ? null : value })}
            />
          )}
        </Field>
      </div>
      <Field label={t('description')}>
        {(control) => (
          <Input
            {...control}
            value={form.description}
            maxLength={300}
            autoComplete="off"
            onChange={(event) => onForm({ ...form, description: event.target.value })}
          />
        )}
      </Field>
      <Field label={t('instructions')} help={t('instructionsHelp')}>
        {(control) => (
          <textarea
            {...control}
            className="input"
            rows={4}
            maxLength={20_000}
            value={form.instructions}
            onChange={(event) => onForm({ ...form, instructions: event.target.value })}
          />
        )}
      </Field>
    </>
  )
}
