import { useTranslation } from 'react-i18next'
import { Field } from '../../../ui/field.tsx'
import { Select } from '../../../ui/select.tsx'
import { useWorkspaces } from '../../workspaces/api/workspaces.queries.ts'

/** A select can’t have an empty value. */
const everywhere = 'everywhere'

/** The scope of a skill: all threads of the user (null), or those of a workspace. */
export function SkillPlace(props: { workspaceId: string | null; onWorkspaceId: (workspaceId: string | null) => void }) {
  const { t } = useTranslation('skills')
  const workspaces = useWorkspaces().filter(({ archivedAt, id }) => archivedAt === null || id === props.workspaceId)
  return (
    <Field label={t('place')} help={t('placeHelp')}>
      {({ id }) => (
        <Select
          id={id}
          value={props.workspaceId ?? everywhere}
          options={[
            { value: everywhere, label: t('everywhere') },
            ...workspaces.map(({ id: value, name }) => ({ value, label: t('inWorkspace', { name }) })),
          ]}
          onChange={(value) => props.onWorkspaceId(value === everywhere ? null : value)}
        />
      )}
    </Field>
  )
}
