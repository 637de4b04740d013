import { Link } from '@tanstack/react-router'
import type { Agent } from '@threadbox/sdk'
import { Download, Ellipsis, Globe, History, Pencil, Plus, Trash2, Upload } from 'lucide-react'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { relativeTime } from '../../../i18n/relative-time.ts'
import { useClient } from '../../../page/client/client.ts'
import { download } from '../../../page/client/download.ts'
import { useFormat } from '../../../page/client/use-format.ts'
import { shownText } from '../../../page/content/state/names.logic.ts'
import { docsPlaces } from '../../../page/docs/docs-places.ts'
import { ConfirmDialog } from '../../../page/parts/confirm-dialog.tsx'
import { LoadedRows } from '../../../page/parts/loaded.tsx'
import { PlainHeader } from '../../../page/parts/plain-header.tsx'
import { useDocumentTitle } from '../../../page/parts/use-document-title.ts'
import { NetworkDialog } from '../../../people/network/components/network-dialog.tsx'
import { useWorkspaces } from '../../../people/workspaces/api/workspaces.queries.ts'
import { Button } from '../../../ui/button.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { Menu, MenuItem } from '../../../ui/menu.tsx'
import { useAgents, useDeleteAgent, useLatestRuns, useStartAgent } from '../api/agents.queries.ts'
import { AgentDialog } from './agent-dialog.tsx'
import { AgentVersionsDialog } from './agent-versions-dialog.tsx'
import { DraftList } from './draft-list.tsx'
import { ImportAgentDialog } from './import-agent-dialog.tsx'

type Open =
  | { kind: 'new' }
  | { kind: 'import'; file: File }
  | { kind: 'edit' | 'versions' | 'network' | 'remove'; agent: Agent }

/** The agents from which threads can be started. */
export function AgentsPage() {
  const { t } = useTranslation('agents')
  useDocumentTitle(t('title'))
  const agents = useAgents()
  const [open, setOpen] = useState<Open | null>(null)
  const close = () => setOpen(null)
  return (
    <main className="main" id="content" tabIndex={-1}>
      <PlainHeader title={t('title')} />
      <div className="agents-scroll">
        <div className="page">
          <div className="agents-head">
            <p className="lead grow">{t('lead')}</p>
            <ImportButton onFile={(file) => setOpen({ kind: 'import', file })} />
            <Button
              variant="primary"
              size="md"
              icon={<Plus className="i" size={16} />}
              onClick={() => setOpen({ kind: 'new' })}
            >
              {t('new')}
            </Button>
          </div>
          <DraftList />
          <LoadedRows
            query={agents}
            empty={t('empty')}
            docs={docsPlaces.agents}
            row={(agent) => <AgentRow key={agent.id} agent={agent} onOpen={(kind) => setOpen({ kind, agent })} />}
          />
        </div>
      </div>
      {open?.kind === 'new' && <AgentDialog agent={null} onClose={close} />}
      {open?.kind === 'import' && <ImportAgentDialog file={open.file} onClose={close} />}
      {open?.kind === 'edit' && <AgentDialog agent={open.agent} onClose={close} />}
      {open?.kind === 'versions' && <AgentVersionsDialog agent={open.agent} onClose={close} />}
      {open?.kind === 'network' && <NetworkDialog target={{ level: 'agent', id: open.agent.id }} onClose={close} />}
      {open?.kind === 'remove' && <RemoveAgentDialog agent={open.agent} onClose={close} />}
    </main>
  )
}

function ImportButton(props: { onFile: (file: File) => void }) {
  const { t } = useTranslation('agents')
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <Button size="md" icon={<Upload className="i" size={16} />} onClick={() => input.current?.click()}>
        {t('importOpen')}
      </Button>
      <input
        ref={input}
        type="file"
        hidden
        accept=".threadbox-agent"
        data-agent-input="file"
        onChange={({ target }) => {
          const [file] = target.files ?? []
          target.value = ''
          if (file !== undefined) props.onFile(file)
        }}
      />
    </>
  )
}

