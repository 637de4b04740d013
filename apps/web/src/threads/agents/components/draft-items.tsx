import type { AgentDraft } from '@threadbox/sdk'
import { type ReactNode, useId } from 'react'
import { useTranslation } from 'react-i18next'
import { shownText } from '../../../page/content/state/names.logic.ts'
import { ScrollBox } from '../../../ui/scroll-box.tsx'
import type { DraftItem } from '../state/draft-choices.logic.ts'

export type DraftChoices = {
  draft: AgentDraft
  chosen: ReadonlySet<DraftItem>
  onToggle: (item: DraftItem) => void
}

type Change = AgentDraft['instructions']['change']

/** One item with a checkbox: what it is, how it differs from the agent of the same name, and what it would do. */
export function DraftRow(props: {
  choices: DraftChoices
  /** Null: it can’t be accepted. */
  item: DraftItem | null
  label: string
  change: Change
  isDisabled?: boolean
  children?: ReactNode
}) {
  const { choices, item, label, change } = props
  const helpId = useId()
  return (
    <li className="draft-item">
      <label>
        <input
          type="checkbox"
          checked={item !== null && choices.chosen.has(item)}
          disabled={item === null || props.isDisabled === true}
          aria-describedby={helpId}
          onChange={() => item !== null && choices.onToggle(item)}
        />
        <b className="grow">{label}</b>
        <ChangeMark change={change} />
      </label>
      <div id={helpId} className="draft-detail">
        {props.children}
      </div>
    </li>
  )
}

/** The difference from the agent of the same name, as a word. */
export function ChangeMark(props: { change: Change }) {
  const { t } = useTranslation('agents')
  if (props.change === null) return null
  return <span className={`draft-change draft-change--${props.change}`}>{t(`review.change.${props.change}`)}</span>
}

/** Text of the file. Whatever could hide in it is a visible symbol. */
export function DraftText(props: { text: string; label: string }) {
  return (
    <ScrollBox className="code draft-text" label={props.label}>
      {shownText(props.text)}
    </ScrollBox>
  )
}

/** What the agent of the same name has instead. */
export function DraftBefore(props: { draft: AgentDraft; of: string; text: string | null }) {
  const { t } = useTranslation('agents')
  const { draft, text } = props
  if (text === null) return null
  const label = t('review.before', { name: draft.comparedWith?.name ?? '' })
  return (
    <details>
      <summary>{label}</summary>
      <DraftText text={text} label={`${label}: ${props.of}`} />
    </details>
  )
}
