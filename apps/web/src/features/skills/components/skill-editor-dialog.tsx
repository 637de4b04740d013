import type { SkillContent } from '@threadbox/sdk'
import { type FormEvent, type ReactNode, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../../app/use-format.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { DialogActions } from '../../../ui/dialog-actions.tsx'
import { Field } from '../../../ui/field.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { FormProblem } from '../../connection/components/form-problem.tsx'
import { useSaveSkill, useSkillContent } from '../api/skills.queries.ts'
import { skillDraft } from '../state/skill-groups.models.ts'
import { SkillPlace } from './skill-place.tsx'

/** Writes a new skill. */
export function NewSkillDialog(props: { onClose: () => void }) {
  const { t } = useTranslation('skills')
  const [workspaceId, setWorkspaceId] = useState<string | null>(null)
  return (
    <SkillForm
      title={t('write')}
      text={skillDraft({ description: t('draftDescription'), steps: t('draftSteps') })}
      target={{ workspaceId }}
      mayKeep
      onClose={props.onClose}
    >
      <SkillPlace workspaceId={workspaceId} onWorkspaceId={setWorkspaceId} />
    </SkillForm>
  )
}

/** Changes the `SKILL.md` of a skill; its other files stay and are named. */
export function EditSkillDialog(props: { skillId: string; name: string; onClose: () => void }) {
  const { t } = useTranslation(['skills', 'common'])
  const content = useSkillContent(props.skillId)
  if (content.data !== undefined) {
    return (
      <SkillForm
        title={t('editOf', { name: props.name })}
        text={content.data.text}
        target={{ skillId: props.skillId }}
        onClose={props.onClose}
      >
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
  text: string
  target: Parameters<ReturnType<typeof useSaveSkill>['mutate']>[0]['target']
  /** The text may be saved as it is at first. */
  mayKeep?: boolean
  onClose: () => void
  children: ReactNode
}) {
  const { t } = useTranslation(['skills', 'common'])
  const [text, setText] = useState(props.text)
  const save = useSaveSkill()
  const formId = useId()
  const isUnchanged = props.mayKeep !== true && text === props.text
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isUnchanged || save.isPending) return
    save.mutate(
      { target: props.target, body: text },
      {
        onSuccess: ({ name }) => {
          showToast(t('saved', { name }))
          props.onClose()
        },
      },
    )
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
          <Button
            size="md"
            type="submit"
            form={formId}
            variant="primary"
            isDisabled={isUnchanged}
            isLoading={save.isPending}
          >
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
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
          )}
        </Field>
        {props.children}
        {save.error !== null && <FormProblem error={save.error} />}
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
