import { type FormEvent, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { FormProblem } from '../../../page/parts/form-problem.tsx'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { DialogActions } from '../../../ui/dialog-actions.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { useSaveFolder } from '../api/skills.queries.ts'
import { SkillPlace } from './skill-place.tsx'

/** Saves a folder of a sandbox as a skill. */
export function SaveFolderDialog(props: { threadId: string; path: string; onClose: () => void }) {
  const { t } = useTranslation(['skills', 'common'])
  const { path, onClose } = props
  const [workspaceId, setWorkspaceId] = useState<string | null>(null)
  const save = useSaveFolder(props.threadId)
  const formId = useId()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (save.isPending) return
    save.mutate(
      { path, workspaceId },
      {
        onSuccess: ({ name }) => {
          showToast(t('saved', { name }))
          onClose()
        },
      },
    )
  }
  return (
    <Dialog
      isOpen
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title={t('saveFolderTitle')}
      description={t('saveFolderText', { path })}
      closeLabel={t('common:close')}
      footer={
        <DialogActions cancelLabel={t('common:cancel')} onCancel={onClose}>
          <Button size="md" type="submit" form={formId} variant="primary" isLoading={save.isPending}>
            {t('save')}
          </Button>
        </DialogActions>
      }
    >
      <form id={formId} onSubmit={submit} noValidate>
        <SkillPlace workspaceId={workspaceId} onWorkspaceId={setWorkspaceId} />
        {save.error !== null && <FormProblem error={save.error} />}
      </form>
    </Dialog>
  )
}
