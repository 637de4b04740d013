import { X } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../../page/client/use-format.ts'
import { nameOfPath } from '../../../page/content/state/names.logic.ts'
import { useProblem } from '../../../page/parts/problem.ts'
import { Button } from '../../../ui/button.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { Meter } from '../../../ui/meter.tsx'
import type { Transfer } from '../state/transfers.ts'
import { useTransfers, useTransfersStore } from '../state/transfers-context.tsx'
import { FileName } from './file-name.tsx'

/** The most rows shown for a drop of thousands of files; the total counts all. */
const mostLines = 5

/** Uploads of this thread: their progress, and those that need a decision. */
export function TransferStrip(props: { threadId: string }) {
  const { t } = useTranslation('files')
  const format = useFormat()
  const store = useTransfersStore()
  const transfers = useTransfers(props.threadId)
  if (transfers.length === 0) return null
  const taken = transfers.filter(({ status }) => status === 'taken')
  const failed = transfers.filter(({ status }) => status === 'failed')
  const done = transfers.filter(({ status }) => status === 'done')
  const total = transfers.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
  const sent = transfers.reduce((sum, { sentBytes }) => sum + sentBytes, 0)
  const hasEnded = done.length + failed.length + taken.length === transfers.length
  const answer = (how: 'replace' | 'keep-both' | 'skip') =>
    store.answer(
      props.threadId,
      taken.map(({ id }) => id),
      how,
    )
  const shown = [...failed, ...taken, ...transfers.filter(({ status }) => status === 'sending')].slice(0, mostLines)
  return (
    <section className="transfers" aria-label={t('uploads')}>
      <div className="transfers-sum" role="status">
        <span className="grow trunc">
          {t(hasEnded ? 'uploadsDone' : 'uploadsGoing', { done: format.number(done.length), count: transfers.length })}
          {' · '}
          {format.bytes(sent)} / {format.bytes(total)}
        </span>
        <IconButton label={hasEnded ? t('uploadsClose') : t('uploadsStop')} onClick={() => store.clear(props.threadId)}>
          <X className="i" size={14} />
        </IconButton>
      </div>
      {!hasEnded && <Meter label={t('uploads')} value={sent} maximum={total} />}
      {shown.map((transfer) => (
        <TransferLine key={transfer.id} transfer={transfer} onRetry={() => store.retry(props.threadId, transfer.id)} />
      ))}
      {taken.length > 0 && (
        <div className="transfers-taken">
          <span className="grow">{t('taken', { count: taken.length })}</span>
          <Button size="sm" onClick={() => answer('keep-both')}>
            {t('keepBoth')}
          </Button>
          <Button size="sm" onClick={() => answer('replace')}>
            {t('replace')}
          </Button>
          <Button size="sm" variant="ghost" onClick={() => answer('skip')}>
            {t('skip')}
          </Button>
        </div>
      )}
    </section>
  )
}

function TransferLine(props: { transfer: Transfer; onRetry: () => void }) {
  const { t } = useTranslation('files')
  const format = useFormat()
  const problemOf = useProblem()
  const { transfer } = props
  return (
    <div className="transfer">
      <FileName name={nameOfPath(transfer.path)} />
      <span className="grow" />
      {transfer.status === 'sending' && (
        <span className="faint">
          {format.bytes(transfer.sentBytes)} / {format.bytes(transfer.sizeBytes)}
        </span>
      )}
      {transfer.status === 'taken' && <span className="faint">{t('isThere')}</span>}
      {transfer.status === 'failed' && (
        <>
          <span className="transfer-problem trunc">{problemOf(transfer.error).message}</span>
          <Button size="sm" onClick={props.onRetry}>
            {t('tryAgain')}
          </Button>
        </>
      )}
    </div>
  )
}
