import { useTranslation } from 'react-i18next'
import { useThreadSkills } from '../api/skills.queries.ts'

/** The skills of a thread, and where each comes from. Empty if there are none. */
export function ThreadSkills(props: { threadId: string }) {
  const { t } = useTranslation('skills')
  const skills = useThreadSkills(props.threadId)
  if (skills.data === undefined || skills.data.length === 0) return null
  return (
    <section className="sec" aria-label={t('title')}>
      <div className="sec-h">{t('title')}</div>
      <ul className="skill-files">
        {skills.data.map((skill) => (
          <li key={skill.id} title={skill.description}>
            <code className="mono grow trunc">{`/skills/${skill.name}`}</code>
            <span className={skill.from === 'workspace' ? 'badge badge--acc' : 'badge'}>{t(`from.${skill.from}`)}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
