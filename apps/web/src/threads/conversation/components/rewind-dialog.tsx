import type { RewindPreview, UserMessageEntry } from '@threadbox/sdk'
import { Bookmark, GitFork, History, MessageSquare } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../../page/client/use-format.ts'
import { FormProblem } from '../../../page/parts/form-problem.tsx'
import { LoadFailed } from '../../../page/parts/load-failed.tsx'
import { useThreadActions } from '../../../page/thread/state/thread-context.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Select } from '../../../ui/select.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { useRewind, useRewindPreview } from '../api/rewind.queries.ts'
import { FilesPart, Part, RunningParts, StaysPart } from './rewind-parts.tsx'

/**
 * Lists everything that a rewind undoes, and what it can’t undo, before it happens. The rewind itself can be undone.
 */
export function RewindDialog(props: {
  entryId: string
  /** The messages to choose from; without them the message is fixed. */
  choices?: readonly UserMessageEntry[] | undefined
}) {
  const { t } = useTranslation(['threads', 'common'])
  const actions = useThreadActions()
  const { choices } = props
  const [entryId, setEntryId] = useState(props.entryId)
  const target = { threadId: actions.threadId, entryId }
  const preview = useRewindPreview(target)
  const rewind = useRewind(target)
  const onClose = () => actions.askRewind(null)
  const problem = preview.data?.problem ?? null
  const time = useTimeOf(preview.data)
  return (
    <Dialog
      isOpen
      onOpenChange={(isOpen) => !isOpen && onClose()}
      className="rewind"
      title={t(choices === undefined ? 'rewind.title' : 'rewind.titleChosen')}
      closeLabel={t('common:close')}
      contentLabel={t('rewind.undone')}
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
            {time === '' ? t('rewind.forkInstead') : t('rewind.forkInsteadAt', { time })}
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
      {choices !== undefined && (
        <Select
          label={t('rewind.choose')}
          value={entryId}
          options={choices.map(({ id, text }) => ({ value: id, label: shortened(text) || t('rewind.noText') }))}
          onChange={setEntryId}
        />
      )}
      {preview.isPending && <Skeleton rows={4} label={t('rewind.looking')} />}
      {preview.isError && (
        <LoadFailed error={preview.error} onRetry={() => void preview.refetch()} isRetrying={preview.isFetching} />
      )}
      {preview.data !== undefined && <Contents preview={preview.data} hasQuote={choices === undefined} />}
      {rewind.error !== null && <FormProblem error={rewind.error} />}
    </Dialog>
  )
}

/** The label of a choice. */
function shortened(text: string): string {
  const line = text.trim().split('\n')[0] ?? ''
  return line.length > 64 ? `${line.slice(0, 63)}…` : line
}

function problemKey(code: string): 'running' | 'gone' | 'underWay' {
  if (code === 'rewind.turn-running') return 'running'
  return code === 'rewind.snapshot-gone' ? 'gone' : 'underWay'
}

/** The time of the state that the rewind restores; empty if there is none. */
function useTimeOf(preview: RewindPreview | undefined): string {
  const format = useFormat()
  const at = preview?.disk.at ?? null
  return at === null ? '' : format.deadline(at, Date.now())
}

function Contents(props: { preview: RewindPreview; hasQuote: boolean }) {
  const { t } = useTranslation('threads')
  const { preview } = props
  const { disk, messages, problem } = preview
  const time = useTimeOf(preview)
  return (
    <>
      {props.hasQuote && preview.text !== '' && <p className="quote rewind-quote">{preview.text}</p>}
      <p className="rewind-lead">
        {problem === null ? t(`rewind.lead.${disk.to}`, { time }) : t(`rewind.problem.${problemKey(problem)}`)}
      </p>
      {preview.isPinned && (
        <p className="kept-moment quiet">
          <Bookmark className="i" size={12} aria-hidden="true" /> {t('rewind.isKept')}
        </p>
      )}
      <Part icon={<MessageSquare className="i" size={16} />} title={t('rewind.messages')}>
        {messages.answers === 0
          ? t('rewind.messagesRemoved', { count: messages.sent })
          : t('rewind.bothRemoved', {
              messages: t('rewind.messagesSent', { count: messages.sent }),
              answers: t('rewind.answers', { count: messages.answers }),
            })}
      </Part>
      {disk.to !== 'none' && disk.to !== 'gone' && <FilesPart disk={disk} />}
      {disk.to !== 'none' && disk.to !== 'gone' && (
        <RunningParts
          running={preview.running}
          comesBack={preview.bringsMemory}
          nothingRan={preview.nothingRan}
          time={time}
        />
      )}
      <StaysPart calls={preview.calls} lookups={preview.lookups} />
      <p className="rewind-foot faint">{t('rewind.foot')}</p>
    </>
  )
}
