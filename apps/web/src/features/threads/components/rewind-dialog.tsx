import type { RewindPreview } from '@threadbox/sdk'
import { Cpu, Files, GitFork, Globe, History, MessageSquare } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../../app/use-format.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { FormProblem } from '../../connection/components/form-problem.tsx'
import { LoadFailed } from '../../connection/components/load-failed.tsx'
import { useRewind, useRewindPreview } from '../api/rewind.queries.ts'
import { useThreadActions } from '../state/thread-context.ts'

/** Names everything that a rewind undoes, and what it cannot undo, before it is made. It can itself be undone. */
export function RewindDialog(props: { entryId: string }) {
  const { t } = useTranslation(['threads', 'common'])
  const actions = useThreadActions()
  const target = { threadId: actions.threadId, entryId: props.entryId }
  const preview = useRewindPreview(target)
  const rewind = useRewind(target)
  const onClose = () => actions.askRewind(null)
  const problem = preview.data?.problem ?? null
  return (
    <Dialog
      isOpen
      onOpenChange={(isOpen) => !isOpen && onClose()}
      className="rewind"
      title={t('rewind.title')}
      closeLabel={t('common:close')}
      footer={
        <>
          <Button
            size="md"
            icon={<GitFork className="i" size={15} />}
            isDisabled={preview.data === undefined}
            onClick={() => {
              onClose()
              actions.forkBefore(preview.data?.turnId ?? '')
            }}
          >
            {t('rewind.forkInstead')}
          </Button>
          <span className="grow" />
          <Button size="md" onClick={onClose}>
            {t('common:cancel')}
          </Button>
          <Button
            size="md"
            variant="primary"
            data-first-focus
            icon={<History className="i" size={15} />}
            isDisabled={preview.data === undefined}
            disabledReason={problem === null ? undefined : t(`rewind.problem.${problemKey(problem)}`)}
            isLoading={rewind.isPending}
            onClick={() => rewind.mutate(undefined, { onSuccess: onClose })}
          >
            {t('rewind.action')}
          </Button>
        </>
      }
    >
      {preview.isPending && <Skeleton rows={4} label={t('rewind.looking')} />}
      {preview.isError && (
        <LoadFailed error={preview.error} onRetry={() => void preview.refetch()} isRetrying={preview.isFetching} />
      )}
      {preview.data !== undefined && <Contents preview={preview.data} />}
      {rewind.error !== null && <FormProblem error={rewind.error} />}
    </Dialog>
  )
}

function problemKey(code: string): 'running' | 'gone' | 'underWay' {
  if (code === 'rewind.turn-running') return 'running'
  return code === 'rewind.snapshot-gone' ? 'gone' : 'underWay'
}

function Contents(props: { preview: RewindPreview }) {
  const { t } = useTranslation('threads')
  const format = useFormat()
  const { preview } = props
  const { disk, messages, problem } = preview
  const time = disk.at === null ? '' : format.moment(disk.at, Date.now())
  return (
    <>
      {preview.text !== '' && <p className="quote rewind-quote">{preview.text}</p>}
      <p className="rewind-lead">
        {problem === null ? t(`rewind.lead.${disk.to}`, { time }) : t(`rewind.problem.${problemKey(problem)}`)}
      </p>
      <Part icon={<MessageSquare className="i" size={16} />} title={t('rewind.messages')}>
        {t('rewind.messagesRemoved', { count: messages.sent })}
        {messages.answers > 0 && ` ${t('rewind.answersToo', { count: messages.answers })}`}
      </Part>
      {disk.to !== 'none' && disk.to !== 'gone' && <FilesPart disk={disk} />}
      {disk.to !== 'none' && disk.to !== 'gone' && (
        <MemoryPart memory={preview.memory} comesBack={preview.bringsMemory} />
      )}
      {preview.calls.length > 0 && (
        <Part
          icon={<Globe className="i" size={16} />}
          title={t('rewind.cannot')}
          items={preview.calls.map(({ tool, count }) => ({ mark: '!', name: tool, rest: `${format.count(count)} ×` }))}
        >
          {t('rewind.calls', { count: preview.calls.reduce((sum, call) => sum + call.count, 0) })}
        </Part>
      )}
      <p className="rewind-foot faint">{t('rewind.foot')}</p>
    </>
  )
}

/** More rows than this are a number. */
const mostRows = 8
const marks = { removed: 'A', restored: 'D', changed: 'M' } as const

function FilesPart(props: { disk: RewindPreview['disk'] }) {
  const { t } = useTranslation('threads')
  const format = useFormat()
  const { files, count } = props.disk
  const size = (bytes: number | null) => (bytes === null ? '' : format.bytes(bytes))
  const items = (files ?? []).slice(0, mostRows).map(({ path, change, bytesNow, bytesThen }) => ({
    mark: marks[change],
    name: path.replace(/^\/home\/user\//, ''),
    rest: t(`rewind.file.${change}`, { size: size(change === 'removed' ? bytesNow : bytesThen), now: size(bytesNow) }),
  }))
  const more = count - items.length
  return (
    <Part icon={<Files className="i" size={16} />} title={t('rewind.files')} items={items} more={more}>
      {files === null ? t('rewind.notLooked') : t('rewind.filesBack', { count })}
    </Part>
  )
}

/** What was in memory then is not listed: nobody has looked into it. What runs now is. */
function MemoryPart(props: { memory: RewindPreview['memory']; comesBack: boolean }) {
  const { t } = useTranslation('threads')
  const { memory, comesBack } = props
  const ends = t(comesBack ? 'rewind.endsOrThen' : 'rewind.ends')
  const serviceEnds = t(comesBack ? 'rewind.endsOrThen' : 'rewind.serviceEnds')
  const running =
    memory === null
      ? []
      : [
          ...memory.services.map((name) => ({ mark: '−', name, rest: serviceEnds })),
          ...memory.processes.map((name) => ({ mark: '−', name, rest: ends })),
        ]
  const items = running.slice(0, mostRows)
  const variables = memory?.variables.length ?? 0
  return (
    <Part
      icon={<Cpu className="i" size={16} />}
      title={t('rewind.processes')}
      items={items}
      more={running.length - items.length}
    >
      {comesBack && t('rewind.memoryBack')}
      {!comesBack &&
        (memory === null
          ? t('rewind.allEnds')
          : [
              t('rewind.processesEnd', { count: running.length }),
              ...(variables > 0 ? [t('rewind.variablesGo', { count: variables })] : []),
              t('rewind.noMemory'),
            ].join(' '))}
    </Part>
  )
}

function Part(props: {
  icon: ReactNode
  title: string
  children: ReactNode
  items?: readonly { mark: string; name: string; rest: string }[]
  more?: number
}) {
  const { t } = useTranslation('threads')
  const { items = [], more = 0 } = props
  return (
    <section className="undo">
      {props.icon}
      <div>
        <h3>
          {props.title}
          <span className="num">{props.children}</span>
        </h3>
        {items.length > 0 && (
          <ul>
            {items.map(({ mark, name, rest }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two processes may have the same command, and nothing moves
              <li key={index}>
                <span className="mk" aria-hidden="true">
                  {mark}
                </span>
                <span className="mono trunc">{name}</span>
                <span className="rt num">{rest}</span>
              </li>
            ))}
            {more > 0 && <li className="faint">{t('rewind.more', { count: more })}</li>}
          </ul>
        )}
      </div>
    </section>
  )
}
