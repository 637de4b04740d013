import type { Skill, SkillBody } from '@threadbox/sdk'
import { FolderUp, Upload } from 'lucide-react'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { LearnMore } from '../../../page/docs/docs-link.tsx'
import { docsPlaces } from '../../../page/docs/docs-places.ts'
import { ConfirmDialog } from '../../../page/parts/confirm-dialog.tsx'
import { FormProblem } from '../../../page/parts/form-problem.tsx'
import { Loaded } from '../../../page/parts/loaded.tsx'
import { Group, SectionHead } from '../../../page/parts/section.tsx'
import { SectionActions } from '../../../page/parts/section-actions.tsx'
import { Button } from '../../../ui/button.tsx'
import { Menu, MenuItem } from '../../../ui/menu.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { useWorkspaces } from '../../workspaces/api/workspaces.queries.ts'
import { type SkillTarget, useDeleteSkill, useSaveSkill, useSkills } from '../api/skills.queries.ts'
import { chosenSkill } from '../state/chosen-skill.ts'
import { groupSkills } from '../state/skill-groups.logic.ts'
import { MoveSkillDialog } from './move-skill-dialog.tsx'
import { EditSkillDialog, NewSkillDialog } from './skill-editor-dialog.tsx'
import { SkillRow } from './skill-row.tsx'

type Open = { kind: 'new' } | { kind: 'edit' | 'move' | 'remove'; skill: Skill }

/** The skills that agents can read: those for all threads, and those of each workspace. */
export function SkillsSection() {
  const { t } = useTranslation('skills')
  const skills = useSkills()
  const workspaces = useWorkspaces()
  const [open, setOpen] = useState<Open | null>(null)
  const close = () => setOpen(null)
  const upload = useUpload()
  return (
    <>
      <SectionHead title={t('title')} lead={t('lead')} />
      <SectionActions addLabel={t('write')} onAdd={() => setOpen({ kind: 'new' })}>
        <UploadMenu isPending={upload.isPending} onChoose={(kind) => upload.choose(kind, { workspaceId: null })} />
      </SectionActions>
      {upload.inputs}
      {upload.error !== null && <FormProblem error={upload.error} title={t('refused')} />}
      <Loaded query={skills}>
        {(list) =>
          groupSkills(list, workspaces).map(({ workspace, skills: own }) => (
            <Group key={workspace?.id ?? ''} title={workspace === null ? t('everywhere') : workspace.name}>
              {own.length === 0 ? (
                <p className="nothing">
                  {t('empty')} <LearnMore to={docsPlaces.skills} />
                </p>
              ) : (
                <ul className="rows">
                  {own.map((skill) => (
                    <SkillRow
                      key={skill.id}
                      skill={skill}
                      onEdit={() => setOpen({ kind: 'edit', skill })}
                      onMove={() => setOpen({ kind: 'move', skill })}
                      onRemove={() => setOpen({ kind: 'remove', skill })}
                      onReplace={() => upload.choose('file', { skillId: skill.id })}
                    />
                  ))}
                </ul>
              )}
            </Group>
          ))
        }
      </Loaded>
      {open?.kind === 'new' && <NewSkillDialog onClose={close} />}
      {open?.kind === 'edit' && <EditSkillDialog skillId={open.skill.id} name={open.skill.name} onClose={close} />}
      {open?.kind === 'move' && <MoveSkillDialog skill={open.skill} onClose={close} />}
      {open?.kind === 'remove' && <RemoveSkillDialog skill={open.skill} onClose={close} />}
    </>
  )
}

function UploadMenu(props: { isPending: boolean; onChoose: (kind: 'file' | 'folder') => void }) {
  const { t } = useTranslation('skills')
  return (
    <Menu
      label={t('upload')}
      trigger={
        <Button size="md" icon={<Upload className="i" size={16} />} isLoading={props.isPending}>
          {t('upload')}
        </Button>
      }
    >
      <MenuItem icon={<Upload className="i" size={14} />} onSelect={() => props.onChoose('file')}>
        {t('uploadFile')}
      </MenuItem>
      <MenuItem icon={<FolderUp className="i" size={14} />} onSelect={() => props.onChoose('folder')}>
        {t('uploadFolder')}
      </MenuItem>
    </Menu>
  )
}

/** Uploads selected files as a skill, or to replace one. */
function useUpload() {
  const { t } = useTranslation('skills')
  const save = useSaveSkill()
  const file = useRef<HTMLInputElement>(null)
  const folder = useRef<HTMLInputElement>(null)
  const target = useRef<SkillTarget>({ workspaceId: null })
  const send = (body: SkillBody) =>
    save.mutate({ target: target.current, body }, { onSuccess: ({ name }) => void showToast(t('saved', { name })) })
  const take = async (input: HTMLInputElement) => {
    const body = await chosenSkill([...(input.files ?? [])])
    input.value = ''
    if (body !== undefined) send(body)
  }
  return {
    isPending: save.isPending,
    error: save.error,
    choose: (kind: 'file' | 'folder', next: SkillTarget) => {
      target.current = next
      const input = kind === 'file' ? file : folder
      input.current?.click()
    },
    inputs: (
      <>
        <input
          ref={file}
          type="file"
          hidden
          accept=".zip,.md"
          data-skill-input="file"
          onChange={(event) => void take(event.target)}
        />
        <input
          ref={folder}
          type="file"
          hidden
          data-skill-input="folder"
          {...{ webkitdirectory: '' }}
          onChange={(event) => void take(event.target)}
        />
      </>
    ),
  }
}

function RemoveSkillDialog(props: { skill: Skill; onClose: () => void }) {
  const { t } = useTranslation('skills')
  const remove = useDeleteSkill()
  return (
    <ConfirmDialog
      title={t('removeTitle', { name: props.skill.name })}
      text={t('removeText')}
      action={t('remove')}
      isPending={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate(props.skill.id, { onSuccess: props.onClose })}
      onClose={props.onClose}
    />
  )
}
