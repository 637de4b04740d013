import { useTranslation } from 'react-i18next'

const keys = [
  ['Esc', '\x1b'],
  ['Tab', '\t'],
  ['Ctrl C', '\x03'],
  ['Ctrl D', '\x04'],
  ['↑', '\x1b[A'],
  ['↓', '\x1b[B'],
  ['←', '\x1b[D'],
  ['→', '\x1b[C'],
] as const

/** Keys that on-screen keyboards don’t have. */
export function TerminalKeys(props: { onKey: (text: string) => void }) {
  const { t } = useTranslation('terminal')
  return (
    <div className="term-keys" role="toolbar" aria-label={t('keys')}>
      {keys.map(([name, text]) => (
        <button
          key={name}
          type="button"
          className="btn btn--ghost"
          // The on-screen keyboard stays open, because the focus never leaves the terminal.
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => props.onKey(text)}
        >
          {name}
        </button>
      ))}
    </div>
  )
}
