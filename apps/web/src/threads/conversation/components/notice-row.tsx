import { Link } from '@tanstack/react-router'
import type { NoticeEntry, Turn } from '@threadbox/sdk'
import { CircleHelp, Eye, EyeOff, FoldVertical, GitFork, History, Info, Plug, Square } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../../page/client/use-format.ts'
import { useThreadActions } from '../../../page/thread/state/thread-context.ts'
import { SandboxNotice } from '../../../sandboxes/sandbox/components/sandbox-notice.tsx'
import { Button } from '../../../ui/button.tsx'
import { Glyph } from '../../../ui/glyph.tsx'
import { HelpNotice } from './help-notice.tsx'
import { Node } from './node.tsx'

/** An event of the conversation or its sandbox, in one line. */
export function NoticeRow(props: { entry: NoticeEntry; turn: Turn | undefined; isUndoable: boolean }) {
  const { t } = useTranslation('threads')
  const format = useFormat()
  const { entry } = props
  const { params } = entry
  const count = (name: string) => format.count(Number(params[name] ?? 0))
  switch (entry.code) {
    case 'help':
      return <HelpNotice />
    case 'connect-model':
      return (
        <Line
          icon={<Plug className="i" size={16} />}
          title={t('notice.connectModel')}
          rest={t('notice.connectModelText')}
        >
          <Link className="btn btn--sm" to="/settings/$section" params={{ section: 'models' }}>
            {t('connectModel')}
          </Link>
        </Line>
      )
    case 'model-available':
      return <ModelAvailable model={String(params.model ?? '')} turnId={entry.turnId} />
    case 'turn-stopped':
      return (
        <Line
          icon={<Square className="i" size={14} />}
          title={t('notice.stopped')}
          rest={stillRunningText(props.turn, (names) =>
            t('notice.stillRunning', { count: names.length, names: format.items(names) }),
          )}
        />
      )
    case 'compacted':
      return (
        <Line
          icon={<FoldVertical className="i" size={16} />}
          title={t('notice.compacted')}
          rest={t('notice.compactedText', { before: count('tokensBefore'), after: count('tokensAfter') })}
        />
      )
    case 'model-switched':
      return <PlainLine title={t('notice.modelSwitched', { from: params.from, to: params.to })} />
    case 'model-fallback':
      return <ModelFallback params={params} />
    case 'images-not-seen':
      return (
        <Line
          icon={<EyeOff className="i" size={16} />}
          title={t('notice.imagesNotSeen', { model: params.model, count: Number(params.count ?? 1) })}
          rest={t('notice.imagesNotSeenText')}
        />
      )
    case 'call-interrupted':
      return <Line icon={<CircleHelp className="i" size={16} />} title={t('notice.interrupted')} />
    case 'step-discarded':
      return <PlainLine title={t('notice.discarded')} />
    case 'sandbox-started':
      return <Line icon={<Glyph state="active" />} title={t('notice.sandboxStarted')} />
    case 'sandbox-stopped':
      return <SandboxStopped cause={String(params.cause ?? '')} at={entry.at} />
    case 'sandbox-replaced':
      return (
        <Line
          icon={<Glyph state="cold" />}
          title={t('notice.sandboxReplaced')}
          rest={t('notice.sandboxReplacedText')}
          isGap
        />
      )
    case 'forked':
      return <Forked params={params} />
    case 'copied':
      return <Forked params={params} isCopy />
    case 'forked-to':
      return (
        <Line icon={<GitFork className="i" size={16} />} title={t('notice.forkedTo')}>
          <ThreadLink params={params} />
        </Line>
      )
    case 'opened-by-admin':
      return <OpenedByAdmin params={params} />
    case 'rewound':
      return <Rewound params={params} isUndoable={props.isUndoable} />
    default:
      return <SandboxNotice notice={entry} />
  }
}

/** A person who isn’t in the thread has read it, and why. */
function OpenedByAdmin({ params }: { params: NoticeEntry['params'] }) {
  const { t } = useTranslation('people')
  const name = String(params.name ?? '')
  return (
    <Line
      icon={<Eye className="i" size={16} />}
      title={t('leaving.opening.notice', { name })}
      rest={String(params.reason ?? '')}
    />
  )
}

function Line(props: {
  icon: ReactNode
  title: string
  rest?: string | undefined
  isGap?: boolean
  children?: ReactNode
}) {
  return (
    <div className={props.isGap === true ? 'r wake r--gap' : 'r notice'}>
      <Node>{props.icon}</Node>
      <b>{props.title}</b>
      {props.rest !== undefined && <span className="rest">{props.rest}</span>}
      {props.children}
    </div>
  )
}

