import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useClient } from '../../../page/client/client.ts'
import { FormProblem } from '../../../page/parts/form-problem.tsx'
import { threadsQuery } from '../../../page/thread/api/thread-queries.ts'
import { useCreateWorkspace } from '../../../people/workspaces/api/workspaces.queries.ts'
import { useMoveThreadTo } from '../../../people/workspaces/state/use-move-thread.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { DialogActions } from '../../../ui/dialog-actions.tsx'
import { Field } from '../../../ui/field.tsx'
import { Input } from '../../../ui/input.tsx'

/** Asks for the name of a new workspace. `threadId`: the thread to move into it. */
export function CreateWorkspaceDialog(props: { threadId: string | null; onClose: () => void }) {
  const { t } = useTranslation(['workspaces', 'common'])
  const create = useCreateWorkspace()
  const moveTo = useMoveThreadTo()
  const threads = useQuery(threadsQuery(useClient()))
  const [name, setName] = useState('')
  const formId = useId()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (name.trim() === '' || create.isPending) return
    create.mutate(name.trim(), {
      onSuccess: (workspace) => {
        const thread = threads.data?.find(({ id }) => id === props.threadId)
        if (thread !== undefined) moveTo(thread, workspace.id)
        props.onClose()
      },
    })
  }
  return (
    <Dialog
      isOpen
      onOpenChange={(isOpen) => !isOpen && props.onClose()}
      title={t('create')}
      description={t('createText')}
      closeLabel={t('common:close')}
      footer={
        <DialogActions cancelLabel={t('common:cancel')} onCancel={props.onClose}>
          <Button
            size="md"
            type="submit"
            form={formId}
            variant="primary"
            isDisabled={name.trim() === ''}
            isLoading={create.isPending}
          >
            {t('createAction')}
          </Button>
        </DialogActions>
      }
    >
      <form id={formId} onSubmit={submit} noValidate>
        <Field label={t('name')}>
          {(control) => (
            <Input
              {...control}
              value={name}
              maxLength={80}
              autoComplete="off"
              onChange={(event) => setName(event.target.value)}
            />
          )}
        </Field>
        {create.error !== null && <FormProblem error={create.error} />}
      </form>
    </Dialog>
  )
}
