import type { TextEntry } from '@threadbox/sdk'
import { ChevronDown, ChevronRight } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Markdown } from '../../../page/content/components/markdown.tsx'
import { Node } from './node.tsx'

/** The reasoning of the model before its response: closed, one line. */
export function ReasoningRow(props: { entry: TextEntry; icon: ReactNode }) {
  const { t } = useTranslation('threads')
  const [isOpen, setIsOpen] = useState(false)
  const Chevron = isOpen ? ChevronDown : ChevronRight
  return (
    <div className="r" data-entry={props.entry.id}>
      <Node>{props.icon}</Node>
      <button type="button" className="thought" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
        {props.entry.status === 'streaming' ? t('thinking') : t('thought')}
        <Chevron className="i" size={14} />
      </button>
      {isOpen && (
        <Markdown className="thought-text" isStreaming={props.entry.status === 'streaming'}>
          {props.entry.text}
        </Markdown>
      )}
    </div>
  )
}
