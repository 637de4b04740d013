import { Field } from '../../../ui/field.tsx'
import { Select } from '../../../ui/select.tsx'
import { useModels } from '../api/models.queries.ts'

/** A select can’t have an empty value. */
const inherited = 'inherited'

/** One of the models, or the inherited one (null). */
export function InheritedModelField(props: {
  label: string
  help?: string
  inheritedLabel: string
  modelId: string | null
  onModel: (modelId: string | null) => void
}) {
  const models = useModels()
  return (
    <Field label={props.label} help={props.help}>
      {({ id }) => (
        <Select
          id={id}
          value={props.modelId ?? inherited}
          options={[
            { value: inherited, label: props.inheritedLabel },
            ...(models.data ?? []).map(({ id: value, name }) => ({ value, label: name })),
          ]}
          onChange={(value) => props.onModel(value === inherited ? null : value)}
        />
      )}
    </Field>
  )
}
