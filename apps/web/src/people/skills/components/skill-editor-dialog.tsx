import { isThreadboxError, type SkillContent } from '@threadbox/sdk'
import { type FormEvent, type ReactNode, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../../page/client/use-format.ts'
import { FormProblem } from '../../../page/parts/form-problem.tsx'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { DialogActions } from '../../../ui/dialog-actions.tsx'
import { Field } from '../../../ui/field.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { useReadSkill, useSaveSkill, useSkillContent } from '../api/skills.queries.ts'
import { skillDraft } from '../state/skill-groups.logic.ts'
import { SkillPlace } from './skill-place.tsx'

/** Creates a skill. */
export function NewSkillDialog(props: { onClose: () => void }) {
  const { t } = useTranslation('skills')
  const [workspaceId, setWorkspaceId] = useState<string | null>(null)
  return (
    <SkillForm
      title={t('write')}
      draft={skillDraft({ description: t('draftDescription'), steps: t('draftSteps') })}
      workspaceId={workspaceId}
      onClose={props.onClose}
    >
      <SkillPlace workspaceId={workspaceId} onWorkspaceId={setWorkspaceId} />
    </SkillForm>
  )
}

/** Edits the `SKILL.md` of a skill; its other files stay and are listed. */
export function EditSkillDialog(props: { skillId: string; name: string; onClose: () => void }) {
  const { t } = useTranslation(['skills', 'common'])
  const content = useSkillContent(props.skillId)
  if (content.data !== undefined) {
    return (
      <SkillForm title={t('editOf', { name: props.name })} skill={content.data} onClose={props.onClose}>
        <SkillFiles skill={content.data} />
      </SkillForm>
    )
  }
  return (
    <Dialog
      isOpen
      onOpenChange={(isOpen) => !isOpen && props.onClose()}
      title={t('editOf', { name: props.name })}
      closeLabel={t('common:close')}
    >
      {content.isError ? <FormProblem error={content.error} /> : <Skeleton rows={6} label={t('loading')} />}
    </Dialog>
  )
}

function SkillForm(props: {
  title: string
  /** For a new skill: the initial text, which can be saved as it is, and the scope. */
  draft?: string
  workspaceId?: string | null
  /** The skill to edit. Another version of it that arrives while you type doesn’t change the form. */
  skill?: SkillContent
  onClose: () => void
  children: ReactNode
}) {
  const { t } = useTranslation(['skills', 'common'])
  const [over, setOver] = useState(props.skill)
  const [text, setText] = useState(over?.text ?? props.draft ?? '')
  const save = useSaveSkill()
  const read = useReadSkill()
  const formId = useId()
  const isUnchanged = text === over?.text
  const isBusy = save.isPending || read.isPending
  const saveOver = (skill: SkillContent | undefined) => {
    const place = { workspaceId: props.workspaceId ?? null }
    save.mutate(
      { target: skill === undefined ? place : { skillId: skill.id, over: skill.version }, body: text },
      {
        onSuccess: ({ name }) => {
          showToast(t('saved', { name }))
          props.onClose()
        },
      },
    )
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isUnchanged || isBusy) return
    read.reset()
    saveOver(over)
  }
  // A result that arrives after the dialog was closed is ignored.
  const readNow = (then: (now: SkillContent) => void) => {
    if (over !== undefined) read.mutate(over.id, { onSuccess: then })
  }
  const takeTheirs = (now: SkillContent) => {
    setOver(now)
    setText(now.text)
    save.reset()
  }
  const saveOverTheirs = (now: SkillContent) => {
    setOver(now)
    saveOver(now)
  }
  return (
    <Dialog
      isOpen
      onOpenChange={(isOpen) => !isOpen && props.onClose()}
      className="skill-editor"
      title={props.title}
      description={t('writeText')}
      closeLabel={t('common:close')}
      footer={
        <DialogActions cancelLabel={t('common:cancel')} onCancel={props.onClose}>
          <Button size="md" type="submit" form={formId} variant="primary" isDisabled={isUnchanged} isLoading={isBusy}>
            {t('save')}
          </Button>
        </DialogActions>
      }
    >
      <form id={formId} onSubmit={submit} noValidate>
        <Field label="SKILL.md" help={t('textHelp')}>
          {(control) => (
            <textarea
              {...control}
              className="input mono"
              rows={14}
              spellCheck={false}
              dir="auto"
              readOnly={isBusy}
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
          )}
        </Field>
        {props.children}
        {read.error !== null && <FormProblem error={read.error} />}
        {save.error !== null && <FormProblem error={save.error} />}
        {isThreadboxError(save.error) && save.error.code === 'skill.changed' && (
          <div className="pane-acts">
            <Button isLoading={isBusy} onClick={() => readNow(takeTheirs)}>
              {t('takeTheirs')}
            </Button>
            <Button isLoading={isBusy} onClick={() => readNow(saveOverTheirs)}>
              {t('saveOverTheirs')}
            </Button>
          </div>
        )}
      </form>
    </Dialog>
  )
}

function SkillFiles(props: { skill: SkillContent }) {
  const { t } = useTranslation('skills')
  const format = useFormat()
  const others = props.skill.files.filter(({ path }) => path !== 'SKILL.md')
  if (others.length === 0) return null
  return (
    <section className="skill-files" aria-label={t('otherFiles')}>
      <h3>{t('otherFiles')}</h3>
      <ul>
        {others.map(({ path, sizeBytes }) => (
          <li key={path}>
            <code className="mono grow trunc">{path}</code>
            <span className="faint num">{format.bytes(sizeBytes)}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
