import { Info } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useThreadActions } from '../../../page/thread/state/thread-context.ts'
import { Node } from './node.tsx'

const commands = [
  { name: 'run', example: '/run uname -a' },
  { name: 'python', example: '/python import sys; sys.version' },
  { name: 'share', example: '/share sales.csv' },
  { name: 'serve', example: '/serve 8000 python3 -m http.server 8000' },
  { name: 'look', example: '/look 8000' },
  { name: 'pause', example: '/pause' },
  { name: 'status', example: '/status' },
  { name: 'help', example: '/help' },
] as const

/** The commands of direct mode, each with an example that can be put into the composer. */
export function HelpNotice() {
  const { t } = useTranslation('threads')
  const actions = useThreadActions()
  return (
    <div className="r">
      <Node>
        <Info className="i" size={16} />
      </Node>
      <div className="help-box">
        <b>{t('help.title')}</b>
        <ul>
          {commands.map((command) => (
            <li key={command.name}>
              <button type="button" className="mono link" onClick={() => actions.insert(command.example)}>
                {command.example}
              </button>
              <span>{t(`help.${command.name}`)}</span>
            </li>
          ))}
        </ul>
        <p className="muted">{t('help.keeps')}</p>
      </div>
    </div>
  )
}
