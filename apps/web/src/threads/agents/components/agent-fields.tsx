import { useTranslation } from 'react-i18next'
import { InheritedModelField } from '../../../people/models/components/inherited-model-field.tsx'
import { Field } from '../../../ui/field.tsx'
import { Input } from '../../../ui/input.tsx'
import { TextAreaField } from '../../../ui/text-area-field.tsx'
import { AgentChoiceFields, type AgentChoices } from './agent-choices.tsx'

export type AgentForm = AgentChoices & {
  name: string
  description: string
  instructions: string
  modelId: string | null
}

/** The editable fields of an agent. */
export function AgentFields(props: { form: AgentForm; onForm: (form: AgentForm) => void; workspaceId: string | null }) {
  const { t } = useTranslation('agents')
  const { form, onForm, workspaceId } = props
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
        <InheritedModelField
          label={t('model')}
          inheritedLabel={t('inheritedModel')}
          modelId={form.modelId}
          onModel={(modelId) => onForm({ ...form, modelId })}
        />
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
      <TextAreaField
        label={t('instructions')}
        help={t('instructionsHelp')}
        value={form.instructions}
        maxLength={20_000}
        onValue={(instructions) => onForm({ ...form, instructions })}
      />
      <AgentChoiceFields
        choices={form}
        workspaceId={workspaceId}
        onChoices={({ skillIds, connectionIds }) => onForm({ ...form, skillIds, connectionIds })}
      />
    </>
  )
}
