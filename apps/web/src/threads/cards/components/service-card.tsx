import { Globe, Power } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { lastLineOf } from '../../../page/content/state/ansi.logic.ts'
import { useCardActions } from '../../../page/content/state/card-context.ts'
import { useRestartService, useServices } from '../../../sandboxes/preview/api/services.queries.ts'
import { viewInPane } from '../../../sandboxes/preview/state/preview-store.ts'
import { glyphOfService, keyOfPort } from '../../../sandboxes/preview/state/targets.logic.ts'
import { Button } from '../../../ui/button.tsx'
import { Pill } from '../../../ui/pill.tsx'
import type { ServiceOfCall } from '../state/service-call.logic.ts'

/** The current state of a service that a call started, not the state at the time of the call. */
export function ServiceCard(props: { called: ServiceOfCall }) {
  const { t } = useTranslation('preview')
  const { threadId } = useCardActions()
  const { called } = props
  const services = useServices(threadId)
  const restart = useRestartService(threadId)
  const now = services.data?.services.find(({ name }) => name === called.name)
  const isGone = services.data !== undefined && now === undefined && !called.isRunning
  const status = isGone ? 'stopped' : (now?.status ?? (called.isRunning ? 'starting' : called.status))
  const port = now?.port ?? called.port
  const problem = now === undefined ? called.problem : now.problem
  const lastLine = status === 'error' ? lastLineOf(problem?.lastLines ?? '') : ''
  return (
    <section className="item item--service" aria-label={t('card', { name: called.name })}>
      <span className="tile">
        <Globe className="i" size={16} />
      </span>
      <div className="grow">
        <b className="trunc" title={now?.command}>
          {called.name}
        </b>
        <span className="sub">
          <Pill state={glyphOfService(status)}>{t(`status.${status}`)}</Pill>
          <span className="mono">{keyOfPort(port)}</span>
          {lastLine !== '' && <span className="mono trunc">{lastLine}</span>}
        </span>
      </div>
      {!isGone && (
        <div className="acts">
          {now !== undefined && (status === 'error' || status === 'stopped') && (
            <Button
              size="sm"
              icon={<Power className="i" size={14} />}
              isLoading={restart.isPending}
              onClick={() => restart.mutate(called.name)}
            >
              {t('restart')}
            </Button>
          )}
          <Button size="sm" onClick={() => viewInPane(threadId, called.name)}>
            {t('viewInPane')}
          </Button>
        </div>
      )}
    </section>
  )
}
