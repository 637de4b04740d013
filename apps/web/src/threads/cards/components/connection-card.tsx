import type { CallDecision, ToolCallEntry } from '@threadbox/sdk'
import { Copy, Download } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useClient } from '../../../page/client/client.ts'
import { copyText } from '../../../page/client/copy-text.ts'
import { useFormat } from '../../../page/client/use-format.ts'
import { useCardActions } from '../../../page/content/state/card-context.ts'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { ScrollBox } from '../../../ui/scroll-box.tsx'
import { isOpenByDefault } from '../state/call.logic.ts'
import { useCardOpen } from '../state/use-card-open.ts'
import { CallError } from './call-error.tsx'
import { CallMeta } from './call-meta.tsx'

type Result = Extract<ToolCallEntry['result'], { kind: 'connection' }>

/** A call of a connection’s tool: its input and result, or the question whether to allow it. */
export function ConnectionCard(props: { entry: ToolCallEntry }) {
  const { t } = useTranslation('cards')
  const { entry } = props
  const [isOpen, toggle] = useCardOpen(isOpenByDefault(entry))
  const names = namesOf(entry)
  const result = entry.result?.kind === 'connection' ? entry.result : null
  return (
    <Card
      label={t('connectionLabel', names)}
      isOpen={isOpen}
      onToggle={toggle}
      title={
        <>
          <span className="card-name">{names.connection}</span>
          <span className="trunc mono">{names.tool}</span>
        </>
      }
      meta={<CallMeta entry={entry} />}
      actions={
        result !== null &&
        result.text !== '' && (
          <IconButton size="sm" label={t('copy')} onClick={() => void copyText(result.text)}>
            <Copy className="i" size={14} />
          </IconButton>
        )
      }
      footer={entry.status === 'awaiting-approval' && <Approval entry={entry} />}
    >
      <CallError entry={entry} />
      {entry.status !== 'awaiting-approval' && inputText(entry) !== '' && (
        <ScrollBox className="out out-text" label={t('sent')}>
          {inputText(entry)}
        </ScrollBox>
      )}
      {result !== null && <Answer entry={entry} result={result} />}
    </Card>
  )
}

function Answer(props: { entry: ToolCallEntry; result: Result }) {
  const { t } = useTranslation('cards')
  const client = useClient()
  const format = useFormat()
  const { result } = props
  const { connection } = namesOf(props.entry)
  return (
    <>
      {result.text !== '' && (
        <ScrollBox className="out out-text out-text--all" label={t('answer')}>
          {result.text}
        </ScrollBox>
      )}
      {result.images.map((image, index) => (
        <figure className="fig" key={image.url}>
          <img
            src={client.urlOf(image.url)}
            alt={t('answerPicture', { number: index + 1, connection })}
            loading="lazy"
          />
        </figure>
      ))}
      {result.notes.map((note) => (
        <p className="card-note" key={note}>
          {note}
        </p>
      ))}
      {result.url !== null && (
        <div className="card-foot">
          <a className="link row-flex" href={`${client.urlOf(result.url)}?download=true`}>
            <Download className="i" size={14} aria-hidden="true" />
            {t('downloadAnswer', { size: format.bytes(result.sizeBytes) })}
          </a>
        </div>
      )}
    </>
  )
}

/** The question whether to allow a call. Texts from the server are separate and shown as text only. */
function Approval(props: { entry: ToolCallEntry }) {
  const { t } = useTranslation('cards')
  const cards = useCardActions()
  const [pending, setPending] = useState<CallDecision | null>(null)
  const { entry } = props
  const names = namesOf(entry)
  const description = entry.connection?.description.trim() ?? ''
  const input = inputText(entry)
  const decide = async (decision: CallDecision) => {
    if (pending !== null) return
    setPending(decision)
    if (!(await cards.decide(entry.id, decision))) setPending(null)
  }
  const button = (decision: CallDecision, more: { variant?: 'primary'; title?: string } = {}) => (
    <Button size="md" {...more} isLoading={pending === decision} onClick={() => void decide(decision)}>
      {t(`approval.${decision}`)}
    </Button>
  )
  return (
    <section className="approval" aria-label={t('approval.question', names)}>
      <p role="status">
        <b>{t('approval.question', names)}</b>
      </p>
      <p className="muted">{input === '' ? t('approval.nothingSent') : t('approval.sent')}</p>
      {input !== '' && (
        <ScrollBox className="out out-text" label={t('approval.sent')}>
          {input}
        </ScrollBox>
      )}
      {description !== '' && (
        <details>
          <summary>{t('approval.described')}</summary>
          <p className="approval-words">{description}</p>
        </details>
      )}
      <div className="approval-acts">
        {button('allow', { variant: 'primary' })}
        {button('always', { title: t('approval.alwaysHint', names) })}
        {button('deny')}
      </div>
    </section>
  )
}

function namesOf(entry: ToolCallEntry): { connection: string; tool: string } {
  return { connection: entry.connection?.name ?? '', tool: entry.connection?.tool ?? '' }
}

function inputText(entry: ToolCallEntry): string {
  const { input } = entry
  const isEmpty = typeof input !== 'object' || input === null || Object.keys(input).length === 0
  return isEmpty ? '' : JSON.stringify(input, null, 2)
}
