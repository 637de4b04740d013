import { useTranslation } from 'react-i18next'
import { Field } from '../../../ui/field.tsx'
import { Select } from '../../../ui/select.tsx'
import { useWorkspaces } from '../../workspaces/api/workspaces.queries.ts'

/** A select has no empty value. */
const everywhere = 'everywhere'

/** Which threads a skill is for: all of the person (null), or those of a workspace. */
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
