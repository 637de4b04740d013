import { useTranslation } from 'react-i18next'
import { type SlashCommandName, slashCommands } from '../state/slash-commands.logic.ts'

/**
 * The commands that match the typed text. The text field keeps the focus; it points here with `aria-activedescendant`.
 */
export function SlashMenu(props: {
  id: string
  names: readonly SlashCommandName[]
  active: number
  onChoose: (name: SlashCommandName) => void
}) {
  const { t } = useTranslation('composer')
  return (
    <div className="slash-menu" role="listbox" id={props.id} aria-label={t('commands')} tabIndex={-1}>
      {props.names.map((name, index) => (
        <div
          key={name}
          id={`${props.id}-${name}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === props.active}
          className="opt"
          onPointerDown={(event) => {
            event.preventDefault()
            props.onChoose(name)
          }}
        >
          <code>{`/${name}`}</code>
          <span>{t(`command.${name}`)}</span>
          <span className="end mono">{slashCommands.find((command) => command.name === name)?.example}</span>
        </div>
      ))}
    </div>
  )
}
