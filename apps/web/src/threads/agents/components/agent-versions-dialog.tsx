import type { Agent, AgentVersion } from '@threadbox/sdk'
import { Download } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { relativeTime } from '../../../i18n/relative-time.ts'
import { useClient } from '../../../page/client/client.ts'
import { download } from '../../../page/client/download.ts'
import { useFormat } from '../../../page/client/use-format.ts'
import { shownText } from '../../../page/content/state/names.logic.ts'
import { FormProblem } from '../../../page/parts/form-problem.tsx'
import { Loaded } from '../../../page/parts/loaded.tsx'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { useAgent, useDeleteAgentVersion, useSetAgentVersion, useStartAgent } from '../api/agents.queries.ts'

/** The versions of an agent: start a thread from one, make it current again, or remove it. */
export function AgentVersionsDialog(props: { agent: Agent; onClose: () => void }) {
  const { t } = useTranslation(['agents', 'common'])
  const { agent, onClose } = props
  const details = useAgent(agent.id)
  const setCurrent = useSetAgentVersion(agent.id)
  const remove = useDeleteAgentVersion(agent.id)
  const start = useStartAgent()
  const client = useClient()
  const error = setCurrent.error ?? remove.error
  return (
    <Dialog
      isOpen
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title={t('versionsTitle', { name: shownText(agent.name) })}
      description={t('versionsText')}
      closeLabel={t('common:close')}
      className="agent-versions"
      footer={
        <>
          <span className="grow" />
          <Button size="md" onClick={onClose}>
            {t('done')}
          </Button>
        </>
      }
    >
      <Loaded query={details}>
        {({ versions, current }) => (
          <ul className="rows">
            {versions.map((version) => (
              <VersionRow
                key={version.version}
                version={version}
                isCurrent={version.version === current.version}
                onStart={() => start.mutate({ agentId: agent.id, version: version.version }, { onSuccess: onClose })}
                onCurrent={() => setCurrent.mutate(version.version)}
                onExport={() => download(client.agents.exportUrl(agent.id, version.version))}
                onRemove={() => remove.mutate(version.version)}
              />
            ))}
          </ul>
        )}
      </Loaded>
      {error !== null && <FormProblem error={error} />}
    </Dialog>
  )
}

function VersionRow(props: {
  version: AgentVersion
  isCurrent: boolean
  onStart: () => void
  onCurrent: () => void
  onExport: () => void
  onRemove: () => void
}) {
  const { t, i18n } = useTranslation('agents')
  const format = useFormat()
  const { version, createdAt, environment, instructions } = props.version
  const facts = [
    relativeTime(createdAt, { now: Date.now(), locale: i18n.language }),
    environment === null ? t('noComputer') : t('computer', { size: format.bytes(environment.diskBytes) }),
    ...(environment?.memoryBytes == null ? [] : [t('memory', { size: format.bytes(environment.memoryBytes) })]),
  ]
  return (
    <li className="row row-line">
      <div className="grow">
        <b>{t('versionNumber', { version })}</b>
        {props.isCurrent && <span className="agent-current">{t('current')}</span>}
        {instructions !== '' && <p className="skill-description trunc">{instructions}</p>}
        <p className="facts" title={format.fullMoment(createdAt)}>
          {facts.join(' · ')}
        </p>
      </div>
      <Button aria-label={t('startVersion', { version })} onClick={props.onStart}>
        {t('start')}
      </Button>
      <IconButton label={t('exportVersion', { version })} onClick={props.onExport}>
        <Download className="i" size={16} />
      </IconButton>
      {!props.isCurrent && (
        <>
          <Button aria-label={t('makeCurrentOf', { version })} onClick={props.onCurrent}>
            {t('makeCurrent')}
          </Button>
          <Button aria-label={t('removeVersion', { version })} onClick={props.onRemove}>
            {t('remove')}
          </Button>
        </>
      )}
    </li>
  )
}
