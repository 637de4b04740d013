import type { Agent } from '@threadbox/sdk'
import { type FormEvent, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { FormProblem } from '../../../page/parts/form-problem.tsx'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { DialogActions } from '../../../ui/dialog-actions.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { useSaveAgent } from '../api/agents.queries.ts'
import { changedChoices } from './agent-choices.tsx'
import { AgentFields, type AgentForm } from './agent-fields.tsx'

const empty: AgentForm = {
  name: '',
  description: '',
  instructions: '',
  modelId: null,
  skillIds: null,
  connectionIds: null,
}

/** Creates an agent without an environment, or a new version of an agent. */
export function AgentDialog(props: { agent: Agent | null; onClose: () => void }) {
  const { t } = useTranslation(['agents', 'common'])
  const { agent, onClose } = props
  const [form, setForm] = useState<AgentForm>(() => (agent === null ? empty : { ...agent, ...agent.current }))
  const save = useSaveAgent()
  const formId = useId()
  const { name, description, instructions, modelId } = form
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (save.isPending || name.trim() === '') return
    save.mutate(
      {
        agentId: agent?.id ?? null,
        change: { name, description, instructions, modelId, ...changedChoices(form, agent?.current) },
      },
      {
        onSuccess: (saved) => {
          showToast(t('saved', { name: saved.name }))
          onClose()
        },
      },
    )
  }
  return (
    <Dialog
      isOpen
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title={agent === null ? t('new') : t('editTitle', { name: agent.name })}
      description={agent === null ? t('newText') : t('editText')}
      closeLabel={t('common:close')}
      footer={
        <DialogActions cancelLabel={t('common:cancel')} onCancel={onClose}>
          <Button
            size="md"
            type="submit"
            form={formId}
            variant="primary"
            isDisabled={name.trim() === ''}
            isLoading={save.isPending}
          >
            {t('save')}
          </Button>
        </DialogActions>
      }
    >
      <form id={formId} className="model-form" onSubmit={submit} noValidate>
        <AgentFields form={form} onForm={setForm} workspaceId={agent?.workspaceId ?? null} />
        {save.error !== null && <FormProblem error={save.error} />}
      </form>
    </Dialog>
  )
}
