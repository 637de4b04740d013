import type { ToolCallEntry } from '@threadbox/sdk'
import { Copy } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useClient } from '../../../page/client/client.ts'
import { copyText } from '../../../page/client/copy-text.ts'
import { PathLink } from '../../../page/content/components/path-link.tsx'
import { nameOf, shortPath } from '../../../page/content/state/paths.logic.ts'
import { Card } from '../../../ui/card.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { ScrollBox } from '../../../ui/scroll-box.tsx'
import { inputOf, isOpenByDefault } from '../state/call.logic.ts'
import { useCardOpen } from '../state/use-card-open.ts'
import { CallError } from './call-error.tsx'
import { CallMeta } from './call-meta.tsx'

/** The result of a reading tool: a file, a listing, search results, an image. */
export function TextCard(props: { entry: ToolCallEntry }) {
  const { t } = useTranslation('cards')
  const client = useClient()
  const { entry } = props
  const [isOpen, toggle] = useCardOpen(isOpenByDefault(entry))
  const { result } = entry
  const input = inputOf(entry)
  const path = (result?.kind === 'text' || result?.kind === 'image' ? result.path : null) ?? input.path
  const subject = input.pattern || input.name || shortPath(path)
  return (
    <Card
      label={t(`tool.${entry.tool}`)}
      isOpen={isOpen}
      onToggle={toggle}
      title={
        <>
          <span className="card-name">{t(`tool.${entry.tool}`)}</span>
          <span className="trunc mono">{subject}</span>
        </>
      }
      meta={<CallMeta entry={entry} />}
      actions={
        result?.kind === 'text' && (
          <IconButton size="sm" label={t('copy')} onClick={() => void copyText(result.text)}>
            <Copy className="i" size={14} />
          </IconButton>
        )
      }
    >
      <CallError entry={entry} />
      {result?.kind === 'text' && (
        <ScrollBox className="out out-text out-text--all" label={t('output')}>
          {result.text === '' ? t('noOutput') : result.text}
        </ScrollBox>
      )}
      {result?.kind === 'image' && (
        <figure className="fig">
          <img src={client.urlOf(result.url)} alt={nameOf(result.path)} loading="lazy" />
        </figure>
      )}
      {path !== '' && entry.tool !== 'list_files' && entry.tool !== 'search_files' && (
        <div className="card-foot">
          <PathLink path={path} />
        </div>
      )}
    </Card>
  )
}