function AgentRow(props: { agent: Agent; onOpen: (kind: 'edit' | 'versions' | 'network' | 'remove') => void }) {
  const { t } = useTranslation(['agents', 'runs'])
  const start = useStartAgent()
  const client = useClient()
  const format = useFormat()
  const { agent, onOpen } = props
  const { current } = agent
  const name = shownText(agent.name)
  return (
    <li className="row row-line">
      <div className="grow">
        <b>{name}</b>
        {agent.description !== '' && <p className="skill-description">{shownText(agent.description)}</p>}
        <AgentFacts agent={agent} />
      </div>
      <Link
        className="btn"
        to="/agents/$agentId/runs"
        params={{ agentId: agent.id }}
        aria-label={t('runs:runsOf', { name })}
      >
        {t('runs:runs')}
      </Link>
      <Button
        aria-label={t('startOf', { name })}
        isLoading={start.isPending}
        onClick={() => start.mutate({ agentId: agent.id })}
      >
        {t('start')}
      </Button>
      <Menu
        align="end"
        label={t('moreOf', { name })}
        trigger={
          <IconButton label={t('moreOf', { name })}>
            <Ellipsis className="i" size={16} />
          </IconButton>
        }
      >
        <MenuItem icon={<Pencil className="i" size={14} />} onSelect={() => onOpen('edit')}>
          {t('edit')}
        </MenuItem>
        <MenuItem icon={<History className="i" size={14} />} onSelect={() => onOpen('versions')}>
          {t('versions')}
        </MenuItem>
        <MenuItem icon={<Globe className="i" size={14} />} onSelect={() => onOpen('network')}>
          {t('network')}
        </MenuItem>
        <MenuItem
          icon={<Download className="i" size={14} />}
          {...(current.environment === null ? {} : { end: format.bytes(current.environment.diskBytes) })}
          onSelect={() => download(client.agents.exportUrl(agent.id, current.version))}
        >
          {t('export')}
        </MenuItem>
        <MenuItem icon={<Trash2 className="i" size={14} />} isDanger onSelect={() => onOpen('remove')}>
          {t('remove')}
        </MenuItem>
      </Menu>
    </li>
  )
}

function AgentFacts(props: { agent: Agent }) {
  const { t, i18n } = useTranslation(['agents', 'runs'])
  const format = useFormat()
  const { agent } = props
  const latest = useLatestRuns().data?.get(agent.id)
  const when = (at: number) => relativeTime(at, { now: Date.now(), locale: i18n.language })
  const { version, createdAt, environment } = agent.current
  const workspace = useWorkspaces().find(({ id }) => id === agent.workspaceId)
  const facts = [
    workspace?.name,
    t('versionNumber', { version }),
    t('savedAt', { when: when(createdAt) }),
    environment === null ? t('noComputer') : t('computer', { size: format.bytes(environment.diskBytes) }),
    ...(environment === null || environment.services.length === 0
      ? []
      : [t('services', { names: format.list(environment.services) })]),
    agent.imported !== null && t('fromFile', { digest: agent.imported.sha256.slice(0, 12) }),
    latest?.last &&
      t('runs:lastRun', { status: t(`runs:status.${latest.last.status}`), when: when(latest.last.createdAt) }),
    latest?.nextDueAt && t('runs:nextRun', { when: when(latest.nextDueAt) }),
  ]
  return (
    <p className="facts" title={format.fullMoment(createdAt)}>
      {facts.filter(Boolean).join(' · ')}
    </p>
  )
}

function RemoveAgentDialog(props: { agent: Agent; onClose: () => void }) {
  const { t } = useTranslation('agents')
  const remove = useDeleteAgent()
  return (
    <ConfirmDialog
      title={t('removeTitle', { name: shownText(props.agent.name) })}
      text={t('removeText')}
      action={t('remove')}
      isPending={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate(props.agent.id, { onSuccess: props.onClose })}
      onClose={props.onClose}
    />
  )
}
