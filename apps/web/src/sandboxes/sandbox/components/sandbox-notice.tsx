import type { NoticeEntry } from '@threadbox/sdk'
import { Clock3, HardDrive, Hourglass } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../../page/client/use-format.ts'
import { useNow } from '../../../page/client/use-now.ts'
import { useThreadActions } from '../../../page/thread/state/thread-context.ts'
import { Button } from '../../../ui/button.tsx'
import { Glyph } from '../../../ui/glyph.tsx'
import { openPane } from '../../panes/state/pane-store.ts'
import { pausePhrase } from '../state/causes.logic.ts'
import { processName } from '../state/chip.logic.ts'
import { foldersOf, type NoticeParams, numberOf } from '../state/notice.logic.ts'
import { usePhrase } from '../state/phrase.ts'
import { HoldMenu } from './hold-menu.tsx'
import { NoticeLine } from './notice-line.tsx'
import { RetentionNotice } from './retention-notice.tsx'
import { StatusNotice } from './status-notice.tsx'

/** An event of the sandbox, or an upcoming one. */
export function SandboxNotice(props: { notice: NoticeEntry }) {
  const { notice } = props
  switch (notice.code) {
    case 'sandbox-paused':
      return <Paused notice={notice} />
    case 'sandbox-waiting':
      return <Waiting params={notice.params} />
    case 'awake-limit-near':
      return <AwakeLimitNear notice={notice} />
    case 'retention-near':
      return <RetentionNotice notice={notice} />
    case 'disk-nearly-full':
      return <DiskNearlyFull params={notice.params} />
    case 'sandbox-status':
      return <StatusNotice notice={notice} />
    default:
      return null
  }
}

function Paused(props: { notice: NoticeEntry }) {
  const { t } = useTranslation('lifecycle')
  const phrase = usePhrase()
  const format = useFormat()
  const { params, at } = props.notice
  const cause = pausePhrase(String(params.cause ?? ''), params)
  return (
    <NoticeLine
      icon={<Glyph state="paused" />}
      title={cause === undefined ? t('notice.paused') : t('notice.pausedBecause', { cause: phrase(cause, at) })}
      rest={t('notice.pausedText')}
    >
      <time className="when num" dateTime={new Date(at).toISOString()} title={format.fullMoment(at)}>
        {format.deadline(at, Date.now())}
      </time>
    </NoticeLine>
  )
}

function Waiting(props: { params: NoticeParams }) {
  const { t } = useTranslation(['lifecycle', 'sandbox'])
  const { params } = props
  const position = numberOf(params, 'position')
  const places = numberOf(params, 'places')
  const title =
    position === undefined || places === undefined
      ? t('notice.waiting')
      : params.reason === 'limit'
        ? t('sandbox:phrase.waits-limit', { count: places, position })
        : position <= 1
          ? t('sandbox:phrase.waits-next', { count: places })
          : t('sandbox:phrase.waits-number', { count: places, position })
  return <NoticeLine icon={<Hourglass className="i" size={16} />} title={title} rest={t('notice.waitingText')} />
}

function AwakeLimitNear(props: { notice: NoticeEntry }) {
  const { t } = useTranslation('lifecycle')
  const format = useFormat()
  const { threadId } = useThreadActions()
  const now = useNow(30_000)
  const { params } = props.notice
  const hours = numberOf(params, 'hours')
  const pauseAt = numberOf(params, 'pauseAt')
  const process = String(params.process ?? '')
  const rest = [
    process === '' ? '' : t('notice.awakeLimitProcess', { process: processName(process) }),
    pauseAt === undefined ? '' : t('notice.awakeLimitText', { at: format.deadline(pauseAt, now) }),
  ]
  return (
    <NoticeLine
      icon={<Clock3 className="i" size={16} />}
      title={
        hours === undefined
          ? t('notice.awakeLimitPlain')
          : t('notice.awakeLimit', { time: format.duration(hours * 3_600_000) })
      }
      rest={format.sentences(rest)}
    >
      {(pauseAt === undefined || pauseAt > now) && (
        <HoldMenu threadId={threadId} heldUntil={null} now={now} size="sm" />
      )}
    </NoticeLine>
  )
}

function DiskNearlyFull(props: { params: NoticeParams }) {
  const { t } = useTranslation('lifecycle')
  const format = useFormat()
  const { params } = props
  const used = numberOf(params, 'usedBytes')
  const limit = numberOf(params, 'limitBytes')
  const folders = foldersOf(params)
  return (
    <div className="r">
      <span className="node" aria-hidden="true">
        <HardDrive className="i" size={16} />
      </span>
      <section className="notice-box" aria-label={t('notice.diskPlain')}>
        <b>
          {used === undefined || limit === undefined
            ? t('notice.diskPlain')
            : t('notice.disk', { used: format.binaryBytes(used), limit: format.binaryBytes(limit) })}
        </b>
        {folders.length > 0 && (
          <>
            <p className="faint">{t('notice.diskFolders')}</p>
            <ul className="folders">
              {folders.map(({ path, bytes }) => (
                <li key={path}>
                  <span className="mono trunc" title={path}>
                    {path}
                  </span>
                  <span className="num">{format.binaryBytes(bytes)}</span>
                </li>
              ))}
            </ul>
          </>
        )}
        <div className="row-flex">
          <Button size="sm" onClick={() => openPane('sandbox', 'limits')}>
            {t('notice.raiseLimit')}
          </Button>
        </div>
      </section>
    </div>
  )
}
