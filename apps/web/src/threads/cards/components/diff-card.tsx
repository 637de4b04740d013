import type { ToolCallEntry } from '@threadbox/sdk'
import { Copy } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { copyText } from '../../../page/client/copy-text.ts'
import { PathLink } from '../../../page/content/components/path-link.tsx'
import { diffLinesOf } from '../../../page/content/state/diff.logic.ts'
import { shortPath } from '../../../page/content/state/paths.logic.ts'
import { Card } from '../../../ui/card.tsx'
import { classNames } from '../../../ui/class-names.ts'
import { IconButton } from '../../../ui/icon-button.tsx'
import { ScrollBox } from '../../../ui/scroll-box.tsx'
import { inputOf, isOpenByDefault } from '../state/call.logic.ts'
import { useCardOpen } from '../state/use-card-open.ts'
import { CallError } from './call-error.tsx'
import { CallMeta } from './call-meta.tsx'
import { LimitNote } from './limit-note.tsx'

/** A file that was written or changed: the added and removed lines. */
export function DiffCard(props: { entry: ToolCallEntry }) {
  const { t } = useTranslation('cards')
  const { entry } = props
  const [isOpen, toggle] = useCardOpen(isOpenByDefault(entry))
  const result = entry.result?.kind === 'diff' ? entry.result : null
  const path = result?.path ?? inputOf(entry).path
  const verb =
    result?.isNew === true ? t('fileCreated') : entry.tool === 'write_file' ? t('fileWritten') : t('fileEdited')
  return (
    <Card
      label={`${verb} ${path}`}
      isOpen={isOpen}
      onToggle={toggle}
      title={
        <>
          <span className="card-name">{verb}</span>
          <span className="trunc mono">{shortPath(path)}</span>
        </>
      }
      meta={
        <>
          {result !== null && (
            <span className="diff-count">
              {result.addedLines > 0 && <span className="add">{`+${result.addedLines}`}</span>}
              {result.removedLines > 0 && <span className="del">{`−${result.removedLines}`}</span>}
            </span>
          )}
          <CallMeta entry={entry} />
        </>
      }
      actions={
        result !== null && (
          <IconButton size="sm" label={t('copyDiff')} onClick={() => void copyText(result.diff)}>
            <Copy className="i" size={14} />
          </IconButton>
        )
      }
    >
      <CallError entry={entry} />
      <LimitNote entry={entry} />
      {result !== null && <DiffLines diff={result.diff} />}
      {result !== null && (
        <div className="card-foot row-flex">
          <PathLink path={result.path} />
          {result.isTruncated && <span>{t('diffTruncated')}</span>}
        </div>
      )}
    </Card>
  )
}

function DiffLines(props: { diff: string }) {
  const { t } = useTranslation('cards')
  const lines = diffLinesOf(props.diff)
  if (lines.length === 0) return <div className="out out--none">{t('noChange')}</div>
  return (
    <ScrollBox className="diff" label={t('changes')}>
      {lines.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity but their place
        <div key={index} className={classNames('dl', `dl--${line.kind}`)}>
          <span className="no">{line.newNumber ?? line.oldNumber ?? ''}</span>
          <span className="sign">{line.kind === 'added' ? '+' : line.kind === 'removed' ? '−' : ''}</span>
          <span className="tx">{line.text}</span>
        </div>
      ))}
    </ScrollBox>
  )
}
