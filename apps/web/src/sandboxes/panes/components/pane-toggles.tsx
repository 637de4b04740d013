import { useTranslation } from 'react-i18next'
import { keyCaps } from '../../../page/keys/state/key-caps.ts'
import { Tooltip } from '../../../ui/tooltip.tsx'
import { togglePane } from '../state/pane-store.ts'
import { usePanes } from '../state/panes-context.ts'
import { useShownPane } from '../state/use-shown-pane.ts'

/** The buttons that open the panes beside the conversation. */
export function PaneToggles(props: { threadId: string }) {
  const { t } = useTranslation(['preview', 'files', 'terminal', 'sandbox', 'git', 'common'])
  const panes = usePanes()
  const shown = useShownPane(props.threadId)
  const open = shown?.threadId === props.threadId ? shown.pane : null
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
    <div className="seg" role="group" aria-label={t('common:panes')}>
      {panes.map(({ name, title, digit, Icon }) => {
        return (
          <Tooltip key={name} label={t(title)} shortcut={keyCaps(`alt+${digit}`)}>
            <button
              type="button"
              aria-pressed={open === name}
              aria-label={t(title)}
              data-pane-toggle={name}
              onClick={() => togglePane(name)}
            >
              <Icon className="i" size={15} />
              {open === name && <span className="not-m">{t(title)}</span>}
            </button>
          </Tooltip>
        )
      })}
    </div>
  )
}
