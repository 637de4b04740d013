import type { AgentDraft } from '@threadbox/sdk'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../../page/client/use-format.ts'
import { shownText } from '../../../page/content/state/names.logic.ts'
import { Loaded } from '../../../page/parts/loaded.tsx'
import { Group } from '../../../page/parts/section.tsx'
import { useDraftFile } from '../api/agent-drafts.queries.ts'
import { type DraftChoices, DraftRow, DraftText } from './draft-items.tsx'

type Skill = AgentDraft['skills']['items'][number]

/** The skills in the file, with all their files. */
export function DraftSkills(props: DraftChoices) {
  const { t } = useTranslation('agents')
  const { draft } = props
  const { isAll, items } = draft.skills
  return (
    <Group title={t('skills')}>
      <p className="help">{isAll ? t('review.skillsAll') : t('review.skillsHelp')}</p>
      {!isAll && items.length === 0 && <p className="help">{t('review.skillsNone')}</p>}
      <ul>
        {items.map((skill) => (
          <DraftRow
            key={skill.name}
            choices={props}
            item={skill.here === 'different' ? null : `skill ${skill.name}`}
            label={t('review.skillUse', { name: skill.name })}
            change={skill.change}
          >
            <p className="facts">{shownText(skill.description)}</p>
            {skill.here !== 'new' && <p className="help">{t(`review.skill.${skill.here}`)}</p>}
            <ul>
              {skill.files.map((file) => (
                <SkillFile key={file.path} draftId={draft.id} skill={skill.name} file={file} />
              ))}
            </ul>
          </DraftRow>
        ))}
      </ul>
    </Group>
  )
}

function SkillFile(props: { draftId: string; skill: string; file: Skill['files'][number] }) {
  const { t } = useTranslation('agents')
  const format = useFormat()
  const [isOpen, setOpen] = useState(false)
  const { path, sizeBytes, isExecutable } = props.file
  return (
    <li>
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>
          <code>{shownText(path)}</code>{' '}
          <span className="facts">
            {format.bytes(sizeBytes)}
            {isExecutable && ` · ${t('review.program')}`}
          </span>
        </summary>
        {isOpen && <FileText {...props} />}
      </details>
    </li>
  )
}

function FileText(props: { draftId: string; skill: string; file: Skill['files'][number] }) {
  const { t } = useTranslation('agents')
  const { path } = props.file
  const query = useDraftFile(props.draftId, { skill: props.skill, path })
  return (
    <Loaded query={query}>
      {({ text }) =>
        text === null ? (
          <p className="help">{t('review.notText')}</p>
        ) : (
          <DraftText text={text} label={shownText(path)} />
        )
      }
    </Loaded>
  )
}
