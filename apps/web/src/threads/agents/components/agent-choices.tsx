import { useTranslation } from 'react-i18next'
import { useConnections } from '../../../people/connections/api/connections.queries.ts'
import { useSkills } from '../../../people/skills/api/skills.queries.ts'
import { Field } from '../../../ui/field.tsx'
import { Select } from '../../../ui/select.tsx'

export type AgentChoices = { skillIds: string[] | null; connectionIds: string[] | null }

/** Only the changed choices: some of the others may have been deleted since, and are left as they are. */
export function changedChoices(form: AgentChoices, before: AgentChoices | undefined): Partial<AgentChoices> {
  const { skillIds, connectionIds } = form
  return {
    ...(skillIds === (before?.skillIds ?? null) ? {} : { skillIds }),
    ...(connectionIds === (before?.connectionIds ?? null) ? {} : { connectionIds }),
  }
}

/** The skills and connections available to its threads that an agent can use. Hidden if there are none. */
export function AgentChoiceFields(props: {
  choices: AgentChoices
  onChoices: (choices: AgentChoices) => void
  workspaceId: string | null
}) {
  const { t } = useTranslation('agents')
  const { choices, onChoices, workspaceId } = props
  const isInScope = (one: { workspaceId: string | null }) => one.workspaceId === null || one.workspaceId === workspaceId
  const skills = useSkills().data?.filter(isInScope) ?? []
  const connections = useConnections().data?.filter(isInScope) ?? []
  return (
    <>
      <ChoiceField
        label={t('skills')}
        choices={skills}
        chosen={choices.skillIds}
        onChosen={(skillIds) => onChoices({ ...choices, skillIds })}
      />
      <ChoiceField
        label={t('connections')}
        choices={connections}
        chosen={choices.connectionIds}
        onChosen={(connectionIds) => onChoices({ ...choices, connectionIds })}
      />
    </>
  )
}

/** All of them, including later ones, or only the selected ones. */
function ChoiceField(props: {
  label: string
  choices: readonly { id: string; name: string }[]
  chosen: readonly string[] | null
  onChosen: (chosen: string[] | null) => void
}) {
  const { t } = useTranslation('agents')
  const { label, choices, chosen, onChosen } = props
  if (choices.length === 0 && chosen === null) return null
  const toggle = (id: string) => {
    const next = new Set(chosen)
    if (!next.delete(id)) next.add(id)
    // A deleted one can’t be selected again.
    onChosen(choices.map((choice) => choice.id).filter((one) => next.has(one)))
  }
  return (
    <div className="agent-choice">
      <Field label={label}>
        {({ id }) => (
          <Select
            id={id}
            value={chosen === null ? 'all' : 'these'}
            options={[
              { value: 'all', label: t('allOfThem') },
              { value: 'these', label: t('onlyThese') },
            ]}
            onChange={(value) => onChosen(value === 'all' ? null : [])}
          />
        )}
      </Field>
      {chosen !== null && (
        <fieldset className="findings">
          <legend>{t('chosenOf', { what: label })}</legend>
          {choices.length === 0 && <p className="help">{t('none')}</p>}
          <ul>
            {choices.map(({ id, name }) => (
              <li key={id}>
                <label>
                  <input type="checkbox" checked={chosen.includes(id)} onChange={() => toggle(id)} />
                  <span className="grow">{name}</span>
                </label>
              </li>
            ))}
          </ul>
        </fieldset>
      )}
    </div>
  )
}
