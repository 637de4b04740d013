import { Link, useLocation } from '@tanstack/react-router'
import type { Backup, BackupFailure, Backups } from '@threadbox/sdk'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../../page/client/use-format.ts'
import { ErrorCode, LearnMore } from '../../../page/docs/docs-link.tsx'
import { docsPlaces } from '../../../page/docs/docs-places.ts'
import { CheckRow } from '../../../page/parts/check-row.tsx'
import { CodeText } from '../../../page/parts/code-text.tsx'
import { Loaded } from '../../../page/parts/loaded.tsx'
import { inLanguage } from '../../../page/parts/problem.ts'
import { Group } from '../../../page/parts/section.tsx'
import { useErrorToast } from '../../../page/parts/use-error-toast.ts'
import { Button } from '../../../ui/button.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { useBackups, useRunBackup } from '../api/machine.queries.ts'
import { isMemory, useMissingWords } from './use-missing-words.ts'

/** When the last backup was made and the next one is due, what failed, and a way to make one now. */
export function MachineBackups() {
  const { t } = useTranslation('machine')
  const backups = useBackups()
  const isReady = backups.data?.state === 'ready'
  const group = useGroupOfAddress(backups.isSuccess)
  return (
    <div id="backups" ref={group}>
      <Group title={t('backup.title')} action={isReady && <RunNow running={backups.data?.running ?? null} />}>
        <Loaded query={backups}>
          {(data) => (data.state === 'ready' ? <Made backups={data} /> : <None {...data} />)}
        </Loaded>
      </Group>
    </div>
  )
}

/** The banner leads here; what is above it has its size only when it is loaded. */
function useGroupOfAddress(isLoaded: boolean) {
  const group = useRef<HTMLDivElement>(null)
  const isTarget = useLocation({ select: ({ hash }) => hash === 'backups' })
  useEffect(() => {
    if (isTarget && isLoaded) group.current?.scrollIntoView()
  }, [isTarget, isLoaded])
  return group
}

function RunNow({ running }: Pick<Backups, 'running'>) {
  const { t } = useTranslation('machine')
  const run = useRunBackup()
  const showError = useErrorToast()
  const start = () => run.mutate(undefined, { onSuccess: () => showToast(t('backup.started')), onError: showError })
  return (
    <Button isLoading={run.isPending || running !== null} onClick={start}>
      {t('backup.run')}
    </Button>
  )
}

/** Leads with what can be lost; the command is for the machine’s terminal. */
function None({ state }: Pick<Backups, 'state'>) {
  const { t } = useTranslation('machine')
  const [text, command] =
    state === 'not-set-up' ? [t('backup.notSetUp'), t('backup.setUp')] : [t('backup.notConfirmed'), t('backup.confirm')]
  return (
    <>
      <p>{text}</p>
      <p>
        <CodeText text={command} /> <LearnMore to={docsPlaces.setUpBackups} />
      </p>
    </>
  )
}

function Made({ backups }: { backups: Backups }) {
  const { t } = useTranslation('machine')
  const format = useFormat()
  const { succeededAt, verifiedAt, nextAt, place } = backups
  const moment = (at: number | null, none: string) => (at === null ? none : format.moment(at, Date.now()))
  const [newest] = backups.backups
  const rows = [
    ['last', moment(succeededAt, t('backup.never'))],
    ['size', newest === undefined ? t('chart.unknown') : format.bytes(newest.sizeBytes)],
    ['verified', moment(verifiedAt, t('backup.notVerified'))],
    ['next', nextAt === null ? t('backup.off') : format.deadline(nextAt, Date.now())],
  ] as const
  return (
    <>
      {backups.running !== null && <Progress running={backups.running} />}
      {backups.failure !== null && <Failure failure={backups.failure} />}
      {newest !== undefined && <Incomplete backup={newest} />}
      <dl className="figures machine-parts num">
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{t(`backup.${name}`)}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <p className="facts machine-store">
        {t('backup.place')}: <span className="mono">{place}</span>
      </p>
      <p className="facts">
        <Link to="/settings/$section" params={{ section: 'limits' }} hash="backupDaily" className="link">
          {t('backup.toSetting')}
        </Link>
        {' · '}
        <LearnMore to={docsPlaces.backups} />
      </p>
      {backups.backups.length > 0 && <List backups={backups.backups} />}
    </>
  )
}

/** What is announced is the step; the counts change too often for that. */
function Progress({ running }: { running: NonNullable<Backups['running']> }) {
  const { t } = useTranslation('machine')
  const format = useFormat()
  const { step, files, bytes, startedAt } = running
  const since = t('backup.startedAt', { when: format.moment(startedAt, Date.now()) })
  const isCounted = files !== null && bytes !== null && files > 0
  const done = isCounted ? [t('backup.progress', { count: files, bytes: format.bytes(bytes) })] : []
  return (
    <p>
      <b role="status">{t(`backup.step.${step}`)}</b>{' '}
      <span className="facts num">{format.items([...done, since])}</span>
    </p>
  )
}

function Failure({ failure }: { failure: BackupFailure }) {
  const { t, i18n } = useTranslation('machine')
  const format = useFormat()
  const { message, remedy } = inLanguage(failure, i18n.language)
  const title = t(`backup.failed.${failure.step}`, { when: format.moment(failure.at, Date.now()) })
  return (
    <>
      <ul className="checks">
        <CheckRow check={{ status: 'failed', title, detail: message, cure: remedy }} />
      </ul>
      <p>
        <ErrorCode code={failure.code} />
      </p>
    </>
  )
}

/** What the last backup lacks, except memory, which no backup has. */
function Incomplete({ backup }: { backup: Backup }) {
  const { t } = useTranslation('machine')
  const detail = useMissingWords((backup.leftOut ?? []).filter(({ what }) => !isMemory(what)))
  if (detail === null) return null
  return (
    <ul className="checks">
      <CheckRow check={{ status: 'warning', title: t('backup.incomplete'), detail, cure: null }} />
    </ul>
  )
}

function List({ backups }: { backups: readonly Backup[] }) {
  const { t } = useTranslation('machine')
  return (
    <details className="machine-backups">
      <summary>{t('backup.list')}</summary>
      <ul className="rows">
        {backups.map((backup) => (
          <Row key={backup.name} backup={backup} />
        ))}
      </ul>
    </details>
  )
}

function Row({ backup }: { backup: Backup }) {
  const { t } = useTranslation('machine')
  const format = useFormat()
  const missing = useMissingWords(backup.leftOut)
  const { at, sizeBytes, verifiedAt, problems } = backup
  const when = verifiedAt === null ? null : format.moment(verifiedAt, Date.now())
  const verified = when === null ? t('backup.itemNotVerified') : t('backup.itemVerified', { when })
  return (
    <li className="row">
      <b className="num">{format.fullMoment(at)}</b>{' '}
      {problems.length > 0 && <span className="badge badge--err">{t('backup.damaged')}</span>}
      <p className="facts num">{format.items([format.bytes(sizeBytes), verified])}</p>
      {missing !== null && <p className="facts">{missing}</p>}
      {problems.length > 0 && <p className="facts">{problems.join('; ')}</p>}
    </li>
  )
}