function PlainLine(props: { title: string; rest?: string }) {
  return <Line icon={<Info className="i" size={16} />} {...props} />
}

/** Another model responded, because the thread’s could not. */
function ModelFallback({ params }: { params: NoticeEntry['params'] }) {
  const { t } = useTranslation('threads')
  return (
    <PlainLine
      title={t('notice.modelFallback', { to: params.to })}
      rest={t(`notice.fallbackCause.${fallbackCauseOf(params.cause)}`, { from: params.from })}
    />
  )
}

/** Where a copied thread begins, and what its sandbox has from the original. */
function Forked(props: { params: NoticeEntry['params']; isCopy?: boolean }) {
  const { t } = useTranslation('threads')
  const { params } = props
  const from = forkOrigins.find((known) => known === params.from) ?? 'none'
  const isCopy = props.isCopy === true
  return (
    <Line
      icon={<GitFork className="i" size={16} />}
      title={t(isCopy ? 'notice.copied' : 'notice.forked')}
      rest={t(`notice.forkedOf.${from}`)}
    >
      {!isCopy && <ThreadLink params={params} />}
    </Line>
  )
}
const forkOrigins = ['memory', 'disk', 'none'] as const

/** A link to the other thread of a fork, with its title at that time. */
function ThreadLink(props: { params: NoticeEntry['params'] }) {
  const { t } = useTranslation('threads')
  const title = String(props.params.title ?? '')
  const threadId = String(props.params.threadId ?? '')
  return (
    <Link className="link" to="/threads/$threadId" params={{ threadId }}>
      {title === '' ? t('untitled') : title}
    </Link>
  )
}

/** The entries that a rewind removed were here. They can be restored until the next message. */
function Rewound(props: { params: NoticeEntry['params']; isUndoable: boolean }) {
  const { t } = useTranslation('threads')
  const actions = useThreadActions()
  const { params } = props
  return (
    <Line
      icon={<History className="i" size={16} />}
      title={t('notice.rewound', { count: Number(params.turns ?? 0) })}
      rest={t(rewoundText(params))}
    >
      {props.isUndoable && (
        <Button size="sm" onClick={() => void actions.undoRewind(String(params.rewindId ?? ''))}>
          {t('undo')}
        </Button>
      )}
    </Line>
  )
}

function rewoundText({ disk, memory }: NoticeEntry['params']) {
  if (disk === 'none') return 'notice.rewoundWithoutDisk'
  return memory === 'kept' ? 'notice.rewoundWithMemory' : 'notice.rewoundText'
}

/** A model was connected after this message got no response: offers to get one. */
function ModelAvailable(props: { model: string; turnId: string }) {
  const { t } = useTranslation('threads')
  const actions = useThreadActions()
  return (
    <Line icon={<Plug className="i" size={16} />} title={t('notice.modelAvailable', { model: props.model })}>
      <Button size="sm" variant="primary" onClick={() => void actions.retry('retry')}>
        {t('answerNow')}
      </Button>
    </Line>
  )
}

function stillRunningText(turn: Turn | undefined, text: (names: string[]) => string): string | undefined {
  const names = turn?.stillRunning ?? []
  return names.length === 0 ? undefined : text(names)
}

const endCauses = ['stopped', 'memory-backstop', 'killed-inside', 'killed-outside', 'machine-restarted'] as const
type EndCause = (typeof endCauses)[number]

/** The thread line breaks here: memory was lost. Shows the cause that the host recorded. */
function SandboxStopped(props: { cause: string; at: number }) {
  const { t } = useTranslation('threads')
  const format = useFormat()
  const cause = endCauses.find((known): known is EndCause => known === props.cause)
  return (
    <Line
      icon={<Glyph state="cold" />}
      title={cause === undefined ? t('notice.sandboxStopped') : t(`notice.ended.${cause}`)}
      rest={t('notice.sandboxStoppedText')}
      isGap
    >
      <time className="when num" dateTime={new Date(props.at).toISOString()} title={format.fullMoment(props.at)}>
        {format.moment(props.at, Date.now())}
      </time>
    </Line>
  )
}

const fallbackCauses = ['rate-limited', 'overloaded', 'network', 'circuit'] as const

function fallbackCauseOf(cause: unknown): (typeof fallbackCauses)[number] {
  return fallbackCauses.find((known) => known === cause) ?? 'overloaded'
}
