import { isThreadboxError, type Service } from '@threadbox/sdk'
import { MessageSquarePlus, Power, Sunrise } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { AnsiText } from '../../../page/content/components/ansi-text.tsx'
import { ErrorCode } from '../../../page/docs/docs-link.tsx'
import { CodeText } from '../../../page/parts/code-text.tsx'
import { useProblem } from '../../../page/parts/problem.ts'
import { Button } from '../../../ui/button.tsx'
import { Glyph, type GlyphState } from '../../../ui/glyph.tsx'
import { ScrollBox } from '../../../ui/scroll-box.tsx'
import { useRestartService, useWake } from '../api/services.queries.ts'
import type { FrameCover as Cover } from '../state/frame.logic.ts'
import { glyphOfService, type PreviewTarget } from '../state/targets.logic.ts'

type CoverProps = {
  threadId: string
  target: PreviewTarget
  error: unknown
  lastLine: string
  onRetry: () => void
  onToChat: (excerpt: string) => void
}

/** Why the page isn’t live, and the one next step. */
export function FrameCover(props: CoverProps & { cover: Exclude<Cover, 'none'> }) {
  switch (props.cover) {
    case 'starting':
      return <Starting target={props.target} lastLine={props.lastLine} />
    case 'suspended':
      return <Suspended threadId={props.threadId} target={props.target} />
    case 'down':
      return <Down {...props} />
    case 'failed':
    case 'unavailable':
      return <NotShown error={props.error} onRetry={props.onRetry} />
  }
}

function Starting(props: { target: PreviewTarget; lastLine: string }) {
  const { t } = useTranslation('preview')
  return (
    <CoverBox glyph="waking" title={t('startingOn', { port: props.target.port })}>
      {props.lastLine !== '' && <p className="mono faint trunc">{props.lastLine}</p>}
    </CoverBox>
  )
}

/** The previous page stays visible under it, unchanged. */
function Suspended(props: { threadId: string; target: PreviewTarget }) {
  const { t } = useTranslation('preview')
  const wake = useWake(props.threadId)
  return (
    <CoverBox glyph="suspended" title={t('suspended')} isThin>
      <p>{t('suspendedText')}</p>
      <div className="cover-acts">
        <Button
          variant="primary"
          size="md"
          icon={<Sunrise className="i" size={14} />}
          isLoading={wake.isPending}
          onClick={() => wake.mutate()}
        >
          {wake.isPending ? t('waking') : t('wake')}
        </Button>
        <RestartButton threadId={props.threadId} service={props.target.service} />
      </div>
    </CoverBox>
  )
}

function Down(props: CoverProps) {
  const { t } = useTranslation('preview')
  const { target, threadId } = props
  const { service } = target
  if (service === null) {
    return (
      <CoverBox glyph="stopped" title={t('portClosed', { port: target.port })}>
        <p>{t('portClosedText')}</p>
      </CoverBox>
    )
  }
  const { problem, name, status } = service
  const lines = problem?.lastLines.trimEnd() ?? ''
  return (
    <CoverBox glyph={glyphOfService(status)} title={t(status === 'error' ? 'failed' : 'down', { name })}>
      <p>{problem === null ? t('downText') : <ProblemText service={service} problem={problem} />}</p>
      {lines !== '' && (
        <ScrollBox className="cover-log" label={t('lastLines')}>
          <AnsiText>{lines}</AnsiText>
        </ScrollBox>
      )}
      <div className="cover-acts">
        <RestartButton threadId={threadId} service={service} isPrimary />
        {lines !== '' && (
          <Button size="md" icon={<MessageSquarePlus className="i" size={14} />} onClick={() => props.onToChat(lines)}>
            {t('toChat')}
          </Button>
        )}
      </div>
    </CoverBox>
  )
}

/** The problem of a service, as a sentence. */
function ProblemText(props: { service: Service; problem: NonNullable<Service['problem']> }) {
  const { t } = useTranslation('preview')
  const { problem, service } = props
  if (problem.code === 'exited' && problem.exitCode !== null) return t('problem.exit', { code: problem.exitCode })
  if (problem.code === 'not-started') return t('problem.not-started', { message: problem.message })
  return t(`problem.${problem.code}`, { port: service.port })
}

function NotShown(props: { error: unknown; onRetry: () => void }) {
  const { t } = useTranslation(['preview', 'connection'])
  const problem = useProblem()(props.error)
  const address = otherAddress(props.error)
  return (
    <CoverBox glyph="error" title={problem.message}>
      <p>
        <CodeText text={problem.remedy} /> <ErrorCode code={problem.code} />
      </p>
      <div className="cover-acts">
        {address !== null && (
          <a className="btn btn--md btn--primary" href={`${address}${location.pathname}`}>
            {t('openThere')}
          </a>
        )}
        <Button size="md" onClick={props.onRetry}>
          {t('connection:retryLoad')}
        </Button>
      </div>
    </CoverBox>
  )
}

/** The address at which the app can show previews, if only the name under which it was opened prevents them. */
function otherAddress(error: unknown): string | null {
  if (!isThreadboxError(error) || error.code !== 'preview.other-name') return null
  const { address } = error.details
  return typeof address === 'string' && /^https?:/.test(address) ? address : null
}

function RestartButton(props: { threadId: string; service: Service | null; isPrimary?: boolean }) {
  const { t } = useTranslation('preview')
  const restart = useRestartService(props.threadId)
  const { service } = props
  if (service === null) return null
  return (
    <Button
      size="md"
      variant={props.isPrimary === true ? 'primary' : 'default'}
      icon={<Power className="i" size={14} />}
      isLoading={restart.isPending}
      onClick={() => restart.mutate(service.name)}
    >
      {t('restart')}
    </Button>
  )
}

function CoverBox(props: { glyph: GlyphState; title: string; isThin?: boolean; children: ReactNode }) {
  return (
    <section className={props.isThin === true ? 'cover cover--thin' : 'cover'} aria-label={props.title}>
      <div className="cover-box">
        <h3>
          <Glyph state={props.glyph} />
          {props.title}
        </h3>
        {props.children}
      </div>
    </section>
  )
}
