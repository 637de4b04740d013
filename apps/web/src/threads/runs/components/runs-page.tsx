import { getRouteApi, Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { randomId } from '../../../page/client/random-id.ts'
import { FormProblem } from '../../../page/parts/form-problem.tsx'
import { Loaded } from '../../../page/parts/loaded.tsx'
import { PlainHeader } from '../../../page/parts/plain-header.tsx'
import { Group } from '../../../page/parts/section.tsx'
import { useDocumentTitle } from '../../../page/parts/use-document-title.ts'
import { Button } from '../../../ui/button.tsx'
import { Field } from '../../../ui/field.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { useAgent } from '../../agents/api/agents.queries.ts'
import { useStartRun } from '../api/runs.queries.ts'
import { KeptRuns } from './kept-runs.tsx'
import { RunList } from './run-list.tsx'
import { ScheduleList } from './schedule-list.tsx'
import { WebhookList } from './webhook-list.tsx'

const route = getRouteApi('/app/agents/$agentId/runs')

/** What starts an agent unattended, and the runs so far. */
export function RunsPage() {
  const { t } = useTranslation('runs')
  const { agentId } = route.useParams()
  const agent = useAgent(agentId)
  useDocumentTitle(agent.data === undefined ? t('runs') : t('title', { name: agent.data.name }))
  return (
    <main className="main" id="content" tabIndex={-1}>
      <PlainHeader title={agent.data === undefined ? t('runs') : t('title', { name: agent.data.name })}>
        <Link className="btn to-agents" to="/agents">
          {t('allAgents')}
        </Link>
      </PlainHeader>
      <div className="agents-scroll agent-runs">
        <div className="page">
          <Loaded query={agent}>
            {() => (
              <>
                <p className="lead">{t('lead')}</p>
                <RunNow agentId={agentId} />
                <ScheduleList agentId={agentId} />
                <WebhookList agentId={agentId} />
                <Group title={t('runs')}>
                  <KeptRuns agentId={agentId} />
                  <RunList agentId={agentId} />
                </Group>
              </>
            )}
          </Loaded>
        </div>
      </div>
    </main>
  )
}

function RunNow(props: { agentId: string }) {
  const { t } = useTranslation('runs')
  const start = useStartRun(props.agentId)
  const [input, setInput] = useState('')
  const isEmpty = input.trim() === ''
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isEmpty || start.isPending) return
    const done = () => {
      setInput('')
      showToast(t('started'))
    }
    start.mutate({ input, key: randomId() }, { onSuccess: done })
  }
  return (
    <form className="run-now" onSubmit={submit}>
      <Field label={t('task')} help={t('taskHelp')}>
        {(control) => (
          <textarea
            {...control}
            className="input"
            rows={2}
            dir="auto"
            value={input}
            onChange={(event) => setInput(event.target.value)}
          />
        )}
      </Field>
      {start.error !== null && <FormProblem error={start.error} />}
      <div>
        <Button size="md" variant="primary" type="submit" isDisabled={isEmpty} isLoading={start.isPending}>
          {t('runNow')}
        </Button>
      </div>
    </form>
  )
}
