import type { Connection } from '@threadbox/sdk'
import { useTranslation } from 'react-i18next'
import { relativeTime } from '../../../i18n/relative-time.ts'
import { useFormat } from '../../../page/client/use-format.ts'
import { ErrorCode } from '../../../page/docs/docs-link.tsx'
import { inLanguage } from '../../../page/parts/problem.ts'
import { useErrorToast } from '../../../page/parts/use-error-toast.ts'
import { Button } from '../../../ui/button.tsx'
import { Glyph } from '../../../ui/glyph.tsx'
import { Pill } from '../../../ui/pill.tsx'
import { Switch } from '../../../ui/switch.tsx'
import { useWorkspaces } from '../../workspaces/api/workspaces.queries.ts'
import { useStartLogin } from '../api/connection-logins.queries.ts'
import { useEnableConnection, useTestConnection } from '../api/connections.queries.ts'
import { ConnectionTools } from './connection-tools.tsx'
import { LoginDialog } from './login-dialog.tsx'

/** One connection: its state, its tools, and the available actions. */
export function ConnectionRow(props: { connection: Connection; onEdit: () => void; onRemove: () => void }) {
  const { t } = useTranslation('connections')
  const { connection } = props
  const { name } = connection
  const test = useTestConnection(connection.id)
  const isTesting = test.isPending || connection.status === 'starting'
  const enable = useEnableConnection(connection.id)
  const showError = useErrorToast()
  const workspace = useWorkspaces().find(({ id }) => id === connection.workspaceId)
  return (
    <li className="row">
      <div className="row-line">
        <div className="grow">
          <b>{name}</b> <ConnectionState connection={connection} />{' '}
          {connection.workspaceId !== null && <span className="badge">{workspace?.name ?? t('ofWorkspace')}</span>}
          <ConnectionFacts connection={connection} />
        </div>
        <Switch
          isOn={connection.isEnabled}
          label={t('enabledOf', { name })}
          onChange={(isOn) => enable.mutate(isOn, { onError: showError })}
        />
        {connection.auth.kind === 'oauth' && <LoginButton connection={connection} />}
        <Button
          isLoading={isTesting}
          onClick={() => test.mutate(undefined, { onError: showError })}
          aria-label={t(isTesting ? 'testingOf' : 'testOf', { name })}
        >
          {isTesting ? t('testing') : t('test')}
        </Button>
        <Button onClick={props.onEdit} aria-label={t('editOf', { name })}>
          {t('edit')}
        </Button>
        <Button onClick={props.onRemove} aria-label={t('removeOf', { name })}>
          {t('remove')}
        </Button>
      </div>
      {connection.failure !== null && !needsLogin(connection) && <Failure failure={connection.failure} />}
      {connection.tools.length > 0 && <ConnectionTools connection={connection} />}
    </li>
  )
}

/** True if signing in is the fix: the state and the button say so. */
function needsLogin({ failure }: Connection): boolean {
  return failure?.code === 'connection.login-needed'
}

/** The one action for a connection without a session. */
function LoginButton(props: { connection: Connection }) {
  const { t } = useTranslation('connections')
  const { id, name } = props.connection
  const start = useStartLogin(id)
  const showError = useErrorToast()
  const isNeeded = needsLogin(props.connection)
  return (
    <>
      <Button
        variant={isNeeded ? 'primary' : 'default'}
        isLoading={start.isPending}
        onClick={() => start.mutate(undefined, { onError: showError })}
        aria-label={t(isNeeded ? 'login.inTo' : 'login.againTo', { name })}
      >
        {t(isNeeded ? 'login.in' : 'login.again')}
      </Button>
      {start.data !== undefined && <LoginDialog name={name} login={start.data} onClose={start.reset} />}
    </>
  )
}

function ConnectionState(props: { connection: Connection }) {
  const { t } = useTranslation('connections')
  const { connection } = props
  if (!connection.isEnabled) return <Pill state="stopped">{t('status.off')}</Pill>
  if (connection.status === 'starting') {
    return <Pill state="waking">{t(connection.phase === 'program' ? 'status.program' : 'status.sandbox')}</Pill>
  }
  if (connection.status === 'ready') return <Pill state="running">{t('status.ready')}</Pill>
  if (needsLogin(connection)) return <Pill state="suspended">{t('status.login')}</Pill>
  if (connection.status === 'failed')
    return <Pill state="error">{t(connection.kind === 'http' ? 'status.failed' : 'status.notRunning')}</Pill>
  return <Pill state="fresh">{t('status.unchecked')}</Pill>
}

function ConnectionFacts(props: { connection: Connection }) {
  const { t, i18n } = useTranslation('connections')
  const { connection } = props
  const { server, checkedAt } = connection
  const { program } = connection
  const secrets = program?.environment.filter(({ isSecret }) => isSecret).length ?? 0
  const facts = [
    ...(program === null
      ? [connection.url, t(`auth.${connection.auth.kind}`, { header: connection.auth.header ?? '' })]
      : [[program.command, ...program.args].join(' '), secrets === 0 ? null : t('secrets', { count: secrets })]),
    server === null ? null : `${server.name} ${server.version}`.trim(),
    checkedAt === null
      ? null
      : t('checked', { when: relativeTime(checkedAt, { now: Date.now(), locale: i18n.language }) }),
  ]
  return <p className="facts">{facts.filter((fact) => fact !== null).join(' · ')}</p>
}

/** Why the last attempt failed, translated if there is a text for it. */
function Failure(props: { failure: NonNullable<Connection['failure']> }) {
  const { i18n } = useTranslation()
  const format = useFormat()
  const { code, message, remedy } = inLanguage(props.failure, i18n.language)
  return (
    <div className="form-problem" role="status">
      <Glyph state="error" />
      <div className="grow">
        <p>{format.sentences([message, remedy])}</p>
        <ErrorCode code={code} />
      </div>
    </div>
  )
}
