import type { SandboxDetail, SandboxView, Thread } from '@threadbox/sdk'
import { ArchiveRestore, Pause, Play } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../../page/client/use-format.ts'
import { ErrorCode, HelpLink } from '../../../page/docs/docs-link.tsx'
import { statePlace } from '../../../page/docs/docs-places.ts'
import { FormProblem } from '../../../page/parts/form-problem.tsx'
import { Button } from '../../../ui/button.tsx'
import { Glyph } from '../../../ui/glyph.tsx'
import { useSandboxAction } from '../api/sandbox.queries.ts'
import { glyphOf, restoredPercent, shownState } from '../state/chip.logic.ts'
import { asleepPhrase, awakePhrases, nextPhrases } from '../state/panel.logic.ts'
import { usePhrase } from '../state/phrase.ts'
import { useSandboxWords } from '../state/sandbox-words.ts'
import { HoldMenu } from './hold-menu.tsx'
import { RestartMenu } from './restart-menu.tsx'

/** State, reason, since when, what comes next, and the available actions. */
export function StateSection(props: {
  thread: Thread
  detail: SandboxDetail | undefined
  isTurnRunning: boolean
  now: number
}) {
  const { t } = useTranslation('sandbox')
  const words = useSandboxWords()
  const format = useFormat()
  const phrase = usePhrase()
  const { thread, detail, now } = props
  const { sandbox } = thread
  const glyph = glyphOf(sandbox)
  const next = nextPhrases(sandbox, { now, ...(detail === undefined ? {} : { policy: detail.policy }) })
  const [event, ...meaning] = next.map((part) => phrase(part, now))
  return (
    <section className="sec" aria-label={words.word(sandbox)}>
      <div className="pane-state">
        <span className={`pane-word st-${glyph}`}>
          <Glyph state={glyph} />
          {words.word(sandbox)}
          <HelpLink to={statePlace(shownState(sandbox))} about={words.word(sandbox)} />
        </span>
        <Actions thread={thread} detail={detail} isTurnRunning={props.isTurnRunning} now={now} />
      </div>
      <dl className="kv num">
        <Why sandbox={sandbox} detail={detail} now={now} />
        <dt>{t('pane.next')}</dt>
        <dd>
          <b>{event}</b> <span className="muted">{format.sentences(meaning)}</span>
        </dd>
        <Since sandbox={sandbox} now={now} />
      </dl>
    </section>
  )
}

function Why(props: { sandbox: SandboxView; detail: SandboxDetail | undefined; now: number }) {
  const { t } = useTranslation('sandbox')
  const format = useFormat()
  const phrase = usePhrase()
  const { sandbox, now } = props
  if (sandbox.state === 'active') {
    const reasons = awakePhrases(sandbox).map((reason) => phrase(reason, now))
    if (sandbox.awake === null || sandbox.awake === undefined) return null
    return (
      <>
        <dt>{t('pane.awakeBecause')}</dt>
        <dd>{reasons.length === 0 ? t('pane.nothingKeeps') : format.items(reasons)}</dd>
      </>
    )
  }
  const cause = asleepPhrase(sandbox, props.detail?.log)
  if (cause === undefined && sandbox.state !== 'error') return null
  return (
    <>
      <dt>{sandbox.state === 'error' ? t('pane.failedBecause') : t('pane.asleepBecause')}</dt>
      <dd>
        {phrase(cause ?? { key: 'could-not-start' }, now)}{' '}
        {sandbox.state === 'error' && sandbox.detail?.code !== undefined && <ErrorCode code={sandbox.detail.code} />}
      </dd>
    </>
  )
}

const sinceLabels = { active: 'awakeFor', paused: 'asleepFor', cold: 'awayFor' } as const

function Since(props: { sandbox: SandboxView; now: number }) {
  const { t } = useTranslation('sandbox')
  const format = useFormat()
  const { sandbox, now } = props
  if (sandbox.state === 'fresh') return null
  const label = sandbox.state in sinceLabels ? sinceLabels[sandbox.state as keyof typeof sinceLabels] : 'stateFor'
  // No seconds: a count-up here would only distract.
  const length = Math.max(0, now - sandbox.since)
  const shown = length < 60_000 ? Math.floor(length / 1000) * 1000 : Math.floor(length / 60_000) * 60_000
  return (
    <>
      <dt>{t(`pane.${label}`)}</dt>
      <dd>
        <time dateTime={new Date(sandbox.since).toISOString()} title={format.fullMoment(sandbox.since)}>
          {t('pane.span', {
            length: format.seconds(shown),
            at: format.deadline(sandbox.since, now),
          })}
        </time>
      </dd>
    </>
  )
}

const asleepStates: readonly SandboxView['state'][] = ['paused', 'cold', 'error']

function Actions(props: { thread: Thread; detail: SandboxDetail | undefined; isTurnRunning: boolean; now: number }) {
  const { t } = useTranslation('sandbox')
  const { thread, now } = props
  const { sandbox } = thread
  const pause = useSandboxAction(thread.id, 'pause')
  const wake = useSandboxAction(thread.id, 'wake')
  const restore = useSandboxAction(thread.id, 'restore')
  const isAwake = sandbox.state === 'active' || sandbox.state === 'pausing'
  const sleeps = asleepStates.includes(sandbox.state)
  const isWaiting = shownState(sandbox) === 'waiting'
  const isRestoring = restore.isPending || restoredPercent(sandbox) !== undefined
  const error = pause.error ?? wake.error ?? restore.error
  return (
    <>
      <div className="pane-acts">
        {isAwake && (
          <Button
            size="md"
            icon={<Pause className="i" size={14} />}
            isLoading={pause.isPending || sandbox.state === 'pausing'}
            disabledReason={props.isTurnRunning ? t('pane.pauseNeedsTurnEnd') : undefined}
            onClick={() => pause.mutate()}
          >
            {pause.isPending || sandbox.state === 'pausing' ? t('pane.pausing') : t('pane.pause')}
          </Button>
        )}
        {sleeps && !isWaiting && (
          <Button
            size="md"
            icon={<Play className="i" size={14} />}
            isLoading={wake.isPending}
            onClick={() => wake.mutate()}
          >
            {wake.isPending ? t('pane.waking') : sandbox.state === 'paused' ? t('pane.wake') : t('pane.start')}
          </Button>
        )}
        {sandbox.state === 'archived' && (
          <Button
            size="md"
            icon={<ArchiveRestore className="i" size={14} />}
            isLoading={isRestoring}
            onClick={() => restore.mutate()}
          >
            {isRestoring ? t('pane.restoring') : t('pane.restore')}
          </Button>
        )}
        {sandbox.state === 'active' && (
          <HoldMenu threadId={thread.id} heldUntil={sandbox.awake?.heldUntil ?? null} now={now} />
        )}
        {(isAwake || sleeps) && <RestartMenu thread={thread} processes={props.detail?.processes ?? null} />}
      </div>
      {error !== null && <FormProblem error={error} />}
    </>
  )
}
