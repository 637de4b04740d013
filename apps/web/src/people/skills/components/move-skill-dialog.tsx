import type { Skill } from '@threadbox/sdk'
import { type FormEvent, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { FormProblem } from '../../../page/parts/form-problem.tsx'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { DialogActions } from '../../../ui/dialog-actions.tsx'
import { useMoveSkill } from '../api/skills.queries.ts'
import { SkillPlace } from './skill-place.tsx'

/** Selects the scope of a skill. */
export function MoveSkillDialog(props: { skill: Skill; onClose: () => void }) {
  const { t } = useTranslation(['skills', 'common'])
  const { skill, onClose } = props
  const [workspaceId, setWorkspaceId] = useState(skill.workspaceId)
  const move = useMoveSkill()
  const formId = useId()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!move.isPending) move.mutate({ skill, workspaceId }, { onSuccess: onClose })
  }
  return (
    <Dialog
      isOpen
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title={t('moveOf', { name: skill.name })}
      closeLabel={t('common:close')}
      footer={
        <DialogActions cancelLabel={t('common:cancel')} onCancel={onClose}>
          <Button
            size="md"
            type="submit"
            form={formId}
            variant="primary"
            isDisabled={workspaceId === skill.workspaceId}
            isLoading={move.isPending}
          >
            {t('moveAction')}
          </Button>
        </DialogActions>
      }
    >
      <form id={formId} onSubmit={submit} noValidate>
        <SkillPlace workspaceId={workspaceId} onWorkspaceId={setWorkspaceId} />
        {move.error !== null && <FormProblem error={move.error} />}
      </form>
    </Dialog>
  )
}
