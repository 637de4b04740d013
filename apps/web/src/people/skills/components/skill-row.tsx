import type { Skill } from '@threadbox/sdk'
import { Download, Ellipsis, FolderInput, Trash2, Upload } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { relativeTime } from '../../../i18n/relative-time.ts'
import { useClient } from '../../../page/client/client.ts'
import { download } from '../../../page/client/download.ts'
import { useFormat } from '../../../page/client/use-format.ts'
import { Button } from '../../../ui/button.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { Menu, MenuItem } from '../../../ui/menu.tsx'

/** The name and description of a skill, and its actions. */
export function SkillRow(props: {
  skill: Skill
  onEdit: () => void
  onMove: () => void
  onRemove: () => void
  onReplace: () => void
}) {
  const { t, i18n } = useTranslation('skills')
  const format = useFormat()
  const client = useClient()
  const { skill } = props
  const facts = [
    t('files', { count: skill.fileCount }),
    format.bytes(skill.sizeBytes),
    skill.license,
    t('changed', { when: relativeTime(skill.updatedAt, { now: Date.now(), locale: i18n.language }) }),
  ]
  return (
    <li className="row row-line">
      <div className="grow">
        <b className="mono">{skill.name}</b>
        <p className="skill-description">{skill.description}</p>
        <p className="facts" title={format.fullMoment(skill.updatedAt)}>
          {facts.filter((fact) => fact !== null).join(' · ')}
        </p>
        {skill.compatibility !== null && <p className="facts">{t('needs', { what: skill.compatibility })}</p>}
      </div>
      <Button aria-label={t('editOf', { name: skill.name })} onClick={props.onEdit}>
        {t('edit')}
      </Button>
      <Menu
        align="end"
        label={t('moreOf', { name: skill.name })}
        trigger={
          <IconButton label={t('moreOf', { name: skill.name })}>
            <Ellipsis className="i" size={16} />
          </IconButton>
        }
      >
        <MenuItem icon={<Upload className="i" size={14} />} onSelect={props.onReplace}>
          {t('replace')}
        </MenuItem>
        <MenuItem icon={<FolderInput className="i" size={14} />} onSelect={props.onMove}>
          {t('move')}
        </MenuItem>
        <MenuItem
          icon={<Download className="i" size={14} />}
          onSelect={() => download(client.skills.archiveUrl(skill.id))}
        >
          {t('download')}
        </MenuItem>
        <MenuItem icon={<Trash2 className="i" size={14} />} isDanger onSelect={props.onRemove}>
          {t('remove')}
        </MenuItem>
      </Menu>
    </li>
  )
}
