import type { Agent, Environment, Thread } from '@threadbox/sdk'
import { type FormEvent, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { closeLayer, useLayer } from '../../../page/client/layers.ts'
import { FormProblem } from '../../../page/parts/form-problem.tsx'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { DialogActions } from '../../../ui/dialog-actions.tsx'
import { Field } from '../../../ui/field.tsx'
import { Select } from '../../../ui/select.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { type SavedAgent, useAgents, useCapture, useDiscard, useSaveAgent } from '../api/agents.queries.ts'
import { changedChoices } from './agent-choices.tsx'
import { AgentFields, type AgentForm } from './agent-fields.tsx'
import { CapturedEnvironment, keyOf } from './captured-computer.tsx'
import { KeptMemory } from './kept-memory.tsx'

/** The dialog that saves a thread as an agent, if it is open; once per app. */
export function SaveAgentLayer() {
  const thread = useLayer('save-agent')?.thread
  return thread === undefined ? null : (
    <SaveAgentDialog key={thread.id} thread={thread} onClose={() => closeLayer('save-agent')} />
  )
}

/** A select can’t have an empty value. */
const newAgent = 'new'

function SaveAgentDialog(props: { thread: Thread; onClose: () => void }) {
  const { t } = useTranslation(['agents', 'common'])
  const { thread } = props
  const hasSandbox = thread.sandbox.state !== 'fresh'
  const agents = useAgents()
  const [keepMemory, setKeepMemory] = useState(false)
  const capture = useCapture(thread.id, { isWanted: hasSandbox, keepMemory })
  const discard = useDiscard()
  const save = useSaveAgent()
  const formId = useId()
  const [agent, setAgent] = useState<Agent | null>(null)
  const [form, setForm] = useState<AgentForm>({
    name: thread.title.slice(0, 80),
    description: '',
    instructions: '',
    modelId: thread.modelId,
    skillIds: null,
    connectionIds: null,
  })
  const [kept, setKept] = useState<ReadonlySet<string>>(new Set())
  const isReady = form.name.trim() !== '' && (!hasSandbox || capture.data !== undefined)
  const close = () => {
    discard(capture.data)
    props.onClose()
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (save.isPending || !isReady) return
    save.mutate(savedAgent({ agent, form, thread, environment: capture.data, kept }), {
      onSuccess: ({ name, current }) => {
        // Memory may still contain what was overwritten only now, so the server may have discarded it.
        const isLost = capture.data?.memory?.kept === true && current.environment?.memoryBytes === null
        showToast(t(isLost ? 'savedWithoutMemory' : 'saved', { name }))
        props.onClose()
      },
    })
  }
  return (
    <Dialog
      isOpen
      onOpenChange={(isOpen) => !isOpen && close()}
      className="save-agent"
      title={t('saveTitle')}
      description={t('saveText')}
      closeLabel={t('common:close')}
      footer={
        <DialogActions cancelLabel={t('common:cancel')} onCancel={close}>
          <Button
            size="md"
            type="submit"
            form={formId}
            variant="primary"
            isDisabled={!isReady}
            isLoading={save.isPending}
          >
            {t('save')}
          </Button>
        </DialogActions>
      }
    >
      <form id={formId} className="model-form" onSubmit={submit} noValidate>
        <TargetField
          agents={agents.data ?? []}
          agent={agent}
          onAgent={(next) => {
            setAgent(next)
            if (next !== null) setForm({ ...next, ...next.current })
          }}
        />
        <AgentFields form={form} onForm={setForm} workspaceId={(agent ?? thread).workspaceId} />
        {!hasSandbox && <p className="help">{t('nothingToCapture')}</p>}
        {hasSandbox && (
          <KeptMemory
            isWanted={keepMemory}
            environment={capture.data}
            onWanted={(isWanted) => {
              discard(capture.data)
              setKeepMemory(isWanted)
            }}
          />
        )}
        {capture.isFetching && (
          <div role="status">
            <p className="help">{t('capturing')}</p>
            <Skeleton rows={3} label={t('capturing')} />
          </div>
        )}
        {capture.error !== null && <FormProblem error={capture.error} />}
        {capture.data !== undefined && <CapturedEnvironment environment={capture.data} kept={kept} onKept={setKept} />}
        {save.error !== null && <FormProblem error={save.error} />}
      </form>
    </Dialog>
  )
}

function TargetField(props: { agents: readonly Agent[]; agent: Agent | null; onAgent: (agent: Agent | null) => void }) {
  const { t } = useTranslation('agents')
  const { agents, agent } = props
  if (agents.length === 0) return null
  return (
    <Field label={t('saveAs')}>
      {({ id }) => (
        <Select
          id={id}
          value={agent?.id ?? newAgent}
          options={[
            { value: newAgent, label: t('newAgent') },
            ...agents.map(({ id: value, name }) => ({ value, label: t('newVersionOf', { name }) })),
          ]}
          onChange={(value) => props.onAgent(agents.find((candidate) => candidate.id === value) ?? null)}
        />
      )}
    </Field>
  )
}

/** Findings that the user didn’t choose to keep are overwritten. */
function savedAgent(choice: {
  agent: Agent | null
  form: AgentForm
  thread: Thread
  environment: Environment | undefined
  kept: ReadonlySet<string>
}): SavedAgent {
  const { agent, form, thread, environment, kept } = choice
  const { name, description, instructions, modelId } = form
  const redact = (environment?.findings ?? [])
    .filter((finding) => !kept.has(keyOf(finding)))
    .map(({ path, rule }) => ({ path, rule }))
  const saved = environment === undefined ? {} : { environment: { id: environment.id, redact } }
  const choices = changedChoices(form, agent?.current)
  const change = { name, description, instructions, modelId, ...choices, ...saved }
  if (agent !== null) return { agentId: agent.id, change }
  return { agentId: null, change: { ...change, workspaceId: thread.workspaceId } }
}
